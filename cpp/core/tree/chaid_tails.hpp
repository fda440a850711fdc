// Tails of the distributions that CHAID compares, and how many ways there are to merge categories; all as logarithms,
// so that p values of 1e-5000 are told apart.
#pragma once

#include "core/base/views.hpp"

namespace pellucid::tree {

// ln P(chi² >= x) with df degrees of freedom: ln Q(df/2, x/2), Q the regularized upper incomplete gamma function.
double log_chi_squared_tail(double x, double df);

// ln P(F >= f) with df1 and df2 degrees of freedom: ln I_z(df2/2, df1/2) at z = df2 / (df2 + df1 f), I the regularized
// incomplete beta function. f may be infinite.
double log_f_tail(double f, double df1, double df2);

// ln Gamma(z), z > 0. (std::lgamma writes a global sign: not for several threads.)
double log_gamma(double z);

// ln (n over k), 0 <= k <= n; minus infinity outside.
double log_binomial(double n, double k);

// ln S(n, k): ways to part n things into k groups without order, 1 <= k <= n (Stirling numbers of the second kind). Of
// thousands of things and groups it is right to 1e-4.
double log_stirling(Size n, Size k);

}  // namespace pellucid::tree

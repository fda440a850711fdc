// Ridge regression for many penalties at once, from one eigendecomposition.
//
// The centered columns have  X'WX = V diag(lambda) V'.  In the coordinates z_i = V'(x_i - mean) every penalty alpha has
//
//   f_i = mean_y + z_i . c / (lambda + alpha),   h_i = w_i (1 / sum w + sum_j z_ij^2 / (lambda_j + alpha)),   c =
//   V'X'Wy
//
// and the error that row i would have if it had been left out of the fit is  e_i = (y_i - f_i) / (1 - h_i)  (Allen
// 1974; Golub, Heath, Wahba 1979). Rows go by in blocks: z is one product for all penalties, f and h are one each, and
// nothing of the size of X is kept.
#pragma once

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

struct LeaveOneOut {
    const Matrix* X = nullptr;
    Dense<double> Y;                          // n x k
    std::span<const double> weight;           // n; empty: all one
    std::span<const double> mean_x, scale_x;  // p: x is taken as (x - mean) * scale
    std::span<const double> mean_y, scale_y;  // k
    std::span<const double> V;                // p x r, row-major
    std::span<const double> share;            // r x a, row-major: 1 / (lambda_j + alpha)
    std::span<const double> coordinates;      // r x (k a), row-major: c_j / (lambda_j + alpha), targets outside
    Size rank = 0, alphas = 0;
    double total_weight = 0;  // sum of weights, or 0 for a model without an intercept
    int threads = 1;
};

// sums (k x a) = sum_i w_i e_i^2, e_i in the target's scaled unit; errors (n x k x a, or empty) = e_i.
void leave_one_out(const LeaveOneOut& problem, std::span<double> sums, std::span<double> errors);

// out (n x m) = b + X W', W m x p row-major: as `multiply`, for many rows of W.
void multiply_many(const Matrix& X, std::span<const double> W, std::span<const double> b, std::span<double> out,
                   int threads);

}  // namespace pellucid

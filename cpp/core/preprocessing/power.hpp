// Powers that make columns look normal: Box-Cox and Yeo-Johnson, and the power of greatest likelihood.
//
//   Box-Cox, x > 0:     y = (x^l - 1) / l,  log x for l = 0
//   Yeo-Johnson:        y = ((1 + x)^l - 1) / l  for x >= 0,   -((1 - x)^(2 - l) - 1) / (2 - l)  for x < 0
//
// Log-likelihood of l, of the column's n values (Box, Cox 1964; Yeo, Johnson 2000):
//   -n/2 log var(y) + (l - 1) S,     S = sum log x,  or  sum sign(x) log(1 + |x|)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/preprocessing/map_columns.hpp"

namespace pellucid {

enum class PowerFamily { box_cox, yeo_johnson };

// Numbers far from zero for their spread have y that differ in their last digits only, and the e^(l c) that they have
// in common is left out:  with c, the logarithm of a middle value,  y = (e^(l (log x - c)) - 1) / l.  So of
// Yeo-Johnson, with log(1 + |x|); c has the sign of x there. Values of the other sign are brought to the same scale. c
// = 0 is y itself.
struct PowerFit {
    std::vector<double> lambda, center, mean,
        scale;                       // center: c; scale: standard deviation of y, 1 for a constant column
    std::vector<std::int32_t> held;  // 1 where the likelihood still rises, but y would be no number
};

// low, high: smallest and largest value of every column; infinity and minus infinity of one without values. X is dense,
// and finite but for NaN. A column without two different values has the power 1.
PowerFit fit_powers(const Matrix& X, PowerFamily family, std::span<const double> low, std::span<const double> high,
                    int threads);

// One number a column; the result is (y - mean) / scale.
struct Powers {
    PowerFamily family = PowerFamily::yeo_johnson;
    std::span<const double> lambda, center, mean, scale;
};

template <class T>
int power_columns(const Dense<T>& x, const Powers& powers, const Written<T>& out, int threads);

// Back again. Outside is what no x becomes; the result is NaN there.
template <class T>
int unpower_columns(const Dense<T>& x, const Powers& powers, const Written<T>& out, int threads);

enum class LogBase : int { e = 0, two = 2, ten = 10 };

// log(x + shift) to a base, with one shift a column; and back.
struct Logs {
    std::span<const double> shift;
    LogBase base = LogBase::e;
};

template <class T>
int log_columns(const Dense<T>& x, const Logs& logs, const Written<T>& out, int threads);
template <class T>
int unlog_columns(const Dense<T>& x, const Logs& logs, const Written<T>& out, int threads);

// The root of a degree; of odd degree, that of a negative number is negative. And back.
template <class T>
int root_columns(const Dense<T>& x, int degree, const Written<T>& out, int threads);
template <class T>
int unroot_columns(const Dense<T>& x, int degree, const Written<T>& out, int threads);

}  // namespace pellucid

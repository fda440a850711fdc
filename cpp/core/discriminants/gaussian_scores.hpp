// What Gaussian classes say of rows: linear scores when they share a covariance, quadratic ones when each has its own.
#pragma once

#include "core/base/views.hpp"

namespace pellucid {

// out[r * k + c] = b[c] + sum_j W[c * p + j] (x_rj * scale_j - offset_j). Centered before it is multiplied: columns far
// from zero keep their digits.
void centered_scores(const Matrix& X, std::span<const double> scale, std::span<const double> offset,
                     std::span<const double> W, std::span<const double> b, std::span<double> out, int threads);

// out[r * k + c] = level[c] - ||T_c (x_r * scale - mean_c)||² / 2, T_c (p x p) upper triangular; factors is k x p x p,
// row-major, mean k x p in the scaled unit.
void quadratic_scores(const Matrix& X, std::span<const double> scale, std::span<const double> mean,
                      std::span<const double> factors, std::span<const double> level, std::span<double> out,
                      int threads);

}  // namespace pellucid

// Rows of a table along a few directions, and what its covariance does to directions.
//
//   z_i = unit x_i - center                  a row around its center
//   project:           t_ic = w_c . z_i      and, if asked for, |z_i|^2
//   covariance_times:  Z = sum_i (v . z_i) z_i'   for directions v, the rows of V,
//                      G = sum_i (V z_i)(V z_i)'
//
// A dense table is read once, by blocks of rows that stay in cache; a sparse one keeps its zeros: the center is taken
// off afterward. Sums go over fixed parts of the rows, so the number of threads changes no bit.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// out: n x k with k the rows of W (k x p); squares: empty, or n numbers. lapack() must have been handed over.
void project(const Matrix& X, double unit, std::span<const double> center, std::span<const double> W, Size k,
             std::span<double> out, std::span<double> squares, int threads);

struct CovarianceTimes {
    std::vector<double> Z;  // l x p
    std::vector<double> G;  // l x l
};
// V: l x p. Not divided by the number of rows.
CovarianceTimes covariance_times(const Matrix& X, double unit, std::span<const double> center,
                                 std::span<const double> V, Size l, int threads);

}  // namespace pellucid

// Weights, means and scatters of the classes of a table in one pass.
//
//   w_k    = sum of the weights of the rows of class k
//   mean_k = sum over class k of w_i x_i / w_k
//   S_k    = sum over class k of w_i (x_i - mean_k)(x_i - mean_k)' s s'      or their sum over the classes, S
//
// s_j is a power of two that brings column j near unit spread. Rows are shifted by a sampled mean of their own class
// before they are multiplied and the small rest is taken off at the end: however far apart the classes lie, no digit of
// the spread within them is lost, as it would be if the spread between them were taken off the total.
#pragma once

#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

struct ClassScatter {
    Status status = Status::ok;
    std::vector<double> weight;   // k
    std::vector<double> mean;     // k x p
    std::vector<double> scale;    // p powers of two
    std::vector<double> scatter;  // k x p x p, or p x p when pooled
};

// codes: the class of each row, 0 .. classes - 1; every class has a row of weight above zero. weight: empty, or one
// non-negative number a row. X is dense.
ClassScatter class_scatter(const Matrix& X, std::span<const std::int32_t> codes, Size classes,
                           std::span<const double> weight, bool pooled, int threads);

// out[k] = sum over class k of w_i (sum_j ((x_ij - mean_kj) / deviation_kj)²)²: the fourth moment that Ledoit and
// Wolf's shrinkage needs. mean and inverse (1 / deviation) are k x p.
void fourth_moments(const Matrix& X, std::span<const std::int32_t> codes, std::span<const double> weight,
                    std::span<const double> mean, std::span<const double> inverse, std::span<double> out, int threads);

}  // namespace pellucid

// Nearest rows by looking at every row.
//
// The answer is that of the reduced distances of metric_hot.hpp, pair by pair, ordered by them and then by the number
// of the row, to the last bit. How they are found depends on the problem:
//
//   a few queries                       row by row, the table as it lies                  brute_direct.hpp
//   euclidean, cosine of many columns   products of matrices that leave few pairs over    brute_filter.hpp
//   other metrics, few columns          panels of eight rows                              brute_direct.hpp
//   sparse rows                         by their entries                                  brute_sparse.hpp
//
// Memory beyond the answer is bounded whatever the number of rows and queries: 32 MB of rows in packed form (one group
// of 64 rows where that is more), 32 MB for the best so far of the queries at hand, and a few hundred kB a thread.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// The k nearest rows of each query, nearest first: queries x k distances and numbers of rows. 1 <= k <= rows.
void brute_nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, std::span<double> distances,
                   std::span<std::int64_t> numbers, int threads);

// The k nearest other rows of each row: every row but itself, by its number; its double stays. 1 <= k < rows.
void brute_nearest_others(const Matrix& rows, Size k, const Metric& metric, std::span<double> distances,
                          std::span<std::int64_t> numbers, int threads);

// All rows within a radius of each query, nearest first.
Neighborhoods brute_within(const Matrix& rows, const Matrix& queries, double radius, const Metric& metric, int threads);

}  // namespace pellucid

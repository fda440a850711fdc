// Weights of terms:  w_ij = tf_ij idf_j / |row i|  with  tf = x,  or  1 + log(x) of a count x above 0 (`sublinear`),
// idf_j = the weight of column j, and |row| the sum of absolute values or the root of the sum of squares, 1 for a row
// of zeros. Only entries that are stored are looked at; a row is summed in the order of its entries.
#pragma once

#include <span>

#include "core/base/views.hpp"

namespace pellucid::text {

enum class Norm : int { none = 0, l1 = 1, l2 = 2 };

// Writes the weights over the values. An empty `idf` stands for ones.
template <class Index>
void weigh_rows(std::span<const Index> starts, std::span<const Index> columns, std::span<double> values,
                std::span<const double> idf, bool sublinear, Norm norm, int threads);

// How many rows have an entry other than 0 in each column.
template <class Index>
void count_rows_with(std::span<const Index> columns, std::span<const double> values, std::span<std::int64_t> documents);

}  // namespace pellucid::text

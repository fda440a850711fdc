// Counts of neighbors, from which mutual information is estimated.
//
// Two columns (Kraskov, Stoegbauer, Grassberger, Phys. Rev. E 69, 2004, first estimator): r_i is the distance from row
// i to its k-th neighbor in the plane, max(|x_i - x_j|, |y_i - y_j|), and
//
//   nx_i = #{j : |x_i - x_j| < r_i}     ny_i = #{j : |y_i - y_j| < r_i}        (row i itself is one of them)
//
// A column and groups (Ross, PLoS ONE 9(2), 2014): r_i is the distance to the k-th neighbor among the rows of i's own
// group, and m_i = #{j : |x_i - x_j| < r_i} counts all rows.
//
// On a line neighbors stand next to each other in the sorted column: the k-th lies within k places, and a count is
// found by two searches that start at the row itself and double their steps. In the plane a k-d tree of medians finds
// the k-th neighbor; a sweep along one column needs as many steps as rows where values repeat, the tree does not.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"

namespace pellucid {

// table: columns of `rows` numbers, one after the other; y: one more column. nx, ny: one count a row, column by column.
void plane_neighbors(std::span<const double> table, std::span<const double> y, Size k, std::span<std::int64_t> nx,
                     std::span<std::int64_t> ny, int threads);

// group: one number a row, below `groups`; every group has two rows or more. Where it has k or fewer, the furthest row
// of it is taken. count: one a row, column by column.
void group_neighbors(std::span<const double> table, std::span<const std::int32_t> group, Size groups, Size k,
                     std::span<std::int64_t> count, int threads);

}  // namespace pellucid

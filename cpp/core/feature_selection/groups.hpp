// Sums of the columns of a table, group by group, in one pass: what an analysis of variance and a chi-squared test
// read.
//
//   count_g = #{i : g_i = g}        sum_gc = sum_{g_i = g} d_ic        square_gc = sum_{g_i = g} d_ic^2
//   d_ic = (x_ic - shift_gc) u_c
//
// g_i is the group of row i. shift is a number in the midst of the group's values, so that squares do not cancel; u is
// a power of two a column, which keeps them within the range of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct GroupSums {
    std::vector<double> count;        // one a group
    std::vector<double> sum, square;  // groups x columns, row by row
    std::vector<double> low, high;    // smallest and largest x of each column
};

// group: one number a row, below `groups`. shift: groups x columns; all zero for a sparse table. Rows are summed in
// fixed parts, which are added in order: the number of threads changes no bit.
GroupSums group_sums(const Matrix& X, std::span<const std::int32_t> group, Size groups, std::span<const double> shift,
                     std::span<const double> unit, int threads);

}  // namespace pellucid

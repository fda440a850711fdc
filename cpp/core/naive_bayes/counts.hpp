// Naive Bayes of counts and flags: how much of each column every class has, and scores that are linear in a row.
//
//   count_cj = sum over rows r of class c of  w_r x_rj             (fit)
//   score_rc = start_c + sum_j x_rj table_cj                       (predict)
//
// where x is the table's number, or 1 where it is above a threshold and 0 elsewhere. Sparse rows stay sparse. Rows of a
// class are added in order, in pieces that depend on the classes' sizes alone: the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/views.hpp"

namespace pellucid {

struct CountsFound {  // what was met on the way
    bool negative = false;
    bool not_finite = false;
};

// out: classes x columns. `weight` is empty or has a number for each row. `threshold`: none for the numbers themselves.
CountsFound class_counts(const Matrix& x, std::span<const std::int32_t> codes, Size classes,
                         std::span<const double> weight, std::optional<double> threshold, std::span<double> out,
                         int threads);

// table: classes x columns, all finite; start: classes; out: rows x classes.
CountsFound linear_scores(const Matrix& x, std::span<const double> table, std::span<const double> start,
                          std::optional<double> threshold, std::span<double> out, int threads);

// The class of the largest score, the first of equals; -1 where no score is finite.
CountsFound linear_codes(const Matrix& x, std::span<const double> table, std::span<const double> start,
                         std::optional<double> threshold, std::span<std::int32_t> out, int threads);

}  // namespace pellucid

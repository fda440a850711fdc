// Columns cut into intervals: values at ranks, cuts against a target, and the interval of every cell.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid {

// Ascending cuts of all columns, one column after the other: those of column c are values[first[c] .. first[c + 1]).
struct Cuts {
    std::span<const double> values;
    std::span<const std::int64_t> first;

    std::span<const double> of(Size c) const {
        const auto begin = static_cast<Size>(first[c]);
        return values.subspan(begin, static_cast<Size>(first[c + 1]) - begin);
    }
};

// out[r, c] = offset[c] + how many cuts of column c are at most x[r, c]. Returns false if some x is not finite. out may
// be x itself.
template <class T, class Out>
bool assign_bins(const Dense<T>& x, const Cuts& cuts, std::span<const std::int64_t> offset, const Written<Out>& out,
                 int threads);

// Of every column the values at the given ranks, 0 being the smallest: result[c * ranks + i]. X must be dense and
// finite, ranks must not fall.
std::vector<double> column_ranked(const Matrix& X, std::span<const std::int64_t> ranks, int threads);

// What columns are cut against: codes 0, 1, ... of `classes` classes, or numbers if that is 0. weight: empty, or one
// positive number a row.
struct CutTarget {
    std::span<const double> y;
    Size classes = 0;
    std::span<const double> weight;
};

// A cut between two neighboring values of a column, and what it gains.
struct GreedyCut {
    double below = 0, cut = 0, above = 0, gain = 0;
};

// Cuts of every column in the order in which they are made: always the one next that gains most, until there are
// leaves[c] intervals or no interval has two values and two targets. With the cost of an interval
//   C = W log2 W - sum_k W_k log2 W_k   for classes of weights W_k, W their sum (W times the entropy)
//   C = sum w (y - mean)^2              for numbers
// a cut gains  (C - C_left - C_right) / (weight of all rows);  of equal gains (up to rounding) the leftmost wins. The
// cut lies half way between its neighbors, or at the upper one where no number is between. No interval has fewer than
// min_leaf rows. X must be dense and finite.
std::vector<std::vector<GreedyCut>> greedy_cuts(const Matrix& X, const CutTarget& target,
                                                std::span<const std::int64_t> leaves, Size min_leaf, int threads);

}  // namespace pellucid

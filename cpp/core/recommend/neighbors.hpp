// What the rows most like a given one say about a column, and the best columns of a row of scores.
#pragma once

#include "core/recommend/rated.hpp"

namespace pellucid {

struct AskedPairs {
    std::span<const std::int32_t> rows;     // whose neighbors are asked; equal ones side by side are quickest
    std::span<const std::int32_t> columns;  // about what
};

struct NeighborSettings {
    Size k = 1;      // at most so many: the most similar, of equal ones the first rows
    Size least = 1;  // with fewer there is no answer
    int threads = 1;
};

// For each asked (a, c):  sum over N of s_ab x_bc / sum over N of |s_ab|,  N the k rows b most similar to a among those
// that have column c; NaN where N has fewer than `least` rows or its weights add up to 0.
// `similar`: row a -> (b, s_ab); `columns`: column c -> (b, x_bc).
void neighbor_means(const Rated& similar, const Rated& columns, const AskedPairs& asked,
                    const NeighborSettings& settings, std::span<double> out);

// Of each row of scores (rows x columns) the n largest, largest first, of equal ones the first columns; NaN is none,
// nor are the columns that `seen` names for the row. Places that stay empty have column -1 and score NaN.
// `seen_rows[r]` is the row of `seen` for row r; negative where it has none.
struct BestOfRows {
    std::vector<std::int32_t> columns;
    std::vector<double> scores;
};
BestOfRows best_columns(std::span<const double> scores, Size columns, const Rated& seen,
                        std::span<const std::int32_t> seen_rows, Size n, int threads);

}  // namespace pellucid

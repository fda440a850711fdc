// How alike two rows of ratings are. With a and b the ratings of two rows, already moved by whatever they are to be
// measured from, and C the columns that both have:
//
//   all:       sum_C a b / (|a| |b|)                 lengths over all their own columns: a missing rating counts as 0
//   common:    sum_C a b / sqrt(sum_C a^2 sum_C b^2) lengths over C alone
//   centered:   the same of a - mean_C a and b - mean_C b  (Pearson's correlation over C)
//
// times n / (n + shrinkage) for n = |C|. Of a row its similarities are found by walking its columns and the other rows
// of each: the work is that of the pairs that have something in common.
#pragma once

#include "core/recommend/rated.hpp"

namespace pellucid {

enum class Over : int { all = 0, common = 1, centered = 2 };

struct SimilaritySettings {
    Over over = Over::all;
    Size min_overlap = 1;  // pairs with fewer columns in common have no similarity
    double shrinkage = 0;
    double above = 0;  // similarities up to this are left out
    Size keep = 0;     // at most so many of each row, the largest, of equal ones the first rows; 0 for all
    int threads = 1;
};

// Row a: the other rows with their similarities, in ascending order. `columns` are the same ratings by column.
RatedRows rating_similarities(const Rated& rows, const Rated& columns, const SimilaritySettings& settings);

}  // namespace pellucid

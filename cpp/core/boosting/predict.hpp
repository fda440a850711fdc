// What boosted trees say of rows: the sum of the leaves that a row ends in.
#pragma once

#include <span>

#include "core/boosting/predict_layout.hpp"
#include "core/forest/forest.hpp"

namespace pellucid::boosting {

// out[r * outputs + k] += the leaves of trees first .. last - 1 that are for output k: tree t is for output t %
// outputs, or every tree for all of them where a leaf has as many numbers. Sums are made in the order of the trees.
void add_scores(const forest::ForestView& forest, Size outputs, Size first, Size last, const Matrix& X,
                std::span<double> out, int threads);

// The two ways, to the same bits: rows walk down the trees, or choose by bytes (predict_layout.hpp).
void add_by_walk(const forest::ForestView& forest, Size outputs, Size first, Size last, const Matrix& X,
                 std::span<double> out, int threads);
void add_by_choice(const Layout& layout, Size width, Size outputs, Size first, const Matrix& X, std::span<double> out,
                   int threads);

}  // namespace pellucid::boosting

// What a tree is grown by: criterion, split finder, order of growth, and where to stop.
#pragma once

#include <cstdint>
#include <limits>

#include "core/base/views.hpp"

namespace pellucid::tree {

enum class Measure : std::uint8_t { gini, entropy, squared_error, friedman_mse, absolute_error, poisson };
enum class Splitter : std::uint8_t { best, random, histogram };
// midpoint: x <= (a + b) / 2 of the neighboring values a < b;  value: x < b.
enum class Threshold : std::uint8_t { midpoint, value };
// size: the impurities of the two groups are weighted by their sizes;  none: their plain sum.
enum class Weighting : std::uint8_t { size, none };
// ordered: any subset, found by ordering the categories;  one_versus_rest: one category against the others.
enum class CategorySplit : std::uint8_t { ordered, one_versus_rest };

inline constexpr Size kNoLimit = std::numeric_limits<Size>::max();

struct Settings {
    Measure criterion = Measure::gini;
    Splitter splitter = Splitter::best;
    Threshold threshold = Threshold::midpoint;
    Weighting weighting = Weighting::size;
    CategorySplit category_split = CategorySplit::ordered;
    Size max_depth = kNoLimit;     // tests on the longest way from the root
    Size max_leaves = 0;           // 0: no limit, level by level; else best first
    Size max_features = kNoLimit;  // columns drawn for a split
    Size min_rows_split = 2;
    Size min_rows_leaf = 1;
    double min_weight_leaf = 0;
    double min_decrease = 0;  // of the impurity, weighted by the node's share of the total weight
    bool stop_on_pure = true;
    Size max_bins = 255;  // histogram splitter
    // Of columns that are equally good the lower one is taken; or, in a forest, one by chance: in a node of two rows
    // every column is as good as the others, and a forest that always took the first would ask it far too often.
    bool draw_ties = false;
    Size surrogates = 0;  // most surrogate tests of a node; 0: missing values learn a direction instead
};

}  // namespace pellucid::tree

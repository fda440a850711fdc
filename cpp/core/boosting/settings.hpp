// How boosted trees are grown.
//
// With g, h the sums over a node's rows of the first and second derivatives of the loss, a leaf answers
//
//   w = -T(g) / (h + l2),   T(g) = sign(g) max(|g| - l1, 0),
//
// its worth is T(g)² / (h + l2), and a split gains the worths of its sides less that of the node (Chen and Guestrin,
// 2016, without their factor 1/2: as their library and LightGBM count it).
#pragma once

#include <cstdint>
#include <limits>

#include "core/base/views.hpp"

namespace pellucid::boosting {

// leaf: the leaf with the greatest gain next;  depth: level by level;  oblivious: level by level, one test a level.
enum class Growth : std::uint8_t { leaf, depth, oblivious };

inline constexpr Size kNoLimit = std::numeric_limits<Size>::max();

struct Categories {
    Size one_by_one = 4;    // up to so many in a column, each is tried against the rest; more are ordered by g / h
    double l2 = 10;         // added to l2 where they are ordered
    double smooth = 10;     // added to h when they are ordered; one with fewer rows is not ordered but goes right
    Size most = 32;         // on the smaller side of an ordered split
    Size least_rows = 100;  // on either side, and from one cut that is tried to the next
};

struct Settings {
    Growth growth = Growth::leaf;
    Size max_leaves = 31;  // 0: no limit
    Size max_depth = kNoLimit;
    Size min_rows_leaf = 20;
    double min_weight_leaf = 1e-3;  // least h of a leaf
    double l1 = 0, l2 = 0;
    double min_gain = 0;         // a split gains more than that
    bool floats = false;         // histograms hold sums in floating point, not whole numbers
    bool prune = false;          // splits are made for any gain, and those without min_gain taken back from below
    double max_step = 0;         // most that a leaf answers, before the learning rate; 0: no limit
    double random_strength = 0;  // oblivious: how much chance there is in the choice of a test, see Grower
    double learning_rate = 0.1;
    Categories categories;
    // Sums are rounded: a leaf that has just the least h counts as having it.
    double least_weight() const { return min_weight_leaf * (1 - 1e-6); }
    double columns_by_tree = 1, columns_by_level = 1, columns_by_node = 1;  // shares that are drawn
};

}  // namespace pellucid::boosting

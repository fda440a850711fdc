// A decision tree as columns of numbers: what every grower writes and every reader (prediction, pruning, drawing,
// rules, working) reads.
//
// Node 0 is the root. The children of a node stand side by side: first_child .. first_child + n_children - 1, in the
// order of the branches of its test. Parents come before their children, so a loop over the nodes from the last to the
// first visits children before parents; nothing here needs recursion, however deep the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::tree {

// What a node asks of a row's value x in the column `feature`, and which branch the answer takes.
enum class Test : std::uint8_t {
    leaf = 0,        // nothing
    at_most = 1,     // x <= threshold: branch 0, else branch 1
    below = 2,       // x <  threshold: branch 0, else branch 1
    subset = 3,      // category x in the set: branch 0, else branch 1; the set is bits of 32-bit words in `table`
    categories = 4,  // branch table[x] of the category x; several categories may share one
    intervals = 5    // branch i with cuts[i-1] < x <= cuts[i]
};

// What becomes of a row whose value is missing, or a category that the node never met: the branch of this number, or
inline constexpr std::int32_t kShare = -1;  // every branch, in proportion to their weights (C4.5)
inline constexpr std::int32_t kStop = -2;   // none: the node answers itself

struct Nodes {
    Size width = 1;  // numbers a node answers with: classes of all outputs, or targets

    std::vector<std::int32_t> parent;         // -1 for the root
    std::vector<std::int32_t> first_child;    // -1 for a leaf
    std::vector<std::int32_t> n_children;     // 0 for a leaf
    std::vector<std::int32_t> feature;        // -1 for a leaf
    std::vector<std::uint8_t> test;           // Test
    std::vector<std::int32_t> missing_child;  // branch, kShare or kStop
    std::vector<double> threshold;            // NaN where the test has none
    std::vector<std::int64_t> n_rows;         // rows of positive weight that reached the node
    std::vector<double> weight;               // their weight
    std::vector<double> impurity;
    std::vector<double> value;  // width a node: weight of each class, or mean of each target

    // Words or branches of node i: table[table_start[i] .. table_start[i + 1]). Both empty if no node needs them.
    std::vector<std::int64_t> table_start;
    std::vector<std::int32_t> table;
    // Cut points of node i: cuts[cuts_start[i] .. cuts_start[i + 1]). Both empty if no node needs them.
    std::vector<std::int64_t> cuts_start;
    std::vector<double> cuts;
    // Stand-ins of node i for a row whose own value is missing, tried in turn: surrogate_start[i] .. surrogate_start[i
    // + 1]. Each sends x <= threshold to branch 0, or to branch 1 if reversed. All empty if no node has any.
    std::vector<std::int64_t> surrogate_start;
    std::vector<std::int32_t> surrogate_feature;
    std::vector<double> surrogate_threshold;
    std::vector<std::uint8_t> surrogate_reverse;

    Size count() const { return parent.size(); }
};

}  // namespace pellucid::tree

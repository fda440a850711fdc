// A forest in sixteen bytes a node.
//
// Readers of one tree want it as columns (tree/nodes.hpp); a forest has a hundred of them and is mostly walked. A node
// keeps its test and where it leads, a leaf what it answers; what inner nodes weigh, hold and how mixed they are is
// worked out from the leaves below them when a tree is asked for (`unpack`).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/tree/nodes.hpp"
#include "core/tree/settings.hpp"

namespace pellucid::forest {

// A row with value x in the column goes to first + (x > threshold). Where the node is no test by threshold, the
// threshold is NaN and its lower bits are a number: of a leaf, which leads to itself, its place among the leaves of the
// tree; of a test by a set of categories that of the set among the sets of the forest.
struct Node {
    double threshold;
    std::uint32_t column;  // with the two bits below
    std::int32_t first;    // counted from the root of the tree

    Size asked() const { return column & (kSet - 1); }
    bool is_set() const { return (column & kSet) != 0; }
    std::int32_t missing() const { return first + static_cast<std::int32_t>(column >> 31); }
    std::uint64_t number() const { return std::bit_cast<std::uint64_t>(threshold) & ((std::uint64_t{1} << 51) - 1); }

    static constexpr std::uint32_t kMissingRight = std::uint32_t{1} << 31, kSet = std::uint32_t{1} << 30;
    static constexpr std::uint64_t kNan = std::uint64_t{0x7FF8} << 48;
    static double numbered(std::uint64_t number) { return std::bit_cast<double>(kNan | number); }
};
static_assert(sizeof(Node) == 16);

// The same node in eight bytes, for the walk alone; made from the others when a forest is first asked. The threshold is
// the greatest single that is not above it, the link is first << bits | column, with as many bits as columns need. A
// leaf leads to itself, and its threshold is NaN with its number in the lower bits: it lies in the cache when the walk
// ends.
struct QuickNode {
    float threshold;
    std::uint32_t link;

    static constexpr std::uint32_t kNan = std::uint32_t{0x7FC} << 20, kMostLeaves = std::uint32_t{1} << 22;
    std::uint32_t number() const { return std::bit_cast<std::uint32_t>(threshold) & (kMostLeaves - 1); }
};

// What every leaf keeps besides its answer, and where the leaves do not tell what is above them (medians, answers kept
// within bounds) the answers and impurities of all nodes.
struct Figures {
    std::vector<std::int32_t> leaf_rows;
    std::vector<double> leaf_weight, leaf_impurity;  // empty for classes: their weights tell
    std::vector<double> node_value, node_impurity;   // empty where the leaves tell
};

struct Forest {
    Size width = 1;
    std::vector<Node> nodes;
    std::vector<std::int64_t> tree_start{0}, leaf_start{0};  // of each tree, and one more
    std::vector<double> leaf_value;                          // width a leaf
    std::vector<std::int64_t> set_start;                     // of each set of categories, and one more; empty: none
    std::vector<std::uint32_t> words;                        // category c is bit c % 32 of word c / 32
    Figures figures;
    std::vector<double> importance;  // a row a tree: by how much the tests on each column lower the impurity

    Size trees() const { return tree_start.size() - 1; }
};

// The part that is walked, wherever it lies.
struct ForestView {
    Size width = 1, cols = 0;
    std::span<const Node> nodes;
    std::span<const std::int64_t> tree_start, leaf_start;
    std::span<const double> leaf_value;
    std::span<const std::int64_t> set_start;
    std::span<const std::uint32_t> words;
    std::span<const QuickNode> quick;  // empty: not made, or it cannot be

    int column_bits() const { return std::bit_width(cols - 1); }
    Size trees() const { return tree_start.size() - 1; }
    const Node* tree(Size t) const { return nodes.data() + tree_start[t]; }
    Size count(Size t) const { return static_cast<Size>(tree_start[t + 1] - tree_start[t]); }
    const double* answers(Size t) const { return leaf_value.data() + static_cast<Size>(leaf_start[t]) * width; }
};

struct FiguresView {
    std::span<const std::int32_t> leaf_rows;
    std::span<const double> leaf_weight, leaf_impurity, node_value, node_impurity;
};

ForestView view_of(const Forest& forest, Size cols);
FiguresView view_of(const Figures& figures);

// What is wrong with a forest, in words; null if it can be walked by rows of its columns without leaving its arrays.
const char* fault_of(const ForestView& forest);

// Nodes in eight bytes; empty where they do not fit, or where a node asks for a set. The forest is without fault.
std::vector<QuickNode> quicken(const ForestView& forest, int threads);
// The greatest single that is not above x.
float rounded_down(double x);

// What is known of all trees of a forest.
struct Kind {
    std::span<const std::int32_t> n_classes;  // of each output; empty: numbers
    tree::Measure criterion = tree::Measure::gini;
    bool below = false;         // thresholds are meant as x < t
    bool figures_kept = false;  // of all nodes
};

// One grown tree as a forest; `cols` columns. Joins them.
Forest pack(const tree::Nodes& nodes, const Kind& kind, Size cols);
Forest join(std::vector<Forest>& parts, int threads);

// Tree t as columns.
tree::Nodes unpack(const ForestView& forest, const FiguresView& figures, const Kind& kind, Size t);

}  // namespace pellucid::forest

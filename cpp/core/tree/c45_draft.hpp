// A multiway tree while it is grown and pruned: nodes that can be cut off and moved.
#pragma once

#include <vector>

#include "core/tree/c45_columns.hpp"

namespace pellucid::tree::c45 {

struct Draft {
    struct Node {
        std::int32_t parent = -1, first_child = -1, n_children = 0, feature = -1;
        Test test = Test::leaf;
        std::uint32_t cut = 0;  // at_most: largest rank of branch 0; subset: the category of branch 0
        double threshold = 0, weight = 0, gain = 0, info = 0;
        Size table = 0;           // categories: where the branches of its categories begin in `tables`
        Size begin = 0, end = 0;  // of a leaf: its cases
    };

    Size n_classes = 1;
    std::vector<Node> nodes;
    std::vector<double> values;        // weight of each class, n_classes a node
    std::vector<std::int32_t> tables;  // branch of each category, -1 for one that no row has
    Cases kept;                        // cases of the leaves, for pruning

    std::span<double> value(Size node) { return {values.data() + node * n_classes, n_classes}; }
    std::span<const double> value(Size node) const { return {values.data() + node * n_classes, n_classes}; }
    bool is_leaf(Size node) const { return nodes[node].n_children == 0; }
    Size add(std::int32_t parent) {
        nodes.push_back({});
        nodes.back().parent = parent;
        values.resize(values.size() + n_classes, 0.0);
        return nodes.size() - 1;
    }
    // Errors that the node would make as a leaf, among its own cases.
    double errors(Size node) const;
};

// Branch of a row at a node, -1 if its value is missing.
inline std::int32_t branch_of(const Draft& draft, const Draft::Node& node, const Columns& table, std::uint32_t row) {
    const std::uint32_t code = table.columns[static_cast<Size>(node.feature)].code[row];
    if (code == kMissing) return -1;
    if (node.test == Test::categories) return draft.tables[node.table + code];
    if (node.test == Test::subset) return code == node.cut ? 0 : 1;
    return code <= node.cut ? 0 : 1;
}

struct Dealing {
    bool share = true;       // cases with a missing value go down every branch in parts
    bool own_shares = true;  // by the weights of the cases themselves; else by those of the children
    double min_case = 0;     // parts of a row below this share of it are dropped
};

// Scratch memory of deal.
struct Dealt {
    std::vector<std::int32_t> branch;
    std::vector<double> share;
    std::vector<Size> place;
};

// Deals the cases of a node out to its branches and appends them to `out`, branch after branch; adds the place where
// each branch ends to `ends`.
void deal(const Draft& draft, const Columns& table, Size node, CaseSpan cases, const Dealing& how, Cases& out,
          std::vector<Size>& ends, Dealt& scratch);

// Nodes of one depth with their cases: those of nodes[i] are cases[ends[i - 1] .. ends[i]).
struct Level {
    std::vector<Size> nodes, ends;
    Cases cases;

    CaseSpan of(Size i) const { return part(cases, i == 0 ? 0 : ends[i - 1], ends[i]); }
    void clear() {
        nodes.clear();
        ends.clear();
        cases.clear();
    }
};

// Sends cases down a subtree, level by level; at(node, cases) sees every node with what reaches it.
template <class At>
void send_down(const Draft& draft, const Columns& table, Size root, Cases cases, const Dealing& how, const At& at) {
    Level level, next;
    Dealt scratch;
    level.nodes = {root};
    level.ends = {cases.size()};
    level.cases = std::move(cases);
    while (!level.nodes.empty()) {
        next.clear();
        for (Size i = 0; i < level.nodes.size(); ++i) {
            const Size node = level.nodes[i];
            at(node, level.of(i));
            if (draft.is_leaf(node)) continue;
            deal(draft, table, node, level.of(i), how, next.cases, next.ends, scratch);
            for (std::int32_t b = 0; b < draft.nodes[node].n_children; ++b)
                next.nodes.push_back(static_cast<Size>(draft.nodes[node].first_child + b));
        }
        std::swap(level, next);
    }
}

// A node and everything below it, parents first.
std::vector<Size> subtree(const Draft& draft, Size root);

// Numbers the nodes that are left, parents first, and counts the rows again that reach each.
MultiwayTree finish(const Draft& draft, const Columns& table, const MultiwayRules& rules, const Cases& all);

}  // namespace pellucid::tree::c45

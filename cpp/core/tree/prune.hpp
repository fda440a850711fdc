// Minimal cost-complexity pruning: the nested trees of all strengths of pruning, from one tree.
//
// R(t) is the risk of node t taken as a leaf (its impurity times its share of the weight), R(T_t) that of the leaves
// below it, |T_t| their number. At the strength
//
//     g(t) = (R(t) - R(T_t)) / (|T_t| - 1)
//
// the branch below t costs as much as the leaf t. The weakest link, the node of the smallest g, becomes a leaf, then
// the next one, until the root is left (Breiman, Friedman, Olshen, Stone 1984, section 3.3). The tree for a strength
// alpha is what is left after all links of g <= alpha.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::tree {

struct PruningPath {
    std::vector<std::int32_t> node;    // the nodes that become leaves, in turn; of equally weak ones the first
    std::vector<double> alpha;         // the strength at which each does: never falling, never below zero
    std::vector<double> risk;          // of all leaves that are left after it
    std::vector<std::int64_t> leaves;  // their number
};

// Nodes in the order of nodes.hpp: parents before children, children side by side.
PruningPath weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                          std::span<const std::int32_t> n_children, std::span<const double> risk);

}  // namespace pellucid::tree

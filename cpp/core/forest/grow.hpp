// Growing a forest: every tree on a sample of its own, one task each.
//
//   tree t:  draw the sample of (seed, t); rows count as often as they were drawn; grow; prune; pack
//
// All trees share the prepared table (tree/columns.hpp). Tree t is the same whatever the number of threads and of other
// trees.
#pragma once

#include "core/forest/forest.hpp"
#include "core/forest/sample.hpp"
#include "core/tree/problem.hpp"

namespace pellucid::forest {

struct Growing {
    tree::Problem problem;  // its seed is that of the forest, its weights those of the rows before they are drawn
    Draw draw = Draw::replace;
    Size draws = 0;
    bool balanced = false;                // the classes of each sample get the same weight in it
    Size tree_features = tree::kNoLimit;  // columns that a tree may ask
    double ccp_alpha = 0;                 // strength of pruning
    Size first = 0, count = 0;            // trees first .. first + count - 1
};

Forest grow_forest(const Growing& growing);

// The tree after cost-complexity pruning of a strength above 0.
tree::Nodes cut_back(tree::Nodes nodes, double alpha);

}  // namespace pellucid::forest

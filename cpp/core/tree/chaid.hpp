// CHAID: a tree of many-way splits chosen by significance (Kass, 1980).
//
//     at each node, for each column: merge the categories that do not differ in the target (chaid_merge.hpp) and test
//     the groups that are left; multiply the p value by the ways to merge (Bonferroni);
//     split on the column of the least adjusted p value, one branch a group, if that is at most alpha_split
//
// Columns come as codes. Rows of a node lie side by side in one list of row numbers, which a split puts in order of its
// branches. A node's columns are looked at in parallel, each by one thread in the order of the rows: the same bits on
// any number of threads.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/tree/chaid_merge.hpp"
#include "core/tree/nodes.hpp"

namespace pellucid::tree {

struct CodedColumn {
    const std::uint32_t* codes = nullptr;  // one a row: 0 .. count - 1, or `count` for a missing value
    std::uint32_t count = 0;
    bool ordinal = false;
    std::span<const double> edges;  // of a column of numbers: code i holds edges[i-1] < x <= edges[i]
    bool numeric = false;
};

struct ChaidProblem {
    Size rows = 0;
    std::vector<CodedColumn> columns;
    Size classes = 0;                      // 0: the target is numbers
    std::span<const std::int32_t> labels;  // of rows, below `classes`
    std::span<const double> numbers;       // or their numbers, of size one or so
    std::span<const double> weight;        // positive; empty: all one
    MergeRule merge;
    bool likelihood = false;     // ratio of likelihoods instead of Pearson's statistic
    bool by_statistic = false;   // the largest statistic wins, not the least adjusted p value
    double log_alpha_split = 0;  // split if ln p is at most this
    Size min_split = 2;          // rows that a node must have to be split
    Size max_depth = std::numeric_limits<Size>::max();
    int threads = 1;
};

struct ChaidTree {
    Nodes nodes;
    // Of the best column of each node, whether the node was split by it or not; -1 and zeros where none was looked at.
    std::vector<std::int32_t> column;
    std::vector<double> statistic, df1, df2, log_p, log_multiplier, log_adjusted;
    std::vector<std::int32_t> groups;
};

ChaidTree grow_chaid(const ChaidProblem& problem);

}  // namespace pellucid::tree

// Which categories of a column belong together: the merging of CHAID (Kass, An exploratory technique for investigating
// large quantities of categorical data, 1980) and of exhaustive CHAID (Biggs, de Ville and Suen, 1991).
//
//     while more than two groups are left: of the pairs that may be merged, take the one that differs least, by the
//     largest p value; if that is above alpha_merge, make one group of the two, else stop
//
// Any two groups of a nominal column may be merged, neighbors of an ordinal one. A floating category (missing values)
// may be merged with any. Equal p values: the pair whose categories come first.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/tree/chaid_test.hpp"

namespace pellucid::tree {

struct MergeRule {
    bool merge = true;             // else every category is a group
    bool exhaustive = false;       // merge down to two groups and keep the grouping of the least p value
    bool resplit = false;          // try to part a new group of three or more categories again
    double log_alpha_merge = 0;    // merge if ln p is above
    double log_alpha_resplit = 0;  // part if ln p is at most this
    bool bonferroni = true;
    Size least_rows = 1;         // a smaller group is merged with the one most like it
    Size most_categories = 500;  // of a nominal column with more, those alike are put together first; if more are left,
                                 // neighbors in the order of the target are tried alone
};

// The categories of one column that occur in a node, in their order.
struct Categories {
    Size count = 0;
    std::span<const double> summaries;     // count x width of the target
    std::span<const std::int64_t> n_rows;  // rows in each
    bool ordinal = false;
    std::int32_t floating = -1;  // which of them is the floating one of an ordinal column
    Size original = 0;           // how many there were before those alike were put together; 0: as many
};

struct Merged {
    std::vector<std::int32_t> group;  // of each category, numbered in the order of their first categories
    Size groups = 0;
    Tested tested;
    double log_multiplier = 0;  // ln of the ways to merge so many categories into so many groups
    double log_adjusted = 0;    // ln of the p value times that, at most 0
    bool allowed = false;       // two groups or more, none below least_rows
};

Merged merge_categories(const ClassTarget& target, const Categories& categories, const MergeRule& rule);
Merged merge_categories(const NumberTarget& target, const Categories& categories, const MergeRule& rule);

// ln of the number of ways in which c categories become r groups; with `exhaustive` the number of mergers tried.
double log_ways(Size c, Size r, bool ordinal, bool floating, bool exhaustive);

}  // namespace pellucid::tree

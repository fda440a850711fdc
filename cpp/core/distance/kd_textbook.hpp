// The KD-tree as it is drawn on paper: columns taken in turn, cut at a middle value, one row a leaf.
//
// A node with rows R looks at the column after its parent's; a column in which all of R are equal is skipped. The
// threshold m is the upper median, place |R| / 2 of the sorted values; where nothing lies below it, the next larger
// value. Rows with a value < m go to the left, those with >= m to the right. Rows that are equal in every column stay
// together in one leaf.
//
// The search goes first to the side of a cut on which the query lies and to the other side only if the cut itself,
// |x_j - m| away, is not beyond the k-th nearest row found so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

struct TextbookNode {
    std::int32_t axis = -1;  // -1: a leaf
    double threshold = 0;
    std::int32_t left = -1, right = -1;
    std::int32_t first = 0, count = 0;  // rows below it in `order`
    std::int32_t skipped = 0;           // columns passed over, all equal
};

struct TextbookTree {
    std::vector<TextbookNode> nodes;  // the root first, a node before its children, left before right
    std::vector<std::int32_t> order;
};

TextbookTree textbook_tree(const Dense<double>& x, Size leaf_size);

// A branch that a search came to: its node, the distance of the cut before it (0 on the query's own side), the distance
// of the k-th nearest row at that moment (infinite if there are fewer), and whether it was looked into.
struct Visit {
    std::int32_t node;
    double bound, limit;
    bool entered;
};

// The k nearest rows of one query, nearest first; visits are noted if `visits` is given.
void textbook_nearest(const Dense<double>& x, std::span<const TextbookNode> nodes, std::span<const std::int32_t> order,
                      const Metric& metric, const double* query, Size k, double* distances, std::int64_t* numbers,
                      std::vector<Visit>* visits);

}  // namespace pellucid

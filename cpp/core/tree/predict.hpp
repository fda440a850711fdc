// Which node of a tree answers for a row, and what it answers.
//
// A row starts at the root and takes at each node the branch of its test. A value that is missing (NaN), or a category
// that the node never met, takes the node's branch for missing values; or ends there (kStop); or goes down every branch
// (kShare), with the shares w_c / (w_1 + ... + w_k) by the weights w of the children, so that the answer is the mixture
//
//     sum over the leaves reached of  share(leaf) * value(leaf)                              (Quinlan, C4.5, 1993, ch.
//     3)
#pragma once

#include <span>
#include <vector>

#include "core/tree/view.hpp"

namespace pellucid::tree {

// The functions below want a tree without fault. None of them gives other bits on another number of threads.

// out[r]: the node that answers for row r; under kShare the leaf with the largest share, the first of equals.
void apply(const NodesView& nodes, const Matrix& x, std::span<std::int32_t> out, int threads);

// out[r * width ..]: the value of that node, or the mixture. With `classes`, the number of classes of each output
// (their sum is the width), values are turned into shares of each output's classes before they are mixed.
void answer(const NodesView& nodes, const Matrix& x, std::span<const std::int64_t> classes, std::span<double> out,
            int threads);

// Nodes of each row side by side: those of row r are node[start[r - begin] .. start[r - begin + 1]).
struct NodeLists {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> node;
    std::vector<double> share;
};

// The nodes that rows [begin, end) pass, ascending; `share` is empty.
NodeLists paths(const NodesView& nodes, const Matrix& x, Size begin, Size end, int threads);

// The nodes that answer for rows [begin, end), ascending, with their shares, which add up to 1.
NodeLists answering(const NodesView& nodes, const Matrix& x, Size begin, Size end, int threads);

}  // namespace pellucid::tree

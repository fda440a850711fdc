// A tree that lies in somebody else's memory, and whether it can be walked at all: it may have been made by hand,
// changed, or read from a file.
#pragma once

#include <span>

#include "core/tree/nodes.hpp"

namespace pellucid::tree {

// The columns of a tree that prediction reads, wherever they lie.
struct NodesView {
    Size width = 1;
    std::span<const std::int32_t> parent, first_child, n_children, feature;
    std::span<const std::uint8_t> test;
    std::span<const std::int32_t> missing_child;
    std::span<const double> threshold, weight, value;
    std::span<const std::int64_t> table_start;
    std::span<const std::int32_t> table;
    std::span<const std::int64_t> cuts_start;
    std::span<const double> cuts;
    // Stand-ins of node i, tried in turn where its own value is missing: surrogate_start[i] .. surrogate_start[i + 1];
    // each sends x <= threshold to branch 0, or to branch 1 if reversed. All empty if no node has any.
    std::span<const std::int64_t> surrogate_start;
    std::span<const std::int32_t> surrogate_feature;
    std::span<const double> surrogate_threshold;
    std::span<const std::uint8_t> surrogate_reverse;

    Size count() const { return parent.size(); }
};

inline constexpr Size kMostColumns = Size{1} << 30;

NodesView view_of(const Nodes& nodes);

// What is wrong with a tree, in words; null if it can be walked by rows of `cols` columns without leaving its arrays.
const char* fault_of(const NodesView& nodes, Size cols);

}  // namespace pellucid::tree

// What a tree is to be grown from.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/tree/columns.hpp"
#include "core/tree/nodes.hpp"
#include "core/tree/settings.hpp"

namespace pellucid::tree {

struct Problem {
    const Columns* columns = nullptr;
    std::span<const double> y;                // rows x outputs, row by row: codes of classes, or numbers
    std::span<const std::int32_t> n_classes;  // of each output; empty: numbers
    Size outputs = 1;
    std::span<const double> weight;         // of each row, empty: 1; rows of weight 0 are left out
    std::span<const std::int8_t> monotone;  // of each column, empty: none; two classes (of class 1) or one number
    std::span<const std::uint32_t> among;   // columns that may be asked, rising; empty: all
    Settings settings;
    std::uint64_t seed = 0;
    int threads = 1;

    Size rows() const { return columns->rows(); }
    Size cols() const { return columns->cols(); }
    Size candidates() const { return among.empty() ? cols() : among.size(); }
    Size candidate(Size k) const { return among.empty() ? k : Size{among[k]}; }
    bool classes() const { return !n_classes.empty(); }
};

// At least one row of positive weight. The nodes are in level order: level by level, from the left to the right.
Nodes grow_tree(const Problem& problem);

}  // namespace pellucid::tree

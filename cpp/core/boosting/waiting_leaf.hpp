// A leaf of a tree that is being grown, with what its split was found by.
#pragma once

#include <memory>
#include <vector>

#include "core/boosting/packing.hpp"

namespace pellucid::boosting {

using Columns = std::shared_ptr<const std::vector<std::uint32_t>>;

// A node that waits for its split to be carried out.
template <class Cell>
struct WaitingLeaf {
    std::int32_t node = 0;
    Cell total{};
    bool has_total = false;  // no: its packing is new, and it is to be counted
    Cell left{};             // of the left side of its split
    std::shared_ptr<const Packing> packing;
    std::unique_ptr<std::vector<Cell>> cells;  // null: not kept
    std::vector<std::uint32_t> counts;         // rows of each cell, where they had to be counted
    Columns columns;                           // that may split it; its cells hold nothing else
};

}  // namespace pellucid::boosting

// What the nodes of a grown tree answer.
#pragma once

#include <span>
#include <vector>

#include "core/boosting/draft.hpp"

namespace pellucid::boosting {

// By the slopes of their rows themselves: words are rounded. rows: of the tree, those of a node side by side. Sets
// sums, worth and answer of all nodes; leaves have no split.
void answer_by_slopes(std::vector<Draft>& nodes, std::span<const std::uint32_t> rows, std::span<const Slope> slopes,
                      const Settings& settings, int threads);

}  // namespace pellucid::boosting

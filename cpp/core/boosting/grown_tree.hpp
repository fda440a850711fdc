// A grown tree in the words of those who read it: as columns of numbers, and as a way from a row to its leaf.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/boosting/draft.hpp"
#include "core/tree/nodes.hpp"

namespace pellucid::boosting {

// answers: `width` numbers a node, which are multiplied by the rate. A node weighs its curvature, and its impurity is
// its worth by that, with a minus: what a split lowers of weight times impurity is its gain.
tree::Nodes nodes_of(std::span<const Draft> drafts, std::span<const double> answers, Size width, const Table& table,
                     double rate);

// What each column's splits gained.
std::vector<double> gains_of(std::span<const Draft> drafts, Size cols);

// The leaf of any row, by its bins.
class LeafFinder {
  public:
    LeafFinder(std::span<const Draft> drafts, const Table& table);

    Size operator()(Size row) const {
        Size at = 0;
        while (!drafts_[at].is_leaf()) {
            const Draft& node = drafts_[at];
            const bool left = sides_[at][table_.code(row, static_cast<Size>(node.split.column))];
            at = static_cast<Size>(node.left) + (left ? 0 : 1);
        }
        return at;
    }

  private:
    const std::span<const Draft> drafts_;
    const Table& table_;
    std::vector<std::array<bool, 256>> sides_;
};

}  // namespace pellucid::boosting

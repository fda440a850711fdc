// A tree that is being grown.
#pragma once

#include <span>
#include <vector>

#include "core/boosting/search.hpp"

namespace pellucid::boosting {

// A node of a tree that is being grown. The rows of a node lie side by side, those of its left child first.
struct Draft {
    std::int32_t parent = -1, left = -1;  // the right child stands beside the left one
    Size begin = 0, end = 0;              // positions of its rows
    Size depth = 0;
    Found split;
    Bounds bounds;
    double gradient = 0, curvature = 0;  // sums over its rows
    double worth = 0, answer = 0;        // before the learning rate
    std::vector<std::uint8_t> right_bins;

    Size rows() const { return end - begin; }
    bool is_leaf() const { return left < 0; }
};

// From below: a split whose gain is too small and whose children are leaves is taken back.
void prune(std::vector<Draft>& nodes, double min_gain);

// The same where a level has one test: its last levels go as a whole. gains: of the levels.
void prune_levels(std::vector<Draft>& nodes, std::span<const double> gains, double min_gain);

// Which columns a tree, its levels and its nodes may ask.
class ColumnDraw {
  public:
    // key: of what is drawn.
    ColumnDraw(const Settings& settings, Size cols, std::uint64_t key);

    std::uint64_t key() const { return key_; }
    const std::vector<std::uint32_t>& of_tree() const { return of_tree_; }
    // Does every node ask all columns of the tree?
    bool all() const { return settings_.columns_by_level >= 1 && settings_.columns_by_node >= 1; }
    // Drawn by level, and of those by node; rising.
    std::vector<std::uint32_t> of_node(Size node, Size depth) const;

  private:
    const Settings& settings_;
    const std::uint64_t key_;
    std::vector<std::uint32_t> of_tree_;
};

// Bits that look random.
std::uint64_t mixed(std::uint64_t z);

}  // namespace pellucid::boosting

// Grows a tree on the slopes of a loss over a binned table.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/boosting/search.hpp"
#include "core/tree/shelf.hpp"

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

// Which side of a split a bin takes: is it the left one?
std::array<bool, 256> sides_of(const Found& split, const ColumnBins& bins);

struct Grown {
    std::vector<Draft> nodes;  // parents before children
    std::span<const std::uint32_t> rows;
};

// What one tree is grown on.
struct Slopes {
    std::span<const Slope> of_row;        // of all rows of the table
    std::span<const std::uint32_t> rows;  // in use, rising; empty: all
    bool constant = false;                // every row in use has the same curvature
};

class Grower {
  public:
    Grower(const BinnedTable& table, const Settings& settings, std::span<const std::int8_t> monotone, int threads);
    ~Grower();

    // tree: its number, which decides (with the seed) what is drawn at random. table: one with the bins of that of the
    // constructor, and its rows.
    Grown grow(const BinnedTable& table, const Slopes& slopes, std::uint64_t seed, Size tree);

  private:
    struct Leaf;
    class Work;
    friend class Work;

    const Settings settings_;
    const std::span<const std::int8_t> monotone_;
    const int threads_;
    const Search search_;
    // Memory that stays from tree to tree.
    std::vector<std::uint32_t> rows_, left_room_, right_room_;
    std::vector<Word> words_, word_room_;
    tree::Shelf<std::vector<Word>> histograms_;
    tree::Shelf<SearchRoom> rooms_;
};

}  // namespace pellucid::boosting

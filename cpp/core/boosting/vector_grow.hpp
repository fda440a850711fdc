// Grows a tree whose leaves answer a vector, on the slopes of a loss by several targets over a binned table.
#pragma once

#include <span>
#include <vector>

#include "core/boosting/draft.hpp"
#include "core/boosting/vector_search.hpp"

namespace pellucid::boosting {

// A draft's curvature is the mean of its targets' (Shape::weight); its gradient and answer are not set.
struct VectorGrown {
    std::vector<Draft> nodes;     // parents before children
    std::vector<double> answers;  // as many as targets a node, before the learning rate
    std::span<const std::uint32_t> rows;
};

// What one tree is grown on.
struct VectorSlopes {
    std::span<const Slope> of_target;     // of target k and row i at k * rows + i
    Shape shape;                          // of their sums
    std::span<const std::uint32_t> rows;  // in use, rising; empty: all
};

class VectorGrower {
  public:
    VectorGrower(const Settings& settings, int threads) : settings_(settings), threads_(threads) {}

    // tree: its number, which decides (with the seed) what is drawn at random.
    VectorGrown grow(const Table& table, const VectorSlopes& slopes, std::uint64_t seed, Size tree);

  private:
    class Work;

    const Settings settings_;
    const int threads_;
    // Memory that stays from tree to tree.
    Partition partition_;
    std::vector<float> vectors_;  // of each row of the table what it adds to a cell
    VectorHistograms histograms_;
    tree::Shelf<VectorRoom> rooms_;
};

}  // namespace pellucid::boosting

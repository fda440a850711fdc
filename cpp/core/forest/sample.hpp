// The rows that each tree of a forest is grown on.
//
// What is drawn is a pure function of (seed, number of the tree): a sample is drawn again when somebody asks which rows
// a tree has not seen, and a forest that grows on draws what it would have drawn at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/views.hpp"

namespace pellucid::forest {

// all: every row once.  replace: `draws` rows with replacement, each with a chance in proportion to its weight.
// distinct: `draws` rows of positive weight without replacement, each with the same chance.
enum class Draw : std::uint8_t { all, replace, distinct };

// The seed of a tree; its sample and the columns it may ask come from streams that no node of a tree has.
std::uint64_t seed_of_tree(std::uint64_t forest_seed, Size tree);
inline constexpr std::uint64_t kSampleStream = 0, kColumnStream = ~std::uint64_t{0};

class Sampler {
  public:
    // weight: of each row, empty: all alike. At least one is positive.
    Sampler(Size rows, Draw how, Size draws, std::span<const double> weight, std::uint64_t seed);

    Size rows() const { return rows_; }
    bool draws_any() const { return how_ != Draw::all; }
    // How often each row is in the sample of a tree.
    void draw(Size tree, std::span<std::uint32_t> counts) const;
    // Whether it is in it at all: bit `tree - first` of seen[row], for trees first .. first + count - 1, at most 64.
    void mark(Size first, Size count, std::span<std::uint64_t> seen, int threads) const;

  private:
    Size rows_;
    Draw how_;
    Size draws_;
    std::uint64_t seed_;
    std::vector<double> upto_;           // weights summed up; empty: all alike
    std::vector<std::uint32_t> usable_;  // rows of positive weight; empty: all
};

// `count` of `n` things without replacement, in the order in which they were drawn.
std::vector<std::uint32_t> draw_distinct(Size n, Size count, Random random);

}  // namespace pellucid::forest

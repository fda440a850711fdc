// What a forest says of rows: blocks of rows through one tree after the other while it is in the cache.
//
// The answer of tree t for a row is the value of the leaf that it ends in; of classes their shares in it. Sums over
// trees are made in the order of the trees, for each row on its own: the bits do not depend on blocks or threads.
#pragma once

#include <span>
#include <vector>

#include "core/forest/forest.hpp"
#include "core/forest/sample.hpp"

namespace pellucid::forest {

// out[r * width ..]: the mean answer of all trees. n_classes as in Kind.
void predict(const ForestView& forest, const Matrix& X, std::span<const std::int32_t> n_classes, std::span<double> out,
             int threads);

// out[r * trees + t]: the node of tree t that row r ends in.
void apply(const ForestView& forest, const Matrix& X, std::span<std::int32_t> out, int threads);

// Of the trees that have not seen a row: how many there are, and their mean answer; NaN where there are none.
// And how good the answers become as trees are added. Of classes: rows whose most probable class is wrong; of numbers
// the sum of squared errors over all outputs; over the rows of positive weight that have an answer by then.
struct OutOfBag {
    std::vector<double> mean;           // width a row
    std::vector<std::int64_t> answers;  // a row
    std::vector<double> loss, weight;   // a tree: with all trees up to this one
};
struct Seen {
    const Matrix* X = nullptr;
    std::span<const double> y;  // rows x outputs
    std::span<const std::int32_t> n_classes;
    Size outputs = 1;
    std::span<const double> weight;  // empty: 1
};
OutOfBag out_of_bag(const ForestView& forest, const Seen& seen, const Sampler& sampler, int threads);

// out[t * cols + j]: by how much the loss of tree t, a mean over the rows that it has not seen, rises when their values
// of column j are shuffled among them; 0 where the tree does not ask the column, or has seen every row.
std::vector<double> shuffled_losses(const ForestView& forest, const Seen& seen, const Sampler& sampler,
                                    std::uint64_t seed, int threads);

// The targets of the rows in each leaf. Entries of leaf k of the forest: place[start[k] .. start[k + 1]), places in the
// rising order of the targets, as often as the row was drawn.
struct LeafTargets {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> place;
};
// order[k]: the row with the k-th smallest target.
LeafTargets leaf_targets(const ForestView& forest, const Matrix& X, std::span<const std::int32_t> order,
                         const Sampler& sampler, int threads);

// out[r * quantiles + k]: the smallest target at which the weights of the targets up to it reach the share q[k]. Every
// tree shares out a weight of one among the targets in the row's leaf, by `weight` of their places (empty: alike).
void quantiles(const ForestView& forest, const Matrix& X, std::span<const std::int64_t> start,
               std::span<const std::int32_t> place, std::span<const double> targets, std::span<const double> weight,
               std::span<const double> q, std::span<double> out, int threads);

}  // namespace pellucid::forest

// Boosting: trees one after the other, each on the slopes of the loss at the scores that the ones before it gave.
#pragma once

#include <memory>
#include <vector>

#include "core/boosting/grow.hpp"
#include "core/boosting/loss.hpp"
#include "core/boosting/ordered.hpp"
#include "core/boosting/sampling.hpp"
#include "core/forest/forest.hpp"

namespace pellucid::boosting {

struct Plan {
    Settings trees;
    LossSettings loss;
    Sampling sampling;
    std::uint64_t seed = 0;
    int threads = 1;
};

class Booster {
  public:
    // start: the score of every row before the first tree, by output; empty: the constant that the loss is least for.
    // held: not 0 for rows that are held out; they get scores, but nothing is learned from them. Empty: none.
    // tables: the same rows and bins, with columns that are made of the target along different orders; a round takes
    // one of them at random. orders: of all rows, one for each table, for ordered boosting; empty: plain boosting.
    Booster(std::vector<const Table*> tables, std::span<const double> y, std::span<const double> weight,
            std::span<const std::uint8_t> held, std::span<const std::int8_t> monotone, std::span<const double> start,
            const Plan& plan, std::span<const std::uint32_t> orders = {});

    // One tree for each output.
    void round();
    // The same on somebody else's slopes, output by output.
    void round_on(std::span<const Slope> slopes);

    // As if so many rounds had been made, which gave these scores (of output k at k * rows).
    void resume(std::span<const double> scores, Size rounds);
    Size rounds() const { return rounds_; }
    const std::vector<double>& start() const { return start_; }
    std::span<const double> scores() const { return scores_; }  // of output k at k * rows
    // Of the rows that are learned from, or of those held out.
    double mean_loss(bool held) const { return loss_.mean(scores_, !held, plan_.threads); }
    // The trees from the first-th on. Output k of a round is tree outputs * round + k.
    forest::Forest trees(Size first) const;

  private:
    void add_trees();
    forest::Forest add_tree(Size output, std::span<const std::uint32_t> rows, bool constant, Size which);
    // Does each thread grow a tree of its own? They then wait for each other once a round, not many times a tree.
    bool side_by_side() const;
    void answer_by_residuals(Grown& grown, Size output) const;
    void move_scores(const Grown& grown, const Table& table, Size output, bool all);

    const Table& table() const { return *tables_[0]; }
    Size which_table() const;  // of this round
    // What all nodes of a tree answer, by slopes of the model itself; and the models of ordered boosting learn the
    // tree.
    void answer_in_order(Grown& grown, const Table& table);

    const std::vector<const Table*> tables_;
    const Plan plan_;
    std::vector<std::uint32_t> in_use_;  // rows of positive weight that are not held out; empty: all
    Loss loss_;
    tree::Shelf<Grower> growers_;
    std::vector<double> start_;
    LargeVector<double> scores_;
    LargeVector<Slope> slopes_;
    std::vector<OrderedModels> ordered_;  // of each table
    std::vector<Slope> plain_;            // ordered boosting: slopes of the model itself
    std::vector<forest::Forest> trees_;
    Size rounds_ = 0;
};

}  // namespace pellucid::boosting

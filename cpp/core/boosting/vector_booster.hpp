// Boosting of several targets at once: a round is one tree, whose leaves answer for all of them.
#pragma once

#include <vector>

#include "core/boosting/booster.hpp"
#include "core/boosting/vector_grow.hpp"

namespace pellucid::boosting {

class VectorBooster {
  public:
    // y: of target k at k * rows, as many targets as plan.loss.outputs, each with a loss of its own and all of one
    // kind; for the softmax the class of each row. start, held: as for Booster. tables: the same rows and bins; a round
    // takes one of them at random. No column may be monotone.
    VectorBooster(std::vector<const Table*> tables, std::span<const double> y, std::span<const double> weight,
                  std::span<const std::uint8_t> held, std::span<const double> start, const Plan& plan);

    void round();
    // The same on somebody else's slopes, target by target.
    void round_on(std::span<const Slope> slopes);

    // As if so many rounds had been made, which gave these scores (of target k at k * rows).
    void resume(std::span<const double> scores, Size rounds);
    Size rounds() const { return rounds_; }
    const std::vector<double>& start() const { return start_; }
    std::span<const double> scores() const { return scores_; }  // of target k at k * rows
    // Mean over the targets; of the rows that are learned from, or of those held out.
    double mean_loss(bool held) const;
    // The trees from the first-th on, one a round; a leaf has a number for each target.
    forest::Forest trees(Size first) const;

  private:
    const Table& table() const { return *tables_[0]; }
    Size outputs() const { return plan_.loss.outputs; }
    // Of loss l: all scores for the softmax, else those of its target.
    std::span<const double> scores_of(Size l) const;
    void add_tree(bool shared);
    void answer_by_residuals(VectorGrown& grown) const;
    void move_scores(const VectorGrown& grown, const Table& used, bool all);

    const std::vector<const Table*> tables_;
    const Plan plan_;
    std::vector<std::uint32_t> in_use_;  // rows of positive weight that are not held out; empty: all
    std::vector<Loss> losses_;           // of each target, or the softmax
    VectorGrower grower_;
    std::vector<double> start_, scores_;
    std::vector<Slope> slopes_;  // of target k at k * rows
    std::vector<forest::Forest> trees_;
    Size rounds_ = 0;
};

}  // namespace pellucid::boosting

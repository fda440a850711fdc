// Gradient boosting as Friedman (2001) wrote it: every round a regression tree on the residuals -dL/df, found among all
// cuts, whose leaves then answer what makes the loss least there.
//
//   squared error              mean residual r
//   absolute, quantile, Huber  by the residuals y - f (loss.hpp)
//   others                     one step of Newton, sum r / sum h;  softmax: (K - 1) / K times that, h = |r| (1 - |r|)
#pragma once

#include "core/boosting/loss.hpp"
#include "core/boosting/sampling.hpp"
#include "core/forest/forest.hpp"
#include "core/tree/problem.hpp"

namespace pellucid::boosting {

struct ExactPlan {
    tree::Problem problem;  // columns, weights, monotone, settings, seed and threads; the targets are the residuals
    LossSettings loss;
    double learning_rate = 0.1;
    double subsample = 1;
};

class ExactBooster {
  public:
    ExactBooster(const Matrix& X, std::span<const double> y, std::span<const std::uint8_t> held,
                 std::span<const double> start, const ExactPlan& plan);

    void round();
    // As if so many rounds had been made, which gave these scores (of output k at k * rows).
    void resume(std::span<const double> scores, Size rounds);
    Size rounds() const { return rounds_; }
    const std::vector<double>& start() const { return start_; }
    std::span<const double> scores() const { return scores_; }
    double mean_loss(bool held) const { return loss_.mean(scores_, !held, plan_.problem.threads); }
    forest::Forest trees(Size first) const;

  private:
    void add_tree(Size output, std::span<const std::uint32_t> rows);
    void answer(tree::Nodes& nodes, std::span<const std::int32_t> leaf_of_row, Size output,
                std::span<const std::uint32_t> rows) const;

    const Matrix& X_;
    const ExactPlan plan_;
    std::vector<std::uint32_t> in_use_;
    Loss loss_;
    std::vector<double> start_, scores_, gradient_, curvature_;
    std::vector<forest::Forest> trees_;
    Size rounds_ = 0;
};

}  // namespace pellucid::boosting

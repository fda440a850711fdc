// Losses of boosting, by the scores f of the rows: value, first and second derivative, and the constant that they are
// least for.
//
//   squared    (y - f)² / 2                        poisson    e^f - y f
//   absolute   |y - f|                             logistic   log(1 + e^f) - y f,  y 0 or 1
//   quantile   (y - f) (a - [y < f])               softmax    log sum_k e^f_k - f_y
//   huber      (y - f)² / 2 within d, else d (|y - f| - d / 2)
//
// Absolute, quantile and Huber's loss have no curvature to go by: a row counts 1, and what a leaf answers is found from
// its residuals (the median, the quantile, and Huber's step from the median), as Friedman (2001) does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/boosting/boost_hot.hpp"

namespace pellucid::boosting {

enum class LossKind : std::uint8_t { squared, absolute, quantile, huber, poisson, logistic, softmax };

struct LossSettings {
    LossKind kind = LossKind::squared;
    double level = 0.5;              // quantile: a;  Huber: share of residuals that lie within d
    Size outputs = 1;                // scores a row: classes of the softmax
    double curvature_factor = 1;     // softmax: the curvature is so many times p (1 - p)
    double least_curvature = 0;      // of a row
    double most_poisson_step = 0.7;  // Poisson: the curvature is e^(f + this), which keeps steps short
};

// Scores and slopes of output k stand at k * rows.
class Loss {
  public:
    // in_use: the rows that are learned from, rising; empty: all.
    Loss(const LossSettings& settings, std::span<const double> y, std::span<const double> weight,
         std::span<const std::uint32_t> in_use = {});

    const LossSettings& settings() const { return s_; }
    Size rows() const { return y_.size(); }
    // Are the curvatures of all rows in use the same?
    bool constant() const;
    // Does a leaf answer by its residuals, not by -g / h?
    bool by_residuals() const;

    // The constant for each output that the loss is least for.
    std::vector<double> start() const;
    // What has to be known of all scores before the slopes of a round: Huber's d, the classes' probabilities.
    void prepare(std::span<const double> scores, int threads);
    // Of one output as many rows as `out` has, from the first on.
    void slopes(std::span<const double> scores, Size output, std::span<Slope> out, int threads) const;
    // The same in full, without the weights.
    void slopes(std::span<const double> scores, Size output, std::span<double> gradient, std::span<double> curvature,
                int threads) const;
    // Mean over the rows in use, by their weights, or over the others.
    double mean(std::span<const double> scores, bool in_use, int threads) const;
    // What a leaf with these rows answers, where it goes by residuals.
    double answer(std::span<const double> scores, std::span<const std::uint32_t> rows) const;

  private:
    double weight(Size i) const { return weight_.empty() ? 1.0 : weight_[i]; }
    double used(Size i) const { return used_.empty() || used_[i] ? weight(i) : 0.0; }
    template <class Put>
    void for_slopes(std::span<const double> scores, Size output, Size n, int threads, const Put& put) const;
    double quantile_of(std::vector<std::pair<double, double>>& values, double level) const;

    LossSettings s_;
    std::span<const double> y_, weight_;
    std::vector<std::uint8_t> used_;     // empty: all
    double delta_ = 0;                   // Huber's d
    std::vector<double> probabilities_;  // softmax: of output k at k * rows
};

}  // namespace pellucid::boosting

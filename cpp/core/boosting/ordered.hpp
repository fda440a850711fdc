// Ordered boosting (Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin, 2018): the slope of a row comes from a model that
// has not seen the row.
//
// The rows stand in a random order. Model j learns from the first 2^j of them, j = 0, 1, ..., and gives the slopes of
// the rows 2^j .. 2^(j+1) - 1 (from 0); the first row has none before it and gets the start. All models share the tests
// of a tree, each has leaves of its own. A round costs twice the rows, not their square.
#pragma once

#include <vector>

#include "core/boosting/loss.hpp"
#include "core/boosting/search.hpp"

namespace pellucid::boosting {

// Sizes 1, 2, 4, ... of the models for n rows.
std::vector<Size> prefix_sizes(Size n);

class OrderedModels {
  public:
    // order: the rows in use, in a random order.
    OrderedModels(const LossSettings& loss, std::span<const double> y, std::span<const double> weight,
                  std::vector<std::uint32_t> order, double start);

    // The slope of each row in use from the model that has not seen it.
    void slopes(std::span<Slope> of_row, int threads) const;
    // One tree more: leaf_of_row[r] is the number of the leaf that row r falls in, below `leaves`.
    void add(std::span<const std::int32_t> leaf_of_row, Size leaves, const Settings& settings, int threads);

  private:
    std::vector<std::uint32_t> order_;
    std::vector<double> y_, weight_;  // in that order
    Loss loss_;
    double start_;
    std::vector<Size> sizes_;
    std::vector<std::vector<double>> scores_;  // of model j for the first 2^(j+1) rows
};

}  // namespace pellucid::boosting

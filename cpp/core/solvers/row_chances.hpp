// Which row a stochastic step looks at, and what the row counts for.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/rng.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

// The share of each row in the whole weight, and how rows are drawn: by q_i, half of the share and half of an equal
// chance, so that light rows do not grow stale and a heavy row counts at most twice in a step. Drawn by the alias
// method (Walker 1977, Vose 1991): n cells of equal size, each shared by at most two rows.
class RowChances {
  public:
    RowChances(std::span<const double> weight, Size rows, std::uint64_t seed)
        : weight_(weight),
          random_{seed, 0},
          rows_(static_cast<double>(rows)),
          total_(total_weight(weight, rows)),
          equal_(1 / rows_) {
        require(rows > 0 && total_ > 0, "row chances: some weight");
        if (weight.empty()) return;
        equal_ = 1 / static_cast<double>(std::count_if(weight.begin(), weight.end(), [](double w) { return w > 0; }));
        fill_cells();
    }
    Size draw(Size t) const {
        const double place = random_.uniform(t) * rows_;
        const Size i = static_cast<Size>(place);
        return keep_.empty() || place - static_cast<double>(i) < keep_[i] ? i : other_[i];
    }
    double share(Size i) const { return weight_.empty() ? equal_ : weight_[i] / total_; }
    // s_i / (S q_i): what a row counts for in a step.
    double lift(Size i) const { return weight_.empty() ? 1 : weight_[i] > 0 ? share(i) / chance(i) : 0; }

  private:
    double chance(Size i) const { return weight_[i] > 0 ? 0.5 * share(i) + 0.5 * equal_ : 0; }
    void fill_cells() {
        const Size rows = weight_.size();
        keep_.resize(rows);
        other_.resize(rows);
        std::vector<Size> small, large;
        for (Size i = 0; i < rows; ++i) {
            keep_[i] = rows_ * chance(i);
            other_[i] = i;
            (keep_[i] < 1 ? small : large).push_back(i);
        }
        while (!small.empty() && !large.empty()) {
            const Size s = small.back(), l = large.back();
            small.pop_back();
            other_[s] = l;
            keep_[l] -= 1 - keep_[s];
            if (keep_[l] >= 1) continue;
            large.pop_back();
            small.push_back(l);
        }
    }

    std::span<const double> weight_;
    Random random_;
    double rows_, total_, equal_;
    std::vector<double> keep_;
    std::vector<Size> other_;
};

}  // namespace pellucid

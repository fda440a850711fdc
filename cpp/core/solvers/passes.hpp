// What the smooth solvers tell of their passes: a table with pass, objective, slope and step, and the parameters
// where they are few; pass 0 is the start.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

// W and b as one vector, W first; without intercept b is zero.
inline std::vector<double> joined(std::span<const double> W, std::span<const double> b, bool intercept,
                                  bool positive = false) {
    std::vector<double> theta(W.begin(), W.end());
    if (positive)
        for (double& w : theta) w = std::max(w, 0.0);
    theta.insert(theta.end(), b.begin(), b.end());
    if (!intercept) std::fill(theta.begin() + static_cast<std::ptrdiff_t>(W.size()), theta.end(), 0.0);
    return theta;
}

template <class Trace>
class PassNotes {
  public:
    PassNotes(std::string table, Size coefficients, Size outputs)
        : table_(std::move(table)), p_(coefficients / outputs), k_(outputs) {}
    void add(const LinearResult& result, double step, std::span<const double> theta) {
        cells_.insert(cells_.end(), {static_cast<double>(result.passes), result.objective, result.measure, step});
        if (theta.size() <= kFew) cells_.insert(cells_.end(), theta.begin(), theta.end());
    }
    void tell(Trace& trace) const {
        std::vector<std::string> columns = {"pass", "objective", "slope", "step"};
        if (k_ * (p_ + 1) <= kFew) {
            for (Size t = 0; t < k_; ++t)
                for (Size j = 0; j < p_; ++j) columns.push_back(name("coef", t) + "_" + std::to_string(j));
            for (Size t = 0; t < k_; ++t) columns.push_back(name("intercept", t));
        }
        emit(trace, table_, columns, cells_);
    }

  private:
    static constexpr Size kFew = 100;
    std::string name(std::string word, Size output) const {
        return k_ == 1 ? word : word + "_" + std::to_string(output);
    }

    std::string table_;
    Size p_, k_;
    std::vector<double> cells_;
};

template <>
class PassNotes<NoTrace> {
  public:
    PassNotes(const char*, Size, Size) {}
    void add(const LinearResult&, double, std::span<const double>) {}
    void tell(NoTrace&) const {}
};

}  // namespace pellucid

// The steps of SAG and SAGA (see saga.hpp) over dense tables and over sparse ones, whose columns wait.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/linalg/products.hpp"
#include "core/linalg/rows.hpp"
#include "core/solvers/linear_problem.hpp"
#include "core/solvers/row_chances.hpp"
#include "core/solvers/saga_hot.hpp"

namespace pellucid::saga_detail {

inline constexpr Size kBlockRows = 1024;
inline constexpr Size kDraws = 256;  // rows drawn at once
inline constexpr Size kAhead = 3;    // steps before its turn a row is called into the cache

// Rates and penalties of a step.
struct StepRule {
    double eta = 0;  // length of a step
    bool sag = false;
    double l1 = 0;      // eta l1
    double shrink = 1;  // q = 1 / (1 + eta l2)

    double prox(double z) const {
        if (l1 == 0) return z * shrink;
        return (z > l1 ? z - l1 : z < -l1 ? z + l1 : 0) * shrink;
    }
};

// What the driver asks of a run over one kind of table.
class Epochs {
  public:
    virtual ~Epochs() = default;
    virtual void epoch(Size number) = 0;               // n steps
    virtual void read(std::span<double> W) const = 0;  // k x p
    virtual std::span<const double> intercepts() const = 0;
};

// Slopes, draws and the intercept: the same for dense and sparse tables.
template <class Loss>
class RowSlopes : public Epochs {
  public:
    RowSlopes(const LinearProblem& problem, const LinearSettings& s, const StepRule& rule, const RowChances& chances,
              std::span<const double> W, std::span<const double> b)
        : problem_(problem),
          rule_(rule),
          chances_(chances),
          n_(problem.y.size()),
          k_(Loss::outputs(problem.outputs)),
          intercept_(s.intercept),
          intercept_shrink_(1 / (1 + rule.eta * s.intercept_l2)),
          z_(n_ * k_),
          b_(b.begin(), b.end()),
          slope_of_b_(k_),
          change_(k_) {
        if (!intercept_) std::fill(b_.begin(), b_.end(), 0.0);
        if (rule.sag) {
            visited_.resize(n_);
            return;
        }
        multiply(*problem.X, W, b_, z_, s.threads);
        parallel_for(blocks_of(n_, kBlockRows), s.threads, [&](Size block) {
            for (Size i = block * kBlockRows; i < std::min(n_, (block + 1) * kBlockRows); ++i)
                Loss::slopes(problem.y[i], std::span(z_).subspan(i * k_, k_));
        });
        for (Size i = 0; i < n_; ++i)
            for (Size t = 0; t < k_; ++t) slope_of_b_[t] += chances_.share(i) * z_[i * k_ + t];
    }
    std::span<const double> intercepts() const override { return b_; }

  protected:
    // G for the slopes kept, k x p.
    std::vector<double> old_gradient(int threads) const {
        const Size p = cols_of(*problem_.X);
        std::vector<double> out(k_ * p), u(n_);
        for (Size t = 0; t < k_; ++t) {
            for (Size i = 0; i < n_; ++i) u[i] = chances_.share(i) * z_[i * k_ + t];
            multiply_transposed(*problem_.X, u, std::span(out).subspan(t * p, p), threads);
        }
        return out;
    }
    // step(row, place in the epoch, row some steps ahead) for the rows of an epoch.
    template <class Step>
    void each_draw(Size epoch, const Step& step) {
        std::array<Size, kDraws> rows;
        for (Size begin = 0; begin < n_; begin += kDraws) {
            const Size count = std::min(kDraws, n_ - begin);
            for (Size t = 0; t < count; ++t) rows[t] = chances_.draw(epoch * n_ + begin + t);
            for (Size t = 0; t < count; ++t) step(rows[t], begin + t, rows[std::min(t + kAhead, count - 1)]);
            check_interrupt();
        }
    }
    // change_ holds the scores of row i; after this, l' - z_i. Sets what the row counts for, and moves the intercepts.
    void look(Size i) {
        const Size k = Loss::outputs(k_);
        double* z = z_.data() + i * k;
        Loss::slopes(problem_.y[i], std::span(change_.data(), k));
        part_ = chances_.share(i);
        jump_ = rule_.sag ? part_ : chances_.lift(i);
        if (rule_.sag) visit(i);
        for (Size t = 0; t < k; ++t) {
            const double slope = change_[t];
            change_[t] -= z[t];
            z[t] = slope;
            if (intercept_) {
                b_[t] = (b_[t] - eta_ * (jump_ * change_[t] + slope_of_b_[t])) * intercept_shrink_;
                slope_of_b_[t] += part_ * change_[t];
            }
        }
    }

    // SAG: G is the mean over the rows that have been visited, as long as there are others.
    void visit(Size i) {
        if (visited_[i] == 0) {
            visited_[i] = 1;
            seen_weight_ += part_;
        }
        eta_ = rule_.eta / seen_weight_;
    }

    const LinearProblem& problem_;
    StepRule rule_;
    const RowChances& chances_;
    Size n_, k_;
    bool intercept_;
    double intercept_shrink_;
    std::vector<double> z_;  // n x k
    std::vector<double> b_, slope_of_b_, change_;
    std::vector<char> visited_;
    double seen_weight_ = 0, eta_ = rule_.eta;
    double part_ = 0, jump_ = 0;  // of the row's change: in G, and in the step
};

template <class T, class Loss>
class DenseEpochs final : public RowSlopes<Loss> {
    using Base = RowSlopes<Loss>;

  public:
    DenseEpochs(const LinearProblem& problem, const LinearSettings& s, const StepRule& rule, const RowChances& chances,
                const Dense<T>& x, std::span<const double> W, std::span<const double> b)
        : Base(problem, s, rule, chances, W, b),
          x_(in_rows(x, copy_, s.threads)),  // rows are drawn one by one
          w_(W.begin(), W.end()),
          g_(Base::old_gradient(s.threads)) {}
    void epoch(Size number) override {
        Base::each_draw(number, [&](Size i, Size, Size ahead) {
            __builtin_prefetch(&x_.at(ahead, 0));
            step(i);
        });
    }
    void read(std::span<double> W) const override { std::copy(w_.begin(), w_.end(), W.begin()); }

  private:
    void step(Size i) {
        const Size k = Loss::outputs(Base::k_), p = x_.cols;
        const T* row = &x_.at(i, 0);
        for (Size t = 0; t < k; ++t) Base::change_[t] = Base::b_[t] + dot_row(x_, i, w_.data() + t * p);
        Base::look(i);
        for (Size t = 0; t < k; ++t)
            move(row, w_.data() + t * p, g_.data() + t * p, Base::jump_ * Base::change_[t],
                 Base::part_ * Base::change_[t]);
    }
    void move(const T* row, double* w, double* g, double own, double part) {
        const StepRule& rule = Base::rule_;
        if constexpr (std::is_same_v<T, double>)
            saga_hot().step_f64(row, x_.cols, own, part, Base::eta_, rule.l1, rule.shrink, w, g);
        else
            saga_hot().step_f32(row, x_.cols, own, part, Base::eta_, rule.l1, rule.shrink, w, g);
    }

    std::vector<T> copy_;
    Dense<T> x_;
    std::vector<double> w_, g_;  // k x p
};

template <class Index, class Loss>
class SparseEpochs final : public RowSlopes<Loss> {
    using Base = RowSlopes<Loss>;

  public:
    SparseEpochs(const LinearProblem& problem, const LinearSettings& s, const StepRule& rule, const RowChances& chances,
                 const Csr<Index>& x, std::span<const double> W, std::span<const double> b)
        : Base(problem, s, rule, chances, W, b), x_(x), cells_(2 * W.size()), seen_(x.cols, 0) {
        const std::vector<double> g = Base::old_gradient(s.threads);
        const Size k = Base::k_;
        for (Size j = 0; j < x.cols; ++j)
            for (Size t = 0; t < k; ++t) {
                cells_[2 * j * k + t] = W[t * x.cols + j];
                cells_[2 * j * k + k + t] = g[t * x.cols + j];
            }
        powers_.resize(Base::n_ + 1);
        waits_.resize(Base::n_ + 1);
        double power = 1, sum = 0;
        for (Size m = 0; m <= Base::n_; ++m) {
            powers_[m] = {power, sum};
            power *= rule.shrink;
            sum += power;
        }
    }
    void epoch(Size number) override {
        waits_[0] = 0;
        Base::each_draw(number, [&](Size i, Size place, Size ahead) {
            const auto at = x_.starts[ahead];
            for (int line = 0; line < 2; ++line) {
                __builtin_prefetch(x_.indices + at + line * 16);
                __builtin_prefetch(x_.values + at + line * 8);
            }
            step(i, place);
        });
        for (Size j = 0; j < x_.cols; ++j) {
            catch_up(j, Base::n_);
            seen_[j] = 0;
        }
    }
    void read(std::span<double> W) const override {
        const Size k = Base::k_;
        for (Size j = 0; j < x_.cols; ++j)
            for (Size t = 0; t < k; ++t) W[t * x_.cols + j] = cells_[2 * j * k + t];
    }

  private:
    struct Power {
        double power, sum;  // q^m and q + .. + q^m
    };

    void step(Size i, Size place) {
        const Size k = Loss::outputs(Base::k_);
        const auto begin = x_.starts[i], end = x_.starts[i + 1];
        double* change = Base::change_.data();
        for (Size t = 0; t < k; ++t) change[t] = Base::b_[t];
        for (auto e = begin; e < end; ++e) {
            const Size j = static_cast<Size>(x_.indices[e]);
            catch_up(j, place);
            const double* w = cells_.data() + 2 * j * k;
            for (Size t = 0; t < k; ++t) change[t] += x_.values[e] * w[t];
        }
        Base::look(i);
        const StepRule rule = Base::rule_;
        const double part = Base::part_, jump = Base::jump_, eta = Base::eta_;
        for (auto e = begin; e < end; ++e) {
            const Size j = static_cast<Size>(x_.indices[e]);
            double *w = cells_.data() + 2 * j * k, *g = w + k;
            for (Size t = 0; t < k; ++t) {
                const double own = change[t] * x_.values[e];
                w[t] = rule.prox(w[t] - eta * (jump * own + g[t]));
                g[t] += part * own;
            }
            seen_[j] = static_cast<std::uint32_t>(place + 1);
        }
        waits_[place + 1] = rule.shrink * (waits_[place] + eta);
    }
    // The steps that column j waited for, up to `place` of the epoch.
    void catch_up(Size j, Size place) {
        const Size k = Loss::outputs(Base::k_), seen = seen_[j], waited = place - seen;
        if (waited == 0) return;
        double *w = cells_.data() + 2 * j * k, *g = w + k;
        if (Base::rule_.l1 == 0) {
            const double power = powers_[waited].power, sum = waits_[place] - power * waits_[seen];
            for (Size t = 0; t < k; ++t) w[t] = power * w[t] - sum * g[t];
        } else {
            for (Size t = 0; t < k; ++t) w[t] = after(w[t], Base::rule_.eta * g[t], waited);
        }
    }
    // w after some steps that are pulled alike.
    double after(double w, double pull, Size steps) const {
        const double l1 = Base::rule_.l1;
        const bool held = std::abs(pull) <= l1;  // at zero
        if (w == 0) return held ? 0 : straight(0, pull - std::copysign(l1, pull), steps);
        const double slope = pull + std::copysign(l1, w), next = straight(w, slope, steps);
        if (next == 0 || (next > 0) == (w > 0)) return next;
        if (held) return 0;
        Size low = 0, high = steps;  // the sign of w holds after `low` steps, and no longer after `high`
        while (high - low > 1) {
            const Size middle = low + (high - low) / 2;
            const double there = straight(w, slope, middle);
            (there != 0 && (there > 0) == (w > 0) ? low : high) = middle;
        }
        return after(Base::rule_.prox(straight(w, slope, low) - pull), pull, steps - high);
    }
    // w after some steps that take off `slope` and then shrink.
    double straight(double w, double slope, Size steps) const {
        const Power& m = powers_[steps];
        return m.power * w - slope * m.sum;
    }

    const Csr<Index>& x_;
    std::vector<double> cells_;        // of each column: k coefficients and their k entries of G
    std::vector<std::uint32_t> seen_;  // steps of the epoch that the column has made
    std::vector<Power> powers_;
    std::vector<double> waits_;  // after t steps of the epoch: sum over them of eta_m q^(t - m), the rate of step m
};

}  // namespace pellucid::saga_detail

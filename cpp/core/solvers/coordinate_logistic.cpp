#include "core/solvers/coordinate_logistic.hpp"

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/linalg/columns.hpp"
#include "core/linalg/products.hpp"
#include "core/linalg/reduce.hpp"
#include "core/losses/logistic.hpp"
#include "core/penalties/elastic_net.hpp"
#include "core/solvers/passes.hpp"

namespace pellucid {

namespace {

constexpr Size kBlockRows = 1024;
constexpr Size kBlockEntries = 1 << 16;
constexpr Size kEntriesBetweenChecks = 1 << 20;
constexpr double kLeastCurvature = 1e-12;  // of p (1 - p), and of a column beside the intercept: no model is flat
constexpr double kMostPenalty = 1e300;     // of a scaled coefficient
constexpr double kMostMove = 20;           // of the scores in one step, as a root mean square by d
constexpr double kArmijo = 0.01;
constexpr double kRounding = 1e-15;  // share of F that its sum may be off
constexpr Size kMostTries = 60;      // halvings of a step
constexpr Size kMostRounds = 100;
constexpr double kEnough = 0.01;  // of what is missing; 0.1 and 0.03 were not faster on the tables tried

// v - g/h, brought to the minimizer of the model with the penalty.
double target(double v, double g, double h, double l1) { return ElasticNet{l1, 0}.prox(v - g / h, 1 / h); }

// By how much a coordinate misses its optimality condition.
double violation(double v, double g, double l1) {
    if (v != 0) return std::abs(g + std::copysign(l1, v));
    return std::max(std::abs(g) - l1, 0.0);
}

struct RoundStep {
    static constexpr auto name = "round";
    static constexpr std::array columns = {"column", "gradient", "curvature", "before", "after", "intercept_move"};
    double column, gradient, curvature, before, after, intercept_move;
    std::array<double, 6> values() const { return {column, gradient, curvature, before, after, intercept_move}; }
};

template <class Columns, class Trace>
class CoordinateLogistic {
  public:
    CoordinateLogistic(const LinearProblem& problem, const LinearSettings& settings, const Columns& x,
                       std::span<double> w, double b, Trace& trace)
        : problem_(problem),
          s_(settings),
          x_(x),
          trace_(trace),
          n_(x.rows),
          p_(x.cols),
          total_(total_weight(problem.weight, n_)),
          b_(s_.intercept ? b : 0) {
        for (auto* rows : {&score_, &tried_, &rest_, &curve_}) rows->resize(n_);
        for (auto* columns : {&unit_, &u_, &v_, &l1_, &l2_, &slope_, &h_, &e_}) columns->resize(p_);
        theta_.resize(p_ + 1);
        Size all = 0;
        for (Size j = 0; j < p_; ++j) all += entries(x_, j);
        block_cols_ = std::clamp<Size>(kBlockEntries * p_ / std::max<Size>(all, 1), 1, 1024);
        scale_columns(w);
    }

    LinearResult run() {
        fill_theta(u_, b_);
        multiply(*problem_.X, std::span(theta_).first(p_), std::span<const double>(&b_, 1), score_, s_.threads);
        result_.objective = look_at_rows(score_) + penalty(u_, b_);
        while (true) {
            look_at_columns();
            choose_columns();
            if (!std::isfinite(result_.objective + result_.measure)) return stop(LinearStop::overflow);
            const bool told = note();
            if (result_.measure <= s_.tol && (result_.passes > 0 || result_.measure == 0))
                return stop(LinearStop::converged);
            if (parted_) return stop(LinearStop::separated);
            if (told) return stop(LinearStop::told);
            if (result_.passes == s_.most_passes) return stop(LinearStop::count);
            lower_model();
            if (!advance()) return stop(LinearStop::converged);  // F is flat to rounding
        }
    }
    // w and then b.
    std::span<const double> answer() {
        fill_theta(u_, b_);
        return theta_;
    }

  private:
    double weight(Size i) const { return problem_.weight_at(i) / total_; }
    // Does the intercept follow every step?
    bool follows() const { return s_.intercept && s_.intercept_l1 == 0; }
    double intercept_curve() const { return curve_sum_ + s_.intercept_l2; }

    template <class Visit>
    void each_column(const Visit& visit) {
        parallel_for(blocks_of(p_, block_cols_), s_.threads, [&](Size block) {
            for (Size j = block * block_cols_; j < std::min(p_, (block + 1) * block_cols_); ++j) visit(j);
        });
    }
    // Powers of two that bring the largest number of each column to 1 .. 2; w = unit u.
    void scale_columns(std::span<const double> w) {
        each_column([&](Size j) {
            const double most = largest(x_, j);
            const int power = most > 0 ? std::clamp(std::ilogb(most), -1000, 1000) : 0;
            unit_[j] = std::ldexp(1.0, -power);
            u_[j] = std::ldexp(w[j], power);
            l1_[j] = std::min(s_.l1 * unit_[j], kMostPenalty);
            l2_[j] = std::min(s_.l2 * unit_[j] * unit_[j], kMostPenalty);
        });
    }

    // r, d and whether a plane parts the classes, at the given scores; answers the mean loss.
    double look_at_rows(std::span<const double> scores) {
        std::array<double, 4> sums;
        ordered_sum(blocks_of(n_, kBlockRows), sums.size(), s_.threads, sums.data(), [&](Size block, double* into) {
            for (Size i = block * kBlockRows; i < std::min(n_, (block + 1) * kBlockRows); ++i) {
                const double share = weight(i), y = problem_.y[i], f = scores[i];
                const double small = std::exp(-std::abs(f)), whole = 1 + small;
                rest_[i] = share * ((f >= 0 ? 1 : small) / whole - y);
                curve_[i] = share * std::max(small / (whole * whole), kLeastCurvature);
                into[0] += share * (std::max(f, 0.0) - y * f + std::log1p(small));
                into[1] += rest_[i];
                into[2] += curve_[i];
                into[3] += share > 0 && !(y > 0.5 ? f > 0 : f < 0);
            }
        });
        rest_sum_ = sums[1];
        curve_sum_ = sums[2];
        parted_ = sums[3] == 0 && s_.l1 == 0 && s_.l2 == 0 && s_.intercept_l1 == 0 && s_.intercept_l2 == 0;
        return sums[0];
    }
    double penalty(std::span<const double> u, double b) const {
        double sum = ElasticNet{s_.intercept_l1, s_.intercept_l2}.value(b);
        for (Size j = 0; j < p_; ++j)
            if (u[j] != 0) sum += ElasticNet{l1_[j], l2_[j]}.value(u[j]);
        return sum;
    }

    // Gradients of all columns; curvatures of those that may have to move, zero for the others.
    void look_at_columns() {
        start_rest_ = rest_sum_ + s_.intercept_l2 * b_;
        move_ = follows() ? -start_rest_ / intercept_curve() : 0;
        const double slack = 2 * std::abs(start_rest_);  // |move e| is at most that
        each_column([&](Size j) {
            slope_[j] = unit_[j] * dot(x_, j, rest_.data());
            e_[j] = h_[j] = 0;
            if (u_[j] == 0 && std::abs(slope_[j]) + slack <= l1_[j]) return;
            const auto [first, square] = weigh(x_, j, unit_[j], curve_.data());
            if (s_.intercept) e_[j] = first;
            h_[j] = follows() ? square - first * first / intercept_curve() : square;
            // of a constant column, that the intercept takes up whole, the penalty alone decides
            const bool constant = h_[j] <= kLeastCurvature * square;
            if (constant) h_[j] = l1_[j] > 0 || l2_[j] > 0 ? kLeastCurvature * (square > 0 ? square : 1) : 0;
            if (h_[j] > 0) h_[j] += l2_[j];
        });
    }
    double slope_with_intercept(Size j) const { return slope_[j] + move_ * e_[j] + l2_[j] * u_[j]; }
    void choose_columns() {
        working_.clear();
        double sum = 0;
        for (Size j = 0; j < p_; ++j) {
            if (h_[j] == 0) continue;
            const double g = slope_with_intercept(j), v = violation(u_[j], g, l1_[j]);
            sum += v * v / h_[j];
            if (u_[j] != 0 || v > 0) working_.push_back(j);
        }
        if (s_.intercept) {
            const double v = violation(b_, start_rest_, s_.intercept_l1);
            sum += v * v / intercept_curve();
        }
        result_.measure = std::sqrt(sum);
    }

    // Rounds over the working columns until what a round gains is little against what is missing.
    void lower_model() {
        std::copy(u_.begin(), u_.end(), v_.begin());
        const double enough = kEnough * result_.measure * result_.measure;
        double gain = make_round(result_.passes == 0);
        for (Size rounds = 1; gain > enough && rounds < kMostRounds; ++rounds) {
            shuffle();
            gain = make_round(false);
        }
    }
    void shuffle() {
        const Random random{s_.seed, rounds_++};
        for (Size i = working_.size(); i-- > 1;) std::swap(working_[i], working_[random.below(i, i + 1)]);
    }
    // Answers the sum of step^2 h: twice what the model fell by, but for the penalty's kinks.
    double make_round(bool shown) {
        double gain = 0;
        Size seen = 0;
        for (const Size j : working_) {
            const double g = unit_[j] * dot(x_, j, rest_.data()) + move_ * e_[j] + l2_[j] * v_[j], before = v_[j];
            const double step = limited(target(before, g, h_[j], l1_[j]) - before, h_[j]);
            if (step != 0) {
                gain += step * step * h_[j];
                take_step(j, step);
            }
            if (shown && p_ < kFewParameters) show_step(j, g, before);
            seen += entries(x_, j);
            if (seen < kEntriesBetweenChecks) continue;
            seen = 0;
            check_interrupt();
        }
        return gain + turn_of_intercept();
    }
    // Where all p (1 - p) are tiny the model is nearly flat, and its minimum far beyond where it holds.
    double limited(double step, double h) const {
        const double size = step * step * h, most = kMostMove * kMostMove * curve_sum_;
        return size > most ? step * std::sqrt(most / size) : step;
    }
    void take_step(Size j, double step) {
        v_[j] += step;
        axpy(x_, j, step * unit_[j], curve_.data(), rest_.data());
        rest_sum_ += step * e_[j];
        if (follows()) move_ -= step * e_[j] / intercept_curve();
    }
    double turn_of_intercept() {
        if (!s_.intercept || follows()) return 0;
        const double h = intercept_curve(), at = b_ + move_;
        const double g = rest_sum_ + move_ * curve_sum_ + s_.intercept_l2 * at;
        const double step = target(at, g, h, s_.intercept_l1) - at;
        move_ += step;
        return step * step * h;
    }

    // From u toward v as far as F falls; false when it does not.
    bool advance() {
        fill_theta(v_, b_ + move_);
        multiply(*problem_.X, std::span(theta_).first(p_), std::span(theta_).last(1), tried_, s_.threads);
        const double promise = promised();
        double share = 1;
        for (Size tries = 0; tries < kMostTries; ++tries, share *= 0.5) {
            if (tries > 0) halve();
            const double objective = look_at_rows(tried_) + penalty(v_, b_ + share * move_);
            if (!(objective <= result_.objective * (1 + kRounding) + kArmijo * share * promise)) continue;
            std::swap(score_, tried_);
            std::swap(u_, v_);
            b_ += share * move_;
            result_.objective = objective;
            ++result_.passes;
            return true;
        }
        return false;
    }
    // First-order change of the loss and change of the penalty on the way to v.
    double promised() const {
        double sum = (start_rest_ - s_.intercept_l2 * b_) * move_ + penalty(v_, b_ + move_) - penalty(u_, b_);
        for (const Size j : working_) sum += slope_[j] * (v_[j] - u_[j]);
        return sum;
    }
    void halve() {
        for (Size i = 0; i < n_; ++i) tried_[i] = score_[i] + 0.5 * (tried_[i] - score_[i]);
        for (const Size j : working_) v_[j] = u_[j] + 0.5 * (v_[j] - u_[j]);
    }

    void fill_theta(std::span<const double> u, double b) {
        for (Size j = 0; j < p_; ++j) theta_[j] = u[j] * unit_[j];
        theta_[p_] = b;
    }
    // Answers whether a listener wished to stop.
    bool note() {
        if constexpr (std::is_same_v<Trace, NoTrace>) return false;
        fill_theta(u_, b_);
        tell_pass(trace_, kSparsePass, result_, used_of(theta_, 1), theta_, 1);
        return result_.passes > 0 && stop_after(trace_, result_.passes, theta_);
    }
    void show_step(Size j, double g, double before) {
        const double unit = unit_[j];
        emit(trace_,
             RoundStep{static_cast<double>(j), g / unit, h_[j] / unit / unit, before * unit, v_[j] * unit, move_});
    }
    LinearResult stop(LinearStop why) {
        result_.stop = why;
        return result_;
    }

    const LinearProblem& problem_;
    const LinearSettings& s_;
    const Columns& x_;
    Trace& trace_;
    Size n_, p_, block_cols_ = 1;
    double total_;                                      // S
    std::vector<double> score_, tried_, rest_, curve_;  // f, f at the point tried, r, d
    std::vector<double> unit_, u_, v_, l1_, l2_;        // u: scaled coefficients; v: the model's minimizer
    std::vector<double> slope_, h_, e_;                 // x_j . r at the start of the pass, curvature, x_j . d
    std::vector<double> theta_;
    std::vector<Size> working_;
    double b_, move_ = 0;  // the intercept, and how far it went in the pass
    double rest_sum_ = 0, curve_sum_ = 0, start_rest_ = 0;
    Size rounds_ = 0;
    bool parted_ = false;
    LinearResult result_;
};

}  // namespace

template <class Trace>
LinearResult coordinate_logistic(const LinearProblem& problem, const LinearSettings& settings, std::span<double> w,
                                 std::span<double> b, Trace& trace) {
    check_problem(problem, LinearLoss::logistic, w, b);
    const ColumnTable table = column_table(*problem.X, settings.threads);
    return std::visit(
        [&]<class Columns>(const Columns& x) {
            CoordinateLogistic<Columns, Trace> solver(problem, settings, x, w, b[0], trace);
            const LinearResult result = solver.run();
            divide(solver.answer(), w, b);
            return result;
        },
        table.view);
}

template LinearResult coordinate_logistic(const LinearProblem&, const LinearSettings&, std::span<double>,
                                          std::span<double>, NoTrace&);
template LinearResult coordinate_logistic(const LinearProblem&, const LinearSettings&, std::span<double>,
                                          std::span<double>, Record&);
template LinearResult coordinate_logistic(const LinearProblem&, const LinearSettings&, std::span<double>,
                                          std::span<double>, Watch&);

}  // namespace pellucid

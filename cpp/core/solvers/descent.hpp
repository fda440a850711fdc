// Gradient descent: batch, mini-batch and stochastic are one loop over batches of rows.
//
//   minimize  c/n sum_i w_i l(y_i, f_i) + alpha sum_j h(theta_j),   f_i = theta_0 + x_i . (theta_1 .. theta_p)
//
//   theta <- theta - eta_t ( c/d sum_{i in B} w_i l'(y_i, f_i) (1, x_i) + alpha (0, h'(theta_1 .. theta_p)) )
//
// l is the loss, h the penalty (never of the intercept theta_0), B the batch of update t, d the divisor: the number of
// rows in B, the number of all rows, or a constant. The weights w_i have mean one.
//
// A batch of all rows is two products on the pool, cut into fixed blocks: the same bits on any number of threads. A
// smaller batch is one serial pass over its rows that touches only their non-zero columns; with a penalty all columns.
//
// The stopping rule by improvement is scikit-learn's: the objective of an epoch is the mean over its rows of loss and
// penalty before each row's update; an epoch that is not below the best so far by `tol` counts, and `patience` of them
// in a row stop the run, or divide an adaptive rate by 5.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/products.hpp"
#include "core/linalg/reduce.hpp"
#include "core/linalg/rows.hpp"
#include "core/solvers/schedule.hpp"

namespace pellucid {

struct DescentSettings {
    double factor = 1;          // c
    double alpha = 0;           // strength of the penalty
    bool intercept = true;      // is theta_0 there?
    Size batch = 1;             // rows of an update; all rows and more: every row, in the table's order
    double divide_by_rows = 1;  // d = divide_by_rows * rows of the batch + divide_by
    double divide_by = 0;       //
    RowOrder order = RowOrder::shuffled;
    std::uint64_t seed = 0;
    Rate rate;
    double gradient_tol = -1;  // batches of all rows stop when the gradient is no longer than this; below 0: never
    double tol = -std::numeric_limits<double>::infinity();  // least improvement of an epoch; -infinity: any will do
    Size patience = 5;
    Size most_epochs = 1000;
    Size most_steps = std::numeric_limits<Size>::max();
    Size most_path = 0;  // numbers that the path may hold; 0: it is not kept
    int threads = 1;
};

struct DescentProblem {
    const Matrix* X = nullptr;
    std::span<const double> y;
    std::span<const double> weight;        // n, mean one; empty: all one
    std::span<const std::int64_t> listed;  // rows to visit in turn, again from the start when used up
};

enum class DescentStop : int { gradient, improvement, count, told, overflow, path_full };

struct DescentResult {
    DescentStop stop = DescentStop::count;
    Size epochs = 0, steps = 0;
    double first_cost = 0, last_cost = 0;  // of the first and the last epoch
};

namespace descent_detail {

inline constexpr Size kBlockRows = 4096;
inline constexpr Size kRowsBetweenChecks = 1024;

// What a trace is told: the first and the last 5,000 updates, epochs and (in batches of up to 20) visited rows.
template <class Trace>
class Notes {
  public:
    Notes(const DescentSettings& s, bool penalized, bool whole, Size cols)
        : offset_(s.intercept ? 0 : 1),
          width_(cols + 1 - offset_),
          penalized_(penalized),
          whole_(whole),
          steps_(6 + width_, kept(6 + width_)),
          epochs_(4 + penalized + width_, kept(4 + penalized + width_)),
          order_(2, kept_updates * std::min<Size>(s.batch, 20)) {}

    void visit(Size step, std::span<const Size> rows) {
        for (const Size row : rows) order_.add(std::array{static_cast<double>(step), static_cast<double>(row)});
    }
    void step(Size step, Size epoch, double row, double rate, double cost, double norm, std::span<const double> theta) {
        row_ = {static_cast<double>(step), static_cast<double>(epoch), row, rate, cost, norm};
        add(steps_, theta);
    }
    void epoch(Size epoch, double cost, double objective, double rate, Size without, std::span<const double> theta) {
        row_ = {static_cast<double>(epoch), cost};
        if (penalized_) row_.push_back(objective);
        row_.insert(row_.end(), {rate, static_cast<double>(without)});
        add(epochs_, theta);
    }
    void tell(Trace& trace) const {
        emit(trace, "steps", named({"step", "epoch", "row", "rate", "cost", "gradient_norm"}), steps_.rows());
        std::vector<std::string> epoch = {"epoch", "cost"};
        if (penalized_) epoch.push_back("objective");
        epoch.insert(epoch.end(), {"rate", "without_improvement"});
        emit(trace, "epochs", named(std::move(epoch)), epochs_.rows());
        if (!whole_) emit(trace, "order", std::array<std::string, 2>{"step", "row"}, order_.rows());
    }

  private:
    // At either end of a run; 10,000 in all are enough to lay out a textbook's run from start to end.
    static constexpr Size kept_updates = 5000;
    static Size kept(Size width) { return std::clamp<Size>(1'000'000 / width, 1, kept_updates); }
    void add(Ends& table, std::span<const double> theta) {
        row_.insert(row_.end(), theta.begin(), theta.end());
        table.add(row_);
    }
    std::vector<std::string> named(std::vector<std::string> columns) const {
        for (Size j = 0; j < width_; ++j) columns.push_back("theta_" + std::to_string(j + offset_));
        return columns;
    }

    Size offset_, width_;
    bool penalized_, whole_;
    Ends steps_, epochs_, order_;
    std::vector<double> row_;
};

template <>
class Notes<NoTrace> {
  public:
    Notes(const DescentSettings&, bool, bool, Size) {}
    void visit(Size, std::span<const Size>) {}
    void step(Size, Size, double, double, double, double, std::span<const double>) {}
    void epoch(Size, double, double, double, Size, std::span<const double>) {}
    void tell(NoTrace&) const {}
};

}  // namespace descent_detail

template <class Loss, class Penalty, class View, class Trace>
class Descent {
  public:
    // theta: the start, overwritten by the answer; intercept first where there is one. path: every theta, start first.
    Descent(const DescentProblem& problem, const DescentSettings& settings, const View& x, std::span<double> theta,
            std::vector<double>& path, Trace& trace)
        : problem_(problem),
          s_(settings),
          x_(x),
          theta_(theta),
          w_(theta.subspan(settings.intercept ? 1 : 0)),
          path_(path),
          trace_(trace),
          n_(x.rows),
          whole_(s_.batch >= n_ && (s_.order == RowOrder::given || s_.order == RowOrder::shuffled)),
          batch_(std::min(s_.batch, n_)),
          picker_(whole_ ? RowOrder::given : s_.order, s_.seed, problem.listed, n_),
          notes_(s_, Penalty::active, whole_, x.cols),
          slope_(batch_),
          f_(whole_ ? n_ : 0),
          gradient_(theta.size()) {
        require(problem.y.size() == n_ && n_ > 0 && w_.size() == x.cols && s_.batch > 0, "descent: sizes");
        require(problem.weight.empty() || problem.weight.size() == n_, "descent: weights");
        require((s_.order == RowOrder::listed) == !problem.listed.empty(), "descent: listed rows");
        for (const std::int64_t row : problem.listed)
            require(row >= 0 && static_cast<Size>(row) < n_, "descent: a listed row");
    }

    DescentResult run() {
        keep_path();
        bool going = s_.most_steps > 0;
        while (going && result_.epochs < s_.most_epochs) going = epoch();
        notes_.tell(trace_);
        return result_;
    }

  private:
    // One pass over as many rows as the table has. Answers whether to go on.
    bool epoch() {
        begin_epoch();
        while (visited_ < n_) {
            gather();
            const double cost = whole_ ? measure_all() : measure_batch();
            if (!std::isfinite(cost) || !std::isfinite(slope_sum_)) return stop(DescentStop::overflow);
            if (is_stationary()) return stop(DescentStop::gradient);
            if (visited_ == 0) ++result_.epochs;
            rate_ = s_.rate.at(result_.steps);
            const double norm = gradient_norm();
            whole_ ? update_all() : update_batch();
            add_up(cost);
            notes_.step(result_.steps, result_.epochs, count_ == 1 ? static_cast<double>(rows_[0]) : -1.0, rate_, cost,
                        norm, theta_);
            if (!keep_path()) return stop(DescentStop::path_full);
            if (result_.steps == s_.most_steps) break;
        }
        return end_epoch();
    }

    void begin_epoch() {
        visited_ = 0;
        cost_sum_ = objective_sum_ = 0;
        picker_.begin(result_.epochs);
        check_interrupt();
    }

    // The rows of the next batch. A batch of all rows needs no list.
    void gather() {
        count_ = std::min(batch_, n_ - visited_);
        rows_.resize(whole_ ? 1 : count_);
        for (Size k = 0; k < rows_.size(); ++k) rows_[k] = picker_.pick(visited_ + k);
        if (!whole_) notes_.visit(result_.steps + 1, rows_);
    }

    double divisor() const { return s_.divide_by_rows * static_cast<double>(count_) + s_.divide_by; }
    double weight(Size row) const { return problem_.weight.empty() ? 1.0 : problem_.weight[row]; }
    double intercept() const { return s_.intercept ? theta_[0] : 0.0; }

    // slope_[k] = c/d w_i l'(y_i, f_i) of the batch's rows i; answers the batch's cost c/|B| sum w_i l(y_i, f_i).
    double measure_batch() {
        const double scale = s_.factor / divisor();
        double loss = 0;
        slope_sum_ = 0;
        for (Size k = 0; k < count_; ++k) {
            const Size i = rows_[k];
            const double f = intercept() + dot_row(x_, i, w_.data());
            slope_[k] = scale * weight(i) * Loss::gradient(problem_.y[i], f);
            slope_sum_ += slope_[k];
            loss += weight(i) * Loss::value(problem_.y[i], f);
        }
        return s_.factor * loss / static_cast<double>(count_);
    }
    double measure_all() {
        const double start = intercept(), scale = s_.factor / divisor();
        multiply(*problem_.X, w_, std::span<const double>(&start, 1), f_, s_.threads);
        double sums[2];
        ordered_sum(blocks_of(n_, descent_detail::kBlockRows), 2, s_.threads, sums, [&](Size block, double* into) {
            const Size begin = block * descent_detail::kBlockRows;
            for (Size i = begin; i < std::min(n_, begin + descent_detail::kBlockRows); ++i) {
                slope_[i] = scale * weight(i) * Loss::gradient(problem_.y[i], f_[i]);
                into[0] += slope_[i];
                into[1] += weight(i) * Loss::value(problem_.y[i], f_[i]);
            }
        });
        slope_sum_ = sums[0];
        const std::span<double> of_w = std::span(gradient_).subspan(s_.intercept ? 1 : 0);
        multiply_transposed(*problem_.X, slope_, of_w, s_.threads);
        finish_gradient(of_w);
        return s_.factor * sums[1] / static_cast<double>(n_);
    }

    // Adds what the intercept and the penalty contribute.
    void finish_gradient(std::span<double> of_w) {
        if (s_.intercept) gradient_[0] = slope_sum_;
        if constexpr (Penalty::active)
            for (Size j = 0; j < w_.size(); ++j) of_w[j] += s_.alpha * Penalty::gradient(w_[j]);
    }

    bool is_stationary() const { return whole_ && s_.gradient_tol >= 0 && length() <= s_.gradient_tol; }
    double length() const { return std::sqrt(hot().dot(gradient_.data(), gradient_.data(), gradient_.size())); }

    // For the trace alone: a small batch is applied without ever forming its gradient.
    double gradient_norm() {
        if constexpr (std::is_same_v<Trace, NoTrace>) return 0;
        if (!whole_) {
            const std::span<double> of_w = std::span(gradient_).subspan(s_.intercept ? 1 : 0);
            std::fill(of_w.begin(), of_w.end(), 0.0);
            for (Size k = 0; k < count_; ++k) add_row(x_, rows_[k], slope_[k], of_w.data());
            finish_gradient(of_w);
        }
        return length();
    }

    void update_all() {
        measure_penalty();
        hot().axpy_f64(-rate_, gradient_.data(), gradient_.size(), theta_.data());
    }
    void update_batch() {
        measure_penalty();
        if constexpr (Penalty::active)
            for (double& w : w_) w -= rate_ * s_.alpha * Penalty::gradient(w);
        for (Size k = 0; k < count_; ++k) add_row(x_, rows_[k], -rate_ * slope_[k], w_.data());
        if (s_.intercept) theta_[0] -= rate_ * slope_sum_;
    }
    void measure_penalty() {
        penalty_ = 0;
        if constexpr (Penalty::active) {
            for (const double w : w_) penalty_ += Penalty::value(w);
            penalty_ *= s_.alpha;
        }
    }

    void add_up(double cost) {
        const double rows = static_cast<double>(count_);
        cost_sum_ += cost * rows;
        objective_sum_ += (cost + penalty_) * rows;
        visited_ += count_;
        since_check_ += count_;
        ++result_.steps;
        if (since_check_ < descent_detail::kRowsBetweenChecks) return;
        since_check_ = 0;
        check_interrupt();
    }

    bool keep_path() {
        if (s_.most_path == 0) return true;
        if (path_.size() + theta_.size() > s_.most_path) return false;
        path_.insert(path_.end(), theta_.begin(), theta_.end());
        return true;
    }

    bool end_epoch() {
        const double visited = static_cast<double>(visited_), objective = objective_sum_ / visited;
        result_.last_cost = cost_sum_ / visited;
        if (result_.epochs == 1) result_.first_cost = result_.last_cost;
        const bool counts = s_.tol > -std::numeric_limits<double>::infinity();
        without_ = counts && objective > best_ - s_.tol ? without_ + 1 : 0;
        best_ = std::min(best_, objective);
        notes_.epoch(result_.epochs, result_.last_cost, objective, rate_, without_, theta_);
        const bool told = stop_after(trace_, result_.epochs, theta_);
        for (const double value : theta_)
            if (!std::isfinite(value)) return stop(DescentStop::overflow);
        if (told) return stop(DescentStop::told);
        if (without_ >= s_.patience && visited_ >= n_ && !shrink_rate()) return stop(DescentStop::improvement);
        return result_.steps < s_.most_steps;
    }

    bool shrink_rate() {
        if (!s_.rate.shrink()) return false;
        without_ = 0;
        return true;
    }

    bool stop(DescentStop why) {
        result_.stop = why;
        return false;
    }

    const DescentProblem& problem_;
    DescentSettings s_;
    const View& x_;
    std::span<double> theta_, w_;
    std::vector<double>& path_;
    Trace& trace_;
    Size n_;
    bool whole_;
    Size batch_;
    RowPicker picker_;
    descent_detail::Notes<Trace> notes_;
    std::vector<double> slope_, f_, gradient_;  // of the batch's rows; of all rows; of theta
    std::vector<Size> rows_;                    // of the batch
    Size count_ = 0, visited_ = 0, without_ = 0, since_check_ = 0;
    double slope_sum_ = 0, rate_ = 0, penalty_ = 0, cost_sum_ = 0, objective_sum_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    DescentResult result_;
};

template <class Loss, class Penalty, class Trace>
DescentResult descend(const DescentProblem& problem, const DescentSettings& settings, std::span<double> theta,
                      std::vector<double>& path, Trace& trace) {
    return std::visit(
        [&]<class View>(const View& x) {
            return Descent<Loss, Penalty, View, Trace>(problem, settings, x, theta, path, trace).run();
        },
        *problem.X);
}

}  // namespace pellucid

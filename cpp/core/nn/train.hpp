// Learning the parameters of a network: batch by batch with Adam or with momentum, or by L-BFGS on all rows.
//
//   Adam (Kingma, Ba 2015):   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
//                             theta <- theta - rate sqrt(1 - b2^t)/(1 - b1^t) m / (sqrt v + epsilon)
//   momentum:                 v <- mu v - rate g,  theta <- theta + v;  Nesterov: theta + mu v - rate g
//
// g is the gradient of the batch's F (network.hpp). An epoch visits every row once; its loss is the mean of its
// batches' F, each at the parameters it met. It has improved when it is lower than the lowest so far by tol or more
// (or, with rows held out, when their score is higher by tol or more); more than `patience` epochs without end the run,
// or divide an adaptive rate by 5 until it is 1e-6.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/nn/network.hpp"
#include "core/solvers/schedule.hpp"

namespace pellucid {

enum class NetworkSolver : int { adam, sgd, lbfgs };
enum class NetworkStop : int { improvement, count, told, overflow, flat };
enum class NetworkScore : int { accuracy, r2 };

struct NetworkSettings {
    NetworkSolver solver = NetworkSolver::adam;
    double alpha = 0;
    Size batch = 200, most_epochs = 200, patience = 10, most_evaluations = 15000;
    Rate rate;          // constant, invscaling (t counts rows) or adaptive
    double tol = 1e-4;  // below zero: no end before the last epoch
    double momentum = 0.9, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
    bool nesterov = true, shuffle = true;
    NetworkScore score = NetworkScore::accuracy;
    std::uint64_t seed = 0;
    int threads = 1;
};

// What goes on from one part of a table to the next: the two running means (or the velocity), updates and rows so far,
// the rate's divisor, and the lowest loss.
struct NetworkState {
    std::vector<double> first, second;
    double updates = 0, rows = 0, epochs = 0, shrunk = 1, lowest = std::numeric_limits<double>::infinity();
    Size waited = 0;
};

struct NetworkResult {
    NetworkStop stop = NetworkStop::count;
    Size epochs = 0;
    std::vector<double> losses, scores;  // one an epoch
    double best_score = -std::numeric_limits<double>::infinity();
};

// Rows to learn from, and rows that are held out (empty: none).
struct NetworkSplit {
    std::vector<std::int64_t> learned, held;
};

inline constexpr Size kShownParameters = 200;  // of a record: more are too many to look at

struct EpochEvent {
    static constexpr auto name = "epochs";
    static constexpr std::array columns{"epoch", "loss", "score", "rate"};
    double epoch, loss, score, rate;
    std::array<double, 4> values() const { return {epoch, loss, score, rate}; }
};

// Updates batch by batch.
class NetworkSteps {
  public:
    NetworkSteps(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                 const NetworkSettings& settings, std::span<double> theta, NetworkState& state);
    void begin_epoch();
    Size batches() const { return blocks_of(split_.learned.size(), settings_.batch); }
    // One update; false when a number overflows.
    bool advance(Size batch);
    double last_loss() const { return loss_; }
    std::span<const std::int64_t> last_rows() const { return last_; }
    // The epoch's loss and the score of the rows held out; true when the run should go on.
    bool end_epoch(NetworkResult& result);
    double rate() const;
    bool has_held_out() const { return !split_.held.empty(); }
    void restore_best();

  private:
    double score() const;
    double penalize(double weight);
    void update();

    const Network& network_;
    NetworkRows rows_;
    const NetworkSplit& split_;
    const NetworkSettings& settings_;
    std::span<double> theta_;
    NetworkState& state_;
    Backpropagation back_;
    Rate rate_;
    RowPicker picker_;
    std::vector<double> gradient_, best_;
    std::vector<std::int64_t> order_;
    std::span<const std::int64_t> last_;
    double loss_ = 0, sum_ = 0, best_score_ = -std::numeric_limits<double>::infinity();
};

// The first updates with all parameters, where these are few: what a working shows.
template <class Trace>
void tell_update(Trace& trace, const NetworkSteps& steps, double number, std::span<const double> theta) {
    if (theta.size() > kShownParameters || number > 50) return;
    std::vector<std::string> columns = {"update", "loss"};
    std::vector<double> cells = {number, steps.last_loss()};
    for (Size i = 0; i < theta.size(); ++i) columns.push_back("theta_" + std::to_string(i));
    cells.insert(cells.end(), theta.begin(), theta.end());
    emit(trace, "updates", columns, cells);
    const std::vector<std::string> of_row = {"update", "row"};
    for (const std::int64_t row : steps.last_rows())
        emit(trace, "batches", of_row, std::array<double, 2>{number, static_cast<double>(row)});
}
inline void tell_update(NoTrace&, const NetworkSteps&, double, std::span<const double>) {}

// theta: the start, overwritten by the answer.
template <class Trace>
NetworkResult train_by_batches(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                               const NetworkSettings& settings, std::span<double> theta, NetworkState& state,
                               Trace& trace) {
    NetworkSteps steps(network, rows, split, settings, theta, state);
    NetworkResult result;
    while (result.epochs < settings.most_epochs) {
        steps.begin_epoch();
        const double rate = steps.rate();
        for (Size batch = 0; batch < steps.batches(); ++batch) {
            check_interrupt();
            if (!steps.advance(batch)) {
                result.stop = NetworkStop::overflow;
                return result;
            }
            tell_update(trace, steps, state.updates, theta);
        }
        ++result.epochs;
        const bool on = steps.end_epoch(result);
        emit(trace,
             EpochEvent{static_cast<double>(result.epochs), result.losses.back(),
                        result.scores.empty() ? std::numeric_limits<double>::quiet_NaN() : result.scores.back(), rate});
        const bool told = stop_after(trace, result.epochs, theta);
        if (!on || told) {
            result.stop = on ? NetworkStop::told : NetworkStop::improvement;
            break;
        }
    }
    if (steps.has_held_out()) steps.restore_best();
    return result;
}

// F of all rows at once, for L-BFGS.
class NetworkObjective {
  public:
    NetworkObjective(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                     const NetworkSettings& settings);
    double evaluate(std::span<const double> theta, std::span<double> gradient);
    Size evaluations() const { return evaluations_; }

  private:
    const Network& network_;
    const NetworkSplit& split_;
    double alpha_;
    Backpropagation back_;
    Size evaluations_ = 0;
};

// L-BFGS (Nocedal 1980): theta + t d with d = -H g, where H is made of the last ten pairs of steps and changes of g;
// t satisfies the weak Wolfe conditions (Lewis, Overton 2013).
class NetworkLbfgs {
  public:
    NetworkLbfgs(NetworkObjective& objective, std::span<double> theta);
    double value() const { return value_; }
    double slope() const;  // the largest in size
    double step() const { return step_; }
    // One step; false when F cannot be lowered any more, to rounding.
    bool advance();

  private:
    void aim();
    bool search();
    void move(double t);

    NetworkObjective& objective_;
    std::span<double> theta_;
    std::vector<double> gradient_, direction_, last_theta_, last_gradient_;
    std::vector<std::vector<double>> s_, y_;
    double value_, step_ = 0;
};

// The smallest share of F that a step must lower it by.
inline constexpr double kLeastFall = 2.220446049250313e-09;

template <class Trace>
NetworkResult train_at_once(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                            const NetworkSettings& settings, std::span<double> theta, Trace& trace) {
    NetworkObjective objective(network, rows, split, settings);
    NetworkLbfgs steps(objective, theta);
    NetworkResult result;
    for (;;) {
        check_interrupt();
        result.losses.push_back(steps.value());
        emit(trace, EpochEvent{static_cast<double>(result.epochs), steps.value(),
                               std::numeric_limits<double>::quiet_NaN(), steps.step()});
        const bool told = result.epochs > 0 && stop_after(trace, result.epochs, theta);
        const Size n = result.losses.size();
        const double now = steps.value(), before = n > 1 ? result.losses[n - 2] : now;
        const double scale = std::max({std::abs(now), std::abs(before), 1.0});
        if (!std::isfinite(now + steps.slope()))
            result.stop = NetworkStop::overflow;
        else if (steps.slope() <= settings.tol)
            result.stop = NetworkStop::improvement;
        else if (settings.tol >= 0 && n > 1 && before - now <= kLeastFall * scale)
            result.stop = NetworkStop::flat;
        else if (told)
            result.stop = NetworkStop::told;
        else if (result.epochs >= settings.most_epochs || objective.evaluations() >= settings.most_evaluations)
            result.stop = NetworkStop::count;
        else if (!steps.advance())
            result.stop = NetworkStop::flat;
        else {
            ++result.epochs;
            continue;
        }
        return result;
    }
}

}  // namespace pellucid

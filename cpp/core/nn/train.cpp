#include "core/nn/train.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/line_search.hpp"
#include "core/linalg/vectors.hpp"
#include "core/nn/network_hot.hpp"

namespace pellucid {
namespace {

constexpr Size kChunk = 8192;  // parameters of an update that one thread takes
constexpr Size kPairs = 10;

// gradient <- (gradient + alpha W) / S; answers |W|^2 of all layers.
double add_penalty(const Network& network, std::span<const double> theta, double alpha, double weight,
                   std::span<double> gradient) {
    double squares = 0;
    for (Size l = 0; l < network.layers(); ++l) {
        const Size at = network.weights_at(l), count = network.biases_at(l) - at;
        const auto w = theta.subspan(at, count);
        squares += dot(w, w);
        if (alpha != 0) add_times(alpha, w, gradient.subspan(at, count));
    }
    for (double& g : gradient) g /= weight;
    return squares;
}

std::vector<std::int64_t> picked(const std::vector<std::int64_t>& rows, RowPicker& picker) {
    std::vector<std::int64_t> out(rows.size());
    for (Size i = 0; i < rows.size(); ++i) out[i] = rows[picker.pick(i)];
    return out;
}

}  // namespace

NetworkSteps::NetworkSteps(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                           const NetworkSettings& settings, std::span<double> theta, NetworkState& state)
    : network_(network),
      rows_(rows),
      split_(split),
      settings_(settings),
      theta_(theta),
      state_(state),
      back_(network, rows, std::min(settings.batch, split.learned.size()), settings.threads),
      rate_(settings.rate),
      picker_(settings.shuffle ? RowOrder::shuffled : RowOrder::given, settings.seed, {}, split.learned.size()),
      gradient_(theta.size()),
      order_(split.learned) {
    require(!split.learned.empty() && settings.batch > 0, "network: rows to learn from");
    state_.first.resize(theta.size());
    if (settings.solver == NetworkSolver::adam) state_.second.resize(theta.size());
    rate_.shrunk = state.shrunk;
}

void NetworkSteps::begin_epoch() {
    picker_.begin(static_cast<Size>(state_.epochs));
    if (settings_.shuffle) order_ = picked(split_.learned, picker_);
    sum_ = 0;
}

double NetworkSteps::rate() const { return rate_.at(state_.rows); }

bool NetworkSteps::advance(Size batch) {
    const Size begin = batch * settings_.batch, count = std::min(settings_.batch, order_.size() - begin);
    last_ = std::span<const std::int64_t>(order_).subspan(begin, count);
    const BatchCost cost = back_.evaluate(last_, theta_, gradient_);
    if (cost.weight == 0) {  // no row of it counts
        loss_ = 0;
        return true;
    }
    const double squares = add_penalty(network_, theta_, settings_.alpha, cost.weight, gradient_);
    loss_ = (cost.loss + 0.5 * settings_.alpha * squares) / cost.weight;
    sum_ += loss_ * static_cast<double>(count);
    update();
    return std::isfinite(loss_);
}

void NetworkSteps::update() {
    state_.updates += 1;
    AdamStep step{rate(), settings_.beta_1, settings_.beta_2, settings_.epsilon};
    step.rate *= std::sqrt(1 - std::pow(step.beta_2, state_.updates)) / (1 - std::pow(step.beta_1, state_.updates));
    parallel_for(blocks_of(theta_.size(), kChunk), settings_.threads, [&](Size c) {
        const Size at = c * kChunk, count = std::min(kChunk, theta_.size() - at);
        if (settings_.solver == NetworkSolver::adam)
            network_hot().adam(&gradient_[at], count, step, &theta_[at], &state_.first[at], &state_.second[at]);
        else
            network_hot().momentum(&gradient_[at], count, rate(), settings_.momentum, settings_.nesterov, &theta_[at],
                                   &state_.first[at]);
    });
}

bool NetworkSteps::end_epoch(NetworkResult& result) {
    const double loss = sum_ / static_cast<double>(order_.size());
    result.losses.push_back(loss);
    bool better = !(loss > state_.lowest - settings_.tol);
    state_.lowest = std::min(state_.lowest, loss);
    if (has_held_out()) {
        const double now = score();
        result.scores.push_back(now);
        better = !(now < best_score_ + settings_.tol);
        if (now > best_score_ || best_.empty()) {
            best_score_ = now;
            best_.assign(theta_.begin(), theta_.end());
        }
        result.best_score = best_score_;
    }
    state_.waited = better ? 0 : state_.waited + 1;
    state_.epochs += 1;
    state_.rows += static_cast<double>(order_.size());
    if (settings_.tol < 0 || state_.waited <= settings_.patience) return true;
    state_.waited = 0;
    const bool shrunk = rate_.shrink();
    state_.shrunk = rate_.shrunk;
    return shrunk;
}

void NetworkSteps::restore_best() {
    if (!best_.empty()) std::copy(best_.begin(), best_.end(), theta_.begin());
}

// Of the rows held out: the share of right answers, or the mean over targets of R^2.
double NetworkSteps::score() const {
    const Size n = split_.held.size(), k = network_.outputs();
    std::vector<double> a(n * k);
    network_answers(network_, *rows_.x, theta_, split_.held, a, settings_.threads);
    const auto weight = [&](Size i) {
        return rows_.weight.empty() ? 1.0 : rows_.weight[static_cast<Size>(split_.held[i])];
    };
    const auto target = [&](Size i) { return rows_.y.data() + static_cast<Size>(split_.held[i]) * k; };
    double all = 0, right = 0, total = 0;
    for (Size i = 0; i < n; ++i) all += weight(i);
    if (settings_.score == NetworkScore::accuracy) {
        for (Size i = 0; i < n; ++i) {
            const double *own = &a[i * k], *y = target(i);
            const bool good = k == 1 ? (own[0] > 0.5) == (y[0] > 0.5)
                                     : std::max_element(own, own + k) - own == std::max_element(y, y + k) - y;
            if (good) right += weight(i);
        }
        return right / all;
    }
    for (Size j = 0; j < k; ++j) {
        double mean = 0, sse = 0, sst = 0;
        for (Size i = 0; i < n; ++i) mean += weight(i) * target(i)[j] / all;
        for (Size i = 0; i < n; ++i) {
            const double y = target(i)[j], e = y - a[i * k + j];
            sse += weight(i) * e * e;
            sst += weight(i) * (y - mean) * (y - mean);
        }
        total += sst > 0 ? 1 - sse / sst : sse == 0 ? 1.0 : 0.0;
    }
    return total / static_cast<double>(k);
}

NetworkObjective::NetworkObjective(const Network& network, const NetworkRows& rows, const NetworkSplit& split,
                                   const NetworkSettings& settings)
    : network_(network),
      split_(split),
      alpha_(settings.alpha),
      back_(network, rows, split.learned.size(), settings.threads) {}

double NetworkObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
    ++evaluations_;
    check_interrupt();
    const BatchCost cost = back_.evaluate(split_.learned, theta, gradient);
    return (cost.loss + 0.5 * alpha_ * add_penalty(network_, theta, alpha_, cost.weight, gradient)) / cost.weight;
}

NetworkLbfgs::NetworkLbfgs(NetworkObjective& objective, std::span<double> theta)
    : objective_(objective), theta_(theta), gradient_(theta.size()), direction_(theta.size()) {
    value_ = objective_.evaluate(theta_, gradient_);
    aim();
}

double NetworkLbfgs::slope() const {
    double largest = 0;
    for (const double g : gradient_) {
        if (std::isnan(g)) return g;
        largest = std::max(largest, std::abs(g));
    }
    return largest;
}

// The two loops of Nocedal. Without a pair the first step has length 1, or less where the gradient is shorter.
void NetworkLbfgs::aim() {
    direction_ = gradient_;
    std::vector<double> along(s_.size());
    for (Size i = s_.size(); i-- > 0;) {
        along[i] = dot(s_[i], direction_) / dot(s_[i], y_[i]);
        add_times(-along[i], y_[i], direction_);
    }
    const double length = std::sqrt(dot(gradient_, gradient_));
    double scale = length > 1 ? 1 / length : 1.0;
    if (!s_.empty()) scale = dot(s_.back(), y_.back()) / dot(y_.back(), y_.back());
    for (double& d : direction_) d *= -scale;
    for (Size i = 0; i < s_.size(); ++i)
        add_times(-along[i] - dot(y_[i], direction_) / dot(s_[i], y_[i]), s_[i], direction_);
}

void NetworkLbfgs::move(double t) {
    step_ = t;
    std::copy(last_theta_.begin(), last_theta_.end(), theta_.begin());
    add_times(t, direction_, theta_);
    value_ = objective_.evaluate(theta_, gradient_);
}

bool NetworkLbfgs::advance() {
    for (;;) {
        last_theta_.assign(theta_.begin(), theta_.end());
        last_gradient_ = gradient_;
        if (search()) break;
        if (s_.empty()) return false;
        s_.clear();  // once more, along the gradient
        y_.clear();
        aim();
    }
    std::vector<double> s(theta_.begin(), theta_.end()), y = gradient_;
    add_times(-1, last_theta_, s);
    add_times(-1, last_gradient_, y);
    if (dot(s, y) > 1e-10 * std::sqrt(dot(s, s) * dot(y, y))) {
        if (s_.size() == kPairs) s_.erase(s_.begin()), y_.erase(y_.begin());
        s_.push_back(std::move(s));
        y_.push_back(std::move(y));
    }
    aim();
    return true;
}

// Moves to the first trial that satisfies the conditions; false (and nothing moved) when there is none.
bool NetworkLbfgs::search() {
    const double start = value_, slope = dot(last_gradient_, direction_), before = step_;
    const bool found = search_line(start, slope, [&](double t) -> Judged {
        move(t);
        const double here = dot(gradient_, direction_);
        const bool good = std::isfinite(here) && value_ <= start + kDecrease * t * slope;
        return {value_, here, good, good && here >= kCurvature * slope};
    });
    if (found) return true;
    std::copy(last_theta_.begin(), last_theta_.end(), theta_.begin());
    gradient_ = last_gradient_;
    value_ = start;
    step_ = before;
    return false;
}

}  // namespace pellucid

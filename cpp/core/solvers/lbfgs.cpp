#include "core/solvers/lbfgs.hpp"

#include <algorithm>
#include <limits>

#include "core/linalg/line_search.hpp"
#include "core/linalg/vectors.hpp"

namespace pellucid {
namespace {

constexpr double kNoise = 1e-14, kRoughNoise = 1e-7;  // of F, relative: what rounding may add, in double and in single
constexpr double kRoughPromise = 1e-6;                // what single precision can still tell from nothing
constexpr double kParted = 1e-6;                      // log odds: a lead that is no rounding

void keep_free(std::span<double> v, std::span<const char> free) {
    for (Size i = 0; i < free.size(); ++i)
        if (!free[i]) v[i] = 0;
}
double dot_free(std::span<const double> a, std::span<const double> b, std::span<const char> free) {
    if (free.empty()) return dot(a, b);
    double sum = 0;
    for (Size i = 0; i < a.size(); ++i)
        if (free[i]) sum += a[i] * b[i];
    return sum;
}

}  // namespace

void CurvaturePairs::add(std::span<const double> step, std::span<const double> change) {
    if (!(dot(step, change) > 1e-10 * std::sqrt(dot(step, step) * dot(change, change)))) return;
    s_[count_ % kPairs].assign(step.begin(), step.end());
    y_[count_ % kPairs].assign(change.begin(), change.end());
    ++count_;
}

// s'y / y'H0 y of the last pair: the scale at which H0 fits it.
double CurvaturePairs::scale(Size at, double curvature, std::span<const char> free) const {
    std::vector<double> turned(y_[at]);
    keep_free(turned, free);
    first_.apply(turned, free);
    const double square = dot_free(y_[at], turned, free);
    return curvature > 0 && square > 0 ? curvature / square : 1.0;
}

void CurvaturePairs::turn(std::span<double> direction, std::span<const char> free) const {
    const Size kept = std::min(count_, kPairs);
    double along[kPairs], curvature[kPairs];
    for (Size i = 0; i < kept; ++i) {
        const Size at = (count_ - 1 - i) % kPairs;
        curvature[at] = dot_free(s_[at], y_[at], free);
        if (!(curvature[at] > 0)) continue;
        along[at] = dot(s_[at], direction) / curvature[at];
        add_times(-along[at], y_[at], direction);
        keep_free(direction, free);
    }
    const Size last = (count_ + kPairs - 1) % kPairs;
    const double fitted = kept > 0 ? scale(last, curvature[last], free) : 1.0;
    first_.apply(direction, free);
    for (double& d : direction) d *= -fitted;
    for (Size i = kept; i-- > 0;) {
        const Size at = (count_ - 1 - i) % kPairs;
        if (!(curvature[at] > 0)) continue;
        add_times(-along[at] - dot(y_[at], direction) / curvature[at], s_[at], direction);
        keep_free(direction, free);
    }
}

LbfgsSteps::LbfgsSteps(LinearObjective& objective, const CurvatureBound& first, Size bounded,
                       std::vector<double>& theta)
    : objective_(objective),
      bounded_(bounded),
      theta_(theta),
      gradient_(theta.size()),
      direction_(theta.size()),
      change_(theta.size()),
      pairs_(first, theta.size()) {
    require(theta.size() == objective.size(), "lbfgs: parameters");
    objective_.be_rough(objective_.can_be_rough());
    for (Size i = 0; i < bounded_; ++i) theta_[i] = std::max(theta_[i], 0.0);
    at_ = objective_.evaluate(theta_, gradient_);
    first_value_ = at_.value;
    aim();
}

double LbfgsSteps::slope() const {
    double largest = 0;
    for (Size i = 0; i < gradient_.size(); ++i) {
        if (std::isnan(gradient_[i])) return gradient_[i];
        const bool held = i < bounded_ && theta_[i] <= 0 && gradient_[i] > 0;
        if (!held) largest = std::max(largest, std::abs(gradient_[i]));
    }
    return largest;
}

// F may come down to nothing (a perfect fit): below the rounding of its first value it has.
double LbfgsSteps::promise() const {
    const double scale = std::max(std::abs(at_.value), kNoise * std::abs(first_value_));
    return scale > 0 ? -0.5 * dot(gradient_, direction_) / scale : 0.0;
}

bool LbfgsSteps::is_parted() const { return objective_.can_run_away() && at_.least_margin > kParted; }

bool LbfgsSteps::refine() {
    if (!objective_.is_rough()) return false;
    objective_.be_rough(false);
    at_ = objective_.evaluate(theta_, gradient_);
    aim();
    return true;
}

void LbfgsSteps::aim() {
    if (bounded_ > 0) free_.assign(theta_.size(), 1);
    for (Size i = 0; i < bounded_; ++i) free_[i] = theta_[i] > 0 || gradient_[i] < 0;
    direction_ = gradient_;
    keep_free(direction_, free_);
    pairs_.turn(direction_, free_);
}

bool LbfgsSteps::advance() {
    for (;;) {
        last_theta_ = theta_;
        last_gradient_ = gradient_;
        if (search()) break;
        if (refine()) continue;
        if (pairs_.empty()) return false;
        pairs_.forget();  // once more, by the first guess alone
        aim();
    }
    for (Size i = 0; i < change_.size(); ++i) {
        direction_[i] = theta_[i] - last_theta_[i];
        change_[i] = gradient_[i] - last_gradient_[i];
    }
    pairs_.add(direction_, change_);
    aim();
    if (promise() <= kRoughPromise) refine();
    return true;
}

void LbfgsSteps::evaluate_at(double t) {
    step_ = t;
    theta_ = last_theta_;
    add_times(t, direction_, theta_);
    for (Size i = 0; i < bounded_; ++i) theta_[i] = std::max(theta_[i], 0.0);
    at_ = objective_.evaluate(theta_, gradient_);
}

// g'(theta(t) - theta): by how much F falls to first order.
double LbfgsSteps::fall_to_here(double t, double slope) const {
    if (bounded_ == 0) return t * slope;
    double sum = 0;
    for (Size i = 0; i < theta_.size(); ++i) sum += last_gradient_[i] * (theta_[i] - last_theta_[i]);
    return sum;
}

// Moves to the first trial that satisfies the conditions; false (and nothing moved) when there is none.
bool LbfgsSteps::search() {
    const Evaluation start = at_;
    const double slope = dot(last_gradient_, direction_), before = step_;
    const double noise = (objective_.is_rough() ? kRoughNoise : kNoise) * std::abs(start.value);
    const bool found = search_line(start.value, slope, [&](double t) -> Judged {
        evaluate_at(t);
        const double fall = fall_to_here(t, slope), here = dot(gradient_, direction_);
        const bool lower = at_.value <= start.value + kDecrease * fall;
        const bool flat = at_.value <= start.value + noise && here <= (2 * kDecrease - 1) * slope;
        const bool good = std::isfinite(here) && fall < 0 && (lower || flat);
        return {at_.value, here, good, good && (bounded_ > 0 || here >= kCurvature * slope)};
    });
    if (found) return true;
    theta_ = last_theta_;
    gradient_ = last_gradient_;
    at_ = start;
    step_ = before;
    return false;
}

}  // namespace pellucid

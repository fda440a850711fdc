// L-BFGS: Newton's method with a curvature that is learned from the last few steps (Nocedal 1980; Liu, Nocedal 1989).
//
//   d = -H g,   theta <- theta + t d,   s = t d,  y = g_new - g,
//
// where H is the inverse Hessian that the pairs (s, y) of the last ten steps make of a first guess (two-loop recursion;
// see curvature_bound.hpp). t satisfies the weak Wolfe conditions F(t) <= F + 1e-4 t g'd and g(t)'d >= 0.9 g'd, found
// by bisection with cubic steps (Lewis, Overton 2013); near the end, where F is flat to rounding, its slope alone is
// asked (Hager, Zhang 2005). It ends when no slope is above tol and the next step promises to lower F by less than
// tol/10 of it: columns in small units have small slopes long before they are settled.
//
// With `positive`, coefficients stay at zero or above: those at zero whose slope points below are held there, the
// direction is that of the others, and steps are cut off at zero (Bertsekas 1982).
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/solvers/curvature_bound.hpp"
#include "core/solvers/linear_objective.hpp"
#include "core/solvers/passes.hpp"

namespace pellucid {

// The pairs (s, y) of the last steps, and the first guess.
class CurvaturePairs {
  public:
    CurvaturePairs(const CurvatureBound& first, Size size) : first_(first), size_(size) {}
    // A pair without curvature along s is of no use and not kept.
    void add(std::span<const double> step, std::span<const double> change);
    void forget() { count_ = 0; }
    bool empty() const { return count_ == 0; }
    // direction <- -H direction, among the free parameters alone (empty: all are free).
    void turn(std::span<double> direction, std::span<const char> free) const;

  private:
    static constexpr Size kPairs = 10;
    double scale(Size at, double curvature, std::span<const char> free) const;

    const CurvatureBound& first_;
    Size size_, count_ = 0;  // all that were kept since the last forgetting
    std::vector<double> s_[kPairs], y_[kPairs];
};

class LbfgsSteps {
  public:
    // The first `bounded` parameters are brought to zero or above, and stay there. theta is moved by every step.
    LbfgsSteps(LinearObjective& objective, const CurvatureBound& first, Size bounded, std::vector<double>& theta);

    double objective() const { return at_.value; }
    double slope() const;                  // the largest of a parameter that may move
    double promise() const;                // by what share of F the next step is expected to lower it
    bool is_parted() const;                // does a plane part the classes, and nothing hold F back?
    double step() const { return step_; }  // t of the last step
    // From single precision to double; false where that is so already.
    bool refine();
    // One step; false when F cannot be lowered any more, to rounding.
    bool advance();

  private:
    void aim();
    bool search();
    void evaluate_at(double t);
    double fall_to_here(double t, double slope) const;

    LinearObjective& objective_;
    Size bounded_;
    std::vector<double>& theta_;
    std::vector<double> gradient_, last_theta_, last_gradient_, direction_, change_;
    std::vector<char> free_;  // with bounds: may it move?
    CurvaturePairs pairs_;
    Evaluation at_;
    double first_value_, step_ = 0;
};

inline constexpr double kPromised = 0.1;  // times tol: what the next step may still promise

// W (k x p) and b (k): the start, overwritten by the answer.
template <class Trace>
LinearResult lbfgs(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss, bool positive,
                   std::span<double> W, std::span<double> b, Trace& trace) {
    check_problem(problem, loss, W, b);
    LinearObjective objective(problem, settings, loss);
    const CurvatureBound first(problem, settings, loss, positive);
    std::vector<double> theta = joined(W, b, settings.intercept);
    LbfgsSteps steps(objective, first, positive ? W.size() : 0, theta);
    LinearResult result;
    const auto ending = [&]() -> std::optional<LinearStop> {
        if (!std::isfinite(result.objective + result.measure + steps.promise())) return LinearStop::overflow;
        if (steps.is_parted()) return LinearStop::separated;
        if (result.measure <= settings.tol && steps.promise() <= kPromised * settings.tol) return LinearStop::converged;
        if (result.passes >= settings.most_passes) return LinearStop::count;
        return std::nullopt;
    };
    for (;;) {
        check_interrupt();
        result.objective = steps.objective();
        result.measure = steps.slope();
        const std::optional<LinearStop> end = ending();
        if (end && steps.refine()) continue;
        tell_pass(trace, kSmoothPass, result, steps.step(), theta, b.size());
        const bool told = result.passes > 0 && stop_after(trace, result.passes, theta);
        result.stop = end.value_or(told ? LinearStop::told : LinearStop::converged);
        if (end || told || !steps.advance()) break;
        ++result.passes;
    }
    divide(theta, W, b);
    return result;
}

}  // namespace pellucid

// Newton's method for logistic regression of two classes (iteratively reweighted least squares):
//
//   H d = -g,   theta <- theta + t d,   g = X'(s (p - y)) / S + l2 w,   H = X' diag(s p (1 - p)) X / S + l2 I
//
// with the constant column in X where there is an intercept. t is 1, or halved until F falls by 1e-4 t g'd at least.
// One pass over the rows in packed panels (see moments.hpp) gives F, g and H: columns are taken around a shift and in
// units of a power of two, which changes neither F nor d and keeps H far from the ends of the number range. H is
// brought to unit diagonal and factored by Cholesky. Where columns depend on each other, the shortest of all directions
// is approached by a little ridge: the optimum is reached all the same, with coefficients that are shared out.
//
// It ends when no slope is above tol and the next step promises to lower F by less than tol/10 of it. Without penalty F
// has no minimum when a plane parts the classes: once every row is on its own side (a sound proof), or when the
// direction still moves rows after F has settled, and moves none of them away from its side, that is the answer.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/moments.hpp"
#include "core/solvers/linear_problem.hpp"
#include "core/solvers/passes.hpp"

namespace pellucid {

class NewtonSteps {
  public:
    // theta: w, then b; moved by every step.
    NewtonSteps(const LinearProblem& problem, const LinearSettings& settings, std::span<double> theta);
    // One step; false when F cannot fall any more, to rounding.
    bool advance();

    double objective() const { return here_.value; }
    double slope() const;                  // the largest
    double promise() const;                // by what share of F the next step is expected to lower it
    double step() const { return step_; }  // t of the last step
    bool is_parted() const;                // does a plane part the classes, and nothing hold F back?
    bool runs_away() const;                // does it part some of them, with the others on it?

  private:
    // At one theta, in panel coordinates phi = (v, c): f = c + v . z,  z = x * scale - offset.
    struct Measured {
        double value = 0, least_margin = 0;
        std::vector<double> gradient, hessian;  // of phi; the hessian width x width, its upper tiles filled
    };
    struct Block;  // memory for the rows of one
    void place_columns();
    bool is_in_range() const;
    void widen_columns();
    void measure(Measured& into) const;
    void read_block(Size begin, Size rows, std::span<const double> phi, Block& block) const;
    void add_few(std::span<const double> phi, Measured& into) const;
    void add_many(std::span<const double> phi, Measured& into) const;
    void add_penalty(Measured& into) const;
    void aim();
    std::vector<double> to_panels(std::span<const double> theta) const;

    const LinearProblem& problem_;
    const LinearSettings& s_;
    std::span<double> theta_;
    Size n_, p_;
    double total_;  // S
    bool can_run_away_;
    Dense<double> no_targets_;
    PanelReader reader_;
    Size panels_, width_, block_;  // panels, their columns, rows of a block
    Measured here_, next_;
    std::vector<double> direction_;  // of theta
    double fall_ = 0;                // g'd
    double step_ = 0;
};

inline constexpr double kNewtonPromised = 0.1;  // times tol: what the next step may still promise

// W (1 x p) and b (1): the start, overwritten by the answer. y holds 0 and 1.
template <class Trace>
LinearResult newton(const LinearProblem& problem, const LinearSettings& settings, std::span<double> W,
                    std::span<double> b, Trace& trace) {
    check_problem(problem, LinearLoss::logistic, W, b);
    std::vector<double> theta = joined(W, b, settings.intercept);
    NewtonSteps steps(problem, settings, theta);
    LinearResult result;
    const auto ending = [&]() -> std::optional<LinearStop> {
        if (!std::isfinite(result.objective + result.measure + steps.promise())) return LinearStop::overflow;
        if (steps.is_parted()) return LinearStop::separated;
        const bool settled = result.measure <= settings.tol && steps.promise() <= kNewtonPromised * settings.tol;
        if (!settled && result.passes < settings.most_passes) return std::nullopt;
        if (steps.runs_away()) return LinearStop::separated;
        return settled ? LinearStop::converged : LinearStop::count;
    };
    for (;;) {
        check_interrupt();
        result.objective = steps.objective();
        result.measure = steps.slope();
        tell_pass(trace, kSmoothPass, result, steps.step(), theta, 1);
        const bool told = result.passes > 0 && stop_after(trace, result.passes, theta);
        const std::optional<LinearStop> end = ending();
        result.stop = end.value_or(told ? LinearStop::told : LinearStop::converged);
        if (end || told || !steps.advance()) break;
        ++result.passes;
    }
    divide(theta, W, b);
    return result;
}

}  // namespace pellucid

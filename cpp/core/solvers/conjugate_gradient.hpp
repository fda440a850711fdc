// Ridge regression by conjugate gradients (Hestenes, Stiefel 1952), in the form that keeps the residuals:
//
//   minimize || b - A w ||^2 + sum_j d_j w_j^2,   A = D (X - 1 m') S     (see centered.hpp), d_j > 0
//
// Only products with X and X' are needed. s = A'r - d w is half the negative gradient; it is divided by the diagonal
// of A'A + d before it becomes a direction, so that columns of different sizes cost no passes. The run ends when
// sqrt(s' M^-1 s), M that diagonal, is `tolerance` times what it was at w = 0.
#pragma once

#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/centered.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

struct ConjugatePass {
    static constexpr std::string_view name = "passes";
    static constexpr std::array<std::string_view, 4> columns = {"pass", "step", "residual_norm", "gradient_norm"};
    double pass, step, residual_norm, gradient_norm;
    std::array<double, 4> values() const { return {pass, step, residual_norm, gradient_norm}; }
};

struct ConjugateProblem {
    CenteredMatrix A;
    std::span<const double> penalty;   // p: d
    std::span<const double> diagonal;  // p, above zero: of A'A + d
    double tolerance = 1e-4;
    Size most_passes = 0;
};

struct ConjugateResult {
    Status status = Status::ok;
    Size passes = 0;
};

// b: right-hand side (n), overwritten by the residuals. w: answer (p).
template <class Trace>
ConjugateResult conjugate_gradient(const ConjugateProblem& problem, std::vector<double>& b, std::span<double> w,
                                   Trace& trace) {
    const Size n = rows_of(*problem.A.X), p = cols_of(*problem.A.X);
    require(b.size() == n && w.size() == p, "conjugate_gradient: sizes");
    require(problem.penalty.size() == p && problem.diagonal.size() == p, "conjugate_gradient: diagonals");
    std::vector<double>& r = b;
    std::vector<double> s(p), direction(p, 0.0), moved(n), scratch;
    std::fill(w.begin(), w.end(), 0.0);

    const auto dot = [](const std::vector<double>& a, const std::vector<double>& c) {
        return hot().dot(a.data(), c.data(), a.size());
    };
    // s anew, and s' M^-1 s
    const auto slope = [&] {
        problem.A.backward(r, scratch, s);
        double size = 0;
        for (Size j = 0; j < p; ++j) {
            s[j] -= problem.penalty[j] * w[j];
            size += s[j] * s[j] / problem.diagonal[j];
        }
        return size;
    };

    ConjugateResult result;
    double size = slope();
    const double enough = problem.tolerance * problem.tolerance * size;
    double times = 0;
    if (size == 0) return result;
    for (result.passes = 1; result.passes <= problem.most_passes; ++result.passes) {
        double curvature = 0;
        for (Size j = 0; j < p; ++j) {
            direction[j] = s[j] / problem.diagonal[j] + times * direction[j];
            curvature += problem.penalty[j] * direction[j] * direction[j];
        }
        problem.A.forward(direction, scratch, moved);
        curvature += dot(moved, moved);
        const double step = size / curvature;
        for (Size j = 0; j < p; ++j) w[j] += step * direction[j];
        for (Size i = 0; i < n; ++i) r[i] -= step * moved[i];
        const double before = size;
        size = slope();
        times = size / before;
        emit(trace, ConjugatePass{static_cast<double>(result.passes), step, std::sqrt(dot(r, r)), std::sqrt(size)});
        const bool told = stop_after(trace, result.passes, w);
        if (size <= enough || told) return result;
        check_interrupt();
    }
    result.passes = problem.most_passes;
    result.status = Status::not_converged;
    return result;
}

}  // namespace pellucid

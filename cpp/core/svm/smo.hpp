// Support vector machines with a kernel by sequential minimal optimization, for classes and for numbers alike.
//
// A row wants its score f(x_i) + b to lie in an interval [a_i, b_i]: [1, inf) for the class +1, (-inf, -1] for the
// class -1, [y - epsilon, y + epsilon] for a number. What it lacks costs C_i a unit:
//
//   minimize  1/2 |w|^2 + sum_i C_i max(0, a_i - f_i - b, f_i + b - b_i)
//
// The dual has one number beta_i a row, w = sum_i beta_i phi(x_i), f_i = sum_j beta_j K_ij:
//
//   minimize  D(beta) = 1/2 beta' K beta - sum_i (a_i max(beta_i, 0) + b_i min(beta_i, 0))
//   subject to  sum_i beta_i = 0,  lo_i <= beta_i <= hi_i
//
// with hi = C where a is finite and 0 elsewhere, lo = -C where b is finite. Where beta_i can grow, its gain is
// up_i = a_i - f_i (b_i - f_i below zero); where it can fall, low_i = a_i - f_i above zero and b_i - f_i else. beta is
// optimal when max up <= min low; the gap between them is compared with tol. A step moves two of them,
//
//   beta_i += t,  beta_j -= t,  t = (up_i - low_j) / (K_ii + K_jj - 2 K_ij), cut off at bounds and at zero:
//
// i has the largest up, j promises the largest fall of D (Fan, Chen, Lin 2005: second-order working set). Rows at a
// bound that are well on their side leave for a while (shrinking); at the end all are looked at again.
#pragma once

#include <array>

#include "core/base/trace.hpp"
#include "core/svm/kernel_rows.hpp"

namespace pellucid {

struct SmoProblem {
    std::span<const Size> rows;        // of the table
    std::span<const double> from, to;  // a, b; infinite where there is no such end
    std::span<const double> cost;      // C
};

struct SmoSettings {
    double tol = 1e-3;
    bool shrinking = true;
    double cache_bytes = 200e6;
    Size most_steps = 0;  // 0: as many as it takes
    int threads = 1;
};

struct SmoResult {
    std::vector<double> beta;
    double bias = 0, objective = 0, gap = 0;  // objective: D
    Size steps = 0;
    bool converged = true;
};

struct SmoStep {
    static constexpr auto name = "steps";
    static constexpr std::array columns{"problem", "i", "j", "up", "low", "curvature", "step", "beta_i", "beta_j"};
    double problem, i, j, up, low, curvature, step, beta_i, beta_j;  // i, j: places in `rows`; betas after the step
    std::array<double, 9> values() const { return {problem, i, j, up, low, curvature, step, beta_i, beta_j}; }
};

template <class Trace>
SmoResult smo(const Matrix& X, const KernelFunction& kernel, const SmoProblem& problem, const SmoSettings& settings,
              Size number, Trace& trace);

}  // namespace pellucid

// Linear support vector machines, for classes and for numbers alike.
//
// A row wants its score f_i = w . x_i + v c to lie in an interval [a_i, b_i] (see smo.hpp); c is a constant column
// whose coefficient v is penalized like the others, as liblinear does it. With d_i = max(0, a_i - f_i, f_i - b_i)
//
//   minimize  P = 1/2 (|w|^2 + v^2) + sum_i C_i d_i          (the hinge, or what is outside the tube)
//        or   P = 1/2 (|w|^2 + v^2) + sum_i C_i d_i^2        (its square)
//
// Dual coordinate descent (Hsieh et al. 2008; Ho and Lin 2012). w = sum_i beta_i x_i, and row by row beta_i goes to
// where the dual is lowest with the others held. With g = f_i + beta_i / (2 C_i), where the loss is squared, and
// h = |x_i|^2 + c^2 + 1 / (2 C_i):
//
//   beta_i <- t = beta_i - (g - a_i) / h  where t > 0;  t = beta_i - (g - b_i) / h  where t < 0;  else 0
//
// cut off at +-C_i unless the loss is squared. It ends when no row misses its optimality condition by more than tol,
// falls and rises taken together. Rows that stay at a bound leave for a while.
//
// Newton's method in the primal, for the squared loss alone: H = I + 2 sum_i C_i x_i x_i' over the rows outside their
// interval, H d = -gradient by conjugate gradients with H's diagonal as preconditioner, and a step along d that is
// halved until P falls. It ends when the gradient is no longer than tol times the one at zero.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/trace.hpp"
#include "core/base/views.hpp"

namespace pellucid {

struct LinearSvmProblem {
    const Matrix* X = nullptr;
    std::span<const double> from, to, cost;  // a, b, C
    double constant = 1;                     // c; 0: no intercept
    bool squared = true;
};

// How far a score is beyond the end of its interval that it has left; below zero where that is the lower one.
inline double outside(double f, double from, double to) { return f < from ? f - from : f > to ? f - to : 0.0; }

// The order in which a pass visits rows or columns.
inline void shuffle(std::vector<Size>& at, std::uint64_t seed, Size pass) {
    const Random chance{seed, pass};
    for (Size k = at.size(); k > 1; --k) std::swap(at[k - 1], at[chance.below(k, k)]);
}

struct LinearSvmSettings {
    bool primal = false;
    double tol = 1e-4;
    Size most_passes = 1000;
    std::uint64_t seed = 0;
    int threads = 1;
};

struct LinearSvmResult {
    std::vector<double> w;     // p coefficients, then v
    std::vector<double> beta;  // of the rows
    Size passes = 0;
    bool converged = false;
    double objective = 0;  // P
    double measure = 0;    // what was compared with tol
};

// A pass over rows, or columns, and how many of them were at work.
struct SvmPass {
    static constexpr auto name = "passes";
    static constexpr std::array columns{"problem", "pass", "measure", "rows"};
    double problem, pass, measure, rows;
    std::array<double, 4> values() const { return {problem, pass, measure, rows}; }
};

template <class Trace>
LinearSvmResult linear_svm(const LinearSvmProblem& problem, const LinearSvmSettings& settings, Size number,
                           Trace& trace);

}  // namespace pellucid

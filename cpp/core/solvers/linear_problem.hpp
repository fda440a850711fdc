// The problem that the solvers of linear models share:
//
//   minimize  F(W, b) = 1/S sum_i s_i l(y_i, f_i) + l1 ||W||_1 + l2/2 ||W||^2 + intercept_l2/2 ||b||^2
//
//   f_i = b + W x_i,   S = sum_i s_i
//
// l is the loss, s_i the weight of row i, W is k x p (one row for one target or for two classes, k rows for k classes),
// b has k numbers. Every estimator brings its own scale of cost to this one: ridge's SSE + alpha ||w||^2 is
// l2 = alpha / S with half squared error, the lasso's is as it stands, logistic regression's C sum l + ||w||^2 / 2 is
// l2 = 1 / (C S).
#pragma once

#include <cmath>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

enum class LinearLoss : int { squared, logistic, softmax };

struct LinearProblem {
    const Matrix* X = nullptr;
    std::span<const double> y;       // n targets, or codes 0 .. k-1 of classes
    std::span<const double> weight;  // n, not negative; empty: all one
    Size outputs = 1;                // k

    double weight_at(Size i) const { return weight.empty() ? 1.0 : weight[i]; }
};

struct LinearSettings {
    double l1 = 0, l2 = 0;
    double intercept_l2 = 0;  // liblinear penalizes the intercept as it does a coefficient
    double intercept_l1 = 0;  // + intercept_l1 ||b||_1 in F, the same with l1; coordinate_logistic alone reads it
    bool intercept = true;
    double tol = 1e-4;  // smooth solvers: largest slope of F in any direction; the others say what they compare
    Size most_passes = 100;
    std::uint64_t seed = 0;  // of solvers that visit rows at random
    int threads = 1;
};

enum class LinearStop : int {
    converged,
    count,     // most_passes were made
    told,      // a listener wished to stop
    overflow,  // the objective is not a number any more
    separated  // without a penalty F falls for ever: a plane parts the classes
};

struct LinearResult {
    LinearStop stop = LinearStop::count;
    Size passes = 0;
    double objective = 0;  // F at the answer
    double measure = 0;    // what was compared with tol
};

// S
inline double total_weight(std::span<const double> weight, Size rows) {
    if (weight.empty()) return static_cast<double>(rows);
    double sum = 0;
    for (const double w : weight) sum += w;
    return sum;
}

inline void check_problem(const LinearProblem& problem, std::span<const double> W, std::span<const double> b) {
    const Size n = rows_of(*problem.X), p = cols_of(*problem.X);
    require(n > 0 && problem.y.size() == n && problem.outputs > 0, "linear problem: rows");
    require(problem.weight.empty() || problem.weight.size() == n, "linear problem: weights");
    require(total_weight(problem.weight, n) > 0, "linear problem: some weight");
    require(W.size() == problem.outputs * p && b.size() == problem.outputs, "linear problem: parameters");
}
// The same, and the targets are what the loss takes: the softmax has a class an output, the logistic loss 0 and 1.
inline void check_problem(const LinearProblem& problem, LinearLoss loss, std::span<const double> W,
                          std::span<const double> b) {
    check_problem(problem, W, b);
    require(loss == LinearLoss::softmax || problem.outputs == 1, "linear problem: several outputs are for the softmax");
    if (loss == LinearLoss::squared) return;
    const double classes = loss == LinearLoss::logistic ? 2 : static_cast<double>(problem.outputs);
    for (const double y : problem.y)
        require(y >= 0 && y < classes && y == std::floor(y), "linear problem: the code of a class");
}

}  // namespace pellucid

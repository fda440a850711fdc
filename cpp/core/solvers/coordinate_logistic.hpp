// Two classes by coordinate descent on a quadratic model: newGLMNET (Yuan, Ho, Lin 2012; Friedman, Hastie, Tibshirani
// 2010).
//
//   minimize  F(w, b) = 1/S sum_i s_i l(y_i, f_i) + l1 ||w||_1 + l2/2 ||w||^2 + intercept_l1 |b| + intercept_l2/2 b^2
//
// with y_i 0 or 1, f_i = b + w . x_i and l the logistic loss. A pass makes the quadratic model of the loss at (w, b):
//
//   r_i = s_i/S (p_i - y_i),   d_i = s_i/S p_i (1 - p_i),   p_i = 1 / (1 + e^-f_i)
//
// and lowers model and penalty together, one coefficient after the other:
//
//   w_j <- prox(w_j - g_j / h_j),   g_j = x_j . r + l2 w_j,   h_j = sum_i d_i x_ij^2 + l2,   r <- r + dw_j d x_j
//
// again and again until the model's minimum is near; then it goes toward that point as far as F falls (Armijo).
//
// The intercept follows every step of a coefficient to its own best place in the model, which costs two operations:
// with e_j = sum_i d_i x_ij and D = sum_i d_i + intercept_l2 it moves by -dw_j e_j / D, and h_j above is less e_j^2 /
// D. So columns far from zero are no harder than centered ones. With intercept_l1 it takes its turn once a round
// instead.
//
// A pass works on the coefficients that are not zero or that miss their optimality condition; the next one looks at all
// of them again. The first round takes the columns in their order, later ones shuffle them: on texts, whose columns are
// all positive, rounds in one order took ten times as many.
//
// measure, compared with tol: sqrt(sum_j v_j^2 / h_j), where v_j is by how much coordinate j misses its optimality
// condition (|g_j + l1 sign(w_j)|, or what |g_j| has above l1 where w_j is zero). Half its square is what the steps of
// single coordinates promise, so F is above its minimum by about measure^2 / 2. It does not depend on the columns'
// units.
//
// Columns are scaled by powers of two, so that squares neither overflow nor underflow. Rounds are serial; rows and the
// gradients of columns go to the pool. Same bits on any number of threads.
#pragma once

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

// w, b: the start, overwritten by the answer. A listener is told w and then b.
//
// Tables of a trace: "passes" (passes.hpp), and for few columns "round", the first round of the first pass:
// column, gradient g_j, curvature h_j, coefficient before and after, move of the intercept since the start of the pass.
template <class Trace>
LinearResult coordinate_logistic(const LinearProblem& problem, const LinearSettings& settings, std::span<double> w,
                                 std::span<double> b, Trace& trace);

}  // namespace pellucid

// Stochastic average gradients: SAG (Schmidt, Le Roux, Bach 2017) and SAGA (Defazio, Bach, Lacoste-Julien 2014).
//
//   minimize  F(W, b) = 1/S sum_i s_i l(y_i, f_i) + l1 ||W||_1 + l2/2 ||W||^2 + intercept_l2/2 ||b||^2
//
// Every row's last slope z_i = l'(y_i, f_i) is kept, and with it G = 1/S sum_i s_i z_i x_i, an old gradient of the
// loss. A step draws a row i, looks at its slope anew and moves all coefficients:
//
//   SAGA   W <- prox( W - eta ( a_i (l' - z_i) x_i + G ) ),   G <- G + s_i/S (l' - z_i) x_i,   z_i <- l'
//   SAG    the same, with the new G alone in place of the sum (l1 must be 0)
//
// prox shrinks by l1 and l2 together (penalties/elastic_net.hpp). SAGA's z_i start as the slopes at the start; SAG's at
// zero, and its G is the mean over the rows that have been drawn so far: n steps along one whole gradient would lead
// far past the goal. Rows are drawn with chances q_i half by weight and half alike, and a_i = s_i / (S q_i), at most 2,
// keeps the mean right: a heavy row is visited more often instead of making a longer step. Without weights all a_i are
// 1. The number of the draw and the seed alone decide which row it is.
//
//   L = c max_i a_i (||x_i||^2 + 1) + l2,     eta = 1 / L (SAG),   1 / (2 L + min(2 n l2, L)) (SAGA)
//
// with c = 1 for squares, 1/4 for the logistic loss and the softmax (1/2 for the softmax with SAG, whose steps would
// else be as long as its curvature allows): scikit-learn's rule. The 1 stands for the intercept, so it needs no smaller
// rate than the coefficients, on sparse tables either.
//
// On sparse tables a step touches the columns of its row alone: the others wait, and k waiting steps of a coefficient,
// all with the same G_j, are made at once: while its sign stays they are a geometric sum,
//
//   w_k = q^k w - eta (G_j + l1 sign(w)) (q + q^2 + .. + q^k),   q = 1 / (1 + eta l2),
//
// and the step at which the sign changes is found by bisection.
//
// measure, compared with tol after every n steps: largest change of a coefficient over the largest coefficient, or, if
// that is more, of an intercept over the largest of all.
//
// A serial method: the threads serve the first gradient and the objective at the end.
#pragma once

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

enum class AverageKind : int { sag, saga };

// W, b: the start, overwritten by the answer. A listener is told W and then b.
//
// Table of a trace: "passes" (passes.hpp).
template <class Trace>
LinearResult saga(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss, AverageKind kind,
                  std::span<double> W, std::span<double> b, Trace& trace);

}  // namespace pellucid

// A linear support vector machine of several classes at once (Crammer, Singer 2001).
//
// A class m has the score f_im = w_m . x_i + v_m c, c being a constant column as in linear_svm.hpp. The own class y of
// a row should be ahead of every other by 1:
//
//   minimize  P = 1/2 sum_m (|w_m|^2 + v_m^2) + sum_i C_i max_m (f_im - f_iy + [m != y])
//
// The dual has numbers a_im <= C_i [m = y] with sum_m a_im = 0, and w_m = sum_i a_im x_i. Row by row (Keerthi et al.
// 2008) the a_i go to where the dual is lowest with the others held: with A = |x_i|^2 + c^2, G_m = f_im + [m != y] and
// B_m = G_m - A a_im,
//
//   a_im = min(C_i [m = y], (beta - B_m) / A),   beta such that they add up to zero.
//
// A row is at its optimum where no G_m is above that of a class whose a_im can grow; it ends when no row misses that by
// more than tol. Rows of which one a_im alone can move, its class well ahead of the others, leave for a while.
#pragma once

#include "core/svm/linear_svm.hpp"

namespace pellucid {

struct JointSvmProblem {
    const Matrix* X = nullptr;
    std::span<const std::int64_t> label;  // 0 .. classes-1
    std::span<const double> cost;         // C
    Size classes = 2;
    double constant = 1;
};

// w: classes x (p + 1); beta: classes x n, the a_im.
template <class Trace>
LinearSvmResult joint_svm(const JointSvmProblem& problem, const LinearSvmSettings& settings, Trace& trace);

}  // namespace pellucid

// A linear support vector machine that leaves columns out: the penalty is the sum of the coefficients' sizes.
//
//   minimize  P = |w|_1 + |v| + sum_i C_i o_i^2,   o_i = f_i - a_i below a_i, f_i - b_i above b_i, else 0
//
// with scores f_i = w . x_i + v c that want to lie in [a_i, b_i], as in linear_svm.hpp. Coordinate descent (Yuan,
// Chang, Hsieh, Lin 2010): column by column, in an order of its own each time, w_j moves by the s that minimizes
//
//   |w_j + s| + G s + H s^2 / 2,   G = 2 sum_i C_i o_i x_ij,   H = 2 sum C_i x_ij^2 over the rows outside
//
// halved until P falls by a hundredth of what that promised. P has its minimum where |G| <= 1 for every column and
// G = -sign(w_j) where w_j is not zero. It ends when the sum of what columns miss of that is at most tol times the sum
// of the first pass. Columns at zero whose slope is well below 1 leave for a while.
#pragma once

#include "core/svm/linear_svm.hpp"

namespace pellucid {

// `problem.X` is the table turned over: a row of it is a column. `settings.primal` and the loss are as they are here.
template <class Trace>
LinearSvmResult sparse_svm(const LinearSvmProblem& problem, const LinearSvmSettings& settings, Size number,
                           Trace& trace);

}  // namespace pellucid

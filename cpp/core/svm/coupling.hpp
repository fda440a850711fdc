// Probabilities of k classes from those of each two (Wu, Lin, Weng 2004, their second way).
//
// r_ij is the probability of i where it is i or j, and r_ji = 1 - r_ij. The probabilities p minimize
//
//   sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 = 2 p'Qp  with sum p = 1,   Q_ii = sum_{j != i} r_ji^2,  Q_ij = -r_ij
//   r_ji
//
// which they do where all (Qp)_i are equal, and then equal to p'Qp. One p_i after the other goes to where that holds
// for it, and all are divided by their sum.
#pragma once

#include <span>

#include "core/base/views.hpp"

namespace pellucid {

// r: n x k (k - 1) / 2, the pairs (0, 1), (0, 2), ..., (1, 2), ..., each strictly between 0 and 1. out: n x k.
void couple_pairs(std::span<const double> r, Size classes, int threads, std::span<double> out);

}  // namespace pellucid

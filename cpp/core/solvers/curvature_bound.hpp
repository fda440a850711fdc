// A first guess H0 of the inverse Hessian of a smooth linear problem, from the spread of the columns:
//
//   d2F / dW_t dW_t  ~  c Cov(X) + l2 I      for f_t = b_t + w_t . mean + w_t . (x - mean),
//
// c the typical second derivative of the loss (its largest one would give Boehning's bound, 1992; the scale is found by
// L-BFGS itself). With it, steps depend neither on the units of the columns nor on how they resemble each other. Cov
// comes from evenly spaced rows, eight or more a column. On 60,000 pictures of 784 pixels and ten classes L-BFGS
// came from 341 passes to 35 at the same largest slope (1e-4); the guess cost as much as three. Wide and sparse tables
// get the diagonal alone.
#pragma once

#include <span>
#include <vector>

#include "core/solvers/linear_objective.hpp"

namespace pellucid {

class CurvatureBound {
  public:
    // diagonal: only that is wanted.
    CurvatureBound(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss, bool diagonal);
    // v <- H0 v, among the free parameters alone, which takes a diagonal (empty: all are free).
    void apply(std::span<double> v, std::span<const char> free) const;

  private:
    bool take_whole(const LinearProblem& problem, const LinearSettings& settings);
    void take_diagonal(const LinearProblem& problem, const LinearSettings& settings);
    bool invert(std::vector<double> curvature);

    Size p_, k_;
    int threads_;
    double bend_;                  // c
    double of_intercept_ = 0;      // inverse curvature of b; 0 without intercept
    std::vector<double> mean_;     // of the columns; zero without intercept
    std::vector<double> inverse_;  // of the whole, p x p, or of the diagonal, p
};

}  // namespace pellucid

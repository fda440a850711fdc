// Value and slope of the smooth part of a linear problem (see linear_problem.hpp):
//
//   F(W, b) = 1/S sum_i s_i l(y_i, b + W x_i) + l2/2 ||W||^2 + intercept_l2/2 ||b||^2
//   dF/dW_t = 1/S sum_i s_i l_t'(y_i, f_i) x_i + l2 W_t,     dF/db_t = 1/S sum_i s_i l_t'(y_i, f_i) + intercept_l2 b_t
//
// X is read once: a block of rows gives its scores, losses and share of the gradient while it is in cache. Blocks and
// the order of sums depend on the shape alone.
#pragma once

#include <vector>

#include "core/base/views.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

struct Evaluation {
    double value = 0;         // F
    double least_margin = 0;  // least lead of a row's own class over the others, among rows with a weight
};

class LinearObjective {
  public:
    LinearObjective(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss);

    // Parameters are W, k x p, and then b, k numbers; without intercept the slopes of b are zero.
    Size size() const { return k_ * (p_ + 1); }
    Evaluation evaluate(std::span<const double> theta, std::span<double> gradient);

    // Softmax of a table of floats: scores, probabilities and slopes of a block of rows in single precision, sums over
    // blocks in double. Half the time; F and its slopes are then good to about 1e-6 of their terms.
    bool can_be_rough() const;
    void be_rough(bool rough) { rough_ = rough; }
    bool is_rough() const { return rough_; }

    // Does a plane that parts the classes take F to zero without end?
    bool can_run_away() const { return classes_ && s_.l2 == 0 && !(s_.intercept && s_.intercept_l2 > 0); }

  private:
    template <class View>
    void add_part(const View& x, Size part, std::span<const double> theta, double* into) const;
    template <class T, class U>
    void add_dense(const Dense<T>& x, Size begin, Size end, std::span<const double> theta, double* into) const;
    template <class Index>
    void add_sparse(const Csr<Index>& x, Size begin, Size end, double* into) const;
    template <class U>
    void lose(Size begin, Size rows, U* f, Size ld, double* into) const;
    Evaluation finish(std::span<const double> theta, std::span<double> gradient) const;

    const LinearProblem& problem_;
    const LinearSettings& s_;
    std::vector<double> wide_copy_;
    std::vector<float> narrow_copy_;
    Matrix X_;  // of the problem, with each row in one piece: every layout gives the same order of sums
    LinearLoss loss_;
    bool classes_, rough_ = false, sparse_;
    Size n_, p_, k_;
    double total_;                // S
    Size block_, parts_;          // rows of a block; parts of whole blocks with sums of their own
    std::vector<double> sums_;    // of each part: slopes times rows (k x p; p x k if sparse), slopes, losses, margin
    std::vector<double> turned_;  // W as p x k, if sparse
    std::vector<float> theta_rough_;
};

}  // namespace pellucid

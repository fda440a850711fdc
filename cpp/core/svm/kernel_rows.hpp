// Kernels K(x, z) of support vector machines, a row of the Gram matrix at a time:
//
//   linear      x . z                        polynomial  (gamma x . z + coef0)^degree
//   radial      exp(-gamma |x - z|^2)        sigmoid     tanh(gamma x . z + coef0)
//
// or a Gram matrix that is given. Rows of the table are kept in panels (svm_hot.hpp); those that a solver is done with
// for now leave the panels, so that a row of the Gram matrix is no longer than what is still at work.
#pragma once

#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

enum class KernelKind : int { linear, polynomial, radial, sigmoid, given };

struct KernelFunction {
    KernelKind kind = KernelKind::radial;
    double gamma = 1, coef0 = 0;
    int degree = 3;
};

// Values of a kernel from products (or squared distances, of the radial one), in place; n is a multiple of 16.
void apply_kernel(const KernelFunction& kernel, Size n, double* values);
// Row r as p doubles.
void read_row(const Matrix& X, Size r, double* out);

// The rows `chosen` of a table in panels; the last panel is filled up with zeros.
std::vector<double> panels_of(const Matrix& X, std::span<const Size> chosen);

// Gram rows among the chosen rows of a table, or of a given Gram matrix.
class KernelRows {
  public:
    KernelRows(const Matrix& X, const KernelFunction& kernel, std::span<const Size> chosen, int threads);

    Size size() const { return rows_.size(); }
    Size padded() const { return (rows_.size() + 15) / 16 * 16; }
    std::span<const Size> rows() const { return rows_; }
    const std::vector<double>& diagonal() const { return diagonal_; }
    // out[k] = K(row i, row k), both counted among those at work; room for padded().
    void fill(Size i, double* out) const;
    // Only these stay, in their order.
    void keep(std::span<const Size> places);
    void restart(std::span<const Size> chosen);

  private:
    const Matrix& X_;
    KernelFunction kernel_;
    int threads_;
    Size p_;
    std::vector<Size> rows_;
    std::vector<double> panels_, diagonal_;
};

// out[r * outputs + o] = bias[o] + sum_s coef[o * supports + s] K(support s, row r), for all rows of X.
// Supports are rows of p numbers.
void kernel_decisions(const Matrix& X, const KernelFunction& kernel, std::span<const double> supports,
                      std::span<const double> coef, std::span<const double> bias, int threads, std::span<double> out);

}  // namespace pellucid

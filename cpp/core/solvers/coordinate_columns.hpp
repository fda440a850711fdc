// The columns of a table as coordinate descent sees them: less their means, with products over weighted rows.
//
//   z_j = x_j - m_j (m_j = 0 without an intercept),   <a, b> = 1/S sum_i s_i a_i b_i,   S = sum_i s_i
//
// Nothing is centered in memory: means are taken off on the way. A dense table stays as it is and is read in tiles that
// are copied to the cache, or column by column (a table by rows is turned once, when columns are first asked for); a
// sparse one is turned to columns once. Every sum has a fixed order: the same bits on any number of threads.
#pragma once

#include <vector>

#include "core/linalg/columns.hpp"

namespace pellucid {

class CenteredColumns {
  public:
    CenteredColumns(const Matrix& X, std::span<const double> weight, bool center, int threads);

    Size rows() const { return rows_; }
    Size cols() const { return cols_; }
    bool is_sparse() const { return sparse_; }
    Size entries() const { return sparse_ ? table_.sparse.values.size() : rows_ * cols_; }
    const std::vector<double>& mean() const { return mean_; }
    // <z_j, z_j>, exactly 0 for a constant column; not finite where squares overflow
    const std::vector<double>& square() const { return square_; }

    // The weighted mean of a target.
    double mean_of(std::span<const double> y) const;
    // <a, b>
    double product(std::span<const double> a, std::span<const double> b) const;
    // out[k] = <z_which[k], r> for a residual r whose mean is zero where columns are centered
    void correlate(std::span<const Size> which, std::span<const double> r, std::span<double> out) const;
    // out[b][offset + i] = <z_rest[i], z_fresh[b]>
    void products(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                  std::span<double* const> out) const;
    // Column j, centered, times the root of s_i / S: a matrix of these has <z_a, z_b> as products of its columns.
    void rooted(Size j, double* out) const;
    void rooted(std::span<const double> centered, double* out) const;

    // One column at a time, for residuals kept as r + level: <z_j, r> and r -= by x_j, level -= by m_j.
    void turn();  // must be called first
    double dot(Size j, const double* r, double level) const;
    void subtract(Size j, double by, double* r, double& level) const;

  private:
    void summarize_dense();
    void summarize_sparse(const Csc& x);
    void tile(Size begin, Size rows, std::span<const Size> which, const double* shift, double* out) const;
    void products_dense(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                        std::span<double* const> out) const;
    void products_sparse(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                         std::span<double* const> out) const;
    double weight_at(Size i) const { return weight_.empty() ? 1.0 : weight_[i]; }

    const Matrix& X_;
    std::span<const double> weight_;
    bool center_, sparse_, turned_ = false;
    int threads_;
    Size rows_, cols_;
    double total_ = 0;  // S
    std::vector<double> mean_, square_;
    ColumnTable table_;  // by columns: of a sparse table from the start, of a dense one once it was turned
};

}  // namespace pellucid

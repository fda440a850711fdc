// First and second moments of the columns of X and Y in one pass.
//
//   mean_j = sum_i w_i z_ij / sum_i w_i          for the columns z of Z = [X | Y]
//   S_jk   = sum_i w_i (z_ij - mean_j)(z_ik - mean_k) s_j s_k
//
// s_j is a power of two that brings column j near unit spread, so that squares neither overflow nor underflow and the
// condition of S is that of the correlation matrix. Rows are shifted by a sampled mean before they are multiplied and
// the small rest is taken off at the end (Chan, Golub, LeVeque 1983): one pass with the accuracy of two.
#pragma once

#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

struct Moments {
    Status status = Status::ok;
    double weight = 0;          // sum of weights, or number of rows
    std::vector<double> mean;   // p + k; all zero when not centered
    std::vector<double> scale;  // p + k powers of two
    std::vector<double> cross;  // S, (p + k) x (p + k), row-major, symmetric; the Y x Y part has its diagonal only
                                // filled for certain
    Size cols = 0;              // p + k
};

// weight: empty, or one non-negative number a row.
Moments moments(const Matrix& X, const Dense<double>& Y, std::span<const double> weight, bool center, int threads);

// Rows [begin, begin + rows) of Z = [X | Y | 1] as packed panels of eight columns: (z - shift) * scale, times the root
// of the row's weight; the last, constant column carries that root itself. Columns past the end are zero.
struct PanelReader {
    const Matrix* X;
    const Dense<double>* Y;
    std::span<const double> weight;
    std::vector<double> shift;   // padded to whole panels, as all three
    std::vector<double> scale;   // powers of two
    std::vector<double> offset;  // shift * scale

    Size cols() const { return cols_of(*X) + Y->cols; }
    Size panels() const { return (cols() + 1 + 7) / 8; }
    // Sets shift and scale of the columns; z * scale - offset is then (z - shift) * scale without overflow on the way.
    void place(std::span<const double> at, std::span<const double> unit);
    void read(Size begin, Size rows, double* out) const;
};

}  // namespace pellucid

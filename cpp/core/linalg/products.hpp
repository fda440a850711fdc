// Matrix times few vectors: out = X W' + b, and out = X' u. Same bits on any number of threads.
#pragma once

#include "core/base/views.hpp"

namespace pellucid {

// out[r*k + t] = b[t] + sum_c X[r, c] * W[t*p + c]     (W is k x p row-major, out is n x k row-major)
void multiply(const Matrix& X, std::span<const double> W, std::span<const double> b, std::span<double> out,
              int threads);

// out[c] = sum_r X[r, c] * u[r]
void multiply_transposed(const Matrix& X, std::span<const double> u, std::span<double> out, int threads);

// Is every element a number (neither NaN nor infinite)?
bool all_finite(const Matrix& X, int threads);

}  // namespace pellucid

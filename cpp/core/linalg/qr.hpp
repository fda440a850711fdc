// Householder QR: of a table by blocks of rows (only the triangle is kept), and of a small matrix in place.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// R (c x c, column-major, upper, c = p + k) with R'R = Z'WZ for Z = ([X | Y] - shift) * scale. The leading p x p part
// is X's triangle, the p x k part right of it is Q'Y, the rest is what X cannot explain. Blocks of rows are stacked
// under the triangle so far and factored again (Golub, Plemmons 1979; "TSQR"): X is read once and never copied whole.
// With `center` the columns are taken around their exact means, whatever the shift.
std::vector<double> qr_of_rows(const Matrix& X, const Dense<double>& Y, std::span<const double> weight,
                               std::span<const double> shift, std::span<const double> scale, bool center, int threads);

// In-place QR of a (m x n, column-major, m >= n): R above the diagonal, reflections below, tau (n) beside.
void qr_in_place(std::span<double> a, Size m, Size n, std::span<double> tau, int threads);

// C <- Q C with Q from qr_in_place; C is m x k, column-major.
void apply_q(std::span<double> a, Size m, Size n, std::span<double> tau, std::span<double> c);

// X R = B by back substitution for upper triangular R (n x n inside leading dimension ld); b (n x k, column-major,
// leading dimension ldb) becomes X. Returns the estimated 1-norm reciprocal condition number of R.
double solve_triangle(double* r, Size n, Size ld, double* b, Size k, Size ldb);

}  // namespace pellucid

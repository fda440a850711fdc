// A = L L' for a symmetric positive definite matrix, and A X = B from it.
#pragma once

#include <span>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

struct CholeskyResult {
    Status status = Status::ok;
    double rcond = 0;  // estimated 1-norm reciprocal condition number of A
};

// `a` (n x n) holds A on entry and L in its lower triangle (column-major) on return; `b` (n x k, column-major) holds B
// on entry and X on return.
CholeskyResult cholesky_solve(std::span<double> a, std::span<double> b, Size n, int threads);

// Only the factor: false when A is not positive definite to working precision.
bool cholesky_factor(std::span<double> a, Size n, int threads);

}  // namespace pellucid

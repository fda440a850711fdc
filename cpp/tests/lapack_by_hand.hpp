// The few routines of LAPACK that solvers of small systems call, as plain loops: C++ tests run without SciPy.
#pragma once

#include <cmath>
#include <vector>

#include "core/linalg/lapack.hpp"

namespace pellucid::test {

// Cholesky, lower triangle, column-major.
inline void dpotrf(char*, int* n, double* a, int* lda, int* info) {
    *info = 0;
    const auto at = [&](int i, int j) -> double& { return a[j * *lda + i]; };
    for (int j = 0; j < *n; ++j) {
        for (int k = 0; k < j; ++k) at(j, j) -= at(j, k) * at(j, k);
        if (!(at(j, j) > 0)) {
            *info = j + 1;
            return;
        }
        at(j, j) = std::sqrt(at(j, j));
        for (int i = j + 1; i < *n; ++i) {
            for (int k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
            at(i, j) /= at(j, j);
        }
    }
}

inline void dpotrs(char*, int* n, int* columns, double* a, int* lda, double* b, int* ldb, int* info) {
    *info = 0;
    for (int c = 0; c < *columns; ++c) {
        double* x = b + c * *ldb;
        for (int i = 0; i < *n; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= a[k * *lda + i] * x[k];
            x[i] /= a[i * *lda + i];
        }
        for (int i = *n; i-- > 0;) {
            for (int k = i + 1; k < *n; ++k) x[i] -= a[i * *lda + k] * x[k];
            x[i] /= a[i * *lda + i];
        }
    }
}

// 1 / (|A| |A^-1|) in the 1-norm, column by column.
inline void dpocon(char* uplo, int* n, double* a, int* lda, double* norm, double* rcond, double*, int*, int* info) {
    double largest = 0;
    for (int j = 0; j < *n; ++j) {
        std::vector<double> e(static_cast<std::size_t>(*n), 0.0);
        e[static_cast<std::size_t>(j)] = 1;
        int one = 1;
        dpotrs(uplo, n, &one, a, lda, e.data(), n, info);
        double sum = 0;
        for (const double v : e) sum += std::abs(v);
        largest = std::fmax(largest, sum);
    }
    *rcond = 1 / (*norm * largest);
}

// For systems of up to 128, which are one tile.
inline void use_lapack_by_hand() {
    Lapack table{};
    table.dpotrf = dpotrf;
    table.dpotrs = dpotrs;
    table.dpocon = dpocon;
    set_lapack(table);
}

}  // namespace pellucid::test

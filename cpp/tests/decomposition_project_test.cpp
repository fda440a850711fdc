// Rows along directions, and directions times the covariance, against plain loops.
#include "core/base/rng.hpp"
#include "core/decomposition/project.hpp"
#include "core/linalg/lapack.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

void loop_dgemm(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b, int* ldb,
                double* beta, double* c, int* ldc) {
    for (int i = 0; i < *m; ++i)
        for (int j = 0; j < *n; ++j) {
            double sum = 0;
            for (int l = 0; l < *k; ++l)
                sum +=
                    (*ta == 'T' ? a[i * *lda + l] : a[l * *lda + i]) * (*tb == 'T' ? b[l * *ldb + j] : b[j * *ldb + l]);
            c[j * *ldc + i] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[j * *ldc + i]);
        }
}

struct GivenGemm {
    GivenGemm() {
        Lapack table{};
        table.dgemm = loop_dgemm;
        set_lapack(table);
    }
};

std::vector<double> draws(Size n, std::uint64_t seed) {
    const Random chance{seed, 1};
    std::vector<double> x(n);
    for (Size i = 0; i < n; ++i) x[i] = chance.uniform(i) < 0.5 ? 0.0 : chance.uniform(n + i) - 0.5;
    return x;
}

struct Layouts {
    Size n, p;
    std::vector<double> x = draws(n * p, 3), values;
    std::vector<std::int64_t> indices, starts{0};

    Layouts(Size rows, Size cols) : n(rows), p(cols) {
        for (Size r = 0; r < n; ++r) {
            for (Size j = 0; j < p; ++j)
                if (x[r * p + j] != 0) {
                    values.push_back(x[r * p + j]);
                    indices.push_back(static_cast<std::int64_t>(j));
                }
            starts.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
    Matrix dense() const { return Dense<double>{x.data(), n, p, static_cast<std::ptrdiff_t>(p), 1}; }
    Matrix sparse() const { return Csr<std::int64_t>{values.data(), indices.data(), starts.data(), n, p}; }
};

}  // namespace

TEST(rows_along_directions_are_those_of_a_loop) {
    const GivenGemm given;
    const Layouts t(700, 9);
    const std::vector<double> center = draws(9, 4), W = draws(3 * 9, 5);
    for (const Matrix& X : {t.dense(), t.sparse()}) {
        std::vector<double> out(700 * 3), squares(700);
        project(X, 2.0, center, W, 3, out, squares, 2);
        for (Size r = 0; r < 700; ++r) {
            double length = 0;
            for (Size j = 0; j < 9; ++j) length += std::pow(2 * t.x[r * 9 + j] - center[j], 2);
            CHECK_NEAR(squares[r], length, 1e-12);
            for (Size k = 0; k < 3; ++k) {
                double sum = 0;
                for (Size j = 0; j < 9; ++j) sum += W[k * 9 + j] * (2 * t.x[r * 9 + j] - center[j]);
                CHECK_NEAR(out[r * 3 + k], sum, 1e-12);
            }
        }
    }
}

TEST(directions_times_the_covariance_are_those_of_a_loop_on_any_number_of_threads) {
    const GivenGemm given;
    const Size n = 3000, p = 7, l = 4;
    const Layouts t(n, p);
    const std::vector<double> center = draws(p, 6), V = draws(l * p, 7);
    std::vector<double> Z(l * p, 0.0), G(l * l, 0.0);
    for (Size r = 0; r < n; ++r) {
        std::vector<double> z(p), along(l, 0.0);
        for (Size j = 0; j < p; ++j) z[j] = 0.5 * t.x[r * p + j] - center[j];
        for (Size c = 0; c < l; ++c)
            for (Size j = 0; j < p; ++j) along[c] += V[c * p + j] * z[j];
        for (Size c = 0; c < l; ++c) {
            for (Size j = 0; j < p; ++j) Z[c * p + j] += along[c] * z[j];
            for (Size e = 0; e < l; ++e) G[c * l + e] += along[c] * along[e];
        }
    }
    for (const Matrix& X : {t.dense(), t.sparse()}) {
        const CovarianceTimes one = covariance_times(X, 0.5, center, V, l, 1);
        for (Size i = 0; i < Z.size(); ++i) CHECK_NEAR(one.Z[i], Z[i], 1e-9);
        for (Size i = 0; i < G.size(); ++i) CHECK_NEAR(one.G[i], G[i], 1e-9);
        for (const int threads : {2, 3}) {
            const CovarianceTimes more = covariance_times(X, 0.5, center, V, l, threads);
            CHECK(same_bits(more.Z, one.Z) && same_bits(more.G, one.G));
        }
    }
}

}  // namespace pellucid::test

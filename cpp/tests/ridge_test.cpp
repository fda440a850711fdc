// Rows left out, products with many vectors and conjugate gradients against fits done again in long double.
#include "core/solvers/ridge.hpp"

#include "core/linalg/lapack.hpp"
#include "core/solvers/conjugate_gradient.hpp"
#include "core/solvers/lsqr.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using Wide = std::vector<long double>;

// C <- A B, column-major: the one routine of BLAS that these kernels call.
void plain_dgemm(char*, char*, int* m, int* n, int* k, double*, double* a, int* lda, double* b, int* ldb, double*,
                 double* c, int* ldc) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            double sum = 0;
            for (int t = 0; t < *k; ++t) sum += a[t * *lda + i] * b[j * *ldb + t];
            c[j * *ldc + i] = sum;
        }
}

void give_dgemm() {
    Lapack table{};
    table.dgemm = plain_dgemm;
    set_lapack(table);
}

// A x = b by elimination with row exchanges; A is n x n, row-major.
Wide solve(Wide A, Wide b) {
    const Size n = b.size();
    for (Size k = 0; k < n; ++k) {
        Size pivot = k;
        for (Size i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
        for (Size j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
        std::swap(b[k], b[pivot]);
        for (Size i = k + 1; i < n; ++i) {
            const long double times = A[i * n + k] / A[k * n + k];
            for (Size j = k; j < n; ++j) A[i * n + j] -= times * A[k * n + j];
            b[i] -= times * b[k];
        }
    }
    for (Size k = n; k-- > 0;) {
        for (Size j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return b;
}

// (X'WX + alpha A) theta = X'Wy with a column of ones in front, whose penalty is zero; without row `out`.
Wide fit(const Table& X, const std::vector<double>& y, const std::vector<double>& w, double alpha, bool center,
         Size out) {
    const Size q = X.cols + (center ? 1 : 0);
    Wide G(q * q, 0.0L), c(q, 0.0L);
    const auto at = [&](Size r, Size j) -> long double { return center ? (j == 0 ? 1 : X.at(r, j - 1)) : X.at(r, j); };
    for (Size r = 0; r < X.rows; ++r) {
        if (r == out) continue;
        for (Size i = 0; i < q; ++i) {
            c[i] += w[r] * at(r, i) * y[r];
            for (Size j = 0; j < q; ++j) G[i * q + j] += w[r] * at(r, i) * at(r, j);
        }
    }
    for (Size j = center ? 1 : 0; j < q; ++j) G[j * q + j] += alpha;
    return solve(G, c);
}

long double predict(const Table& X, Size r, const Wide& theta, bool center) {
    long double sum = center ? theta[0] : 0;
    for (Size j = 0; j < X.cols; ++j) sum += theta[j + (center ? 1 : 0)] * X.at(r, j);
    return sum;
}

// Columns of zero mean that are at right angles to each other, so that X'X is diagonal and V the identity: what the
// eigendecomposition would give, without one.
struct Squares {
    Table X{16, 3};
    std::vector<double> y = random_vector(16, 4), lambda{16, 64, 144};

    Squares() {
        for (Size r = 0; r < 16; ++r)
            for (Size c = 0; c < 3; ++c) X.at(r, c) = (r >> c & 1 ? 1.0 : -1.0) * static_cast<double>(c + 1);
    }
};

struct Answer {
    std::vector<double> sums, errors;
};

Answer run(const Squares& s, const Matrix& view, std::span<const double> alphas, bool center, bool keep, int threads) {
    const Size p = 3, a = alphas.size();
    double mean = 0;
    for (const double y : s.y) mean += y / 16;
    std::vector<double> V(p * p, 0.0), share(p * a), coordinates(p * a), zeros(p, 0.0), ones(p, 1.0);
    for (Size j = 0; j < p; ++j) {
        V[j * p + j] = 1;
        double c = 0;
        for (Size r = 0; r < 16; ++r) c += s.X.at(r, j) * s.y[r];
        for (Size k = 0; k < a; ++k) {
            share[j * a + k] = 1 / (s.lambda[j] + alphas[k]);
            coordinates[j * a + k] = c * share[j * a + k];
        }
    }
    const double mean_y = center ? mean : 0, scale_y = 1;
    const Dense<double> Y{s.y.data(), 16, 1, 1, 1};
    LeaveOneOut problem{&view, Y,     {},          zeros, ones, {&mean_y, 1},        {&scale_y, 1},
                        V,     share, coordinates, p,     a,    center ? 16.0 : 0.0, threads};
    Answer answer{std::vector<double>(a), std::vector<double>(keep ? 16 * a : 0)};
    leave_one_out(problem, answer.sums, answer.errors);
    return answer;
}

template <class Trace>
std::vector<double> conjugate(const Table& X, const Matrix& view, std::vector<double> y, std::span<const double> mean,
                              std::span<const double> root, double alpha, Trace& trace, int threads = 1) {
    const Size p = X.cols;
    std::vector<double> ones(p, 1.0), penalty(p, alpha), diagonal(p, alpha + 1), w(p, 99.0);
    const ConjugateProblem problem{{&view, ones, mean, root, threads}, penalty, diagonal, 1e-14, 500};
    const ConjugateResult result = conjugate_gradient(problem, y, w, trace);
    CHECK(result.status == Status::ok);
    return w;
}

}  // namespace

TEST(rows_left_out_have_the_errors_of_fits_without_them) {
    give_dgemm();
    const Squares s;
    const std::vector<double> alphas{0.5, 3, 40}, ones(16, 1.0);
    for (const bool center : {false, true})
        for (const Layout& layout : layouts(s.X)) {
            where = layout.name + (center ? ", centered" : "");
            const Answer got = run(s, layout.view, alphas, center, true, 1);
            for (Size k = 0; k < alphas.size(); ++k) {
                long double sum = 0;
                for (Size r = 0; r < 16; ++r) {
                    const Wide theta = fit(s.X, s.y, ones, alphas[k], center, r);
                    const long double error = s.y[r] - predict(s.X, r, theta, center);
                    CHECK_NEAR(got.errors[r * 3 + k], error, 1e-13L);
                    sum += error * error;
                }
                CHECK_NEAR(got.sums[k], sum, 1e-12L);
            }
        }
}

TEST(rows_left_out_have_equal_bits_on_any_number_of_threads) {
    give_dgemm();
    const Squares s;
    const std::vector<double> alphas{0.5, 3};
    const Answer one = run(s, s.X.view(), alphas, true, true, 1);
    for (const int threads : {2, 3}) {
        const Answer more = run(s, s.X.view(), alphas, true, true, threads);
        CHECK(same_bits(more.sums, one.sums) && same_bits(more.errors, one.errors));
    }
    CHECK(same_bits(run(s, s.X.view(), alphas, true, false, 2).sums, one.sums));
}

TEST(products_with_many_vectors) {
    give_dgemm();
    const Table X = random_table(300, 7, 1);
    const std::vector<double> W = random_vector(5 * 7, 2), b = random_vector(5, 3);
    for (const Layout& layout : layouts(X)) {
        where = layout.name;
        std::vector<double> out(300 * 5), plain(300 * 5);
        multiply_many(layout.view, W, b, out, 2);
        multiply(layout.view, W, b, plain, 1);
        for (Size i = 0; i < out.size(); ++i) CHECK_NEAR(out[i], plain[i], 1e-14L);
    }
}

TEST(conjugate_gradients_solve_ridge_regression_in_every_layout) {
    const Table X = random_table(60, 5, 1);
    const std::vector<double> y = random_vector(60, 2), ones(60, 1.0);
    const Wide want = fit(X, y, ones, 0.7, false, 60);
    for (const Layout& layout : layouts(X)) {
        where = layout.name;
        NoTrace none;
        const std::vector<double> w = conjugate(X, layout.view, y, {}, {}, 0.7, none);
        for (Size j = 0; j < 5; ++j) CHECK_NEAR(w[j], want[j], 1e-12L);
    }
}

TEST(conjugate_gradients_center_and_weigh) {
    const Table X = random_table(60, 5, 1);
    std::vector<double> y = random_vector(60, 2), weight = random_vector(60, 3, 0.1, 2), mean(5, 0.0), root(60);
    double total = 0, mean_y = 0;
    for (const double w : weight) total += w;
    for (Size r = 0; r < 60; ++r) {
        root[r] = std::sqrt(weight[r]);
        mean_y += weight[r] * y[r] / total;
        for (Size c = 0; c < 5; ++c) mean[c] += weight[r] * X.at(r, c) / total;
    }
    const Wide want = fit(X, y, weight, 2, true, 60);
    std::vector<double> b(60);
    for (Size r = 0; r < 60; ++r) b[r] = (y[r] - mean_y) * root[r];
    Record record;
    NoTrace none;
    const Matrix view = X.view();
    const std::vector<double> w = conjugate(X, view, b, mean, root, 2, none);
    for (Size j = 0; j < 5; ++j) CHECK_NEAR(w[j], want[j + 1], 1e-12L);
    CHECK(same_bits(conjugate(X, view, b, mean, root, 2, record), w));
    CHECK(same_bits(conjugate(X, view, b, mean, root, 2, none, 3), w));
    const Record::Table& passes = record.tables().at("passes");
    CHECK((passes.columns == std::vector<std::string>{"pass", "step", "residual_norm", "gradient_norm"}));
    CHECK(passes.cells[passes.cells.size() - 1] <= 1e-13 * passes.cells[3]);
}

TEST(conjugate_gradients_with_nothing_to_explain) {
    const Table X = random_table(10, 3, 1);
    NoTrace none;
    const Matrix view = X.view();
    CHECK((conjugate(X, view, std::vector<double>(10, 0.0), {}, {}, 1, none) == std::vector<double>{0, 0, 0}));
}

TEST(lsqr_with_damping_solves_ridge_regression) {
    const Table X = random_table(60, 5, 1);
    const std::vector<double> y = random_vector(60, 2), ones(60, 1.0), scale(5, 1.0);
    for (const double alpha : {0.01, 1.0, 100.0}) {
        where = std::to_string(alpha);
        const Wide want = fit(X, y, ones, alpha, false, 60);
        const Matrix view = X.view();
        std::vector<double> b = y, w(5);
        Record record;
        const LsqrResult result =
            lsqr(LsqrProblem{&view, scale, {}, {}, 1e-15, 100, 1, std::sqrt(alpha)}, b, w, record);
        for (Size j = 0; j < 5; ++j) CHECK_NEAR(w[j], want[j], 1e-12L);
        long double square = 0;  // the norm that it tells takes in the penalty
        for (Size r = 0; r < 60; ++r) {
            const long double rest = y[r] - predict(X, r, want, false);
            square += rest * rest;
        }
        for (const long double v : want) square += alpha * v * v;
        const std::vector<double>& cells = record.tables().at("passes").cells;
        CHECK_NEAR(cells[3 * (result.passes - 1) + 1], std::sqrt(square), 1e-10L);
    }
}

}  // namespace pellucid::test

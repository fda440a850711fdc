#include "core/solvers/coordinate_descent.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/linalg/lapack.hpp"
#include "core/solvers/coordinate_columns.hpp"
#include "core/solvers/coordinate_exact.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

// ------------------------------------------------------------------------------- BLAS and LAPACK as they are written

void plain_dgemm(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b, int* ldb,
                 double* beta, double* c, int* ldc) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            double sum = 0;
            for (int l = 0; l < *k; ++l)
                sum +=
                    (*ta == 'T' ? a[i * *lda + l] : a[l * *lda + i]) * (*tb == 'T' ? b[l * *ldb + j] : b[j * *ldb + l]);
            double& to = c[j * *ldc + i];
            to = *alpha * sum + (*beta == 0 ? 0 : *beta * to);
        }
}
void plain_dpotrf(char*, int* n, double* a, int* lda, int* info) {
    *info = 0;
    for (int j = 0; j < *n; ++j)
        for (int i = j; i < *n; ++i) {
            double sum = a[j * *lda + i];
            for (int k = 0; k < j; ++k) sum -= a[k * *lda + i] * a[k * *lda + j];
            if (i == j && !(sum > 0)) {
                *info = j + 1;
                return;
            }
            a[j * *lda + i] = i == j ? std::sqrt(sum) : sum / a[j * *lda + j];
        }
}
void plain_dpotrs(char*, int* n, int* nrhs, double* a, int* lda, double* b, int* ldb, int* info) {
    *info = 0;
    for (int c = 0; c < *nrhs; ++c) {
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
void plain_dpocon(char*, int* n, double* a, int* lda, double*, double* rcond, double*, int*, int* info) {
    double low = a[0], high = a[0];
    for (int i = 0; i < *n; ++i) {
        low = std::min(low, a[i * *lda + i]);
        high = std::max(high, a[i * *lda + i]);
    }
    *rcond = (low / high) * (low / high);
    *info = 0;
}
// Householder reflections; only R is looked at.
void plain_dgeqrf(int* m, int* n, double* a, int* lda, double*, double*, int*, int* info) {
    *info = 0;
    for (int j = 0; j < std::min(*m, *n); ++j) {
        double* x = a + j * *lda;
        double norm = 0;
        for (int i = j; i < *m; ++i) norm += x[i] * x[i];
        norm = std::sqrt(norm);
        if (norm == 0) continue;
        const double head = x[j] > 0 ? x[j] + norm : x[j] - norm;
        std::vector<double> v(static_cast<Size>(*m), 0.0);
        v[static_cast<Size>(j)] = head;
        for (int i = j + 1; i < *m; ++i) v[static_cast<Size>(i)] = x[i];
        double square = 0;
        for (const double value : v) square += value * value;
        for (int c = j; c < *n; ++c) {
            double* y = a + c * *lda;
            double along = 0;
            for (int i = j; i < *m; ++i) along += v[static_cast<Size>(i)] * y[i];
            for (int i = j; i < *m; ++i) y[i] -= 2 * along / square * v[static_cast<Size>(i)];
        }
    }
}

// B <- B L^-T
void plain_dtrsm(char*, char*, char*, char*, int* m, int* n, double*, double* a, int* lda, double* b, int* ldb) {
    for (int c = 0; c < *n; ++c)
        for (int i = 0; i < *m; ++i) {
            for (int k = 0; k < c; ++k) b[c * *ldb + i] -= b[k * *ldb + i] * a[k * *lda + c];
            b[c * *ldb + i] /= a[c * *lda + c];
        }
}

void plain_lapack() {
    Lapack table{};
    table.dgemm = plain_dgemm;
    table.dpotrf = plain_dpotrf;
    table.dpotrs = plain_dpotrs;
    table.dpocon = plain_dpocon;
    table.dgeqrf = plain_dgeqrf;
    table.dtrsm = plain_dtrsm;
    set_lapack(table);
}

// -------------------------------------------------------------------------------------------------------- problems

struct Found {
    std::vector<double> coef, intercept;
    std::vector<LinearResult> answers;
};

template <class Trace>
Found run(const Matrix& X, const Table& Y, std::vector<double> l1, std::vector<double> l2, const CoordinateSettings& s,
          Trace& trace, std::span<const double> weight = {}) {
    plain_lapack();
    const Size p = cols_of(X), k = Y.cols, count = l1.size();
    Found out{std::vector<double>(k * count * p), std::vector<double>(k * count), std::vector<LinearResult>(k * count)};
    const std::vector<double> start(k * p, 0.0);
    coordinate_descent({&X, Y.view(), weight, l1, l2, start}, s, out.coef, out.intercept, out.answers, trace);
    return out;
}
Found run(const Matrix& X, const Table& Y, std::vector<double> l1, std::vector<double> l2, const CoordinateSettings& s,
          std::span<const double> weight = {}) {
    NoTrace none;
    return run(X, Y, l1, l2, s, none, weight);
}

struct Problem {
    Table X, Y;
    Problem(Size n, Size p, std::uint64_t seed = 3) : X(random_table(n, p, seed)), Y(n, 1) {
        const std::vector<double> noise = random_vector(n, seed + 1);
        for (Size i = 0; i < n; ++i) Y.at(i, 0) = 2 * X.at(i, 0) - 3 * X.at(i, p / 2) + 0.3 * noise[i] + 5;
    }
};

// How far the conditions of the optimum are missed: slope = l1 sign(w) + l2 w where w is not 0, |slope| <= l1
// elsewhere.
double missed(const Problem& problem, const Found& f, Size at, double l1, double l2, bool positive,
              std::span<const double> weight, bool intercept) {
    const Size n = problem.X.rows, p = problem.X.cols;
    const double* w = f.coef.data() + at * p;
    std::vector<double> r(n);
    double total = 0, level = 0, worst = 0;
    for (Size i = 0; i < n; ++i) {
        const double s = weight.empty() ? 1 : weight[i];
        r[i] = problem.Y.at(i, 0) - f.intercept[at];
        for (Size j = 0; j < p; ++j) r[i] -= problem.X.at(i, j) * w[j];
        total += s;
        level += s * r[i];
    }
    if (intercept) worst = std::abs(level / total);
    for (Size j = 0; j < p; ++j) {
        double slope = 0;
        for (Size i = 0; i < n; ++i) slope += (weight.empty() ? 1 : weight[i]) * problem.X.at(i, j) * r[i] / total;
        if (w[j] != 0)
            worst = std::max(worst, std::abs(slope - l2 * w[j] - std::copysign(l1, w[j])));
        else
            worst = std::max(worst, (positive ? slope : std::abs(slope)) - l1);
        if (positive) worst = std::max(worst, -w[j]);
    }
    return worst;
}

CoordinateSettings settings(double tol = 1e-12) {
    CoordinateSettings s;
    s.tol = tol;
    s.most_passes = 100000;
    return s;
}

}  // namespace

TEST(coordinate_columns_are_those_of_plain_loops_in_every_layout) {
    plain_lapack();
    Table t = random_table(700, 5, 8);
    for (Size i = 0; i < t.rows; ++i) t.at(i, 3) = 0.1f;  // constant
    const std::vector<double> weight = random_vector(t.rows, 4, 0, 2), u = random_vector(t.rows, 5);
    for (const Layout& layout : layouts(t))
        for (const bool weighted : {false, true}) {
            where = layout.name;
            CenteredColumns x(layout.view, weighted ? std::span<const double>(weight) : std::span<const double>(), true,
                              2);
            x.turn();
            double total = 0;
            for (Size i = 0; i < t.rows; ++i) total += weighted ? weight[i] : 1;
            std::vector<double> mean(5, 0.0);
            for (Size i = 0; i < t.rows; ++i)
                for (Size j = 0; j < 5; ++j) mean[j] += (weighted ? weight[i] : 1) * t.at(i, j) / total;
            std::vector<Size> all(5);
            std::iota(all.begin(), all.end(), Size{0});
            std::vector<double> memory(25);
            std::vector<double*> rows;
            for (Size j = 0; j < 5; ++j) rows.push_back(memory.data() + 5 * j);
            x.products(all, all, 0, rows);
            double level = 0;
            for (Size i = 0; i < t.rows; ++i) level += (weighted ? weight[i] : 1) * u[i] / total;
            CHECK(x.square()[3] == 0);
            for (Size a = 0; a < 5; ++a) {
                CHECK_NEAR(x.mean()[a], mean[a], 1e-14);
                double along = 0;
                for (Size i = 0; i < t.rows; ++i)
                    along += (weighted ? weight[i] : 1) * (t.at(i, a) - mean[a]) * u[i] / total;
                CHECK_NEAR(x.dot(a, u.data(), level), along, 1e-13);
                for (Size b = 0; b < 5; ++b) {
                    double sum = 0;
                    for (Size i = 0; i < t.rows; ++i)
                        sum += (weighted ? weight[i] : 1) * (t.at(i, a) - mean[a]) * (t.at(i, b) - mean[b]) / total;
                    CHECK_NEAR(memory[5 * a + b], sum, 1e-13);
                }
            }
        }
    where.clear();
}

TEST(coordinate_descent_meets_the_conditions_of_the_optimum_in_every_layout) {
    const Problem problem(60, 12);
    const std::vector<double> weight = random_vector(60, 9, 0, 2);
    for (const Layout& layout : layouts(problem.X))
        for (const int variant : {0, 1, 2, 3}) {
            where = layout.name;
            CoordinateSettings s = settings();
            s.intercept = variant != 1;
            s.positive = variant == 2;
            s.random = variant == 3;
            const double l2 = variant == 3 ? 0.05 : 0;
            const std::span<const double> w =
                variant >= 2 ? std::span<const double>(weight) : std::span<const double>();
            const Found found = run(layout.view, problem.Y, {0.2, 0.02}, {l2, l2}, s, w);
            for (const Size at : {0, 1}) {
                CHECK(found.answers[at].stop == LinearStop::converged);
                CHECK(missed(problem, found, at, at == 0 ? 0.2 : 0.02, l2, s.positive, w, s.intercept) < 1e-9);
            }
        }
    where.clear();
}

TEST(plain_passes_are_those_of_the_textbook) {
    const Problem problem(40, 6);
    CoordinateSettings s = settings(0);
    s.plain = true;
    s.intercept = false;
    s.most_passes = 3;
    const Found found = run(problem.X.view(), problem.Y, {0.1}, {0.2}, s);
    std::vector<double> w(6, 0.0);
    for (int pass = 0; pass < 3; ++pass)
        for (Size j = 0; j < 6; ++j) {
            double rho = 0, square = 0;
            for (Size i = 0; i < 40; ++i) {
                double rest = problem.Y.at(i, 0);
                for (Size k = 0; k < 6; ++k)
                    if (k != j) rest -= problem.X.at(i, k) * w[k];
                rho += problem.X.at(i, j) * rest / 40;
                square += problem.X.at(i, j) * problem.X.at(i, j) / 40;
            }
            w[j] = std::copysign(std::max(std::abs(rho) - 0.1, 0.0), rho) / (square + 0.2);
        }
    for (Size j = 0; j < 6; ++j) CHECK_NEAR(found.coef[j], w[j], 1e-12);
    CHECK(found.answers[0].passes == 3 && found.answers[0].stop == LinearStop::count);
}

TEST(coordinate_descent_by_residuals_and_by_products_agree) {
    // Few entries a column: residuals; the same numbers, dense: products, in a working set of fewer than all columns.
    Problem problem(300, 400);
    const Random chance{77, 0};
    for (Size i = 0; i < problem.X.cells.size(); ++i)
        if (chance.uniform(i) < 0.95) problem.X.cells[i] = 0;
    for (Size i = 0; i < 300; ++i) problem.Y.at(i, 0) += 4 * problem.X.at(i, 0) - 5 * problem.X.at(i, 200);
    std::vector<double> l1;
    for (const double share : {0.1, 0.07, 0.05, 0.03}) l1.push_back(share);
    const std::vector<double> l2(l1.size(), 0.001);
    const Found dense = run(problem.X.view(), problem.Y, l1, l2, settings());
    const Found sparse = run(csr<std::int32_t>("CSR", problem.X).view, problem.Y, l1, l2, settings());
    for (Size i = 0; i < dense.coef.size(); ++i) CHECK_NEAR(dense.coef[i], sparse.coef[i], 1e-7);
    for (Size at = 0; at < l1.size(); ++at) {
        CHECK(missed(problem, dense, at, l1[at], 0.001, false, {}, true) < 1e-7);
        CHECK(missed(problem, sparse, at, l1[at], 0.001, false, {}, true) < 1e-7);
        CHECK_NEAR(dense.answers[at].objective, sparse.answers[at].objective, 1e-10);
    }
}

TEST(coordinate_descent_has_equal_bits_with_any_trace_and_any_number_of_threads) {
    const Problem problem(200, 300);
    for (const Layout& layout : {strided<double>("F", problem.X, 1, 200), csr<std::int64_t>("CSR", problem.X)}) {
        CoordinateSettings s = settings(1e-8);
        const std::vector<double> l1 = {0.3, 0.1, 0.06, 0.04}, l2(4, 0.0);
        const Found alone = run(layout.view, problem.Y, l1, l2, s);
        Record record;
        Watch watch;
        CHECK(same_bits(run(layout.view, problem.Y, l1, l2, s, record).coef, alone.coef));
        CHECK(same_bits(run(layout.view, problem.Y, l1, l2, s, watch).coef, alone.coef));
        for (const int threads : {2, 3}) {
            s.threads = threads;
            CHECK(same_bits(run(layout.view, problem.Y, l1, l2, s).coef, alone.coef));
        }
        CHECK(record.tables().at("passes").columns.size() == 8);  // 300 coefficients are too many for a row
    }
}

TEST(coordinate_descent_tells_its_passes_and_stops_when_told) {
    const Problem problem(50, 3);
    Watch watch;
    watch.listener = [](void*, Size pass, std::span<const double> parameters) {
        return pass == 2 && parameters.size() == 4;
    };
    CoordinateSettings s = settings(0);
    s.plain = true;
    const Found found = run(problem.X.view(), problem.Y, {0.01, 0.001}, {0, 0}, s, watch);
    CHECK(found.answers[0].stop == LinearStop::told && found.answers[0].passes == 2);
    const Record::Table& table = watch.record.tables().at("passes");
    CHECK(table.columns.back() == "intercept" && table.cells.size() == 2 * table.columns.size());
    CHECK(table.cells[table.columns.size() + 8] == found.coef[0]);
}

TEST(several_targets_are_solved_one_by_one) {
    const Problem first(80, 150, 3), second(80, 150, 3);
    Table both(80, 2);
    for (Size i = 0; i < 80; ++i) {
        both.at(i, 0) = first.Y.at(i, 0);
        both.at(i, 1) = 2 * first.X.at(i, 7) - first.X.at(i, 100);
    }
    Problem other = second;
    for (Size i = 0; i < 80; ++i) other.Y.at(i, 0) = both.at(i, 1);
    const Found together = run(first.X.view(), both, {0.1}, {0}, settings());
    const Found a = run(first.X.view(), first.Y, {0.1}, {0}, settings());
    const Found b = run(first.X.view(), other.Y, {0.1}, {0}, settings());
    for (Size j = 0; j < 150; ++j) {
        CHECK_NEAR(together.coef[j], a.coef[j], 1e-9);
        CHECK_NEAR(together.coef[150 + j], b.coef[j], 1e-9);
    }
}

TEST(exact_search_finds_the_signs_of_the_optimum) {
    plain_lapack();
    // Columns 1, t, t^2, ... t^5 on ten points hardly differ; from zero and from wrong signs alike.
    const Size n = 10, p = 6;
    std::vector<double> Z(n * p), y = random_vector(n, 21);
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j < p; ++j)
            Z[j * n + i] = std::pow(0.5 + 0.05 * static_cast<double>(i), static_cast<double>(j));
    for (const double l1 : {1e-1, 1e-3, 1e-5})
        for (const double first : {0.0, 3.0, -3.0}) {
            std::vector<double> w(p, first);
            if (first != 0) w[1] = -first;
            const ExactResult found = solve_exactly(Z, y, l1, 0, false, 1000, w);
            CHECK(found.solved);
            std::vector<double> r = y;
            for (Size j = 0; j < p; ++j)
                for (Size i = 0; i < n; ++i) r[i] -= Z[j * n + i] * w[j];
            for (Size j = 0; j < p; ++j) {
                double slope = 0;
                for (Size i = 0; i < n; ++i) slope += Z[j * n + i] * r[i];
                CHECK_NEAR(w[j] != 0 ? slope * (w[j] > 0 ? 1 : -1) : std::min(std::abs(slope), l1),
                           w[j] != 0 ? l1 : std::min(std::abs(slope), l1), 1e-9);
                CHECK(std::abs(slope) <= l1 + 1e-9);
            }
        }
    std::vector<double> same(2 * n, 1.0), w = {1, 1};  // two equal columns
    CHECK(!solve_exactly(same, y, 0.1, 0, false, 100, w).solved);
    CHECK(w[0] == 1 && w[1] == 1);
}

TEST(coordinate_descent_refuses_what_breaks_its_contract) {
    plain_lapack();
    const Problem problem(10, 2);
    const Matrix X = problem.X.view();
    int refused = 0;
    const auto attempt = [&](Size starts, Size second, Size answers) {
        const std::vector<double> l1 = {1}, l2(second, 0.0), start(starts, 0.0);
        std::vector<double> coef(2), intercept(1);
        std::vector<LinearResult> results(answers);
        NoTrace none;
        try {
            coordinate_descent({&X, problem.Y.view(), {}, l1, l2, start}, settings(), coef, intercept, results, none);
        } catch (const ContractError&) {
            ++refused;
        }
    };
    attempt(3, 1, 1);
    attempt(2, 2, 1);
    attempt(2, 1, 2);
    CHECK(refused == 3);
}

TEST(squares_beyond_every_number_are_told) {
    Problem problem(10, 2);
    for (Size i = 0; i < 10; ++i) problem.X.at(i, 0) *= 1e200;
    CHECK(run(problem.X.view(), problem.Y, {1}, {0}, settings()).answers[0].stop == LinearStop::overflow);
}

}  // namespace pellucid::test

// Coordinate descent for the logistic loss: the optimality conditions at its answer, worked out by plain loops; and the
// columns of a table in every layout against the table itself.
#include "core/solvers/coordinate_logistic.hpp"

#include <functional>

#include "core/base/simd.hpp"
#include "core/linalg/columns.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Problem {
    Table X;
    std::vector<double> y, weight;
};

// Classes by a noisy score; every fifth row weighs nothing.
Problem problem(Size rows, Size cols, bool weighted) {
    Problem made{random_table(rows, cols, 1), std::vector<double>(rows), {}};
    const std::vector<double> w = random_vector(cols, 2, -3, 3), noise = random_vector(rows, 3, -2, 2);
    for (Size r = 0; r < rows; ++r) {
        double score = noise[r];
        for (Size c = 0; c < cols; ++c) score += made.X.at(r, c) * w[c];
        made.y[r] = score > 0;
    }
    if (weighted) {
        made.weight = random_vector(rows, 4, 0.1, 3);
        for (Size r = 0; r < rows; r += 5) made.weight[r] = 0;
    }
    return made;
}

struct Answer {
    LinearResult result;
    std::vector<double> w, b;
};

template <class Trace>
Answer run(const Problem& p, const Matrix& X, const LinearSettings& settings, Trace& trace) {
    Answer answer{{}, std::vector<double>(p.X.cols), std::vector<double>(1)};
    answer.result = coordinate_logistic({&X, p.y, p.weight, 1}, settings, answer.w, answer.b, trace);
    return answer;
}
Answer run(const Problem& p, const Matrix& X, const LinearSettings& settings) {
    NoTrace none;
    return run(p, X, settings, none);
}

LinearSettings settings(double l1, double l2) {
    LinearSettings s;
    s.l1 = l1;
    s.l2 = l2;
    s.tol = 1e-10;
    s.most_passes = 200;
    return s;
}

// Largest miss of an optimality condition, in long double.
long double worst(const Problem& p, const Answer& a, const LinearSettings& s) {
    const Size n = p.X.rows, cols = p.X.cols;
    std::vector<long double> g(cols + 1, 0.0L);
    long double total = 0;
    for (Size r = 0; r < n; ++r) {
        const long double weight = p.weight.empty() ? 1 : p.weight[r];
        long double f = a.b[0];
        for (Size c = 0; c < cols; ++c) f += static_cast<long double>(p.X.at(r, c)) * a.w[c];
        const long double rest = weight * (1 / (1 + std::exp(-f)) - p.y[r]);
        total += weight;
        for (Size c = 0; c < cols; ++c) g[c] += rest * p.X.at(r, c);
        g[cols] += rest;
    }
    long double most = std::abs(g[cols] / total);
    for (Size c = 0; c < cols; ++c) {
        const long double slope = g[c] / total + s.l2 * a.w[c];
        const long double miss = a.w[c] != 0 ? std::abs(slope + std::copysign(s.l1, a.w[c]))
                                             : std::max<long double>(std::abs(slope) - s.l1, 0);
        most = std::max(most, miss);
    }
    return most;
}

}  // namespace

TEST(columns_of_every_layout) {
    const Table t = random_table(131, 9, 5);
    const std::vector<double> r = random_vector(131, 6), d = random_vector(131, 7, 0, 1);
    for (const Layout& layout : layouts(t)) {
        for (const int threads : {1, 3}) {
            const ColumnTable table = column_table(layout.view, threads);
            for (Size j = 0; j < t.cols; ++j) {
                where = layout.name + ", column " + std::to_string(j);
                double sum = 0, first = 0, second = 0, most = 0;
                std::vector<double> added = r, weighted = r;
                for (Size i = 0; i < t.rows; ++i) {
                    const double x = t.at(i, j);
                    sum += x * r[i];
                    first += d[i] * 2 * x;
                    second += d[i] * 4 * x * x;
                    most = std::max(most, std::abs(x));
                    added[i] += 3 * x;
                    weighted[i] += 3 * d[i] * x;
                }
                std::visit(
                    [&](const auto& x) {
                        CHECK_NEAR(dot(x, j, r.data()), sum, 1e-13);
                        CHECK(largest(x, j) == most);
                        const ColumnSums sums = weigh(x, j, 2, d.data());
                        CHECK_NEAR(sums.first, first, 1e-13);
                        CHECK_NEAR(sums.second, second, 1e-13);
                        std::vector<double> out = r;
                        axpy(x, j, 3, out.data());
                        for (Size i = 0; i < t.rows; ++i) CHECK_NEAR(out[i], added[i], 1e-14);
                        out = r;
                        axpy(x, j, 3, d.data(), out.data());
                        for (Size i = 0; i < t.rows; ++i) CHECK_NEAR(out[i], weighted[i], 1e-14);
                    },
                    table.view);
            }
        }
    }
    where.clear();
}

TEST(weighted_columns_at_every_level) {
    const Level before = current_level();
    for (const Level level : {Level::baseline, Level::v3, Level::v4}) {
        if (level > best_level()) continue;
        set_level(level_name(level));
        for (const Size n : {0, 1, 3, 8, 15, 16, 17, 64, 131}) {
            where = std::string(level_name(level)) + ", " + std::to_string(n);
            const std::vector<double> x = random_vector(n, 1), d = random_vector(n, 2), r = random_vector(n, 3);
            const std::vector<float> narrow(x.begin(), x.end());
            const std::vector<double> wide(narrow.begin(), narrow.end());
            for (const bool single : {false, true}) {
                const std::vector<double>& values = single ? wide : x;
                double sums[2], first = 0, second = 0;
                std::vector<double> out = r;
                if (single) {
                    column_hot().add_f32(0.5, d.data(), narrow.data(), n, out.data());
                    column_hot().weigh_f32(0.25, d.data(), narrow.data(), n, sums);
                } else {
                    column_hot().add_f64(0.5, d.data(), x.data(), n, out.data());
                    column_hot().weigh_f64(0.25, d.data(), x.data(), n, sums);
                }
                for (Size i = 0; i < n; ++i) {
                    CHECK_NEAR(out[i], r[i] + 0.5 * d[i] * values[i], 1e-15);
                    first += d[i] * values[i] / 4;
                    second += d[i] * values[i] * values[i] / 16;
                }
                CHECK_NEAR(sums[0], first, 1e-14);
                CHECK_NEAR(sums[1], second, 1e-14);
            }
        }
    }
    set_level(level_name(before));
    where.clear();
}

TEST(coordinate_logistic_is_optimal_in_every_layout) {
    for (const bool weighted : {false, true}) {
        const Problem p = problem(80, 6, weighted);
        for (const auto& [l1, l2] : {std::pair{0.0, 0.01}, {0.02, 0.0}, {0.01, 0.01}, {0.5, 0.0}}) {
            const LinearSettings s = settings(l1, l2);
            for (const Layout& layout : layouts(p.X)) {
                where = layout.name + ", l1 " + std::to_string(l1) + ", l2 " + std::to_string(l2);
                const Answer answer = run(p, layout.view, s);
                CHECK(answer.result.stop == LinearStop::converged);
                CHECK_NEAR(worst(p, answer, s), 0, 1e-9L);
            }
        }
    }
    where.clear();
}

TEST(coordinate_logistic_by_hand) {
    // Rows 1 and -1, of classes 1 and 0: F = log(1 + e^-w) + l1 w, so 1 / (1 + e^w) = l1.
    Problem p{Table(2, 1), {1, 0}, {}};
    p.X.cells = {1, -1};
    const Answer answer = run(p, p.X.view(), settings(0.2, 0));
    CHECK_NEAR(answer.w[0], std::log(4.0), 1e-9);
    CHECK_NEAR(answer.b[0], 0, 1e-9);
    CHECK(run(p, p.X.view(), settings(0.5, 0)).w[0] == 0);
    CHECK(run(p, p.X.view(), settings(0, 0)).result.stop == LinearStop::separated);
}

TEST(coordinate_logistic_has_the_same_bits_on_any_number_of_threads) {
    const Problem p = problem(5000, 30, true);
    for (const Layout& layout : wide_layouts(p.X)) {
        where = layout.name;
        LinearSettings s = settings(1e-3, 1e-3);
        const Answer one = run(p, layout.view, s);
        for (const int threads : {2, 3}) {
            s.threads = threads;
            const Answer other = run(p, layout.view, s);
            CHECK(same_bits(one.w, other.w) && same_bits(one.b, other.b));
            CHECK(one.result.objective == other.result.objective);
        }
    }
    where.clear();
}

TEST(coordinate_logistic_tells_and_listens) {
    const Problem p = problem(80, 6, false);
    const LinearSettings s = settings(0.01, 0);
    Record record;
    const Answer told = run(p, p.X.view(), s, record);
    CHECK(same_bits(told.w, run(p, p.X.view(), s).w));
    CHECK(record.tables().at("passes").columns.size() == 4 + 7);
    CHECK(record.tables().at("passes").cells.size() == (told.result.passes + 1) * 11);
    CHECK(record.tables().at("round").columns.size() == 6);
    Watch watch;
    watch.listener = [](void*, Size pass, std::span<const double> theta) { return pass == 2 && theta.size() == 7; };
    const Answer stopped = run(p, p.X.view(), s, watch);
    CHECK(stopped.result.stop == LinearStop::told && stopped.result.passes == 2);
}

}  // namespace pellucid::test

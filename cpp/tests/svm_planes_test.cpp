// Linear machines with sizes as penalty and of all classes at once by their optimality, and classes from pairs of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.hpp"
#include "core/svm/coupling.hpp"
#include "core/svm/joint_svm.hpp"
#include "core/svm/sparse_svm.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Size kRows = 60, kCols = 6, kClasses = 3;

// Rows of classes whose means lie apart, in numbers that a float holds, and the class of each.
struct Groups {
    Table table{kRows, kCols};
    std::vector<std::int64_t> label;
    std::vector<double> cost;

    explicit Groups(double C) : cost(kRows, C) {
        table.cells = random_vector(kRows * kCols, 3, -2, 2);
        for (Size i = 0; i < kRows; ++i) {
            label.push_back(static_cast<std::int64_t>(i % kClasses));
            table.at(i, i % kClasses) += 1.5;
            for (Size j = 0; j < kCols; ++j) table.at(i, j) = static_cast<float>(table.at(i, j));
            if (i % 10 == 0) cost[i] = 0;
        }
    }
    Table turned() const {
        Table out{kCols, kRows};
        for (Size i = 0; i < kRows; ++i)
            for (Size j = 0; j < kCols; ++j) out.at(j, i) = table.at(i, j);
        return out;
    }
};

double score_by_loop(const Table& x, Size i, const double* w, double constant) {
    double f = w[x.cols] * constant;
    for (Size j = 0; j < x.cols; ++j) f += w[j] * x.at(i, j);
    return f;
}

}  // namespace

TEST(svm_sizes_as_penalty_end_at_the_optimum) {
    at_every_level([] {
        for (const double C : {0.01, 0.5})
            for (const double constant : {0.0, 2.0})
                for (const Layout& layout : layouts(Groups(C).turned())) {
                    const Groups g(C);
                    std::vector<double> from, to;
                    for (Size i = 0; i < kRows; ++i) {
                        from.push_back(g.label[i] == 0 ? 1 : -kInf);
                        to.push_back(g.label[i] == 0 ? kInf : -1);
                    }
                    NoTrace none;
                    const LinearSvmProblem problem{&layout.view, from, to, g.cost, constant, true};
                    const LinearSvmResult one = sparse_svm(problem, {true, 1e-9, 100000, 5, 1}, 0, none);
                    CHECK(one.converged);
                    std::vector<double> slope(kCols + 1, 0.0);
                    double cost = 0;
                    for (Size i = 0; i < kRows; ++i) {
                        const double t = g.label[i] == 0 ? 1 : -1;
                        const double lack = std::max(0.0, 1 - t * score_by_loop(g.table, i, one.w.data(), constant));
                        cost += g.cost[i] * lack * lack;
                        CHECK_NEAR(one.beta[i], 2 * g.cost[i] * lack * t, 1e-5);
                        for (Size j = 0; j <= kCols; ++j)
                            slope[j] -= 2 * g.cost[i] * lack * t * (j < kCols ? g.table.at(i, j) : constant);
                    }
                    for (Size j = 0; j <= kCols; ++j) {
                        cost += std::abs(one.w[j]);
                        CHECK(std::abs(slope[j]) <= 1 + 1e-5);
                        if (one.w[j] != 0) CHECK_NEAR(slope[j], one.w[j] > 0 ? -1 : 1, 1e-5);
                    }
                    CHECK_NEAR(one.objective, cost, 1e-5 * cost);
                    if (constant == 0) CHECK(one.w[kCols] == 0);
                }
    });
}

TEST(svm_classes_at_once_meet_their_dual) {
    at_every_level([] {
        for (const double C : {0.02, 0.3})
            for (const Layout& layout : layouts(Groups(C).table)) {
                const Groups g(C);
                NoTrace none;
                const JointSvmProblem problem{&layout.view, g.label, g.cost, kClasses, 1.0};
                const LinearSvmResult one = joint_svm(problem, {false, 1e-6, 100000, 5, 1}, none);
                CHECK(one.converged);
                double squares = 0, own = 0, lacks = 0;
                std::vector<double> w(kClasses * (kCols + 1), 0.0);
                for (Size i = 0; i < kRows; ++i) {
                    double sum = 0, best = -kInf;
                    for (Size m = 0; m < kClasses; ++m) {
                        const bool is_own = static_cast<Size>(g.label[i]) == m;
                        const double a = one.beta[m * kRows + i];
                        CHECK(a <= (is_own ? g.cost[i] : 0.0));
                        sum += a;
                        own += is_own ? a : 0;
                        for (Size j = 0; j <= kCols; ++j)
                            w[m * (kCols + 1) + j] += a * (j < kCols ? g.table.at(i, j) : 1.0);
                        const double* of = one.w.data() + m * (kCols + 1);
                        best = std::max(best, score_by_loop(g.table, i, of, 1) + (is_own ? 0 : 1));
                    }
                    const double* of = one.w.data() + static_cast<Size>(g.label[i]) * (kCols + 1);
                    lacks += g.cost[i] * (best - score_by_loop(g.table, i, of, 1));
                    CHECK_NEAR(sum, 0.0, 1e-9);
                }
                for (Size j = 0; j < w.size(); ++j) {
                    CHECK_NEAR(w[j], one.w[j], 1e-9);
                    squares += w[j] * w[j];
                }
                CHECK_NEAR(one.objective, squares / 2 + lacks, 1e-9 * one.objective);
                CHECK_NEAR(one.objective, own - squares / 2, 1e-4 * one.objective);
            }
    });
}

TEST(svm_coupled_pairs_have_equal_slopes) {
    for (const Size k : {Size{2}, Size{3}, Size{7}}) {
        const Size n = 200, pairs = k * (k - 1) / 2;
        const std::vector<double> r = random_vector(n * pairs, k, 1e-7, 1 - 1e-7);
        std::vector<double> one(n * k), two(n * k);
        couple_pairs(r, k, 1, one);
        couple_pairs(r, k, 3, two);
        CHECK(same_bits(one, two));
        for (Size i = 0; i < n; ++i) {
            std::vector<double> of(k * k, 0.0);  // r_ij
            for (Size a = 0, at = i * pairs; a < k; ++a)
                for (Size b = a + 1; b < k; ++b, ++at) {
                    of[a * k + b] = r[at];
                    of[b * k + a] = 1 - r[at];
                }
            double sum = 0, least = kInf, most = -kInf;
            for (Size a = 0; a < k; ++a) {
                double slope = 0;
                for (Size b = 0; b < k; ++b)
                    slope += of[b * k + a] * (of[b * k + a] * one[i * k + a] - of[a * k + b] * one[i * k + b]);
                least = std::min(least, slope);
                most = std::max(most, slope);
                sum += one[i * k + a];
            }
            CHECK_NEAR(sum, 1.0, 1e-12);
            CHECK(most - least <= 1e-12);
        }
    }
}

}  // namespace pellucid::test

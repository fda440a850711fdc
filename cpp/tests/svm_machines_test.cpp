// Support vector machines: hot loops against plain ones at every level, and solvers against their optimality.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/svm/kernel_rows.hpp"
#include "core/svm/linear_svm.hpp"
#include "core/svm/smo.hpp"
#include "core/svm/svm_hot.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> some_numbers(Size count, std::uint64_t seed) {
    const Random chance{seed, 3};
    std::vector<double> x(count);
    for (Size i = 0; i < count; ++i) x[i] = 4 * chance.uniform(i) - 2;
    return x;
}

double kernel_by_loop(const KernelFunction& k, const double* x, const double* z, Size p) {
    double product = 0, square = 0;
    for (Size j = 0; j < p; ++j) {
        product += x[j] * z[j];
        square += (x[j] - z[j]) * (x[j] - z[j]);
    }
    switch (k.kind) {
        case KernelKind::polynomial:
            return std::pow(k.gamma * product + k.coef0, k.degree);
        case KernelKind::radial:
            return std::exp(-k.gamma * square);
        case KernelKind::sigmoid:
            return std::tanh(k.gamma * product + k.coef0);
        default:
            return product;
    }
}

const KernelFunction kKernels[] = {{KernelKind::linear, 1, 0, 1},
                                   {KernelKind::polynomial, 0.5, 1, 3},
                                   {KernelKind::radial, 0.4, 0, 1},
                                   {KernelKind::sigmoid, 0.1, 0.3, 1}};

// A problem of two classes, by the sign of the first column and some noise.
struct Classes {
    std::vector<double> x, from, to, cost;
    std::vector<Size> rows;
    Size p;

    Classes(Size n, Size p_, double C, std::uint64_t seed) : x(some_numbers(n * p_, seed)), cost(n, C), rows(n), p(p_) {
        const std::vector<double> noise = some_numbers(n, seed + 1);
        std::iota(rows.begin(), rows.end(), Size{0});
        for (Size i = 0; i < n; ++i) {
            const bool positive = x[i * p] + 0.4 * noise[i] > 0;
            from.push_back(positive ? 1 : -kInf);
            to.push_back(positive ? kInf : -1);
        }
    }
    SmoProblem problem() const { return {rows, from, to, cost}; }
};

}  // namespace

TEST(svm_exponential_of_every_size) {
    at_every_level([] {
        std::vector<double> v;
        for (int i = 0; i < 1600; ++i) v.push_back(i * 0.5);
        for (Size i = 0; i < 16; ++i) v.push_back(std::ldexp(1.0, -static_cast<int>(4 * i)));
        std::vector<double> found = v;
        svm_hot().bells(1.0, found.size(), found.data());
        for (Size i = 0; i < v.size(); ++i) {
            const double wanted = v[i] > 708 ? 0.0 : std::exp(-v[i]);
            CHECK(std::abs(found[i] - wanted) <= 4e-16 * wanted);
        }
    });
}

TEST(svm_steps_of_all_rows_against_plain_loops) {
    at_every_level([] {
        for (const Size n : {Size{1}, Size{7}, Size{16}, Size{101}}) {
            const std::vector<double> ki = some_numbers(n, 1), kj = some_numbers(n, 2), diagonal(n, 3.0);
            std::vector<double> f = some_numbers(n, 3), up = some_numbers(n, 4), low = some_numbers(n, 5);
            for (Size k = 0; k < n; k += 3) up[k] = -kInf;
            for (Size k = 1; k < n; k += 3) low[k] = kInf;
            std::vector<double> next = f;
            for (Size k = 0; k < n; ++k) next[k] += 0.5 * (ki[k] - kj[k]);
            Peak high{}, deep{};
            svm_hot().move(0.5, ki.data(), kj.data(), up.data(), low.data(), n, f.data(), &high, &deep);
            double most = -kInf, least = -kInf, gain = -kInf;
            for (Size k = 0; k < n; ++k) {
                CHECK_NEAR(f[k], next[k], 1e-14);
                most = std::max(most, up[k] - f[k]);
                least = std::max(least, f[k] - low[k]);
            }
            CHECK(high.value == most && (most == -kInf || up[high.place] - f[high.place] == most));
            CHECK(deep.value == least && (least == -kInf || f[deep.place] - low[deep.place] == least));
            const Peak partner = svm_hot().partner(1.5, 2.0, ki.data(), diagonal.data(), low.data(), f.data(), n);
            for (Size k = 0; k < n; ++k) {
                const double g = 1.5 - (low[k] - f[k]), bend = std::max(1e-12, 2.0 + diagonal[k] - 2 * ki[k]);
                if (g > 0) gain = std::max(gain, g * g / bend);
            }
            if (gain > -kInf) CHECK_NEAR(partner.value, gain, 1e-12 * gain);
            if (gain == -kInf) CHECK(partner.value == -kInf);
        }
    });
}

TEST(svm_gram_rows_of_every_kernel) {
    at_every_level([] {
        const Size n = 45, p = 5;
        const std::vector<double> x = some_numbers(n * p, 7);
        const Matrix X = in_rows(x, p);
        const std::vector<Size> chosen{3, 0, 44, 17, 21, 5, 6, 7, 8, 9, 10, 30, 31, 32, 33, 34, 35, 36};
        for (const KernelFunction& kernel : kKernels) {
            KernelRows rows(X, kernel, chosen, 2);
            std::vector<double> out(rows.padded());
            for (Size i = 0; i < chosen.size(); ++i) {
                rows.fill(i, out.data());
                CHECK_NEAR(rows.diagonal()[i], out[i], 1e-12);
                for (Size k = 0; k < chosen.size(); ++k)
                    CHECK_NEAR(out[k], kernel_by_loop(kernel, &x[chosen[i] * p], &x[chosen[k] * p], p), 1e-12);
            }
            const std::vector<Size> stay{1, 4, 5};
            rows.keep(stay);
            rows.fill(2, out.data());
            CHECK_NEAR(out[0], kernel_by_loop(kernel, &x[chosen[5] * p], &x[chosen[1] * p], p), 1e-12);
        }
    });
}

TEST(svm_smo_ends_at_the_optimum) {
    at_every_level([] {
        for (const bool shrinking : {false, true})
            for (const double bytes : {1e4, 1e8}) {
                const Classes c(400, 3, 20.0, 11);
                const KernelFunction kernel{KernelKind::radial, 0.5, 0, 1};
                NoTrace none;
                const Matrix X = in_rows(c.x, c.p);
                const SmoResult one = smo(X, kernel, c.problem(), {1e-4, shrinking, bytes, 0, 1}, 0, none);
                double sum = 0, up = -kInf, low = kInf, dual = 0;
                for (Size i = 0; i < 400; ++i) {
                    double f = 0;
                    for (Size j = 0; j < 400; ++j)
                        if (one.beta[j] != 0) f += one.beta[j] * kernel_by_loop(kernel, &c.x[i * 3], &c.x[j * 3], 3);
                    const bool positive = c.to[i] == kInf;
                    const double edge = positive ? 1 : -1;
                    CHECK(positive ? one.beta[i] >= 0 && one.beta[i] <= 20 : one.beta[i] <= 0 && one.beta[i] >= -20);
                    if (one.beta[i] < (positive ? 20 : 0)) up = std::max(up, edge - f);
                    if (one.beta[i] > (positive ? 0 : -20)) low = std::min(low, edge - f);
                    sum += one.beta[i];
                    dual += one.beta[i] * (f / 2 - edge);
                }
                CHECK_NEAR(sum, 0.0, 1e-9);
                CHECK(up - low <= 1e-4 + 1e-9);
                CHECK(one.bias <= up + 1e-3 && one.bias >= low - 1e-3);
                CHECK_NEAR(one.objective, dual, 1e-8 * std::abs(dual));
                for (const int threads : {2, 3}) {
                    const SmoResult more = smo(X, kernel, c.problem(), {1e-4, shrinking, bytes, 0, threads}, 0, none);
                    CHECK(same_bits(more.beta, one.beta));
                    CHECK(more.bias == one.bias);
                }
            }
    });
}

TEST(svm_scores_are_sums_over_support_vectors) {
    at_every_level([] {
        const Size n = 150, p = 4, m = 9;
        const std::vector<double> x = some_numbers(n * p, 21), s = some_numbers(m * p, 22),
                                  coef = some_numbers(2 * m, 23);
        const std::vector<double> bias{0.5, -1.0};
        for (const KernelFunction& kernel : kKernels) {
            std::vector<double> out(2 * n);
            kernel_decisions(in_rows(x, p), kernel, s, coef, bias, 2, out);
            for (Size r = 0; r < n; ++r)
                for (Size o = 0; o < 2; ++o) {
                    double sum = bias[o];
                    for (Size k = 0; k < m; ++k)
                        sum += coef[o * m + k] * kernel_by_loop(kernel, &x[r * p], &s[k * p], p);
                    CHECK_NEAR(out[r * 2 + o], sum, 1e-10);
                }
        }
    });
}

TEST(svm_planes_are_where_the_slope_of_the_cost_is_zero) {
    at_every_level([] {
        const Size n = 300, p = 4;
        const Classes c(n, p, 0.7, 31);
        const Matrix X = in_rows(c.x, p);
        for (const bool primal : {false, true}) {
            NoTrace none;
            const LinearSvmProblem problem{&X, c.from, c.to, c.cost, 1.0, true};
            const LinearSvmResult one = linear_svm(problem, {primal, 1e-10, 100000, 5, 1}, 0, none);
            CHECK(one.converged);
            std::vector<double> slope = one.w;
            for (Size i = 0; i < n; ++i) {
                double f = one.w[p];
                for (Size j = 0; j < p; ++j) f += one.w[j] * c.x[i * p + j];
                const double t = c.to[i] == kInf ? 1 : -1, lack = std::max(0.0, 1 - t * f);
                for (Size j = 0; j <= p; ++j) slope[j] -= 2 * 0.7 * lack * t * (j < p ? c.x[i * p + j] : 1.0);
            }
            for (const double s : slope) CHECK_NEAR(s, 0.0, 1e-6);
            const LinearSvmResult two = linear_svm(problem, {primal, 1e-10, 100000, 5, 3}, 0, none);
            CHECK(same_bits(two.w, one.w));
        }
    });
}

TEST(svm_hinge_meets_its_dual) {
    const Size n = 200, p = 3;
    const Classes c(n, p, 0.5, 41);
    const Matrix X = in_rows(c.x, p);
    NoTrace none;
    const LinearSvmProblem problem{&X, c.from, c.to, c.cost, 1.0, false};
    const LinearSvmResult one = linear_svm(problem, {false, 1e-9, 100000, 5, 1}, 0, none);
    double dual = 0;
    for (const double w : one.w) dual -= w * w / 2;
    for (Size i = 0; i < n; ++i) {
        CHECK(std::abs(one.beta[i]) <= 0.5);
        dual += std::abs(one.beta[i]);
    }
    CHECK(one.converged);
    CHECK_NEAR(one.objective, dual, 1e-6 * dual);
}

}  // namespace pellucid::test

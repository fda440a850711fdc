#include "core/solvers/lbfgs.hpp"

#include "core/base/simd.hpp"
#include "core/losses/softmax.hpp"
#include "core/solvers/smooth_hot.hpp"
#include "tests/harness.hpp"
#include "tests/lapack_by_hand.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

std::vector<double> classes(Size rows, Size k, std::uint64_t seed) {
    const Random random{seed, 0};
    std::vector<double> y(rows);
    for (Size r = 0; r < rows; ++r) y[r] = static_cast<double>(random.below(r, k));
    return y;
}

// F and its slopes by plain loops.
double plain(const Table& X, const std::vector<double>& y, const std::vector<double>& weight, const LinearSettings& s,
             Size k, const std::vector<double>& theta, std::vector<double>& gradient) {
    gradient.assign(theta.size(), 0.0);
    double value = 0, total = 0;
    const Size p = X.cols;
    std::vector<double> f(k);
    for (Size r = 0; r < X.rows; ++r) {
        const double share = weight.empty() ? 1.0 : weight[r];
        for (Size t = 0; t < k; ++t) {
            f[t] = theta[k * p + t];
            for (Size c = 0; c < p; ++c) f[t] += theta[t * p + c] * X.at(r, c);
        }
        value += share * SoftmaxLoss::value_and_gradient(static_cast<Size>(y[r]), f);
        total += share;
        for (Size t = 0; t < k; ++t) {
            for (Size c = 0; c < p; ++c) gradient[t * p + c] += share * f[t] * X.at(r, c);
            gradient[k * p + t] += share * f[t];
        }
    }
    value /= total;
    for (Size i = 0; i < theta.size(); ++i) {
        gradient[i] = gradient[i] / total + (i < k * p ? s.l2 : 0.0) * theta[i];
        if (i < k * p) value += 0.5 * s.l2 * theta[i] * theta[i];
    }
    return value;
}

constexpr const char* kLevels[] = {"baseline", "v3", "v4"};

}  // namespace

TEST(softmax_loss_has_the_slopes_of_its_value) {
    const std::vector<double> f = {0.3, -1.2, 2.5};
    constexpr double h = 1e-6;
    for (Size y = 0; y < 3; ++y) {
        std::vector<double> slope = f;
        SoftmaxLoss::value_and_gradient(y, slope);
        for (Size t = 0; t < 3; ++t) {
            std::vector<double> up = f, down = f;
            up[t] += h;
            down[t] -= h;
            const double rise = SoftmaxLoss::value_and_gradient(y, up) - SoftmaxLoss::value_and_gradient(y, down);
            CHECK_NEAR(slope[t], rise / (2 * h), 1e-9);
        }
    }
}

TEST(exponentials_at_every_level) {
    const std::string_view before = level_name(current_level());
    for (const char* level : kLevels) {
        if (!set_level(level)) continue;
        where = level;
        std::vector<double> x(16000), e(x.size());
        for (Size i = 0; i < x.size(); ++i) x[i] = -static_cast<double>(i) * 0.0441;
        smooth_hot().exp_f64(x.data(), x.size(), e.data());
        std::vector<float> xs(2000), es(xs.size());
        for (Size i = 0; i < xs.size(); ++i) xs[i] = -static_cast<float>(i) * 0.0431f;
        smooth_hot().exp_f32(xs.data(), xs.size(), es.data());
        for (Size i = 0; i < x.size(); ++i) CHECK_NEAR(e[i], std::exp(x[i]), 3e-16 * std::exp(x[i]));
        for (Size i = 0; i < xs.size(); ++i) {
            const double want = std::exp(static_cast<double>(xs[i]));
            CHECK_NEAR(es[i], want, 2e-7 * want);
        }
        const double far[16] = {-1e308, -std::numeric_limits<double>::infinity(), -800, 0};
        double none[16];
        smooth_hot().exp_f64(far, 16, none);
        CHECK(none[0] == 0 && none[1] == 0 && none[2] == 0 && none[3] == 1);
    }
    set_level(before);
}

TEST(objective_is_that_of_plain_loops_at_every_level) {
    const std::string_view before = level_name(current_level());
    for (const char* level : kLevels) {
        if (!set_level(level)) continue;
        for (const Size k : {2, 3, 5, 6, 11})
            for (const Size p : {1, 7, 33}) {
                const Table X = random_table(700, p, 1);
                const std::vector<double> y = classes(700, k, 2), theta = random_vector(k * (p + 1), 3);
                const std::vector<double> weight = random_vector(700, 4, 0, 2);
                LinearSettings s;
                s.l2 = 0.3;
                s.threads = 2;
                std::vector<double> want, got(theta.size());
                const double value = plain(X, y, weight, s, k, theta, want);
                for (const Layout& layout : layouts(X)) {
                    where = level;
                    where.append(", ").append(layout.name).append(", ").append(std::to_string(k));
                    const LinearProblem problem{&layout.view, y, weight, k};
                    LinearObjective objective(problem, s, LinearLoss::softmax);
                    CHECK_NEAR(objective.evaluate(theta, got).value, value, 1e-13);
                    for (Size i = 0; i < got.size(); ++i) CHECK_NEAR(got[i], want[i], 1e-14);
                    if (!objective.can_be_rough()) continue;
                    objective.be_rough(true);
                    CHECK_NEAR(objective.evaluate(theta, got).value, value, 1e-5);
                    for (Size i = 0; i < got.size(); ++i) CHECK_NEAR(got[i], want[i], 1e-6);
                }
            }
    }
    set_level(before);
}

TEST(lbfgs_of_softmax_is_stationary) {
    use_lapack_by_hand();
    const Table X = random_table(400, 6, 1);
    const std::vector<double> y = classes(400, 4, 2);
    LinearSettings s;
    s.l2 = 0.01;
    s.tol = 1e-9;
    for (const Layout& layout : layouts(X)) {
        where = layout.name;
        std::vector<double> W(24), b(4), gradient;
        NoTrace none;
        const LinearResult found = lbfgs({&layout.view, y, {}, 4}, s, LinearLoss::softmax, false, W, b, none);
        CHECK(found.stop == LinearStop::converged);
        std::vector<double> theta = W;
        theta.insert(theta.end(), b.begin(), b.end());
        CHECK_NEAR(plain(X, y, {}, s, 4, theta, gradient), found.objective, 1e-13);
        for (const double g : gradient) CHECK(std::abs(g) <= 1.01e-9);
    }
}

// Half squared error of y = 2 x1 - x2 with x1, x2 orthogonal: the second coefficient is held at zero.
TEST(lbfgs_keeps_coefficients_positive) {
    use_lapack_by_hand();
    Table X(4, 2);
    X.cells = {1, 1, 1, -1, -1, 1, -1, -1};
    const std::vector<double> y = {1, 3, -3, -1};
    LinearSettings s;
    s.tol = 1e-12;
    std::vector<double> W(2), b(1);
    NoTrace none;
    const Matrix view = X.view();
    const LinearResult found = lbfgs({&view, y, {}, 1}, s, LinearLoss::squared, true, W, b, none);
    CHECK(found.stop == LinearStop::converged);
    CHECK_NEAR(W[0], 2, 1e-11);
    CHECK(W[1] == 0);
    CHECK_NEAR(b[0], 0, 1e-11);
}

}  // namespace pellucid::test

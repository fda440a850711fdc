// SAG and SAGA against the same steps written out with dense loops, for every layout: waiting columns of a sparse table
// must end where columns end that make every step.
#include "core/solvers/saga.hpp"

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/solvers/saga_hot.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Run {
    Table X;
    std::vector<double> y;
    Size outputs = 1;
    LinearLoss loss = LinearLoss::logistic;
    AverageKind kind = AverageKind::saga;
    LinearSettings s;
};

struct Answer {
    LinearResult result;
    std::vector<double> W, b;
};

Answer run(const Run& r, const Matrix& X, std::span<const double> weight = {}) {
    Answer a{{}, std::vector<double>(r.outputs * r.X.cols), std::vector<double>(r.outputs)};
    NoTrace none;
    a.result = saga({&X, r.y, weight, r.outputs}, r.s, r.loss, r.kind, a.W, a.b, none);
    return a;
}

std::vector<double> slopes(const Run& r, Size i, const std::vector<double>& W, const std::vector<double>& b) {
    std::vector<double> f(b);
    for (Size t = 0; t < f.size(); ++t)
        for (Size c = 0; c < r.X.cols; ++c) f[t] += W[t * r.X.cols + c] * r.X.at(i, c);
    if (r.loss == LinearLoss::squared) return {f[0] - r.y[i]};
    if (r.loss == LinearLoss::logistic) return {1 / (1 + std::exp(-f[0])) - r.y[i]};
    double sum = 0;
    for (double& v : f) sum += v = std::exp(v);
    for (double& v : f) v /= sum;
    f[static_cast<Size>(r.y[i])] -= 1;
    return f;
}

// Rows without weights.
Answer by_hand(const Run& r) {
    const Size n = r.X.rows, p = r.X.cols, k = r.outputs;
    const bool sag = r.kind == AverageKind::sag;
    const double rows = static_cast<double>(n);
    double most = 0;
    for (Size i = 0; i < n; ++i) {
        double sum = r.s.intercept ? 1 : 0;
        for (Size c = 0; c < p; ++c) sum += r.X.at(i, c) * r.X.at(i, c);
        most = std::max(most, sum);
    }
    const double c = r.loss == LinearLoss::squared ? 1 : r.loss == LinearLoss::softmax && sag ? 0.5 : 0.25;
    const double L = c * most + r.s.l2, eta = sag ? 1 / L : 1 / (2 * L + std::min(2 * rows * r.s.l2, L));
    Answer a{{}, std::vector<double>(k * p), std::vector<double>(k)};
    std::vector<std::vector<double>> z(n, std::vector<double>(k));
    std::vector<double> G(k * p), of_b(k);
    std::vector<char> visited(n);
    double seen = 0;
    if (!sag)
        for (Size i = 0; i < n; ++i) {
            z[i] = slopes(r, i, a.W, a.b);
            for (Size t = 0; t < k; ++t) {
                of_b[t] += z[i][t] / rows;
                for (Size j = 0; j < p; ++j) G[t * p + j] += z[i][t] * r.X.at(i, j) / rows;
            }
        }
    const Random random{r.s.seed, 0};
    for (Size step = 0; step < r.s.most_passes * n; ++step) {
        const Size i = static_cast<Size>(random.uniform(step) * rows);
        const std::vector<double> now = slopes(r, i, a.W, a.b);
        if (visited[i] == 0) seen += 1 / rows;
        visited[i] = 1;
        for (Size t = 0; t < k; ++t) {
            const double change = now[t] - z[i][t], jump = sag ? 1 / rows : 1, rate = sag ? eta / seen : eta;
            z[i][t] = now[t];
            if (r.s.intercept) a.b[t] -= rate * (jump * change + of_b[t]);
            of_b[t] += change / rows;
            for (Size j = 0; j < p; ++j) {
                const double x = r.X.at(i, j), to = a.W[t * p + j] - rate * (jump * change * x + G[t * p + j]);
                a.W[t * p + j] = std::copysign(std::max(std::abs(to) - eta * r.s.l1, 0.0), to) / (1 + eta * r.s.l2);
                G[t * p + j] += change * x / rows;
            }
        }
    }
    return a;
}

Run example(Size rows, LinearLoss loss, AverageKind kind, double l1, double l2) {
    Run r{random_table(rows, 7, 1, 0.7), random_vector(rows, 2), 1, loss, kind, {}};
    r.outputs = loss == LinearLoss::softmax ? 3 : 1;
    for (Size i = 0; i < rows; ++i)
        if (loss == LinearLoss::softmax)
            r.y[i] = static_cast<double>(i % 3);
        else if (loss == LinearLoss::logistic)
            r.y[i] = r.y[i] > 0;
    r.s.l1 = l1;
    r.s.l2 = l2;
    r.s.tol = 0;
    r.s.seed = 9;
    r.s.most_passes = 4;
    return r;
}

}  // namespace

TEST(saga_makes_the_steps_of_plain_loops) {
    for (const LinearLoss loss : {LinearLoss::squared, LinearLoss::logistic, LinearLoss::softmax})
        for (const AverageKind kind : {AverageKind::sag, AverageKind::saga})
            for (const auto& [l1, l2] : {std::pair{0.0, 0.0}, {0.0, 0.1}, {0.02, 0.0}, {0.02, 0.1}}) {
                if (kind == AverageKind::sag && l1 > 0) continue;
                for (const bool intercept : {true, false}) {
                    Run r = example(90, loss, kind, l1, l2);
                    r.s.intercept = intercept;
                    const Answer want = by_hand(r);
                    for (const Layout& layout : layouts(r.X)) {
                        where = layout.name + ", loss " + std::to_string(static_cast<int>(loss)) + ", l1 " +
                                std::to_string(l1) + ", l2 " + std::to_string(l2);
                        const Answer got = run(r, layout.view);
                        for (Size j = 0; j < want.W.size(); ++j) CHECK_NEAR(got.W[j], want.W[j], 1e-12);
                        for (Size t = 0; t < want.b.size(); ++t) CHECK_NEAR(got.b[t], want.b[t], 1e-12);
                    }
                }
            }
    where.clear();
}

TEST(saga_of_weights_is_that_of_repeated_rows) {
    for (const AverageKind kind : {AverageKind::sag, AverageKind::saga}) {
        Run r = example(40, LinearLoss::logistic, kind, 0, 0.05), repeated = r;
        std::vector<double> weight(40);
        repeated.X = Table(0, 7);
        repeated.y.clear();
        for (Size i = 0; i < 40; ++i) {
            weight[i] = static_cast<double>(i % 4);
            for (Size m = 0; m < i % 4; ++m) {
                repeated.y.push_back(r.y[i]);
                for (Size c = 0; c < 7; ++c) repeated.X.cells.push_back(r.X.at(i, c));
            }
        }
        repeated.X.rows = repeated.y.size();
        r.s.tol = repeated.s.tol = 1e-12;
        r.s.most_passes = repeated.s.most_passes = 5000;
        const Answer weighted = run(r, r.X.view(), weight), longer = run(repeated, repeated.X.view());
        CHECK(weighted.result.stop == LinearStop::converged && longer.result.stop == LinearStop::converged);
        for (Size j = 0; j < 7; ++j) CHECK_NEAR(weighted.W[j], longer.W[j], 1e-9);
        CHECK_NEAR(weighted.b[0], longer.b[0], 1e-9);
    }
}

TEST(saga_step_at_every_level) {
    const Level before = current_level();
    for (const Level level : {Level::baseline, Level::v3, Level::v4}) {
        if (level > best_level()) continue;
        set_level(level_name(level));
        for (const Size n : {0, 1, 3, 8, 17, 64, 131})
            for (const double l1 : {0.0, 0.3}) {
                where = std::string(level_name(level)) + ", " + std::to_string(n);
                const std::vector<double> x = random_vector(n, 1), w = random_vector(n, 2), g = random_vector(n, 3);
                const std::vector<float> narrow(x.begin(), x.end());
                for (const bool single : {false, true}) {
                    std::vector<double> got_w = w, got_g = g;
                    if (single)
                        saga_hot().step_f32(narrow.data(), n, 0.7, 0.2, 0.5, l1, 0.9, got_w.data(), got_g.data());
                    else
                        saga_hot().step_f64(x.data(), n, 0.7, 0.2, 0.5, l1, 0.9, got_w.data(), got_g.data());
                    for (Size c = 0; c < n; ++c) {
                        const double value = single ? static_cast<double>(narrow[c]) : x[c];
                        const double z = w[c] - 0.5 * (0.7 * value + g[c]);
                        CHECK_NEAR(got_w[c], std::copysign(std::max(std::abs(z) - l1, 0.0), z) * 0.9, 1e-15);
                        CHECK_NEAR(got_g[c], g[c] + 0.2 * value, 1e-15);
                    }
                }
            }
    }
    set_level(level_name(before));
    where.clear();
}

}  // namespace pellucid::test

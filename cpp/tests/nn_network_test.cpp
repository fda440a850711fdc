#include <numeric>

#include "core/linalg/lapack.hpp"
#include "core/nn/network.hpp"
#include "core/nn/network_hot.hpp"
#include "core/nn/train.hpp"
#include "tests/harness.hpp"
#include "tests/lapack_by_hand.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

// C <- alpha op(A) op(B) + beta C, column-major.
void dgemm(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b, int* ldb,
           double* beta, double* c, int* ldc) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            double sum = 0;
            for (int l = 0; l < *k; ++l)
                sum +=
                    (*ta == 'T' ? a[i * *lda + l] : a[l * *lda + i]) * (*tb == 'T' ? b[l * *ldb + j] : b[j * *ldb + l]);
            double& out = c[j * *ldc + i];
            out = *alpha * sum + (*beta == 0 ? 0.0 : *beta * out);
        }
}

void use_products_by_hand() {
    Lapack table{};
    table.dpotrf = dpotrf;
    table.dpotrs = dpotrs;
    table.dpocon = dpocon;
    table.dgemm = dgemm;
    set_lapack(table);
}

double bent(Bend kind, double z) {
    if (kind == Bend::logistic) return 1 / (1 + std::exp(-z));
    if (kind == Bend::tanh) return std::tanh(z);
    if (kind == Bend::relu) return z > 0 ? z : 0;
    return kind == Bend::exponential ? std::exp(z) : z;
}

// One row through all layers, as the formula stands.
std::vector<double> plain_answer(const Network& network, const std::vector<double>& theta, std::vector<double> a) {
    Size at = 0;
    for (Size l = 0; l < network.layers(); ++l) {
        const Size in = network.units[l], out = network.units[l + 1];
        std::vector<double> z(out);
        for (Size j = 0; j < out; ++j) {
            z[j] = theta[at + in * out + j];
            for (Size i = 0; i < in; ++i) z[j] += a[i] * theta[at + i * out + j];
        }
        at += (in + 1) * out;
        const Bend kind = l + 1 == network.layers() ? network.output : network.hidden;
        double sum = 0;
        for (double& v : z) sum += v = kind == Bend::softmax ? std::exp(v) : bent(kind, v);
        if (kind == Bend::softmax)
            for (double& v : z) v /= sum;
        a = z;
    }
    return a;
}

double plain_loss(const Network& network, const std::vector<double>& a, const double* y) {
    double loss = 0;
    for (Size j = 0; j < a.size(); ++j) {
        if (network.loss == NetworkLoss::squared) loss += (a[j] - y[j]) * (a[j] - y[j]) / 2;
        if (network.loss == NetworkLoss::poisson) loss += (y[j] > 0 ? y[j] * std::log(y[j] / a[j]) : 0) - y[j] + a[j];
        if (network.loss != NetworkLoss::log) continue;
        loss -= y[j] * std::log(a[j]);
        if (network.output == Bend::logistic) loss -= (1 - y[j]) * std::log(1 - a[j]);
    }
    return loss;
}

struct Problem {
    Network network;
    Table x;
    std::vector<double> y, weight, theta;
    NetworkSplit split;

    Problem(Network kind, Size rows, std::uint64_t seed)
        : network(std::move(kind)),
          x(random_table(rows, network.units[0], seed)),
          weight(random_vector(rows, seed + 1, 0.5, 2)) {
        const Size k = network.outputs();
        y = random_vector(rows * k, seed + 2, 0, 1);
        if (network.output == Bend::softmax)
            for (Size r = 0; r < rows; ++r)
                for (Size j = 0; j < k; ++j) y[r * k + j] = j == r % k;
        theta = random_vector(network.parameters(), seed + 3);
        split.learned.resize(rows);
        std::iota(split.learned.begin(), split.learned.end(), std::int64_t{0});
    }
    double plain_objective(const std::vector<double>& at, double alpha) const {
        double loss = 0, all = 0, squares = 0;
        for (Size r = 0; r < x.rows; ++r) {
            const std::vector<double> row(&x.cells[r * x.cols], &x.cells[r * x.cols] + x.cols);
            loss += weight[r] * plain_loss(network, plain_answer(network, at, row), &y[r * network.outputs()]);
            all += weight[r];
        }
        for (Size l = 0; l < network.layers(); ++l)
            for (Size i = network.weights_at(l); i < network.biases_at(l); ++i) squares += at[i] * at[i];
        return (loss + alpha / 2 * squares) / all;
    }
};

std::vector<Network> networks() {
    std::vector<Network> found;
    for (const Bend hidden : {Bend::identity, Bend::logistic, Bend::tanh, Bend::relu}) {
        found.push_back({{3, 4, 2}, hidden, Bend::identity, NetworkLoss::squared});
        found.push_back({{3, 5, 3, 2}, hidden, Bend::logistic, NetworkLoss::squared});
        found.push_back({{3, 4, 1}, hidden, Bend::tanh, NetworkLoss::squared});
        found.push_back({{3, 4, 1}, hidden, Bend::logistic, NetworkLoss::log});
        found.push_back({{3, 17, 3}, hidden, Bend::softmax, NetworkLoss::log});
        found.push_back({{3, 4, 2}, hidden, Bend::exponential, NetworkLoss::poisson});
    }
    found.push_back({{3, 2}, Bend::relu, Bend::identity, NetworkLoss::squared});
    return found;
}

}  // namespace

TEST(network_answers_are_the_plain_loops) {
    use_products_by_hand();
    for (const Network& network : networks()) {
        const Problem p(network, 300, 5);
        std::vector<double> out(300 * network.outputs());
        for (const Layout& layout : layouts(p.x)) {
            network_answers(network, layout.view, p.theta, {}, out, 2);
            for (Size r = 0; r < 300; ++r) {
                const std::vector<double> row(&p.x.cells[r * 3], &p.x.cells[r * 3] + 3);
                const std::vector<double> want = plain_answer(network, p.theta, row);
                for (Size j = 0; j < want.size(); ++j)
                    CHECK_NEAR(out[r * want.size() + j], want[j], 1e-13 * (1 + std::abs(want[j])));
            }
        }
    }
}

TEST(network_gradients_are_finite_differences) {
    use_products_by_hand();
    for (const Network& network : networks()) {
        const Problem p(network, 40, 11);
        const Matrix view = p.x.view();
        NetworkSettings settings;
        settings.alpha = 0.3;
        NetworkObjective objective(network, {&view, p.y, p.weight}, p.split, settings);
        std::vector<double> gradient(p.theta.size());
        const double value = objective.evaluate(p.theta, gradient);
        CHECK_NEAR(value, p.plain_objective(p.theta, 0.3), 1e-12 * (1 + std::abs(value)));
        for (Size i = 0; i < p.theta.size(); ++i) {
            std::vector<double> up = p.theta, down = p.theta;
            up[i] += 1e-6;
            down[i] -= 1e-6;
            const double slope = (p.plain_objective(up, 0.3) - p.plain_objective(down, 0.3)) / 2e-6;
            CHECK_NEAR(gradient[i], slope, 1e-6 * (1 + std::abs(slope)));
        }
    }
}

TEST(network_training_has_the_same_bits_on_any_number_of_threads) {
    use_products_by_hand();
    for (const NetworkSolver solver : {NetworkSolver::adam, NetworkSolver::sgd, NetworkSolver::lbfgs}) {
        const Problem p({{3, 30, 40, 2}, Bend::relu, Bend::identity, NetworkLoss::squared}, 700, 3);
        const Matrix view = p.x.view();
        std::vector<double> first;
        for (const int threads : {1, 2, 3}) {
            NetworkSettings settings;
            settings.solver = solver;
            settings.most_epochs = 3;
            settings.batch = 350;
            settings.rate.eta0 = 0.01;
            settings.threads = threads;
            std::vector<double> theta = p.theta;
            NetworkState state;
            NoTrace none;
            const NetworkRows rows{&view, p.y, p.weight};
            if (solver == NetworkSolver::lbfgs)
                train_at_once(p.network, rows, p.split, settings, theta, none);
            else
                train_by_batches(p.network, rows, p.split, settings, theta, state, none);
            if (first.empty()) first = theta;
            CHECK(same_bits(theta, first));
            CHECK(!same_bits(theta, p.theta));
        }
    }
}

TEST(network_lbfgs_lowers_the_loss_to_a_flat_place) {
    use_products_by_hand();
    const Problem p({{3, 2}, Bend::relu, Bend::identity, NetworkLoss::squared}, 50, 8);
    const Matrix view = p.x.view();
    NetworkSettings settings;
    settings.alpha = 1.0;
    settings.tol = 1e-9;
    std::vector<double> theta = p.theta, gradient(theta.size());
    NoTrace none;
    const NetworkResult result = train_at_once(p.network, {&view, p.y, p.weight}, p.split, settings, theta, none);
    for (Size i = 1; i < result.losses.size(); ++i) CHECK(result.losses[i] <= result.losses[i - 1]);
    NetworkObjective objective(p.network, {&view, p.y, p.weight}, p.split, settings);
    objective.evaluate(theta, gradient);
    for (const double g : gradient) CHECK_NEAR(g, 0.0, 1e-5);
}

TEST(network_updates_are_their_formulas) {
    const Size n = 37;
    const std::vector<double> g = random_vector(n, 1), start = random_vector(n, 2);
    std::vector<double> theta = start, m = random_vector(n, 3), v = random_vector(n, 4, 0, 1);
    const std::vector<double> m0 = m, v0 = v;
    network_hot().adam(g.data(), n, {0.1, 0.9, 0.99, 1e-8}, theta.data(), m.data(), v.data());
    for (Size i = 0; i < n; ++i) {
        CHECK_NEAR(m[i], 0.9 * m0[i] + 0.1 * g[i], 1e-15);
        CHECK_NEAR(v[i], 0.99 * v0[i] + 0.01 * g[i] * g[i], 1e-15);
        CHECK_NEAR(theta[i], start[i] - 0.1 * m[i] / (std::sqrt(v[i]) + 1e-8), 1e-14);
    }
    for (const bool ahead : {false, true}) {
        theta = start;
        m = m0;
        network_hot().momentum(g.data(), n, 0.1, 0.7, ahead, theta.data(), m.data());
        for (Size i = 0; i < n; ++i) {
            CHECK_NEAR(m[i], 0.7 * m0[i] - 0.1 * g[i], 1e-15);
            CHECK_NEAR(theta[i], start[i] + (ahead ? 0.7 * m[i] - 0.1 * g[i] : m[i]), 1e-15);
        }
    }
}

}  // namespace pellucid::test

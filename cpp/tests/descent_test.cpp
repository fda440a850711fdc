#include "core/solvers/descent.hpp"

#include <algorithm>
#include <set>

#include "core/losses/logistic.hpp"
#include "core/losses/squared.hpp"
#include "core/penalties/l1.hpp"
#include "core/penalties/l2.hpp"
#include "core/penalties/none.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

// Central differences of value() against gradient(), and of gradient() against hessian().
template <class Loss>
void check_derivatives() {
    constexpr double h = 1e-5;
    for (const double y : {0.0, 1.0})
        for (double f = -6; f <= 6; f += 0.75) {
            CHECK_NEAR(Loss::gradient(y, f), (Loss::value(y, f + h) - Loss::value(y, f - h)) / (2 * h), 1e-8);
            CHECK_NEAR(Loss::hessian(y, f), (Loss::gradient(y, f + h) - Loss::gradient(y, f - h)) / (2 * h), 1e-8);
        }
}

// prox(z, step) is no worse than its neighbors by the definition (w - z)^2 / 2 + step h(w).
template <class Penalty>
void check_prox() {
    for (double z = -2; z <= 2; z += 0.25)
        for (const double step : {0.0, 0.3, 1.0}) {
            const auto objective = [&](double w) { return 0.5 * (w - z) * (w - z) + step * Penalty::value(w); };
            const double best = Penalty::prox(z, step);
            for (const double other : {best - 1e-3, best + 1e-3, 0.0, z})
                CHECK(objective(best) <= objective(other) + 1e-15);
        }
}

struct Run {
    DescentResult result;
    std::vector<double> theta, path;
};

template <class Loss = SquaredLoss, class Penalty = NoPenalty, class Trace>
Run run(const Matrix& X, std::span<const double> y, DescentSettings settings, Trace& trace,
        std::span<const double> weight = {}, std::span<const std::int64_t> listed = {}) {
    Run out;
    out.theta.assign(cols_of(X) + settings.intercept, 0.0);
    out.result = descend<Loss, Penalty>({&X, y, weight, listed}, settings, out.theta, out.path, trace);
    return out;
}

template <class Loss = SquaredLoss, class Penalty = NoPenalty>
Run run(const Matrix& X, std::span<const double> y, const DescentSettings& settings) {
    NoTrace none;
    return run<Loss, Penalty>(X, y, settings, none);
}

DescentSettings settings(Size batch, Size epochs, double eta0 = 0.1) {
    DescentSettings s;
    s.batch = batch;
    s.most_epochs = epochs;
    s.rate.eta0 = eta0;
    s.order = RowOrder::given;
    s.most_path = 1'000'000;
    return s;
}

struct Problem {
    Table X;
    std::vector<double> y;
    explicit Problem(Size n = 30, Size p = 3) : X(random_table(n, p, 5)), y(random_vector(n, 9)) {}
};

// The update as it is written, one batch after the other.
std::vector<double> plain(const Problem& problem, const DescentSettings& s, double alpha, double (*slope)(double)) {
    const Size n = problem.X.rows, p = problem.X.cols;
    std::vector<double> theta(p + 1, 0.0);
    for (Size epoch = 0; epoch < s.most_epochs; ++epoch)
        for (Size begin = 0; begin < n; begin += s.batch) {
            const Size end = std::min(n, begin + s.batch);
            std::vector<double> g(p + 1, 0.0);
            for (Size i = begin; i < end; ++i) {
                double f = theta[0];
                for (Size j = 0; j < p; ++j) f += theta[j + 1] * problem.X.at(i, j);
                const double e = s.factor * (f - problem.y[i]) / static_cast<double>(end - begin);
                g[0] += e;
                for (Size j = 0; j < p; ++j) g[j + 1] += e * problem.X.at(i, j);
            }
            for (Size j = 1; j <= p; ++j) g[j] += alpha * slope(theta[j]);
            for (Size j = 0; j <= p; ++j) theta[j] -= s.rate.eta0 * g[j];
        }
    return theta;
}

void check_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance = 1e-12) {
    CHECK(got.size() == want.size());
    for (Size i = 0; i < std::min(got.size(), want.size()); ++i) CHECK_NEAR(got[i], want[i], tolerance);
}

std::vector<double> column(const Record& record, const std::string& table, const std::string& name) {
    const Record::Table& t = record.tables().at(table);
    const Size width = t.columns.size();
    const auto at = static_cast<Size>(std::find(t.columns.begin(), t.columns.end(), name) - t.columns.begin());
    std::vector<double> out;
    for (Size i = at; i < t.cells.size(); i += width) out.push_back(t.cells[i]);
    return out;
}

}  // namespace

TEST(losses_have_the_derivatives_of_their_values) {
    check_derivatives<SquaredLoss>();
    check_derivatives<LogisticLoss>();
}

TEST(logistic_loss_holds_for_odds_beyond_every_exponential) {
    CHECK(LogisticLoss::value(1, 1000) == 0);
    CHECK(LogisticLoss::value(0, 1000) == 1000);
    CHECK(LogisticLoss::gradient(1, -1000) == -1);
    CHECK(LogisticLoss::hessian(0, 1000) == 0);
}

TEST(penalties_have_their_gradient_and_prox) {
    CHECK(L2Penalty::gradient(3) == 3 && L1Penalty::gradient(-3) == -1 && L1Penalty::gradient(0) == 0);
    check_prox<NoPenalty>();
    check_prox<L1Penalty>();
    check_prox<L2Penalty>();
}

TEST(descent_is_the_update_as_written_in_every_layout) {
    const Problem problem;
    for (const Layout& layout : layouts(problem.X))
        for (const Size batch : {1, 4, 29, 30, 100}) {
            where = layout.name;
            DescentSettings s = settings(batch, 5);
            s.factor = 2;
            check_close(run(layout.view, problem.y, s).theta, plain(problem, s, 0, NoPenalty::gradient));
            s.alpha = 0.1;
            check_close(run<SquaredLoss, L2Penalty>(layout.view, problem.y, s).theta,
                        plain(problem, s, 0.1, L2Penalty::gradient));
            check_close(run<SquaredLoss, L1Penalty>(layout.view, problem.y, s).theta,
                        plain(problem, s, 0.1, L1Penalty::gradient));
        }
    where.clear();
}

TEST(descent_with_another_loss_reaches_its_optimum) {
    Problem problem(40, 2);
    for (Size i = 0; i < 40; ++i) problem.y[i] = problem.X.at(i, 0) + problem.y[i] > 0;
    DescentSettings s = settings(40, 20000, 2.0);
    s.gradient_tol = 1e-10;
    s.most_path = 0;
    const Run found = run<LogisticLoss>(problem.X.view(), problem.y, s);
    CHECK(found.result.stop == DescentStop::gradient);
    double g[3] = {0, 0, 0};  // sum of (p_i - y_i) (1, x_i): zero at the maximum of the likelihood
    for (Size i = 0; i < 40; ++i) {
        double f = found.theta[0];
        for (Size j = 0; j < 2; ++j) f += found.theta[j + 1] * problem.X.at(i, j);
        const double e = 1 / (1 + std::exp(-f)) - problem.y[i];
        g[0] += e;
        for (Size j = 0; j < 2; ++j) g[j + 1] += e * problem.X.at(i, j);
    }
    for (const double slope : g) CHECK_NEAR(slope, 0, 1e-8);
}

TEST(descent_has_equal_bits_with_any_trace_and_any_number_of_threads) {
    const Problem problem(40000, 4);
    for (const Size batch : {Size{16}, Size{40000}}) {
        DescentSettings s = settings(batch, 3);
        s.order = RowOrder::shuffled;
        const Run alone = run(problem.X.view(), problem.y, s);
        Record record;
        Watch watch;
        CHECK(same_bits(run(problem.X.view(), problem.y, s, record).path, alone.path));
        CHECK(same_bits(run(problem.X.view(), problem.y, s, watch).path, alone.path));
        for (const int threads : {2, 3}) {
            s.threads = threads;
            CHECK(same_bits(run(problem.X.view(), problem.y, s).path, alone.path));
        }
    }
}

TEST(descent_weights_count_as_rows_written_twice) {
    const Problem problem(3, 2);
    Problem twice(4, 2);
    for (Size i = 0; i < 4; ++i) {
        const Size from = i == 3 ? 0 : i;
        twice.y[i] = problem.y[from];
        for (Size j = 0; j < 2; ++j) twice.X.at(i, j) = problem.X.at(from, j);
    }
    const std::vector<double> weight = {1.5, 0.75, 0.75};  // 2, 1, 1 brought to mean one
    NoTrace none;
    check_close(run(problem.X.view(), problem.y, settings(3, 50), none, weight).theta,
                run(twice.X.view(), twice.y, settings(4, 50)).theta);
}

TEST(descent_divides_as_it_is_told) {
    // One row a step of two, from zero: the first step is eta c / d (y_0) (1, x_0).
    Table X(2, 1);
    X.at(0, 0) = 3;
    const std::vector<double> y = {2, 5};
    const auto first = [&](double by_rows, double by) {
        DescentSettings s = settings(1, 1, 0.5);
        s.divide_by_rows = by_rows;
        s.divide_by = by;
        s.most_steps = 1;
        return run(X.view(), y, s).theta;
    };
    check_close(first(1, 0), {1, 3}, 0);
    check_close(first(0, 2), {0.5, 1.5}, 0);
    check_close(first(0, 0.5), {2, 6}, 0);
}

TEST(rates_follow_their_formulas) {
    Rate rate{Rate::Kind::decay, 9, 0.25, 5, 50, 1};
    CHECK(rate.at(0) == 0.1 && rate.at(50) == 0.05);
    rate = {Rate::Kind::invscaling, 0.8, 0.5, 0, 0, 1};
    CHECK(rate.at(0) == 0.8 && rate.at(3) == 0.4);
    rate = {Rate::Kind::adaptive, 0.8, 0, 0, 0, 4};
    CHECK(rate.at(0) == 0.2 && rate.at(1000) == 0.2);
}

TEST(row_orders_keep_their_promises) {
    RowPicker shuffled(RowOrder::shuffled, 3, {}, 50), again(RowOrder::shuffled, 3, {}, 50);
    std::vector<Size> first, second;
    for (const Size epoch : {0, 1}) {
        shuffled.begin(epoch);
        std::vector<Size>& seen = epoch == 0 ? first : second;
        for (Size k = 0; k < 50; ++k) seen.push_back(shuffled.pick(k));
        CHECK((std::set<Size>(seen.begin(), seen.end()).size() == 50));
    }
    CHECK(first != second);
    again.begin(1);  // an epoch's order does not depend on the epochs before it
    for (Size k = 0; k < 50; ++k) CHECK(again.pick(k) == second[k]);
    const std::vector<std::int64_t> list = {4, 2, 2};
    RowPicker listed(RowOrder::listed, 0, list, 5);
    listed.begin(0);
    CHECK(listed.pick(0) == 4 && listed.pick(1) == 2);
    listed.begin(1);  // goes on where it was, and from the start when used up
    CHECK(listed.pick(0) == 2 && listed.pick(1) == 4);
    RowPicker drawn(RowOrder::drawn, 1, {}, 5);
    drawn.begin(0);
    std::set<Size> seen;
    for (Size k = 0; k < 200; ++k) seen.insert(drawn.pick(k));
    CHECK((seen == std::set<Size>{0, 1, 2, 3, 4}));
}

TEST(descent_stops_for_the_reason_it_gives) {
    const Problem problem;
    DescentSettings s = settings(30, 100000, 0.5);
    s.gradient_tol = 1e-9;
    const Run still = run(problem.X.view(), problem.y, s);
    CHECK(still.result.stop == DescentStop::gradient && still.result.steps == still.result.epochs);
    s.tol = 1e-3;
    CHECK(run(problem.X.view(), problem.y, s).result.stop == DescentStop::improvement);
    s = settings(7, 2);
    const Run counted = run(problem.X.view(), problem.y, s);  // batches of 7, 7, 7, 7, 2
    CHECK(counted.result.stop == DescentStop::count && counted.result.epochs == 2 && counted.result.steps == 10);
    CHECK(counted.path.size() == 11 * 4);
    s.most_steps = 6;
    const Run cut = run(problem.X.view(), problem.y, s);
    CHECK(cut.result.epochs == 2 && cut.result.steps == 6);
    s.most_path = 12;
    CHECK(run(problem.X.view(), problem.y, s).result.stop == DescentStop::path_full);
    CHECK(run(problem.X.view(), problem.y, settings(30, 100000, 50)).result.stop == DescentStop::overflow);
    CHECK(run(problem.X.view(), problem.y, settings(1, 100000, 50)).result.stop == DescentStop::overflow);
}

TEST(adaptive_rate_is_divided_until_it_is_small) {
    // No epoch improves by 1e9: after the first, every two divide 0.01 by 5, down to 0.01 / 5^6 < 1e-6.
    const Problem problem;
    DescentSettings s = settings(1, 1000, 0.01);
    s.rate.kind = Rate::Kind::adaptive;
    s.tol = 1e9;
    s.patience = 2;
    Record record;
    const Run found = run(problem.X.view(), problem.y, s, record);
    CHECK(found.result.stop == DescentStop::improvement);
    CHECK(found.result.epochs == 1 + 2 * 7);
    CHECK_NEAR(column(record, "epochs", "rate").back(), 0.01 / std::pow(5, 6), 1e-20);
}

TEST(descent_tells_its_steps) {
    const Problem problem;
    DescentSettings s = settings(1, 400);  // 12,000 updates: the first and the last 5,000 are kept
    s.order = RowOrder::drawn;
    Record record;
    const Run found = run(problem.X.view(), problem.y, s, record);
    const auto step = column(record, "steps", "step"), row = column(record, "steps", "row");
    CHECK(step.size() == 10000 && step.front() == 1 && step[4999] == 5000 && step[5000] == 7001);
    CHECK(step.back() == 12000);
    CHECK(column(record, "order", "step") == step);
    CHECK(column(record, "order", "row") == row);
    CHECK(column(record, "epochs", "epoch").size() == 400);
    CHECK(column(record, "steps", "theta_3").back() == found.theta[3]);
    CHECK(column(record, "steps", "theta_0")[5000] == found.path[7001 * 4]);
    // cost e^2/2 and gradient e (1, x) of the first row, at zero
    const Size i = static_cast<Size>(row[0]);
    double square = 1;
    for (Size j = 0; j < 3; ++j) square += problem.X.at(i, j) * problem.X.at(i, j);
    CHECK_NEAR(column(record, "steps", "cost")[0], problem.y[i] * problem.y[i] / 2, 1e-15);
    CHECK_NEAR(column(record, "steps", "gradient_norm")[0], std::abs(problem.y[i]) * std::sqrt(square), 1e-15);
}

TEST(descent_stops_when_interrupted) {
    const Problem problem(5000, 2);
    set_interrupt_hook([] { return true; });
    for (const Size batch : {Size{1}, Size{5000}}) {
        bool interrupted = false;
        try {
            DescentSettings s = settings(batch, 100'000'000, 1e-9);
            s.most_path = 0;
            run(problem.X.view(), problem.y, s);
        } catch (const Interrupted&) {
            interrupted = true;
        }
        CHECK(interrupted);
    }
    set_interrupt_hook(nullptr);
}

TEST(descent_refuses_what_breaks_its_contract) {
    const Problem problem;
    const Matrix X = problem.X.view();
    const std::vector<std::int64_t> beyond = {30};
    int refused = 0;
    const auto attempt = [&](DescentProblem p, DescentSettings s, Size width) {
        std::vector<double> theta(width), path;
        NoTrace none;
        try {
            descend<SquaredLoss, NoPenalty>(p, s, theta, path, none);
        } catch (const ContractError&) {
            ++refused;
        }
    };
    DescentSettings listed = settings(1, 1);
    listed.order = RowOrder::listed;
    const std::span<const double> y = problem.y;
    attempt({&X, y, {}, {}}, settings(1, 1), 3);
    attempt({&X, y.first(29), {}, {}}, settings(1, 1), 4);
    attempt({&X, y, y.first(2), {}}, settings(1, 1), 4);
    attempt({&X, y, {}, {}}, listed, 4);
    attempt({&X, y, {}, beyond}, listed, 4);
    CHECK(refused == 5);
}

TEST(ends_keep_the_first_and_the_last_rows) {
    for (const Size n : {Size{0}, Size{3}, Size{6}, Size{7}, Size{20}}) {
        Ends ends(1, 3);
        std::vector<double> want;
        for (Size i = 0; i < n; ++i) {
            ends.add(std::array{static_cast<double>(i)});
            if (i < 3 || i + 3 >= n) want.push_back(static_cast<double>(i));
        }
        CHECK(ends.rows() == want);
    }
}

TEST(trace_records_rows_of_any_width) {
    Record record;
    const std::vector<std::string> names = {"a", "b"};
    emit(record, "pairs", names, std::array{1.0, 2.0, 3.0, 4.0});
    NoTrace none;
    emit(none, "pairs", names, std::array{1.0});
    CHECK((record.tables().at("pairs").columns == names));
    CHECK((record.tables().at("pairs").cells == std::vector<double>{1, 2, 3, 4}));
}

}  // namespace pellucid::test

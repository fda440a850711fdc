#include "core/solvers/sgd.hpp"

#include <algorithm>
#include <numeric>

#include "core/losses/logistic.hpp"
#include "core/losses/squared.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Outcome {
    SgdResult result;
    std::vector<double> w, average;
    double b = 0, average_b = 0;
};

template <class Trace>
Outcome follow(const Matrix& X, const std::vector<double>& y, const SgdSettings& s, const AnyLoss& loss, Trace& trace,
               std::span<const double> weight = {}) {
    Outcome out;
    out.w.assign(cols_of(X), 0.0);
    if (s.average_from > 0) out.average.assign(cols_of(X), 0.0);
    SgdModel model;
    model.seed = 7;
    model.w = out.w;
    model.b = &out.b;
    model.average_w = out.average;
    model.average_b = &out.average_b;
    out.result = sgd({&X, y, weight, {}, {}}, s, loss, model, trace);
    return out;
}

Outcome run(const Matrix& X, const std::vector<double>& y, const SgdSettings& s, const AnyLoss& loss,
            std::span<const double> weight = {}) {
    NoTrace none;
    return follow(X, y, s, loss, none, weight);
}

SgdSettings settings(Size batch = 1, Size epochs = 3) {
    SgdSettings s;
    s.batch = batch;
    s.most_epochs = epochs;
    s.order = RowOrder::given;
    s.rate.eta0 = 0.1;
    return s;
}

// The update as it is written; weights in full, no scale.
Outcome plain(const Table& X, const std::vector<double>& y, const SgdSettings& s, std::span<const double> weight) {
    Outcome out;
    const Size n = X.rows, p = X.cols;
    out.w.assign(p, 0.0);
    out.average.assign(p, 0.0);
    double updates = 0;
    for (Size epoch = 0; epoch < s.most_epochs; ++epoch)
        for (Size at = 0; at < n; at += s.batch) {
            const Size rows = std::min(s.batch, n - at);
            std::vector<double> step(p, 0.0);
            double step_b = 0;
            for (Size i = at; i < at + rows; ++i) {
                double f = out.b;
                for (Size j = 0; j < p; ++j) f += out.w[j] * X.at(i, j);
                const double c = -s.rate.at(updates) / static_cast<double>(rows) * weight[i] * (f - y[i]);
                for (Size j = 0; j < p; ++j) step[j] += c * X.at(i, j);
                step_b += c;
            }
            for (Size j = 0; j < p; ++j) out.w[j] = (1 - s.l2 * s.rate.at(updates)) * out.w[j] + step[j];
            out.b += step_b;
            ++updates;
            for (Size j = 0; j < p; ++j) out.average[j] += (out.w[j] - out.average[j]) / updates;
        }
    return out;
}

void check_near(const std::vector<double>& a, const std::vector<double>& b) {
    CHECK(a.size() == b.size());
    for (Size j = 0; j < a.size(); ++j) CHECK_NEAR(a[j], b[j], 1e-12);
}

}  // namespace

TEST(sgd_on_every_layout_is_the_plain_update) {
    const Table X = random_table(30, 5, 1);
    const std::vector<double> y = random_vector(30, 2), weight = random_vector(30, 3, 0.5, 2);
    for (const Layout& layout : layouts(X))
        for (const Size batch : {1u, 4u, 30u}) {
            where = layout.name + ", batch " + std::to_string(batch);
            SgdSettings s = settings(batch);
            s.l2 = 0.3;
            s.average_from = 1;
            s.rate.kind = Rate::Kind::decay;
            const Outcome want = plain(X, y, s, weight);
            const Outcome got = run(layout.view, y, s, AnyLoss(SquaredLoss{}), weight);
            check_near(got.w, want.w);
            check_near(got.average, want.average);
            CHECK_NEAR(got.b, want.b, 1e-12);
        }
    where.clear();
}

TEST(sgd_keeps_its_digits_when_the_scale_runs_out) {
    // Each update keeps a tenth: after nine updates the scale is below 1e-9, and v takes it over.
    const Table X = random_table(40, 3, 4);
    const std::vector<double> y = random_vector(40, 5), one(40, 1.0);
    SgdSettings s = settings();
    s.l2 = 9;
    s.average_from = 1;
    const Outcome want = plain(X, y, s, one);
    const Outcome got = run(X.view(), y, s, AnyLoss(SquaredLoss{}));
    check_near(got.w, want.w);
    check_near(got.average, want.average);
}

TEST(sgd_gives_the_same_bits_with_a_trace_and_on_any_number_of_threads) {
    const Table X = random_table(3000, 7, 6);
    std::vector<double> y = random_vector(3000, 7);
    for (double& value : y) value = value > 0;
    for (const Size batch : {1u, 64u, 2000u}) {
        SgdSettings s = settings(batch);
        s.order = RowOrder::swapped;
        s.l1 = s.l2 = 1e-3;
        s.tol = 1e-3;
        const Outcome one = run(X.view(), y, s, AnyLoss(LogisticLoss{}));
        s.threads = 3;
        const Outcome three = run(X.view(), y, s, AnyLoss(LogisticLoss{}));
        Watch watch;
        const Outcome watched = follow(X.view(), y, s, AnyLoss(LogisticLoss{}), watch);
        CHECK(same_bits(one.w, three.w));
        CHECK(same_bits(one.w, watched.w));
        CHECK(watch.record.tables().count("steps") == 1);
    }
}

TEST(l1_stops_at_zero) {
    // One column of ones, target 0.3: every step of l1 is longer than what the loss pulls.
    Table X(4, 1);
    std::fill(X.cells.begin(), X.cells.end(), 1.0);
    SgdSettings s = settings(1, 20);
    s.intercept = false;
    s.l1 = 1;
    CHECK(run(X.view(), {0.3, 0.3, 0.3, 0.3}, s, AnyLoss(SquaredLoss{})).w[0] == 0);
}

TEST(swapped_rows_are_a_permutation_of_the_last_epochs_order) {
    RowPicker picker(RowOrder::swapped, 12345, {}, 50);
    std::vector<Size> last(50);
    std::iota(last.begin(), last.end(), Size{0});
    for (Size epoch = 0; epoch < 3; ++epoch) {
        picker.begin(epoch);
        XorShift random(12345);
        for (Size i = 0; i + 1 < 50; ++i) std::swap(last[i], last[i + random.next() % (50 - i)]);
        for (Size place = 0; place < 50; ++place) CHECK(picker.pick(place) == last[place]);
    }
}

TEST(a_constant_rate_that_is_too_high_ends_the_run) {
    const Table X = random_table(200, 3, 8, 0.0);
    const std::vector<double> y = random_vector(200, 9);
    SgdSettings s = settings(1, 1000);
    s.rate.eta0 = 50;
    s.diverged = 2;
    const Outcome got = run(X.view(), y, s, AnyLoss(SquaredLoss{}));
    CHECK(got.result.stop == SgdStop::overflow);
    CHECK(got.result.epochs <= s.patience);
}

}  // namespace pellucid::test

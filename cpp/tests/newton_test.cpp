#include "core/solvers/newton.hpp"

#include <array>

#include "core/losses/logistic.hpp"
#include "tests/harness.hpp"
#include "tests/lapack_by_hand.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Run {
    LinearResult result;
    std::vector<double> w, b;
};

// Targets that no plane parts: the sign of a noisy score.
std::vector<double> targets(const Table& X, std::uint64_t seed) {
    const std::vector<double> w = random_vector(X.cols, seed), noise = random_vector(X.rows, seed + 1);
    std::vector<double> y(X.rows);
    for (Size r = 0; r < X.rows; ++r) {
        double f = 2 * noise[r];
        for (Size c = 0; c < X.cols; ++c) f += w[c] * X.at(r, c);
        y[r] = f > 0;
    }
    return y;
}

template <class Trace>
Run traced(const Matrix& X, std::span<const double> y, const LinearSettings& settings, Trace& trace,
           std::span<const double> weight = {}) {
    use_lapack_by_hand();
    Run out{{}, std::vector<double>(cols_of(X)), std::vector<double>(1)};
    out.result = newton({&X, y, weight, 1}, settings, out.w, out.b, trace);
    return out;
}
Run run(const Matrix& X, std::span<const double> y, const LinearSettings& settings,
        std::span<const double> weight = {}) {
    NoTrace none;
    return traced(X, y, settings, none, weight);
}

LinearSettings settings(double l2, bool intercept = true, double intercept_l2 = 0) {
    LinearSettings s;
    s.l2 = l2;
    s.intercept = intercept;
    s.intercept_l2 = intercept_l2;
    s.tol = 1e-10;
    return s;
}

// Largest slope of F at the answer, by plain loops in long double.
long double slope_at(const Table& X, const std::vector<double>& y, const std::vector<double>& weight,
                     const LinearSettings& s, const Run& at) {
    long double total = 0, of_b = 0, largest = 0;
    std::vector<long double> of_w(X.cols, 0.0L);
    for (Size r = 0; r < X.rows; ++r) {
        const long double share = weight.empty() ? 1.0 : weight[r];
        long double f = at.b[0];
        for (Size c = 0; c < X.cols; ++c) f += static_cast<long double>(at.w[c]) * X.at(r, c);
        const long double u = share * (1 / (1 + std::exp(-f)) - y[r]);
        for (Size c = 0; c < X.cols; ++c) of_w[c] += u * X.at(r, c);
        of_b += u;
        total += share;
    }
    for (Size c = 0; c < X.cols; ++c) largest = std::max(largest, std::abs(of_w[c] / total + s.l2 * at.w[c]));
    return s.intercept ? std::max(largest, std::abs(of_b / total + s.intercept_l2 * at.b[0])) : largest;
}

bool stop_at_two(void*, Size pass, std::span<const double>) { return pass == 2; }

}  // namespace

// One column of 1 and -1: the mean loss is that of f = w with 3 of 4 rows right, so e^w = 3.
TEST(newton_by_hand) {
    Table X(4, 1);
    X.cells = {1, 1, -1, 1};
    const Run found = run(X.view(), std::vector<double>{1, 1, 0, 0}, settings(0, false));
    CHECK(found.result.stop == LinearStop::converged);
    CHECK_NEAR(found.w[0], std::log(3.0), 1e-12);
    CHECK(found.b[0] == 0);
}

TEST(newton_is_stationary_in_every_layout) {
    const Table X = random_table(300, 11, 1);
    const std::vector<double> y = targets(X, 2), weight = random_vector(300, 4, 0, 2);
    for (const auto& s : {settings(0), settings(0.1), settings(0.1, false), settings(0.01, true, 0.3)})
        for (const bool weighted : {false, true})
            for (const Layout& layout : layouts(X)) {
                where = layout.name;
                const std::vector<double> w = weighted ? weight : std::vector<double>{};
                const Run found = run(layout.view, y, s, w);
                CHECK(found.result.stop == LinearStop::converged);
                CHECK(slope_at(X, y, w, s, found) <= 1e-10L);
                CHECK_NEAR(found.result.measure, slope_at(X, y, w, s, found), 1e-13);
            }
}

TEST(newton_has_equal_bits_on_any_number_of_threads) {
    const Table X = random_table(20000, 6, 1);
    const std::vector<double> y = targets(X, 2);
    LinearSettings s = settings(0.01);
    const Run one = run(X.view(), y, s);
    for (const int threads : {2, 3}) {
        s.threads = threads;
        const Run other = run(X.view(), y, s);
        CHECK(same_bits(one.w, other.w) && same_bits(one.b, other.b));
    }
}

TEST(newton_of_parted_classes) {
    Table X(6, 1);
    X.cells = {0, 1, 2, 3, 4, 5};
    const std::vector<double> parted = {0, 0, 0, 1, 1, 1};
    CHECK(run(X.view(), parted, settings(0)).result.stop == LinearStop::separated);
    CHECK(run(X.view(), parted, settings(0.01)).result.stop == LinearStop::converged);
    X.cells = {0, 1, 2, 2, 4, 5};  // both classes at 2: F falls for ever and stays above zero
    CHECK(run(X.view(), parted, settings(0)).result.stop == LinearStop::separated);
    CHECK(run(X.view(), std::vector<double>{0, 1, 0, 1, 0, 1}, settings(0)).result.stop == LinearStop::converged);
}

TEST(newton_of_dependent_columns) {
    const Table X = random_table(200, 4, 1);
    Table twice(200, 6);
    for (Size r = 0; r < 200; ++r)
        for (Size c = 0; c < 6; ++c) twice.at(r, c) = c < 4 ? X.at(r, c) : c == 4 ? X.at(r, 0) : 0.0;
    const std::vector<double> y = targets(X, 2);
    const Run alone = run(X.view(), y, settings(0)), both = run(twice.view(), y, settings(0));
    CHECK(both.result.stop == LinearStop::converged);
    CHECK_NEAR(both.result.objective, alone.result.objective, 1e-13);
    CHECK_NEAR(both.w[0] + both.w[4], alone.w[0], 1e-7);
    CHECK_NEAR(both.w[0], both.w[4], 1e-5);
    CHECK(both.w[5] == 0);
}

TEST(newton_records_and_listens) {
    const Table X = random_table(100, 2, 1);
    const std::vector<double> y = targets(X, 2);
    Record record;
    const Run plain = run(X.view(), y, settings(0.01)), told = traced(X.view(), y, settings(0.01), record);
    CHECK(same_bits(plain.w, told.w));
    const Record::Table& passes = record.tables().at("passes");
    CHECK((passes.columns ==
           std::vector<std::string>{"pass", "objective", "slope", "step", "coef_0", "coef_1", "intercept"}));
    CHECK(passes.cells.size() == 7 * (told.result.passes + 1));
    CHECK_NEAR(passes.cells[1], std::log(2.0), 1e-15);  // all rows at one half
    Watch watch{{}, stop_at_two, nullptr};
    const Run stopped = traced(X.view(), y, settings(0.01), watch);
    CHECK(stopped.result.stop == LinearStop::told && stopped.result.passes == 2);
}

}  // namespace pellucid::test

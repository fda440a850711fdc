// What all solvers of a linear problem owe: their contract is checked at the door, odd sizes are no trouble, the bits
// do not depend on the threads, and awkward data end in an answer or a reason.
#include <functional>
#include <limits>

#include "core/base/simd.hpp"
#include "core/solvers/coordinate_logistic.hpp"
#include "core/solvers/lbfgs.hpp"
#include "core/solvers/newton.hpp"
#include "core/solvers/saga.hpp"
#include "core/solvers/smooth_hot.hpp"
#include "tests/harness.hpp"
#include "tests/lapack_by_hand.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Solver {
    std::string name;
    LinearLoss loss;
    std::function<LinearResult(const LinearProblem&, const LinearSettings&, std::span<double>, std::span<double>,
                               Watch&)>
        run;
};

std::vector<Solver> solvers() {
    use_lapack_by_hand();
    std::vector<Solver> all;
    all.push_back(
        {"newton", LinearLoss::logistic, [](const auto& problem, const auto& s, auto W, auto b, Watch& watch) {
             return newton(problem, s, W, b, watch);
         }});
    all.push_back(
        {"coordinates", LinearLoss::logistic, [](const auto& problem, const auto& s, auto W, auto b, Watch& watch) {
             return coordinate_logistic(problem, s, W, b, watch);
         }});
    for (const LinearLoss loss : {LinearLoss::squared, LinearLoss::logistic, LinearLoss::softmax}) {
        const std::string of = " of loss " + std::to_string(static_cast<int>(loss));
        all.push_back({"lbfgs" + of, loss, [loss](const auto& problem, const auto& s, auto W, auto b, Watch& watch) {
                           return lbfgs(problem, s, loss, false, W, b, watch);
                       }});
        for (const AverageKind kind : {AverageKind::sag, AverageKind::saga})
            all.push_back({(kind == AverageKind::sag ? "sag" : "saga") + of, loss,
                           [loss, kind](const auto& problem, const auto& s, auto W, auto b, Watch& watch) {
                               return saga(problem, s, loss, kind, W, b, watch);
                           }});
    }
    return all;
}

struct Answer {
    LinearResult result;
    std::vector<double> W, b;
};

// Classes 0, 1, 2 (0 and 1 for two) or numbers, with a score that noise blurs.
std::vector<double> targets(const Table& X, LinearLoss loss) {
    const std::vector<double> w = random_vector(X.cols, 21), noise = random_vector(X.rows, 22);
    std::vector<double> y(X.rows);
    for (Size r = 0; r < X.rows; ++r) {
        double score = noise[r];
        for (Size c = 0; c < X.cols; ++c) score += w[c] * X.at(r, c);
        if (loss == LinearLoss::squared) y[r] = score;
        if (loss == LinearLoss::logistic) y[r] = score > 0;
        if (loss == LinearLoss::softmax) y[r] = score < -0.5 ? 0 : score < 0.5 ? 1 : 2;
    }
    return y;
}
Size outputs_of(LinearLoss loss) { return loss == LinearLoss::softmax ? 3 : 1; }

Answer run(const Solver& solver, const Matrix& X, std::span<const double> y, const LinearSettings& s, Watch& watch,
           std::span<const double> weight = {}) {
    const Size k = outputs_of(solver.loss);
    Answer a{{}, std::vector<double>(k * cols_of(X)), std::vector<double>(k)};
    a.result = solver.run({&X, y, weight, k}, s, a.W, a.b, watch);
    return a;
}
Answer run(const Solver& solver, const Matrix& X, std::span<const double> y, const LinearSettings& s,
           std::span<const double> weight = {}) {
    Watch watch;
    return run(solver, X, y, s, watch, weight);
}

LinearSettings settings(double l2) {
    LinearSettings s;
    s.l2 = l2;
    s.tol = 1e-8;
    s.most_passes = 30;
    return s;
}

bool finite(const Answer& a) {
    for (const auto* values : {&a.W, &a.b})
        for (const double v : *values)
            if (!std::isfinite(v)) return false;
    return std::isfinite(a.result.objective);
}

bool refused(const std::function<void()>& attempt) {
    try {
        attempt();
    } catch (const ContractError&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(linear_solvers_check_what_they_are_given) {
    const Table table = random_table(12, 3, 1);
    const Matrix X = table.view();
    for (const Solver& solver : solvers()) {
        where = solver.name;
        const Size k = outputs_of(solver.loss);
        const std::vector<double> good = targets(table, solver.loss);
        const auto refuses = [&](const std::vector<double>& y, const std::vector<double>& weight, Size coefficients,
                                 Size intercepts, Size outputs) {
            std::vector<double> W(coefficients), b(intercepts);
            Watch watch;
            return refused([&] { solver.run({&X, y, weight, outputs}, settings(0.1), W, b, watch); });
        };
        CHECK(!refuses(good, {}, 3 * k, k, k));
        CHECK(refuses(good, {}, 3 * k + 1, k, k));
        CHECK(refuses(good, {}, 3 * k, k + 1, k));
        CHECK(refuses(good, {}, 0, 0, 0));
        CHECK(refuses(good, std::vector<double>(11, 1.0), 3 * k, k, k));
        CHECK(refuses(good, std::vector<double>(12, 0.0), 3 * k, k, k));
        CHECK(refuses(std::vector<double>(11, 0.0), {}, 3 * k, k, k));
        if (solver.loss == LinearLoss::squared) continue;
        for (const double code : {-1.0, 3.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
            std::vector<double> y = good;
            y[7] = code;
            CHECK(refuses(y, {}, 3 * k, k, k));
        }
    }
    where.clear();
}

TEST(linear_solvers_of_odd_sizes) {
    for (const Solver& solver : solvers())
        for (const Size rows : {1, 2, 17})
            for (const Size cols : {0, 1, 9})
                for (const bool intercept : {true, false}) {
                    const Table table = random_table(rows, cols, 3, 0.9);  // most sparse columns are empty
                    const std::vector<double> y = targets(table, solver.loss);
                    LinearSettings s = settings(0.1);
                    s.intercept = intercept;
                    for (const Layout& layout : layouts(table)) {
                        where = solver.name + ", " + layout.name + ", " + std::to_string(rows) + " x " +
                                std::to_string(cols);
                        CHECK(finite(run(solver, layout.view, y, s)));
                    }
                }
    where.clear();
}

TEST(linear_solvers_have_equal_bits_on_any_number_of_threads) {
    const Table table = random_table(5000, 20, 1);
    const std::vector<double> weight = random_vector(5000, 4, 0, 2);
    for (const Solver& solver : solvers()) {
        const std::vector<double> y = targets(table, solver.loss);
        for (const Layout& layout : {strided<double>("C", table, 20, 1), strided<float>("F", table, 1, 5000),
                                     csr<std::int32_t>("CSR", table)}) {
            where = solver.name + ", " + layout.name;
            LinearSettings s = settings(0.01);
            s.most_passes = 4;
            const Answer one = run(solver, layout.view, y, s, weight);
            for (const int threads : {2, 3}) {
                s.threads = threads;
                const Answer other = run(solver, layout.view, y, s, weight);
                CHECK(same_bits(one.W, other.W) && same_bits(one.b, other.b));
                CHECK(one.result.objective == other.result.objective && one.result.measure == other.result.measure);
            }
        }
    }
    where.clear();
}

TEST(linear_solvers_record_and_listen) {
    const Table table = random_table(60, 4, 1);
    const Matrix X = table.view();
    for (const Solver& solver : solvers()) {
        where = solver.name;
        const std::vector<double> y = targets(table, solver.loss);
        const Size k = outputs_of(solver.loss);
        LinearSettings s = settings(1e-3);
        s.tol = 1e-13;
        Watch watch;
        watch.listener = [](void*, Size pass, std::span<const double>) { return pass == 1; };
        const Answer stopped = run(solver, X, y, s, watch);
        CHECK(stopped.result.stop == LinearStop::told && stopped.result.passes == 1);
        const Record::Table& passes = watch.record.tables().at("passes");
        CHECK(passes.columns.size() == 4 + 5 * k && passes.cells.size() == 2 * passes.columns.size());
        CHECK(passes.columns.back() == (k == 1 ? "intercept" : "intercept_2"));
        for (Size i = 0; i < 4 * k; ++i) CHECK(passes.cells[passes.columns.size() + 4 + i] == stopped.W[i]);
    }
    where.clear();
}

// A column twice, one that is constant and one of zeros: F is that of the table without them.
TEST(smooth_solvers_of_dependent_columns) {
    const Table table = random_table(200, 3, 1);
    Table more(200, 6);
    for (Size r = 0; r < 200; ++r)
        for (Size c = 0; c < 5; ++c) more.at(r, c) = c < 3 ? table.at(r, c) : c == 3 ? table.at(r, 0) : 7;
    for (const Solver& solver : solvers()) {
        if (solver.name.starts_with("sag")) continue;  // slow on columns like these
        where = solver.name;
        const std::vector<double> y = targets(table, solver.loss);
        LinearSettings s = settings(0);
        s.most_passes = 500;
        const Answer alone = run(solver, table.view(), y, s), all = run(solver, more.view(), y, s);
        CHECK(alone.result.stop == LinearStop::converged && all.result.stop == LinearStop::converged);
        CHECK_NEAR(all.result.objective, alone.result.objective, 1e-9);
        CHECK(finite(all));
    }
    where.clear();
}

TEST(linear_solvers_of_parted_classes) {
    Table X(6, 1);
    X.cells = {0, 1, 2, 3, 4, 5};
    for (const Solver& solver : solvers()) {
        if (solver.loss == LinearLoss::squared) continue;
        where = solver.name;
        const std::vector<double> y = solver.loss == LinearLoss::logistic ? std::vector<double>{0, 0, 0, 1, 1, 1}
                                                                          : std::vector<double>{0, 0, 0, 2, 2, 2};
        LinearSettings s = settings(0);
        s.most_passes = 500;
        s.tol = 1e-6;
        const Answer free = run(solver, X.view(), y, s);
        CHECK(free.result.stop == LinearStop::separated && finite(free));
        s.l2 = 0.01;
        const Answer held = run(solver, X.view(), y, s);
        CHECK((held.result.stop == LinearStop::converged || held.result.stop == LinearStop::count) && finite(held));
    }
    where.clear();
}

// Numbers at both ends of the range: an answer that is one, or LinearStop::overflow.
TEST(linear_solvers_of_huge_and_tiny_columns) {
    const Table table = random_table(40, 3, 1);
    for (const double size : {1e-300, 1e150, 1e300}) {
        Table scaled = table;
        for (Size r = 0; r < 40; ++r) scaled.at(r, 1) *= size;
        for (const Solver& solver : solvers()) {
            where = solver.name + ", " + std::to_string(std::log10(size));
            const std::vector<double> y = targets(table, solver.loss);
            const Answer answer = run(solver, scaled.view(), y, settings(1e-3));
            CHECK(answer.result.stop == LinearStop::overflow || finite(answer));
        }
    }
    where.clear();
}

TEST(panels_and_the_logistic_loss_at_every_level) {
    const Level before = current_level();
    constexpr Size panels = 3, width = 8 * panels;
    for (const Level level : {Level::baseline, Level::v3, Level::v4}) {
        if (level > best_level()) continue;
        set_level(level_name(level));
        for (const Size rows : {1, 5, 16, 33}) {
            where = std::string(level_name(level)) + ", " + std::to_string(rows);
            const std::vector<double> packed = random_vector(width * rows, 1), phi = random_vector(width, 2);
            const std::vector<double> u = random_vector(rows, 3), bend = random_vector(rows, 4);
            const std::vector<double> start = random_vector(width, 5);
            std::vector<double> f(rows), gradient = start, scaled(packed.size());
            smooth_hot().panel_scores(packed.data(), rows, panels, phi.data(), f.data());
            smooth_hot().panel_slopes(packed.data(), rows, panels, u.data(), bend.data(), gradient.data(),
                                      scaled.data());
            const auto at = [&](Size r, Size c) { return (c / 8 * rows + r) * 8 + c % 8; };
            for (Size r = 0; r < rows; ++r) {
                double score = 0;
                for (Size c = 0; c < width; ++c) {
                    score += packed[at(r, c)] * phi[c];
                    CHECK(scaled[at(r, c)] == bend[r] * packed[at(r, c)]);
                }
                CHECK_NEAR(f[r], score, 1e-14);
            }
            for (Size c = 0; c < width; ++c) {
                double sum = start[c];
                for (Size r = 0; r < rows; ++r) sum += u[r] * packed[at(r, c)];
                CHECK_NEAR(gradient[c], sum, 1e-14);
            }
        }
        constexpr Size n = 3 * kRowGroup;
        const std::vector<double> scores = random_vector(n, 6, -40, 40), s = random_vector(n, 7, 0, 2);
        std::vector<double> y(n), f = scores, bend(n);
        double want = 0, least = 1e300, margin = 1e300;
        for (Size i = 0; i < n; ++i) y[i] = static_cast<double>(i % 2);
        const double value = smooth_hot().logistic(y.data(), s.data(), n, f.data(), bend.data(), &least);
        for (Size i = 0; i < n; ++i) {
            const double own = y[i] > 0 ? scores[i] : -scores[i], e = std::exp(-std::abs(own));
            want += s[i] * (std::max(-own, 0.0) + std::log1p(e));
            margin = std::min(margin, own);
            CHECK_NEAR(f[i], s[i] * (1 / (1 + std::exp(-scores[i])) - y[i]), 1e-15);
            CHECK_NEAR(bend[i], s[i] * e / ((1 + e) * (1 + e)), 1e-15);
        }
        CHECK_NEAR(value, want, 1e-12);
        CHECK(least == margin);
    }
    set_level(level_name(before));
    where.clear();
}

}  // namespace pellucid::test

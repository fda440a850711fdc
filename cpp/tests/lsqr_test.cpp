// LSQR against the normal equations solved in long double: X'X w = X'y, and w = X'(XX')^-1 y for the shortest answer.
#include "core/solvers/lsqr.hpp"

#include <functional>

#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using Wide = std::vector<long double>;

// A x = b by elimination with row exchanges; A is n x n, row-major.
Wide solve(Wide A, Wide b) {
    const Size n = b.size();
    for (Size k = 0; k < n; ++k) {
        Size pivot = k;
        for (Size i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
        for (Size j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
        std::swap(b[k], b[pivot]);
        for (Size i = k + 1; i < n; ++i) {
            const long double times = A[i * n + k] / A[k * n + k];
            for (Size j = k; j < n; ++j) A[i * n + j] -= times * A[k * n + j];
            b[i] -= times * b[k];
        }
    }
    for (Size k = n; k-- > 0;) {
        for (Size j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return b;
}

// D (X - 1 m') S as a plain table: what LSQR works on.
struct System {
    Table X;
    std::vector<double> y, scale, mean, weight;  // weight: roots

    System(const Table& x, std::vector<double> target) : X(x), y(std::move(target)), scale(x.cols, 1.0) {}
    long double at(Size r, Size c) const {
        const long double value = static_cast<long double>(X.at(r, c)) - (mean.empty() ? 0.0 : mean[c]);
        return value * scale[c] * (weight.empty() ? 1.0 : weight[r]);
    }
};

Wide least_squares(const System& s) {
    const Size n = s.X.rows, p = s.X.cols;
    Wide G(p * p, 0.0L), b(p, 0.0L);
    for (Size r = 0; r < n; ++r)
        for (Size i = 0; i < p; ++i) {
            b[i] += s.at(r, i) * s.y[r];
            for (Size j = 0; j < p; ++j) G[i * p + j] += s.at(r, i) * s.at(r, j);
        }
    return solve(G, b);
}

Wide shortest(const System& s) {
    const Size n = s.X.rows, p = s.X.cols;
    Wide K(n * n, 0.0L), w(p, 0.0L);
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j < n; ++j)
            for (Size c = 0; c < p; ++c) K[i * n + j] += s.at(i, c) * s.at(j, c);
    const Wide a = solve(K, Wide(s.y.begin(), s.y.end()));
    for (Size c = 0; c < p; ++c)
        for (Size i = 0; i < n; ++i) w[c] += s.at(i, c) * a[i];
    return w;
}

struct Answer {
    LsqrResult result;
    std::vector<double> w;
};

template <class Trace>
Answer run(const System& s, const Matrix& X, Trace& trace, int threads = 1, double tolerance = 1e-14,
           Size most_passes = 500) {
    const LsqrProblem problem{&X, s.scale, s.mean, s.weight, tolerance, most_passes, threads};
    std::vector<double> b = s.y;
    Answer answer{{}, std::vector<double>(s.X.cols, 99.0)};
    answer.result = lsqr(problem, b, answer.w, trace);
    return answer;
}

Answer run(const System& s) {
    NoTrace none;
    return run(s, s.X.view(), none);
}

void check_answer(const Answer& got, const Wide& want) {
    CHECK(got.result.status == Status::ok);
    CHECK(got.result.passes > 0);
    long double size = 0;
    for (const long double w : want) size = std::max(size, std::abs(w));
    for (Size j = 0; j < want.size(); ++j) CHECK_NEAR(got.w[j], want[j], 1e-11L * size);
}

// y = X w + noise * u
System system(Size rows, Size cols, double noise) {
    const Table X = random_table(rows, cols, 1);
    const std::vector<double> w = random_vector(cols, 2), u = random_vector(rows, 3);
    std::vector<double> y(rows);
    for (Size r = 0; r < rows; ++r) {
        y[r] = noise * u[r];
        for (Size c = 0; c < cols; ++c) y[r] += X.at(r, c) * w[c];
    }
    return {X, y};
}

struct Heard {
    Size stop_at = 0;
    std::vector<Size> passes;
    std::vector<double> w;
};

bool listen(void* state, Size pass, std::span<const double> w) {
    auto& heard = *static_cast<Heard*>(state);
    heard.passes.push_back(pass);
    heard.w.assign(w.begin(), w.end());
    return pass == heard.stop_at;
}

}  // namespace

TEST(lsqr_by_hand) {
    System s(Table(3, 1), {2, 4, 6});
    s.X.cells = {1, 2, 3};
    const Answer answer = run(s);
    CHECK(answer.result.passes == 1);
    CHECK_NEAR(answer.w[0], 2, 1e-15);
}

TEST(lsqr_of_consistent_systems) {
    for (const Size rows : {6, 20, 200}) {
        where = std::to_string(rows) + " rows";
        const System s = system(rows, 6, 0);
        const std::vector<double> w = random_vector(6, 2);
        check_answer(run(s), Wide(w.begin(), w.end()));
    }
}

TEST(lsqr_of_inconsistent_systems) {
    for (const Size rows : {8, 20, 200}) {
        where = std::to_string(rows) + " rows";
        const System s = system(rows, 6, 1);
        check_answer(run(s), least_squares(s));
    }
}

TEST(lsqr_of_more_columns_than_rows_finds_the_shortest) {
    const System s = system(6, 25, 1);
    check_answer(run(s), shortest(s));
}

// Two equal columns share their coefficient; a column of zeros gets none.
TEST(lsqr_of_dependent_columns_finds_the_shortest) {
    System s = system(30, 4, 1), without(Table(30, 2), s.y);
    for (Size r = 0; r < 30; ++r) {
        s.X.at(r, 2) = s.X.at(r, 0);
        s.X.at(r, 3) = 0;
        for (Size c = 0; c < 2; ++c) without.X.at(r, c) = s.X.at(r, c);
    }
    const Wide w = least_squares(without);
    check_answer(run(s), {w[0] / 2, w[1], w[0] / 2, 0});
}

TEST(lsqr_scales_centers_and_weighs_in_every_layout) {
    for (const bool centered : {false, true})
        for (const bool weighted : {false, true}) {
            System s = system(50, 5, 1);
            if (centered) s.mean = random_vector(5, 6, 0, 1);
            if (weighted) s.weight = random_vector(50, 7, 0.1, 2);
            s.scale = random_vector(5, 8, 0.5, 2);
            const Wide want = least_squares(s);
            for (const Layout& layout : layouts(s.X)) {
                where = layout.name + (centered ? ", centered" : "") + (weighted ? ", weighted" : "");
                NoTrace none;
                check_answer(run(s, layout.view, none), want);
            }
        }
}

// Columns whose squares leave the number range, brought back by their scales.
TEST(lsqr_scales_columns) {
    const System plain = system(50, 6, 1);
    const Wide want = least_squares(plain);
    for (const bool centered : {false, true}) {
        System s = plain;
        for (Size c = 0; c < 6; ++c) {
            s.scale[c] = std::ldexp(1.0, 200 * static_cast<int>(c) - 500);
            for (Size r = 0; r < 50; ++r) s.X.at(r, c) /= s.scale[c];
        }
        if (centered) s.mean.assign(6, 0.0);
        for (const Layout& layout : wide_layouts(s.X)) {
            where = layout.name;
            NoTrace none;
            check_answer(run(s, layout.view, none), want);
        }
    }
}

TEST(lsqr_records_every_pass) {
    const System s = system(60, 8, 1);
    Record record;
    const Answer answer = run(s, s.X.view(), record);
    const Record::Table& passes = record.tables().at("passes");
    CHECK((passes.columns == std::vector<std::string>{"pass", "residual_norm", "gradient_norm"}));
    CHECK(passes.cells.size() == 3 * answer.result.passes);
    for (Size i = 0; i < answer.result.passes; ++i) {
        CHECK(passes.cells[3 * i] == static_cast<double>(i + 1));
        if (i > 0) CHECK(passes.cells[3 * i + 1] <= passes.cells[3 * i - 2]);
    }
}

// The norms come from recurrences: each must be that of the answer after its pass.
TEST(lsqr_records_the_norms_of_the_answer_so_far) {
    System s = system(60, 8, 1);
    s.mean = random_vector(8, 6, 0, 1);
    s.weight = random_vector(60, 7, 0.1, 2);
    for (const Size passes : {1, 2, 3, 5}) {
        where = std::to_string(passes) + " passes";
        Record record;
        const Answer answer = run(s, s.X.view(), record, 1, 0, passes);
        CHECK(answer.result.status == Status::not_converged);
        CHECK(answer.result.passes == passes);
        long double square = 0, gradient = 0;
        Wide rest(60), g(8, 0.0L);
        for (Size r = 0; r < 60; ++r) {
            rest[r] = s.y[r];
            for (Size c = 0; c < 8; ++c) rest[r] -= s.at(r, c) * answer.w[c];
            square += rest[r] * rest[r];
            for (Size c = 0; c < 8; ++c) g[c] += s.at(r, c) * rest[r];
        }
        for (const long double v : g) gradient += v * v;
        const std::vector<double>& cells = record.tables().at("passes").cells;
        CHECK_NEAR(cells[cells.size() - 2], std::sqrt(square), 1e-12L * std::sqrt(square));
        CHECK_NEAR(cells[cells.size() - 1], std::sqrt(gradient), 1e-11L * std::sqrt(gradient));
    }
}

TEST(lsqr_stops_when_the_listener_says_so) {
    const System s = system(60, 8, 1);
    Heard heard;
    heard.stop_at = 3;
    Watch watch{{}, listen, &heard};
    const Answer answer = run(s, s.X.view(), watch);
    CHECK(answer.result.status == Status::ok);
    CHECK(answer.result.passes == 3);
    CHECK((heard.passes == std::vector<Size>{1, 2, 3}));
    CHECK(same_bits(heard.w, answer.w));
    CHECK(watch.record.tables().at("passes").cells.size() == 9);
    NoTrace none;
    CHECK(same_bits(run(s, s.X.view(), none, 1, 0, 3).w, answer.w));
}

TEST(lsqr_tells_the_listener_of_every_pass) {
    const System s = system(60, 8, 1);
    Heard heard;
    Watch watch{{}, listen, &heard};
    const Answer answer = run(s, s.X.view(), watch);
    CHECK(heard.passes.size() == answer.result.passes);
    CHECK(same_bits(heard.w, answer.w));
}

TEST(lsqr_has_equal_bits_with_any_trace_and_any_number_of_threads) {
    const System s = system(40000, 4, 1);  // three parts of X'u
    NoTrace none;
    Record record;
    Watch watch;
    const Answer plain = run(s, s.X.view(), none);
    CHECK(same_bits(run(s, s.X.view(), record).w, plain.w));
    CHECK(same_bits(run(s, s.X.view(), watch).w, plain.w));
    for (const int threads : {2, 3}) CHECK(same_bits(run(s, s.X.view(), none, threads).w, plain.w));
}

TEST(lsqr_with_nothing_to_explain) {
    System s = system(10, 3, 1);
    s.y.assign(10, 0.0);
    const Answer zero = run(s);
    CHECK(zero.result.status == Status::ok && zero.result.passes == 0);
    CHECK((zero.w == std::vector<double>{0, 0, 0}));
    System blank(Table(10, 3), random_vector(10, 1));
    CHECK((run(blank).w == std::vector<double>{0, 0, 0}));
}

TEST(lsqr_says_when_passes_run_out) {
    const System s = system(60, 8, 1);
    NoTrace none;
    const Answer answer = run(s, s.X.view(), none, 1, 1e-14, 2);
    CHECK(answer.result.status == Status::not_converged);
    CHECK(answer.result.passes == 2);
}

TEST(lsqr_refuses_wrong_sizes) {
    const System s = system(10, 3, 1);
    const Matrix X = s.X.view();
    int refused = 0;
    for (const auto& [n, p, scales] : {std::array<Size, 3>{9, 3, 3}, {10, 4, 3}, {10, 3, 2}}) {
        std::vector<double> b(n), w(p), scale(scales, 1.0);
        NoTrace none;
        try {
            lsqr(LsqrProblem{&X, scale, {}, {}, 1e-6, 10, 1}, b, w, none);
        } catch (const ContractError&) {
            ++refused;
        }
    }
    CHECK(refused == 3);
}

}  // namespace pellucid::test

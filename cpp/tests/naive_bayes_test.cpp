// Moments, densities, counts and posteriors against plain loops, in every layout, at every level, on any number of
// threads.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/naive_bayes/best.hpp"
#include "core/naive_bayes/counts.hpp"
#include "core/naive_bayes/gaussian.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int32_t> random_codes(Size n, Size classes, std::uint64_t seed) {
    const Random random{seed, 7};
    std::vector<std::int32_t> out(n);
    for (Size i = 0; i < n; ++i) out[i] = static_cast<std::int32_t>(random.below(i, classes));
    return out;
}

struct Plain {
    std::vector<long double> count, mean, square;
};

Plain moments_by_loop(const Table& t, const std::vector<std::int32_t>& codes, Size classes,
                      const std::vector<double>& weight) {
    const Size cells = classes * t.cols;
    Plain out{std::vector<long double>(cells), std::vector<long double>(cells), std::vector<long double>(cells)};
    const auto each = [&](const auto& f) {
        for (Size r = 0; r < t.rows; ++r)
            for (Size j = 0; j < t.cols; ++j)
                if (!std::isnan(t.at(r, j)))
                    f(static_cast<Size>(codes[r]) * t.cols + j, weight.empty() ? 1.0L : weight[r], t.at(r, j));
    };
    each([&](Size i, long double w, long double x) { out.count[i] += w, out.mean[i] += w * x; });
    for (Size i = 0; i < cells; ++i) out.mean[i] = out.count[i] > 0 ? out.mean[i] / out.count[i] : 0;
    each([&](Size i, long double w, long double x) { out.square[i] += w * (x - out.mean[i]) * (x - out.mean[i]); });
    return out;
}

void check_moments(const ClassMoments& got, const Plain& want, long double tolerance) {
    for (Size i = 0; i < want.count.size(); ++i) {
        CHECK_NEAR(got.count[i], want.count[i], 1e-12L * (1 + want.count[i]));
        CHECK_NEAR(got.mean[i], want.mean[i], tolerance * (1 + std::abs(want.mean[i])));
        CHECK_NEAR(got.square[i], want.square[i], tolerance * (1 + want.square[i]));
    }
}

}  // namespace

TEST(class_moments_equal_plain_loops) {
    for (const auto& [rows, cols, classes] :
         {std::tuple<Size, Size, Size>{1, 1, 1}, {300, 13, 4}, {5000, 9, 3}, {40, 700, 2}}) {
        Table t = random_table(rows, cols, 3);
        const auto codes = random_codes(rows, classes, 5);
        const std::vector<double> weight = random_vector(rows, 11, 0, 2);
        for (const bool weighted : {false, true}) {
            const std::vector<double> w = weighted ? weight : std::vector<double>{};
            const Plain want = moments_by_loop(t, codes, classes, w);
            at_every_level([&] {
                for (const Layout& l : layouts(t)) {
                    if (l.name.starts_with("CSR")) continue;
                    where = l.name;
                    check_moments(class_moments(l.view, codes, classes, w, false, 2), want, 1e-12L);
                    check_moments(class_moments(l.view, codes, classes, w, true, 2), want, 1e-12L);
                }
            });
        }
    }
}

TEST(class_moments_leave_missing_numbers_out) {
    Table t = random_table(4000, 5, 3);
    const auto codes = random_codes(t.rows, 3, 5);
    const Random chance{9, 0};
    for (Size i = 0; i < t.cells.size(); ++i)
        if (chance.below(i, 4) == 0) t.cells[i] = kNaN;
    for (Size r = 0; r < t.rows; ++r)
        if (codes[r] == 1) t.at(r, 2) = r > 3000 ? 1e8 + t.at(r, 1) : kNaN;  // the first rows have none
    for (Size r = 0; r < t.rows; ++r)
        if (codes[r] == 2) t.at(r, 4) = kNaN;
    const Plain want = moments_by_loop(t, codes, 3, {});
    at_every_level([&] {
        const ClassMoments got = class_moments(t.view(), codes, 3, {}, true, 2);
        check_moments(got, want, 1e-12L);
        CHECK(got.count[2 * 5 + 4] == 0);
        CHECK(std::isnan(class_moments(t.view(), codes, 3, {}, false, 2).mean[0]));
    });
}

// A spread of 1 about 1e8 keeps ten digits of its variance, and a constant column has none at all.
TEST(class_moments_far_from_zero) {
    Table t = random_table(20'000, 2, 3);
    const auto codes = random_codes(t.rows, 4, 5);
    for (Size r = 0; r < t.rows; ++r) t.at(r, 0) += 1e8, t.at(r, 1) = 0.1;
    const Plain want = moments_by_loop(t, codes, 4, {});
    const ClassMoments got = class_moments(t.view(), codes, 4, {}, false, 2);
    for (Size c = 0; c < 4; ++c) {
        CHECK_NEAR(got.square[2 * c], want.square[2 * c], 1e-10L * want.square[2 * c]);
        CHECK(got.square[2 * c + 1] == 0 && got.mean[2 * c + 1] == 0.1);
    }
}

TEST(naive_bayes_has_the_same_bits_on_any_number_of_threads) {
    const Table t = random_table(9000, 6, 3);
    const auto codes = random_codes(t.rows, 3, 5);
    const std::vector<double> weight = random_vector(t.rows, 11, 0, 2);
    std::vector<double> first(3 * 6), again(3 * 6);
    class_counts(t.view(), codes, 3, weight, std::nullopt, first, 1);
    const ClassMoments one = class_moments(t.view(), codes, 3, weight, false, 1);
    for (const int threads : {2, 3}) {
        const ClassMoments more = class_moments(t.view(), codes, 3, weight, false, threads);
        CHECK(same_bits(one.mean, more.mean) && same_bits(one.square, more.square));
        class_counts(t.view(), codes, 3, weight, std::nullopt, again, threads);
        CHECK(same_bits(first, again));
    }
}

TEST(gaussian_scores_equal_plain_loops) {
    for (const auto& [rows, cols, classes] :
         {std::tuple<Size, Size, Size>{1, 1, 1}, {77, 5, 3}, {1100, 130, 2}, {64, 300, 5}}) {
        Table t = random_table(rows, cols, 3);
        const std::vector<double> mean = random_vector(classes * cols, 4),
                                  half = random_vector(classes * cols, 5, 0.1, 3),
                                  log = random_vector(classes * cols, 6), prior = random_vector(classes, 7);
        for (const bool missing : {false, true}) {
            if (missing)
                for (Size i = 0; i < t.cells.size(); i += 7) t.cells[i] = kNaN;
            std::vector<double> want(rows * classes);
            for (Size r = 0; r < rows; ++r)
                for (Size c = 0; c < classes; ++c) {
                    long double s = prior[c];
                    for (Size j = 0; j < cols; ++j) {
                        const long double x = t.at(r, j), d = x - mean[c * cols + j];
                        if (!std::isnan(t.at(r, j))) s -= d * d * half[c * cols + j] + log[c * cols + j];
                    }
                    want[r * classes + c] = static_cast<double>(s);
                }
            at_every_level([&] {
                for (const Layout& l : layouts(t)) {
                    if (l.name.starts_with("CSR")) continue;
                    where = l.name;
                    std::vector<double> got(rows * classes);
                    std::vector<std::int32_t> codes(rows), best(rows);
                    const GaussianTable table{mean, half, log, prior};
                    gaussian_scores(l.view, table, got, 2);
                    for (Size i = 0; i < got.size(); ++i) CHECK_NEAR(got[i], want[i], 1e-12L * (1 + std::abs(want[i])));
                    gaussian_codes(l.view, table, codes, 3);
                    best_classes(got, classes, best, 2);
                    CHECK(codes == best);
                }
            });
        }
    }
}

TEST(a_class_of_prior_zero_is_never_the_best) {
    const std::vector<double> x{0.0, kInfinity}, mean{0, 5}, half{1, 1}, log{0, 0}, prior{-kInfinity, 0};
    std::vector<std::int32_t> codes(2);
    gaussian_codes(Dense<double>{x.data(), 2, 1, 1, 1}, {mean, half, log, prior}, codes, 1);
    CHECK(codes[0] == 1 && codes[1] == -1);
}

TEST(counts_and_linear_scores_equal_plain_loops) {
    for (const auto& [rows, cols, classes] :
         {std::tuple<Size, Size, Size>{1, 1, 1}, {500, 17, 3}, {1100, 40, 37}, {90, 300, 70}}) {
        const Table t = random_table(rows, cols, 3);
        const bool negative = std::any_of(t.cells.begin(), t.cells.end(), [](double v) { return v < 0; });
        const auto codes = random_codes(rows, classes, 5);
        const std::vector<double> weight = random_vector(rows, 11, 0, 2), table = random_vector(classes * cols, 12),
                                  start = random_vector(classes, 13);
        for (const std::optional<double> threshold : {std::optional<double>{}, std::optional<double>{0.25}}) {
            const auto read = [&](double v) { return threshold ? (v > *threshold ? 1.0 : 0.0) : v; };
            std::vector<long double> count(classes * cols), score(rows * classes);
            for (Size r = 0; r < rows; ++r)
                for (Size j = 0; j < cols; ++j) {
                    const long double v = read(t.at(r, j));
                    count[static_cast<Size>(codes[r]) * cols + j] += weight[r] * v;
                    for (Size c = 0; c < classes; ++c) score[r * classes + c] += v * table[c * cols + j];
                }
            at_every_level([&] {
                for (const Layout& l : layouts(t)) {
                    where = l.name;
                    std::vector<double> got(classes * cols), scores(rows * classes);
                    const CountsFound seen = class_counts(l.view, codes, classes, weight, threshold, got, 2);
                    CHECK(!seen.not_finite && seen.negative == negative);
                    for (Size i = 0; i < got.size(); ++i) CHECK_NEAR(got[i], count[i], 1e-11L);
                    linear_scores(l.view, table, start, threshold, scores, 2);
                    for (Size i = 0; i < scores.size(); ++i)
                        CHECK_NEAR(scores[i], score[i] + start[i % classes], 1e-11L);
                    std::vector<std::int32_t> said(rows), best(rows);
                    linear_codes(l.view, table, start, threshold, said, 3);
                    best_classes(scores, classes, best, 1);
                    CHECK(said == best);
                }
            });
        }
    }
}

TEST(counts_notice_what_is_not_a_count) {
    const std::vector<std::int32_t> codes{0, 0};
    std::vector<double> out(1);
    for (const double odd : {-1.0, kNaN, kInfinity}) {
        const std::vector<double> x{1.0, odd};
        for (const std::optional<double> threshold : {std::optional<double>{}, std::optional<double>{0.0}}) {
            const CountsFound found =
                class_counts(Dense<double>{x.data(), 2, 1, 1, 1}, codes, 1, {}, threshold, out, 1);
            CHECK(found.negative == (odd < 0));
            CHECK(found.not_finite == !std::isfinite(odd));
        }
    }
}

TEST(posterior_is_the_share_of_the_powers) {
    std::vector<double> s{std::log(3.0) - 2000, -2000, -kInfinity, -kInfinity, -kInfinity, -kInfinity};
    std::vector<double> logs = s;
    CHECK(posterior(s, 3, false, 2) == 1 && posterior(logs, 3, true, 1) == 1);
    CHECK_NEAR(s[0], 0.75, 1e-12);
    CHECK_NEAR(s[1], 0.25, 1e-12);
    CHECK(s[2] == 0 && logs[2] == -kInfinity && s[3] == -kInfinity);
    CHECK_NEAR(logs[0], std::log(0.75), 1e-12);
}

TEST(of_equal_scores_the_first_is_best) {
    const std::vector<double> s{1, 2, 2};
    CHECK(best_of(s.data(), 3, 1) == 1);
}

}  // namespace pellucid::test

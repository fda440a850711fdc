// Rows drawn for a round of boosting: shares, GOSS, MVS and Bayesian weights.
#include <algorithm>
#include <set>

#include "core/boosting/sampling.hpp"
#include "tests/harness.hpp"
#include "tests/random_slopes.hpp"

namespace pellucid::test {
namespace {

using namespace boosting;

struct Drawn {
    std::vector<std::uint32_t> rows;
    std::vector<Slope> slopes;
};

Drawn draw(const Sampling& s, std::vector<Slope> slopes, Size outputs = 1, const std::vector<std::uint32_t>& among = {},
           std::uint64_t seed = 1, Size round = 50) {
    Drawn out;
    out.rows = sample_rows(s, slopes.size() / outputs, outputs, among, slopes, seed, round);
    out.slopes = std::move(slopes);
    return out;
}

void check_rising(const std::vector<std::uint32_t>& rows, Size all) {
    for (Size i = 1; i < rows.size(); ++i) CHECK(rows[i - 1] < rows[i]);
    if (!rows.empty()) CHECK(rows.back() < all);
}

Sampling sampling_of(Draw kind, double share = 1) {
    Sampling out;
    out.draw = kind;
    out.share = share;
    return out;
}

}  // namespace

TEST(draws_are_rising_among_those_allowed_and_the_same_again) {
    const std::vector<Slope> slopes = random_slopes(3000, 2);
    std::vector<std::uint32_t> among;
    for (std::uint32_t i = 0; i < 3000; i += 2) among.push_back(i);
    for (const Draw kind : {Draw::share, Draw::bernoulli, Draw::goss, Draw::mvs}) {
        const Sampling s = sampling_of(kind, 0.4);
        const Drawn one = draw(s, slopes), again = draw(s, slopes), other = draw(s, slopes, 1, {}, 1, 51);
        check_rising(one.rows, 3000);
        CHECK(one.rows == again.rows);
        CHECK(one.rows != other.rows);
        CHECK(one.rows != draw(s, slopes, 1, {}, 2).rows);
        const Drawn some = draw(s, slopes, 1, among);
        check_rising(some.rows, 3000);
        for (const std::uint32_t row : some.rows) CHECK(row % 2 == 0);
        for (Size i = 1; i < 3000; i += 2) CHECK(some.slopes[i].gradient == slopes[i].gradient);
    }
    CHECK(draw(sampling_of(Draw::share, 0.4), slopes).rows.size() == 1200);
    CHECK(draw(sampling_of(Draw::share, 0.4), slopes, 1, among).rows.size() == 600);
    CHECK(draw(sampling_of(Draw::all), slopes, 1, among).rows == among);
    CHECK(draw(sampling_of(Draw::all), slopes).rows.empty());
}

TEST(nothing_is_drawn_before_its_time) {
    const std::vector<Slope> slopes = random_slopes(100, 2);
    Sampling s = sampling_of(Draw::goss);
    s.after = 5;
    CHECK(draw(s, slopes, 1, {}, 1, 4).rows.empty());
    CHECK(draw(s, slopes, 1, {}, 1, 5).rows.size() == 30);
}

TEST(goss_keeps_the_steepest_and_counts_the_others_more) {
    const Size n = 1000;
    for (const Size outputs : {Size{1}, Size{3}}) {
        const std::vector<Slope> slopes = random_slopes(n * outputs, 6);
        Sampling s = sampling_of(Draw::goss);
        s.top = 0.2;
        s.other = 0.1;
        const Drawn got = draw(s, slopes, outputs);
        CHECK(got.rows.size() == 300);
        std::vector<std::pair<double, std::uint32_t>> size(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            double sum = 0;
            for (Size k = 0; k < outputs; ++k) sum += std::pow(static_cast<double>(slopes[k * n + i].gradient), 2);
            size[i] = {-sum, i};
        }
        std::sort(size.begin(), size.end());
        const std::set<std::uint32_t> drawn(got.rows.begin(), got.rows.end());
        for (Size i = 0; i < n; ++i) {
            const std::uint32_t row = size[i].second;
            const double factor = i < 200 || drawn.count(row) == 0 ? 1 : 8;
            if (i < 200) CHECK(drawn.count(row) == 1);
            for (Size k = 0; k < outputs; ++k) {
                CHECK_NEAR(got.slopes[k * n + row].gradient, factor * static_cast<double>(slopes[k * n + row].gradient),
                           1e-6);
                CHECK_NEAR(got.slopes[k * n + row].curvature,
                           factor * static_cast<double>(slopes[k * n + row].curvature), 1e-6);
            }
        }
    }
}

TEST(rows_drawn_by_their_slopes_add_up_to_all_on_average) {
    const Size n = 4000;
    std::vector<Slope> slopes = random_slopes(n, 7);
    for (Slope& s : slopes) s.gradient = std::abs(s.gradient) + 0.05F;
    double want = 0;
    for (const Slope& s : slopes) want += static_cast<double>(s.gradient);
    for (const Draw kind : {Draw::goss, Draw::mvs}) {
        double sum = 0, rows = 0;
        constexpr Size rounds = 60;
        for (Size round = 0; round < rounds; ++round) {
            const Drawn got = draw(sampling_of(kind, 0.3), slopes, 1, {}, 3, round);
            for (const std::uint32_t row : got.rows) sum += static_cast<double>(got.slopes[row].gradient);
            rows += static_cast<double>(got.rows.size());
        }
        CHECK_NEAR(sum / rounds, want, 0.01 * want);
        CHECK_NEAR(rows / rounds, 0.3 * static_cast<double>(n), 0.01 * static_cast<double>(n));
    }
}

TEST(mvs_is_certain_of_the_steepest) {
    // Sizes 1, 1, 2, 8 and half of the rows: probabilities 1/4, 1/4, 1/2, 1.
    const std::vector<Slope> slopes{{1, 0}, {-1, 0}, {2, 0}, {-8, 0}};
    std::vector<double> times(4, 0.0);
    constexpr Size rounds = 8000;
    for (Size round = 0; round < rounds; ++round) {
        const Drawn got = draw(sampling_of(Draw::mvs, 0.5), slopes, 1, {}, 5, round);
        for (const std::uint32_t row : got.rows) {
            times[row] += 1;
            const double factor[] = {4, 4, 2, 1};
            CHECK_NEAR(got.slopes[row].gradient, factor[row] * static_cast<double>(slopes[row].gradient), 1e-6);
        }
    }
    const double want[] = {0.25, 0.25, 0.5, 1};
    for (Size i = 0; i < 4; ++i) CHECK_NEAR(times[i] / rounds, want[i], 0.025);
}

TEST(bayesian_weights_have_mean_one) {
    const std::vector<Slope> slopes(20000, Slope{1, 1});
    const Drawn got = draw(sampling_of(Draw::bayesian), slopes);
    CHECK(got.rows.empty());
    double sum = 0, squares = 0;
    for (const Slope& s : got.slopes) {
        CHECK(s.gradient >= 0 && s.gradient == s.curvature);
        sum += static_cast<double>(s.gradient);
        squares += static_cast<double>(s.gradient) * static_cast<double>(s.gradient);
    }
    CHECK_NEAR(sum / 20000, 1, 0.04);
    CHECK_NEAR(squares / 20000, 2, 0.2);  // exponential
    Sampling cold = sampling_of(Draw::bayesian);
    cold.temperature = 0;
    for (const Slope& s : draw(cold, slopes).slopes) CHECK(s.gradient == 1);
}

TEST(tiny_tables_are_drawn_from_too) {
    for (const Draw kind : {Draw::share, Draw::bernoulli, Draw::goss, Draw::mvs, Draw::bayesian})
        for (const Size n : {Size{1}, Size{2}, Size{3}}) {
            const Drawn got = draw(sampling_of(kind, 0.1), std::vector<Slope>(n, Slope{0, 1}));
            check_rising(got.rows, n);
            CHECK(got.rows.size() <= n);
        }
}

}  // namespace pellucid::test

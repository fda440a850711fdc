// Quantiles and places against plain loops, and the normal quantile against the distribution that it inverts.
#include "core/preprocessing/quantile.hpp"

#include "core/base/check.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

std::vector<double> shares_of(Size n) {
    std::vector<double> shares(n);
    for (Size k = 0; k < n; ++k) shares[k] = n == 1 ? 0.0 : static_cast<double>(k) / static_cast<double>(n - 1);
    return shares;
}

double plain_place(double x, const std::vector<double>& q, const std::vector<double>& r) {
    const Size n = q.size();
    if (x <= q[0]) return 0;
    if (x >= q[n - 1]) return r[n - 1];
    Size first = 0, last = n - 1;
    while (q[first] < x) ++first;
    while (q[last] > x) --last;
    if (first <= last) return (r[first] + r[last]) / 2;
    return r[last] + (r[first] - r[last]) * (x - q[last]) / (q[first] - q[last]);
}

}  // namespace

TEST(the_normal_quantile_inverts_the_normal_distribution) {
    for (int i = 1; i < 2000; ++i) {
        const double p = i / 2000.0;
        const long double back = 0.5L * std::erfc(-static_cast<long double>(normal_quantile(p)) * std::sqrt(0.5L));
        CHECK_NEAR(back, static_cast<long double>(p), 3e-16L * (1 + 3 * std::abs(std::log(p))));
        CHECK_NEAR(normal_quantile(p), -normal_quantile(1 - p), 1e-14 / (p * (1 - p)));
    }
    for (double p = 1e-300; p < 0.1; p *= 7) {
        const long double z = normal_quantile(p);
        const long double back = 0.5L * std::erfc(-z * std::sqrt(0.5L));
        CHECK_NEAR(back / p, 1.0L, 1e-15L * (2 + z * z));  // z dp/p = z^2 dz/z
    }
    CHECK(normal_quantile(0.5) == 0);
    CHECK(normal_quantile(0) == -std::numeric_limits<double>::infinity());
    CHECK(normal_quantile(1) == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(normal_quantile(-0.1)));
}

TEST(quantiles_stand_at_their_places) {
    const Table table = random_table(300, 4, 3);
    std::vector<std::int64_t> rows;
    for (std::int64_t r = 299; r >= 0; r -= 2) rows.push_back(r);
    const std::vector<double> shares = shares_of(37);
    for (const Layout& layout : layouts(table)) {
        if (!std::holds_alternative<Dense<double>>(layout.view) && !std::holds_alternative<Dense<float>>(layout.view))
            continue;
        where = layout.name;
        for (const int threads : {1, 3}) {
            const std::vector<double> found = sample_quantiles(layout.view, rows, shares, threads);
            for (Size c = 0; c < 4; ++c) {
                std::vector<double> ordered;
                for (const std::int64_t r : rows) ordered.push_back(table.at(static_cast<Size>(r), c));
                std::sort(ordered.begin(), ordered.end());
                for (Size k = 0; k < shares.size(); ++k) {
                    const double place = shares[k] * static_cast<double>(ordered.size() - 1);
                    const Size below = static_cast<Size>(place), above = std::min(below + 1, ordered.size() - 1);
                    const double part = place - static_cast<double>(below);
                    CHECK_NEAR(found[c * 37 + k], ordered[below] + part * (ordered[above] - ordered[below]), 1e-15);
                }
            }
        }
    }
    where.clear();
}

TEST(values_are_placed_as_by_a_plain_search) {
    for (const Size n : {Size{1}, Size{2}, Size{5}, Size{100}, Size{1000}})
        for (const int kind : {0, 1, 2, 3}) {
            std::vector<double> q = random_vector(n, n + static_cast<std::uint64_t>(kind), -3, 3);
            for (double& v : q) v = kind == 0 ? v : kind == 1 ? std::round(v) : kind == 2 ? std::exp(20 * v) : 1.5;
            std::sort(q.begin(), q.end());
            const std::vector<double> r = shares_of(n);
            std::vector<double> x = q;
            for (Size k = 0; k + 1 < n; ++k) x.push_back(q[k] + (q[k + 1] - q[k]) * 0.3);
            for (const double v : {-1e300, -4.0, 0.0, 1.5, 4.0, 1e300}) x.push_back(v);
            x.push_back(std::numeric_limits<double>::quiet_NaN());
            std::vector<double> out(x.size());
            const Curves curves{r, q, 1};
            where = std::to_string(n) + " of kind " + std::to_string(kind);
            const Written<double> written{out.data(), out.size(), 1, 1, 1};
            CHECK(quantile_columns(Dense<double>{x.data(), x.size(), 1, 1, 1}, curves, written, 2) == kNothing);
            for (Size i = 0; i + 1 < x.size(); ++i) CHECK_NEAR(out[i], plain_place(x[i], q, r), 1e-13);
            CHECK(std::isnan(out.back()));
            std::vector<double> back(x.size());
            unquantile_columns(Dense<double>{out.data(), out.size(), 1, 1, 1}, curves,
                               Written<double>{back.data(), back.size(), 1, 1, 1}, 2);
            for (Size k = 0; k < n && kind == 0; ++k) CHECK_NEAR(back[k], q[k], 1e-11);
        }
    where.clear();
}

}  // namespace pellucid::test

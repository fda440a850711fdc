// Filling, medians, nearest donors and chained lines against plain loops, at every level and on any number of threads.
#include <algorithm>
#include <limits>

#include "core/base/rng.hpp"
#include "core/impute/chained.hpp"
#include "core/impute/fill.hpp"
#include "core/impute/neighbors.hpp"
#include "tests/harness.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Whole numbers, so that ties occur and sums are exact; every sixth or so is missing.
std::vector<double> table(Size rows, Size cols, std::uint64_t seed) {
    const Random chance{seed, 0};
    std::vector<double> x(rows * cols);
    for (Size i = 0; i < x.size(); ++i)
        x[i] = chance.below(2 * i, 6) == 0 ? kNaN : static_cast<double>(chance.below(2 * i + 1, 9)) - 4;
    return x;
}

Dense<double> view(const std::vector<double>& x, Size cols) {
    const auto step = static_cast<std::ptrdiff_t>(cols);
    return {x.data(), x.size() / cols, cols, step, 1};
}

struct Near {
    double apart;
    std::int64_t row;
    bool operator<(const Near& o) const { return apart < o.apart || (apart == o.apart && row < o.row); }
};

std::vector<Near> nearest_by_loop(const std::vector<double>& fit, const std::vector<double>& x, Size cols, Gap gap) {
    std::vector<Near> found;
    for (Size r = 0; r < fit.size() / cols; ++r) {
        if (std::isnan(fit[r * cols + static_cast<Size>(gap.col)])) continue;
        double sum = 0, shared = 0;
        for (Size c = 0; c < cols; ++c) {
            const double d = x[static_cast<Size>(gap.row) * cols + c] - fit[r * cols + c];
            if (!std::isnan(d)) sum += d * d, shared += 1;
        }
        if (shared > 0) found.push_back({sum / shared, static_cast<std::int64_t>(r)});
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST(gaps_are_filled_and_columns_left_out) {
    const Size rows = 1000, cols = 5;
    const std::vector<double> x = table(rows, cols, 1);
    const std::vector<std::int64_t> from{0, 1, 2, 3, 4}, some{3, 1};
    const std::vector<double> value{1, 2, 3, 4, 5}, few{7, 8};
    for (const int threads : {1, 3}) {
        std::vector<double> out(rows * cols), narrow(rows * 2);
        CHECK(fill_missing(view(x, cols), from, value, Written<double>{out.data(), rows, cols, 5, 1}, threads));
        CHECK(fill_missing(view(x, cols), some, few, Written<double>{narrow.data(), rows, 2, 1, 1000}, threads));
        for (Size r = 0; r < rows; ++r) {
            for (Size c = 0; c < cols; ++c)
                CHECK(out[r * cols + c] == (std::isnan(x[r * cols + c]) ? value[c] : x[r * cols + c]));
            CHECK(narrow[r] == (std::isnan(x[r * cols + 3]) ? 7 : x[r * cols + 3]));
            CHECK(narrow[rows + r] == (std::isnan(x[r * cols + 1]) ? 8 : x[r * cols + 1]));
        }
    }
    std::vector<double> bad{1, kNaN, std::numeric_limits<double>::infinity()}, out(3);
    const std::vector<std::int64_t> only{0};
    const std::vector<double> zero{0};
    CHECK(!fill_missing(view(bad, 1), only, zero, Written<double>{out.data(), 3, 1, 1, 1}, 1));
}

TEST(medians_are_those_of_sorted_columns) {
    for (const Size rows : {Size{1}, Size{2}, Size{7}, Size{1000}}) {
        const Size cols = 6;
        const std::vector<double> x = table(rows, cols, rows);
        const std::vector<double> found = column_medians(view(x, cols), 2);
        for (Size c = 0; c < cols; ++c) {
            std::vector<double> values;
            for (Size r = 0; r < rows; ++r)
                if (!std::isnan(x[r * cols + c])) values.push_back(x[r * cols + c]);
            std::sort(values.begin(), values.end());
            const Size n = values.size();
            if (n == 0)
                CHECK(std::isnan(found[c]));
            else
                CHECK(found[c] == (values[(n - 1) / 2] + values[n / 2]) / 2);
        }
    }
}

TEST(donors_are_the_nearest_rows_with_the_column) {
    at_every_level([] {
        const Size cols = 7, k = 5;
        for (const Size rows : {Size{1}, Size{31}, Size{200}}) {
            const std::vector<double> fit = table(rows, cols, 3), x = table(90, cols, 4);
            std::vector<Gap> gaps;
            for (Size i = 0; i < x.size(); ++i)
                if (std::isnan(x[i]))
                    gaps.push_back({static_cast<std::int64_t>(i / cols), static_cast<std::int64_t>(i % cols)});
            std::vector<std::int64_t> chosen(gaps.size() * k);
            std::vector<double> apart(gaps.size() * k);
            nearest_donors(Donors(view(fit, cols), 2), view(x, cols), gaps, k, chosen, apart, 2);
            for (Size g = 0; g < gaps.size(); ++g) {
                const std::vector<Near> want = nearest_by_loop(fit, x, cols, gaps[g]);
                for (Size n = 0; n < k; ++n) {
                    CHECK(chosen[g * k + n] == (n < want.size() ? want[n].row : -1));
                    if (n < want.size())
                        CHECK_NEAR(apart[g * k + n], std::sqrt(want[n].apart * 7), 1e-12);
                    else
                        CHECK(std::isnan(apart[g * k + n]));
                }
            }
        }
    });
}

TEST(cross_products_follow_a_column_that_is_refreshed) {
    at_every_level([] {
        const Size rows = 5000, cols = 9, width = cols + 1;
        std::vector<double> x = table(rows, cols, 5);
        std::vector<std::int64_t> gaps;
        for (Size r = 0; r < rows; ++r) {
            if (std::isnan(x[r * cols + 2])) gaps.push_back(static_cast<std::int64_t>(r));
            for (Size c = 0; c < cols; ++c)
                if (std::isnan(x[r * cols + c])) x[r * cols + c] = 0.5;
        }
        const std::vector<double> shift(cols, 0.25), scale(cols, 0.5);
        const Units units{shift, scale};
        std::vector<double> coef(cols, 0.125);
        coef[2] = 0;
        std::vector<std::vector<double>> seen;
        for (const int threads : {1, 3}) {
            std::vector<double> copy = x, G(width * width), change(width), again(width * width), part(width * width);
            const Filled table{copy.data(), rows, cols};
            cross_products(table, {}, true, units, G, threads);
            for (Size i = 0; i < width; ++i)
                for (Size j = 0; j < width; ++j) {
                    double sum = 0;
                    for (Size r = 0; r < rows; ++r) {
                        const auto z = [&](Size c) { return c == cols ? 1.0 : (x[r * cols + c] - 0.25) * 0.5; };
                        sum += z(i) * z(j);
                    }
                    CHECK_NEAR(G[i * width + j], sum, 1e-9);
                }
            cross_products(table, gaps, false, units, part, threads);
            CHECK(part[width * width - 1] == static_cast<double>(gaps.size()));
            refresh_column(table, gaps, {2, 1.0, coef, -10, 1.25}, units, change, threads);
            for (const std::int64_t r : gaps) {
                double value = 1.0;
                for (Size c = 0; c < cols; ++c) value += coef[c] * x[static_cast<Size>(r) * cols + c];
                CHECK_NEAR(copy[static_cast<Size>(r) * cols + 2], std::min(value, 1.25), 1e-12);
            }
            cross_products(table, {}, true, units, again, threads);
            for (Size i = 0; i < width; ++i) CHECK_NEAR(G[i * width + 2] + change[i], again[i * width + 2], 1e-9);
            seen.push_back(again);
            seen.push_back(change);
            std::vector<double> before = x;
            CHECK(largest_change(table, before, threads) > 0);
            CHECK(same_bits(before, copy));
            CHECK(largest_change(table, before, threads) == 0);
        }
        CHECK(same_bits(seen[0], seen[2]));
        CHECK(same_bits(seen[1], seen[3]));
    });
}

TEST(a_chain_runs_over_each_row_by_itself) {
    const Size rows = 3000, cols = 3;
    std::vector<double> x(rows * cols, 1.0);
    std::vector<std::uint8_t> missing(rows * cols, 0);
    for (Size r = 0; r < rows; r += 2) missing[r * cols] = missing[r * cols + 1] = 1;
    const std::vector<std::int64_t> columns{0, 1, 0};
    const std::vector<double> intercepts{1, 2, 3}, coefs{0, 1, 1, 1, 0, 0, 0, 1, 0}, low(3, -100), high(3, 100);
    run_chain({x.data(), rows, cols}, missing, {columns, intercepts, coefs, low, high}, 2);
    for (Size r = 0; r < rows; ++r) {
        // 1 + 1 + 1 = 3, then 2 + 3 = 5, then 3 + 5 = 8
        CHECK(x[r * cols] == (r % 2 == 0 ? 8 : 1));
        CHECK(x[r * cols + 1] == (r % 2 == 0 ? 5 : 1));
    }
}

}  // namespace pellucid::test

#include "core/isotonic/isotonic.hpp"

#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Drawn {
    std::vector<double> x, y, weight;
    RowsToSort view(bool weighted) const {
        return {x, y, weighted ? std::span<const double>(weight) : std::span<const double>()};
    }
};

// x in steps where asked, so that many rows share one; y rises with much noise; weights are quarters.
Drawn draw(Size n, double steps) {
    Drawn rows;
    const std::vector<double> u = random_vector(n, n + 1), noise = random_vector(n, n + 2);
    const Random chance{5, 1};
    for (Size i = 0; i < n; ++i) {
        rows.x.push_back(steps > 0 ? std::round(u[i] * steps) / steps : u[i]);
        rows.y.push_back(rows.x[i] + 2 * noise[i]);
        rows.weight.push_back(0.25 * static_cast<double>(1 + chance.bits(i) % 16));
    }
    return rows;
}

// The definition: f_i is the largest over a <= i of the smallest over b >= i of the mean of y_a .. y_b.
std::vector<double> by_definition(const std::vector<double>& y, const std::vector<double>& w) {
    const Size n = y.size();
    std::vector<double> f(n);
    for (Size i = 0; i < n; ++i) {
        double best = -INFINITY;
        for (Size a = 0; a <= i; ++a) {
            double sum = 0, weight = 0, least = INFINITY;
            for (Size b = a; b < n; ++b) {
                sum += w[b] * y[b];
                weight += w[b];
                if (b >= i) least = std::min(least, sum / weight);
            }
            best = std::max(best, least);
        }
        f[i] = best;
    }
    return f;
}

double at(const Corners& corners, double x) {
    const Size i = static_cast<Size>(std::lower_bound(corners.x.begin(), corners.x.end(), x) - corners.x.begin());
    if (corners.x[i] == x) return corners.y[i];
    const double share = (x - corners.x[i - 1]) / (corners.x[i] - corners.x[i - 1]);
    return corners.y[i - 1] + share * (corners.y[i] - corners.y[i - 1]);
}

}  // namespace

TEST(pooling_is_the_largest_of_the_smallest_means) {
    for (const Size n : {0, 1, 2, 3, 10, 60}) {
        const Drawn rows = draw(n, 0);
        for (const bool weighted : {false, true}) {
            where = std::to_string(n);
            std::vector<double> f(n);
            pool_in_order(rows.y, weighted ? std::span<const double>(rows.weight) : std::span<const double>(), f);
            const std::vector<double> wanted =
                by_definition(rows.y, weighted ? rows.weight : std::vector<double>(n, 1.0));
            for (Size i = 0; i < n; ++i) CHECK_NEAR(f[i], wanted[i], 1e-12);
        }
    }
}

TEST(sorted_rows_are_the_rows_in_order) {
    for (const Size n : {0, 1, 511, 513, 5000, 140'000})
        for (const double steps : {0.0, 8.0, 1000.0}) {
            where = std::to_string(n) + " in steps of 1/" + std::to_string(steps);
            const Drawn rows = draw(n, steps);
            std::vector<WeightedRow> wanted;
            for (Size i = 0; i < n; ++i) wanted.push_back({rows.x[i] + 0.0, rows.y[i], rows.weight[i]});
            std::sort(wanted.begin(), wanted.end());
            for (const int threads : {1, 2, 3}) {
                const SortedRows<WeightedRow> sorted(rows.view(true), threads);
                bool same = sorted.rows().size() == n;
                for (Size i = 0; same && i < n; ++i)
                    same = sorted.rows()[i].x == wanted[i].x && sorted.rows()[i].y == wanted[i].y &&
                           sorted.rows()[i].mass == wanted[i].mass;
                CHECK(same);
            }
        }
}

TEST(the_fit_goes_through_the_pooled_means_of_equal_x) {
    for (const double steps : {0.0, 12.0})
        for (const bool weighted : {false, true}) {
            const Drawn rows = draw(80, steps);
            const Corners corners = fit_isotonic(rows.view(weighted), 0, -INFINITY, INFINITY, 1);
            std::vector<double> x, y, w;
            std::vector<WeightedRow> order;
            for (Size i = 0; i < rows.x.size(); ++i)
                order.push_back({rows.x[i], rows.y[i], weighted ? rows.weight[i] : 1.0});
            std::sort(order.begin(), order.end());
            for (Size i = 0; i < order.size(); ++i) {
                if (x.empty() || order[i].x != x.back()) {
                    x.push_back(order[i].x);
                    y.push_back(0);
                    w.push_back(0);
                }
                y.back() += order[i].mass * order[i].y;
                w.back() += order[i].mass;
            }
            for (Size g = 0; g < y.size(); ++g) y[g] /= w[g];
            const std::vector<double> wanted = by_definition(y, w);
            for (Size g = 0; g < x.size(); ++g) CHECK_NEAR(at(corners, x[g]), wanted[g], 1e-12);
            for (Size i = 1; i < corners.x.size(); ++i)
                CHECK(corners.x[i - 1] < corners.x[i] && corners.y[i - 1] <= corners.y[i]);
        }
}

TEST(corners_are_few_and_held_between_the_limits) {
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7}, y{0, 2, 1, 3, 3, 5, 9};
    const Corners corners = fit_isotonic({x, y, {}}, 0, 1, 4, 1);
    CHECK(same_bits(corners.x, {1, 2, 3, 4, 5, 6, 7}));
    CHECK(same_bits(corners.y, {1, 1.5, 1.5, 3, 3, 4, 4}));
    const std::vector<double> level{3, 2, 1, 1, 2, 3, 2};
    CHECK(fit_isotonic({x, level, {}}, 0, -INFINITY, INFINITY, 1).x.size() == 5);
}

TEST(x_within_the_tie_of_the_first_are_one) {
    const std::vector<double> x{1, 1 + 4e-16, 2}, y{1, 3, 5};
    CHECK(same_bits(fit_isotonic({x, y, {}}, 1e-15, -INFINITY, INFINITY, 1).y, {2, 5}));
    CHECK(same_bits(fit_isotonic({x, y, {}}, 0, -INFINITY, INFINITY, 1).y, {1, 3, 5}));
}

TEST(shuffling_and_threads_change_no_bit) {
    const Drawn rows = draw(200'000, 5000);
    Drawn shuffled = rows;
    for (Size i = 0; i < rows.x.size(); ++i) {
        const Size j = (i * 7919 + 13) % rows.x.size();
        shuffled.x[i] = rows.x[j];
        shuffled.y[i] = rows.y[j];
        shuffled.weight[i] = rows.weight[j];
    }
    for (const bool weighted : {false, true}) {
        const Corners one = fit_isotonic(rows.view(weighted), 1e-15, -INFINITY, INFINITY, 1);
        for (const int threads : {1, 2, 3}) {
            const Corners other = fit_isotonic(shuffled.view(weighted), 1e-15, -INFINITY, INFINITY, threads);
            CHECK(same_bits(one.x, other.x) && same_bits(one.y, other.y));
        }
    }
}

}  // namespace pellucid::test

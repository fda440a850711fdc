// Neighbors by looking at every row, against the exact distance pair by pair: same rows, same bits.
#include "core/distance/brute.hpp"

#include <algorithm>

#include "core/base/simd.hpp"
#include "core/distance/brute_collect.hpp"
#include "core/distance/brute_filter.hpp"
#include "core/distance/product_hot.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Answer {
    std::vector<double> distances;
    std::vector<std::int64_t> rows;

    bool operator==(const Answer& other) const { return rows == other.rows && same_bits(distances, other.distances); }
};

std::vector<Neighbor> all_pairs(const Table& rows, const double* query, const Metric& metric) {
    std::vector<Neighbor> all;
    for (Size r = 0; r < rows.rows; ++r) {
        const double reduced =
            metric.functions<double>().pair(query, rows.cells.data() + r * rows.cols, rows.cols, metric.p);
        all.push_back(
            {reduced == reduced ? reduced : std::numeric_limits<double>::infinity(), static_cast<std::int64_t>(r)});
    }
    std::sort(all.begin(), all.end());
    return all;
}

Answer plain_nearest(const Table& rows, const Table& queries, Size k, const Metric& metric, bool others = false) {
    Answer answer;
    for (Size q = 0; q < queries.rows; ++q) {
        auto all = all_pairs(rows, queries.cells.data() + q * queries.cols, metric);
        if (others) std::erase_if(all, [&](const Neighbor& n) { return n.row == static_cast<std::int64_t>(q); });
        for (Size j = 0; j < k; ++j) {
            answer.distances.push_back(metric.distance(all[j].reduced));
            answer.rows.push_back(all[j].row);
        }
    }
    return answer;
}

Answer nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, int threads) {
    const Size n = rows_of(queries);
    Answer answer{std::vector<double>(n * k), std::vector<std::int64_t>(n * k)};
    brute_nearest(rows, queries, k, metric, answer.distances, answer.rows, threads);
    return answer;
}

void check_within(const Table& rows, const Table& queries, const Matrix& view, const Matrix& asked, double radius,
                  const Metric& metric) {
    const Neighborhoods got = brute_within(view, asked, radius, metric, 2);
    std::vector<std::int64_t> starts{0}, numbers;
    std::vector<double> distances;
    for (Size q = 0; q < queries.rows; ++q) {
        for (const Neighbor& n : all_pairs(rows, queries.cells.data() + q * queries.cols, metric))
            if (metric.distance(n.reduced) <= radius) {
                numbers.push_back(n.row);
                distances.push_back(metric.distance(n.reduced));
            }
        starts.push_back(static_cast<std::int64_t>(numbers.size()));
    }
    CHECK(got.starts == starts);
    CHECK(got.rows == numbers);
    CHECK(same_bits(got.distances, distances));
}

// Rows on which a careless filter errs.
Table awkward(const std::string& kind, Size rows, Size cols, std::uint64_t seed) {
    Table t = random_table(rows, cols, seed);
    const Random random{seed, 9};
    for (Size r = 0; r < rows; ++r) {
        const double chance = random.uniform(r);
        for (Size c = 0; c < cols; ++c) {
            double& x = t.at(r, c);
            if (kind == "whole numbers") x = std::trunc(3 * x);
            if (kind == "doubles") x = t.at(r % 7, c);
            if (kind == "offset") x = 1e8 + x;
            if (kind == "tight clusters") x = 1e6 * t.at(r % 5, c) + 1e-3 * x;
            if (kind == "long tails") x *= std::exp2(std::trunc(60 * chance));
            if (kind == "one column rules") x *= c == 1 ? 1e9 : 1e-3;
            if (kind == "sorted") x = static_cast<double>(rows - r) + 1e-3 * x;
            if (kind == "nothing") x = 0;
            if (kind == "tiny") x *= 0x1p-400;
            if (kind == "huge") x *= 0x1p400;
        }
    }
    return t;
}
const char* const kAwkward[] = {"plain",      "whole numbers",    "doubles", "offset",  "tight clusters",
                                "long tails", "one column rules", "sorted",  "nothing", "tiny",
                                "huge"};

void at_every_level(const auto& body) {
    const Level before = current_level();
    for (const Level l : {Level::baseline, Level::v3, Level::v4})
        if (l <= best_level()) {
            CHECK(set_level(level_name(l)));
            body();
        }
    set_level(level_name(before));
}

}  // namespace

TEST(brute_nearest_is_that_of_all_pairs_in_every_layout) {
    const Table rows = random_table(300, 13, 1), queries = random_table(20, 13, 2);
    for (const int kind : {0, 1, 5}) {
        const Metric metric = metric_of(kind, 2);
        const Answer want = plain_nearest(rows, queries, 5, metric);
        for (const Layout& view : layouts(rows))
            for (const Layout& asked : layouts(queries)) {
                where = view.name + " / " + asked.name;
                CHECK(nearest(view.view, asked.view, 5, metric, 2) == want);
            }
    }
    where.clear();
}

TEST(brute_nearest_takes_every_metric_and_size) {
    for (int kind = 0; kind < 11; ++kind) {
        const Metric metric = metric_of(kind, 3);
        for (const Size d : {Size{1}, Size{2}, Size{7}, Size{12}, Size{40}})
            for (const Size n : {Size{1}, Size{9}, Size{64}, Size{300}}) {
                const Table rows = random_table(n, d, n + d), queries = random_table(40, d, 7 * n);
                const Size k = std::min<Size>(n, 40);
                where = "metric " + std::to_string(kind) + ", " + std::to_string(n) + " x " + std::to_string(d);
                CHECK(nearest(rows.view(), queries.view(), k, metric, 2) == plain_nearest(rows, queries, k, metric));
                Table one(1, d);
                std::copy_n(queries.cells.begin(), d, one.cells.begin());
                CHECK(nearest(rows.view(), one.view(), k, metric, 1) == plain_nearest(rows, one, k, metric));
            }
    }
    where.clear();
}

TEST(brute_filter_errs_on_no_awkward_rows_at_any_level) {
    at_every_level([] {
        for (const char* kind : kAwkward)
            for (const Size d : {Size{12}, Size{67}})
                for (const int of : {0, 5}) {
                    const Metric metric = metric_of(of, 2);
                    Table rows = awkward(kind, 400, d, d), queries = awkward(kind, 20, d, d + 1);
                    if (of == 5) {
                        for (Table* t : {&rows, &queries})
                            for (Size r = 0; r < t->rows; ++r) {
                                double most = 0, length = 0;
                                for (Size c = 0; c < d; ++c) most = std::max(most, std::abs(t->at(r, c)));
                                for (Size c = 0; c < d && most > 0; ++c) t->at(r, c) /= most;
                                for (Size c = 0; c < d; ++c) length += t->at(r, c) * t->at(r, c);
                                for (Size c = 0; c < d && most > 0; ++c) t->at(r, c) /= std::sqrt(length);
                            }
                    }
                    where = std::string(kind) + ", " + std::to_string(d) + " columns, metric " + std::to_string(of);
                    const Answer want = plain_nearest(rows, queries, 10, metric);
                    for (const int threads : {1, 3})
                        CHECK(nearest(rows.view(), queries.view(), 10, metric, threads) == want);
                    check_within(rows, queries, rows.view(), queries.view(), want.distances[14], metric);
                }
    });
    where.clear();
}

// The filter by itself, as plans for large tables run it: in double precision, and on axes of which none was asked.
TEST(brute_filter_is_exact_whatever_its_plan) {
    const Size d = 40;
    for (const char* kind : kAwkward) {
        const Table rows = awkward(kind, 500, d, 11), queries = awkward(kind, 25, d, 12);
        const Answer want = plain_nearest(rows, queries, 4, Metric{});
        FilterPlan plan = plan_filter(rows.view(), queries.view(), 4, 0, Metric{}, false, 1);
        for (const bool wide : {false, true})
            for (const Size axes : {Size{0}, Size{5}, Size{15}}) {
                plan.wide = wide;
                plan.axes = axes;
                plan.more_axes = axes == 0 ? 0 : 2 * axes + 1;
                plan.turn.assign((plan.more_axes + 2) / 3 * 3 * d, 0.0);
                for (Size t = 0; t < plan.more_axes; ++t) {  // reflections of the columns at the diagonal
                    for (Size j = 0; j < d; ++j) plan.turn[t * d + j] = -2 / static_cast<double>(d);
                    plan.turn[t * d + t] += 1;
                }
                where = std::string(kind) + (wide ? ", wide, " : ", narrow, ") + std::to_string(axes) + " axes";
                NearestOfMany collection(4, false);
                collection.open(0, 25);
                filter_search(rows.view(), queries.view(), 0, 25, Metric{}, plan, collection, 2);
                Answer got;
                for (Size q = 0; q < 25; ++q)
                    for (const Neighbor& n : collection.finish(q)) {
                        got.distances.push_back(std::sqrt(n.reduced));
                        got.rows.push_back(n.row);
                    }
                CHECK(got == want);
            }
    }
    where.clear();
}

TEST(brute_nearest_others_leaves_out_the_row_and_not_its_double) {
    for (const Size d : {Size{3}, Size{20}}) {
        const Table rows = awkward("doubles", 400, d, 3);
        Answer got{std::vector<double>(1200), std::vector<std::int64_t>(1200)};
        brute_nearest_others(rows.view(), 3, Metric{}, got.distances, got.rows, 2);
        CHECK(got == plain_nearest(rows, rows, 3, Metric{}, true));
        CHECK(got.rows[0] == 7 && got.distances[0] == 0);
    }
}

TEST(brute_within_is_that_of_all_pairs) {
    const Table rows = random_table(300, 20, 4), queries = random_table(20, 20, 5);
    for (int kind = 0; kind < 11; ++kind) {
        const Metric metric = metric_of(kind, 3);
        const double radius = plain_nearest(rows, queries, 20, metric).distances[19];  // a row's own distance
        for (const Layout& view : wide_layouts(rows)) {
            where = view.name + ", metric " + std::to_string(kind);
            check_within(rows, queries, view.view, queries.view(), radius, metric);
        }
    }
    where.clear();
}

TEST(brute_orders_distances_whose_squares_leave_the_range) {
    for (const double unit : {1e200, 1e-200, 1e300, 1e-300, 1e160, 1e-160}) {
        Table rows(40, 1), queries(20, 1);
        for (Size r = 0; r < 40; ++r) rows.at(r, 0) = unit * static_cast<double>((7 * r) % 40);
        const Answer got = nearest(rows.view(), queries.view(), 3, Metric{}, 1);
        for (Size j = 0; j < 3; ++j) {
            CHECK(rows.at(static_cast<Size>(got.rows[j]), 0) == unit * static_cast<double>(j));
            CHECK_NEAR(got.distances[j] / unit, static_cast<double>(j), 1e-12);
        }
        const Neighborhoods near = brute_within(rows.view(), queries.view(), 2.5 * unit, Metric{}, 1);
        CHECK(near.starts[1] == 3);
        CHECK_NEAR(near.distances[2] / unit, 2.0, 1e-12);
        const Answer cubes = nearest(rows.view(), queries.view(), 3, metric_of(3, 30), 1);
        CHECK_NEAR(cubes.distances[2] / unit, 2.0, 1e-10);
    }
}

TEST(product_filter_keeps_exactly_the_sums_at_their_threshold) {
    at_every_level([] {
        const Size steps = 5, panel = product_hot().narrow_panel;
        std::vector<std::int16_t> rows(kGroup * steps * 2), queries(kTile * steps * 2);
        const Random random{3, 3};
        for (Size i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int16_t>(random.below(i, 65535));
        for (Size i = 0; i < queries.size(); ++i)
            queries[i] = static_cast<std::int16_t>(static_cast<int>(random.below(1000 + i, 201)) - 100);
        const std::vector<float> zero(kGroup, 0), one(kGroup, 1);
        std::vector<float> alpha(kTile, 0), beta(kTile, 1);
        NarrowTile tile{queries.data(), rows.data(), steps, alpha.data(), beta.data(), one.data(), zero.data(), 0};
        std::uint32_t survivors[kTile * kGroup];
        std::vector<std::uint32_t> got(survivors, survivors + product_hot().narrow(tile, survivors)), want;
        for (Size r = 0; r < kGroup; ++r)
            for (Size q = 0; q < kTile; ++q) {
                long sum = 0;
                for (Size j = 0; j < 2 * steps; ++j)
                    sum += static_cast<long>(queries[(j / 2 * kTile + q) * 2 + j % 2]) *
                           rows[r / panel * panel * steps * 2 + (j / 2 * panel + r % panel) * 2 + j % 2];
                if (sum >= 0) want.push_back(static_cast<std::uint32_t>(8 * r + q));
            }
        std::sort(got.begin(), got.end());
        CHECK(got == want);
    });
}

}  // namespace pellucid::test

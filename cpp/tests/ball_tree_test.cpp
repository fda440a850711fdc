// The ball tree against a plain loop over all rows, for every metric that it takes.
#include "core/distance/ball_tree.hpp"

#include <algorithm>

#include "core/base/rng.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

std::vector<double> table(Size rows, Size cols, std::uint64_t kind) {
    const Random chance{kind, 9};
    std::vector<double> x(rows * cols);
    for (Size i = 0; i < x.size(); ++i)
        x[i] = kind == 0 ? static_cast<double>(chance.below(i, 3)) : kind == 1 ? 3 * chance.uniform(i) - 1.5 : 0.5;
    return x;
}

Dense<double> view(const std::vector<double>& x, Size cols) {
    return {x.data(), x.size() / cols, cols, static_cast<std::ptrdiff_t>(cols), 1};
}

void check_nearest(const std::vector<double>& x, Size cols, Size k, const Metric& metric) {
    const Arrangement a = ball_arrangement(x.size() / cols, cols, 1);
    std::vector<double> panels(a.slots() * cols), balls(a.regions);
    std::vector<std::int32_t> places(a.slots());
    ball_build<double>(view(x, cols), a, metric, panels, places, balls, 2);
    const BallView<double> tree{a, panels.data(), places.data(), balls.data(), metric};
    const std::vector<double> queries(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(cols));
    std::vector<double> distances(k);
    std::vector<std::int64_t> numbers(k), counts(1);
    ball_nearest(tree, view(queries, cols), k, {}, distances, numbers, 1);
    std::vector<Neighbor> want;
    for (Size r = 0; r < x.size() / cols; ++r)
        want.push_back({metric.functions<double>().pair(queries.data(), x.data() + r * cols, cols, metric.p),
                        static_cast<std::int64_t>(r)});
    std::sort(want.begin(), want.end());
    for (Size j = 0; j < k; ++j) {
        CHECK(numbers[j] == want[j].row);
        CHECK(distances[j] == metric.distance(want[j].reduced));
    }
    for (const Size place : {k - 1, want.size() / 2, want.size() - 1}) {  // few rows, and whole balls
        const std::vector<double> radii{metric.distance(want[place].reduced)};
        const auto within = [&](const Neighbor& one) { return metric.distance(one.reduced) <= radii[0]; };
        ball_count(tree, view(queries, cols), radii, counts, 1);
        CHECK(counts[0] == std::count_if(want.begin(), want.end(), within));
    }
}

}  // namespace

TEST(ball_tree_finds_what_a_loop_finds) {
    for (const Size n : {1, 9, 100, 900})
        for (const Size d : {2, 3, 7})
            for (std::uint64_t kind = 0; kind < 3; ++kind)
                for (const MetricKind metric :
                     {MetricKind::euclidean, MetricKind::manhattan, MetricKind::chebyshev, MetricKind::minkowski,
                      MetricKind::hamming, MetricKind::jaccard, MetricKind::canberra, MetricKind::haversine})
                    if (metric != MetricKind::haversine || d == 2)
                        check_nearest(table(n, d, kind), d, std::min<Size>(n, 6), {metric, 2.5});
}

TEST(ball_tree_refuses_what_has_no_triangle_inequality) {
    CHECK(has_triangle_inequality({MetricKind::minkowski, 1}));
    CHECK(!has_triangle_inequality({MetricKind::minkowski, 0.5}));
    CHECK(!has_triangle_inequality({MetricKind::cosine}));
    CHECK(!has_triangle_inequality({MetricKind::braycurtis}));
}

}  // namespace pellucid::test

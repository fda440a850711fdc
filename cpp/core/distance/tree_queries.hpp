// Many queries of a tree of points: in which order, in which blocks, and where the answers go.
//
// A tree type has  nearest(job), within(query, reach, take, to), count(query, reach, inside, take, to), locate(queries,
// count, stop, nodes)  and `at`. Many queries are answered in the order of the branches they fall into, so that each
// finds in the cache what the one before it read. (Measured, 3 columns, 1,000,000 rows, 400,000 random queries, k = 5:
// 0.51 s in place of 1.18.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/leaf_tree.hpp"
#include "core/distance/metric.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/tree_search.hpp"

namespace pellucid {

inline constexpr Size kTreeQueries = 256;

// Row r of a dense matrix as doubles.
inline void read_row(const Matrix& m, Size r, double* out) {
    std::visit([&](const auto& x) { copy_rows(x, r, 1, out); }, m);
}

// The order in which queries are answered; empty: as they come.
template <class Tree>
std::vector<std::uint32_t> query_order(const Tree& tree, const Matrix& queries, int threads) {
    constexpr Size kFew = 1024, kInCache = 1 << 18, kMostNodes = 1 << 16;
    const Size n = rows_of(queries), d = tree.at.dims;
    if (n < kFew || n > 0xffffffff || tree.at.rows * d * sizeof(double) < kInCache) return {};
    Size stop = 0;
    while (tree.at.counts[stop] > kMostNodes) ++stop;
    std::vector<std::uint32_t> nodes(n), order(n);
    parallel_for(blocks_of(n, kTreeQueries), threads, [&](Size block) {
        std::vector<double> asked(kTreeQueries * d);
        const Size begin = block * kTreeQueries, count = std::min(n - begin, kTreeQueries);
        for (Size i = 0; i < count; ++i) read_row(queries, begin + i, asked.data() + i * d);
        tree.locate(asked.data(), count, stop, nodes.data() + begin);
    });
    std::vector<std::uint32_t> starts(tree.at.counts[stop] + 1, 0);
    for (const auto node : nodes) ++starts[node + 1];
    for (Size i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (Size i = 0; i < n; ++i) order[starts[nodes[i]]++] = static_cast<std::uint32_t>(i);
    return order;
}

// The k nearest rows of `count` queries in blocks. `read(i, query)` gives query i and answers (row left out, place of
// the answer).
template <class Tree, class Read>
void nearest_in_blocks(const Tree& tree, const Metric& metric, Size n, Size k, double share, Size most_leaves,
                       std::span<double> distances, std::span<std::int64_t> numbers, int threads, const Read& read) {
    parallel_for(blocks_of(n, kTreeQueries), threads, [&](Size block) {
        const Size begin = block * kTreeQueries, count = std::min(n - begin, kTreeQueries), d = tree.at.dims;
        std::vector<double> asked(count * d), reduced(count * k);
        std::vector<std::int32_t> own(count), rows(count * k);
        std::vector<Size> places(count);
        for (Size i = 0; i < count; ++i) std::tie(own[i], places[i]) = read(begin + i, asked.data() + i * d);
        const Size step = std::max<Size>(1, 64 / d);  // with many columns a query takes milliseconds
        for (Size i = 0; i < count; i += step) {
            check_interrupt();
            tree.nearest({asked.data() + i * d, own.data() + i, std::min(step, count - i), k, share, most_leaves,
                          reduced.data() + i * k, rows.data() + i * k});
        }
        for (Size i = 0; i < count; ++i)
            for (Size j = 0; j < k; ++j) {
                distances[places[i] * k + j] = metric.distance(reduced[i * k + j]);
                numbers[places[i] * k + j] = rows[i * k + j];
            }
    });
}

template <class Tree>
void tree_nearest(const Tree& tree, const Metric& metric, const Matrix& queries, Size k, double share, Size most_leaves,
                  std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(cols_of(queries) == tree.at.dims, "queries must have as many columns as the rows");
    require(k >= 1 && k <= tree.at.rows, "k must be between 1 and the number of rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    const auto order = query_order(tree, queries, threads);
    nearest_in_blocks(tree, metric, rows_of(queries), k, share, most_leaves, distances, numbers, threads,
                      [&](Size i, double* query) {
                          const Size place = order.empty() ? i : order[i];
                          read_row(queries, place, query);
                          return std::pair{kNoRow, place};
                      });
}

// The rows of the tree are the queries, in the order in which they lie there.
template <class Tree>
void tree_nearest_others(const Tree& tree, const Metric& metric, Size k, double share, Size most_leaves,
                         std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k < tree.at.rows, "k must be between 1 and the number of other rows");
    require(distances.size() == tree.at.rows * k && numbers.size() == distances.size(), "room for k a row");
    nearest_in_blocks(tree, metric, tree.at.rows, k, share, most_leaves, distances, numbers, threads,
                      [&](Size i, double* query) {
                          const Size d = tree.at.dims;
                          const auto* panel = tree.panels + i / kAbreast * kAbreast * d + i % kAbreast;
                          for (Size j = 0; j < d; ++j) query[j] = static_cast<double>(panel[j * kAbreast]);
                          return std::pair{tree.rows[i], static_cast<Size>(tree.rows[i])};
                      });
}

// A reduced distance that no row within the radius exceeds, hardly larger than need be.
inline double reach_of(const Metric& metric, double radius) {
    constexpr double kMore = 1 + 1e-9;
    switch (metric.kind) {
        case MetricKind::euclidean:
            return radius * radius * kMore + 1e-260;
        case MetricKind::minkowski:
            return std::pow(radius * kMore, metric.p) * kMore + 1e-260;
        case MetricKind::haversine: {
            const double half = radius < 3.1415926 ? std::sin(radius / 2) : 1.0;
            return half * half * kMore + 1e-300;
        }
        default:
            return radius;
    }
}

// A reduced distance up to which every row is within the radius, hardly smaller than need be; -1 where none is known.
inline double inside_of(const Metric& metric, double radius) {
    constexpr double kLess = 1 - 1e-9;
    switch (metric.kind) {
        case MetricKind::euclidean:
            return radius * radius * kLess;
        case MetricKind::minkowski:
            return std::pow(radius * kLess, metric.p) * kLess;
        case MetricKind::haversine:
            return -1;
        default:
            return radius;
    }
}

// Calls f(query number, query, radius) for all queries whose radius is one.
template <class Tree, class F>
void each_neighborhood(const Tree& tree, const Matrix& queries, std::span<const double> radii, int threads,
                       const F& f) {
    require(cols_of(queries) == tree.at.dims, "queries must have as many columns as the rows");
    require(radii.size() == 1 || radii.size() == rows_of(queries), "one radius, or one a query");
    const auto order = query_order(tree, queries, threads);
    const Size n = rows_of(queries);
    parallel_for(blocks_of(n, kTreeQueries), threads, [&](Size block) {
        std::vector<double> query(tree.at.dims);
        const Size end = std::min(n, (block + 1) * kTreeQueries);
        for (Size b = block * kTreeQueries; b < end; ++b) {
            check_interrupt();
            const Size i = order.empty() ? b : order[b];
            const double radius = radii.size() == 1 ? radii[0] : radii[i];
            if (!(radius >= 0)) continue;
            read_row(queries, i, query.data());
            f(i, query.data(), radius);
        }
    });
}

// Calls ask(take, to) with a `take` that gives f those of its rows that are within the radius.
template <class Ask, class F>
void judged(const Metric& metric, double radius, const Ask& ask, const F& f) {
    auto taken = [&](const double* reduced, const std::int32_t* rows, Size count) {
        for (Size j = 0; j < count; ++j)
            if (metric.distance(reduced[j]) <= radius) f(Neighbor{reduced[j], rows[j]});
    };
    using Taken = decltype(taken);
    ask([](void* to, const double* reduced, const std::int32_t* rows,
           Size count) { (*static_cast<Taken*>(to))(reduced, rows, count); },
        &taken);
}

// Regions that lie within the radius as a whole are counted unseen. (Measured, 3 columns, 300,000 rows, microseconds a
// query for a radius that holds 0.05%, 7% and 90% of the rows: 7, 70, 176; by looking at every row 8.5, 190, 2,550.)
template <class Tree>
void tree_count(const Tree& tree, const Metric& metric, const Matrix& queries, std::span<const double> radii,
                std::span<std::int64_t> counts, int threads) {
    require(counts.size() == rows_of(queries), "a count a query");
    std::fill(counts.begin(), counts.end(), 0);
    each_neighborhood(tree, queries, radii, threads, [&](Size i, const double* query, double radius) {
        std::int64_t seen = 0;
        Size unseen = 0;
        judged(
            metric, radius,
            [&](Take take, void* to) {
                unseen = tree.count(query, reach_of(metric, radius), inside_of(metric, radius), take, to);
            },
            [&](const Neighbor&) { ++seen; });
        counts[i] = seen + static_cast<std::int64_t>(unseen);
    });
}

template <class Tree>
Neighborhoods tree_within(const Tree& tree, const Metric& metric, const Matrix& queries, std::span<const double> radii,
                          int threads) {
    const Size n = rows_of(queries);
    std::vector<std::vector<Neighbor>> found(n);
    each_neighborhood(tree, queries, radii, threads, [&](Size i, const double* query, double radius) {
        judged(
            metric, radius, [&](Take take, void* to) { tree.within(query, reach_of(metric, radius), take, to); },
            [&](const Neighbor& one) { found[i].push_back(one); });
    });
    Neighborhoods all;
    all.starts.assign(n + 1, 0);
    for (Size i = 0; i < n; ++i) all.starts[i + 1] = all.starts[i] + static_cast<std::int64_t>(found[i].size());
    all.rows.resize(static_cast<Size>(all.starts[n]));
    all.distances.resize(all.rows.size());
    parallel_for(blocks_of(n, kTreeQueries), threads, [&](Size block) {
        for (Size i = block * kTreeQueries, end = std::min(n, i + kTreeQueries); i < end; ++i) {
            check_interrupt();
            std::sort(found[i].begin(), found[i].end());
            Size at = static_cast<Size>(all.starts[i]);
            for (const Neighbor& one : found[i]) {
                all.rows[at] = one.row;
                all.distances[at++] = metric.distance(one.reduced);
            }
        }
    });
    return all;
}

}  // namespace pellucid

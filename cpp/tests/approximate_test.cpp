#include <algorithm>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/distance/brute.hpp"
#include "core/distance/graph_index.hpp"
#include "core/distance/hyperplanes.hpp"
#include "core/distance/inverted_lists.hpp"
#include "core/distance/scan_hot.hpp"
#include "harness.hpp"

namespace pellucid {
namespace {

using test::where;

std::vector<float> drawn(Size n, std::uint64_t stream) {
    std::vector<float> out(n);
    for (Size i = 0; i < n; ++i) out[i] = static_cast<float>(Random{7, stream}.uniform(i) - 0.5);
    return out;
}
Matrix as_rows(const std::vector<float>& x, Size d) {
    return Dense<float>{x.data(), x.size() / d, d, static_cast<std::ptrdiff_t>(d), 1};
}

struct Answer {
    std::vector<double> distances;
    std::vector<std::int64_t> rows;
    Answer(Size queries, Size k) : distances(queries * k), rows(queries * k) {}
    friend bool operator==(const Answer& a, const Answer& b) { return a.distances == b.distances && a.rows == b.rows; }
};

Answer brute(const Matrix& rows, const Matrix& queries, Size k) {
    Answer out(rows_of(queries), k);
    brute_nearest(rows, queries, k, {}, out.distances, out.rows, 1);
    return out;
}

TEST(scan_gives_the_values_of_a_plain_loop_at_every_level) {
    for (const char* level : {"baseline", "v3", "v4"}) {
        if (!set_level(level)) continue;
        for (const Size d : {1, 7, 64, 100}) {
            const Size count = 5;
            const auto panels = drawn(count * d * kScanRows, 1), queries = drawn(kScanQueries * d, 2);
            auto sizes = drawn(count * kScanRows, 3);
            std::vector<float> values(kScanQueries * count * kScanRows), found(values.size() + kScanRows);
            std::vector<std::uint32_t> hits(found.size()), rows(kScanQueries);
            std::vector<float> least(kScanQueries);
            const ScanHot& hot = scan_hot();
            hot.values(panels.data(), sizes.data(), count, d, queries.data(), values.data(), count * kScanRows);
            const std::vector<float> limits = {-1, 0, 0.1f, 0.2f, -0.1f, 9};
            const Size n = hot.below(panels.data(), sizes.data(), count, d, queries.data(), limits.data(), hits.data(),
                                     found.data());
            hot.smallest(panels.data(), sizes.data(), count, d, queries.data(), rows.data(), least.data());
            Size expected = 0;
            for (Size t = 0; t < kScanQueries; ++t) {
                const float* own = values.data() + t * count * kScanRows;
                for (Size r = 0; r < count * kScanRows; ++r) {
                    double sum = static_cast<double>(sizes[r]);
                    for (Size j = 0; j < d; ++j)
                        sum -= 2.0 * static_cast<double>(queries[t * d + j]) *
                               static_cast<double>(panels[(r / kScanRows * d + j) * kScanRows + r % kScanRows]);
                    where = std::string(level) + " d=" + std::to_string(d);
                    CHECK_NEAR(own[r], sum, 1e-5 * static_cast<double>(d + 1));
                    expected += own[r] <= limits[t];
                }
                const auto first = std::min_element(own, own + count * kScanRows);
                CHECK(rows[t] == static_cast<std::uint32_t>(first - own) && least[t] == *first);
            }
            CHECK(n == expected);
            for (Size h = 0; h < n; ++h) CHECK(found[h] == values[(hits[h] % 8) * count * kScanRows + hits[h] / 8]);
        }
    }
    where.clear();
    set_level(level_name(best_level()));
}

TEST(lists_of_all_cells_and_a_walk_of_all_rows_are_exact) {
    for (const Size d : {1, 5, 40}) {
        const Size n = 700, asked = 33, k = 6;
        auto x = drawn(n * d, 4);
        std::copy_n(x.begin(), 50 * d, x.begin() + static_cast<std::ptrdiff_t>(100 * d));  // equal rows
        const auto q = drawn(asked * d, 5);
        const Matrix rows = as_rows(x, d), queries = as_rows(q, d);
        const Answer want = brute(rows, queries, k);
        for (const int threads : {1, 2, 3}) {
            const Lists lists = build_lists(rows, {}, {20, 6, 64, 1}, threads);
            Answer got(asked, k);
            lists_nearest(view_of(lists), rows, queries, k, 1000, {}, got.distances, got.rows, threads);
            CHECK(got == want);
        }
    }
}

TEST(the_graph_is_the_same_on_any_number_of_threads_and_exact_with_full_reach) {
    const Size n = 500, d = 9, asked = 20, k = 5;
    const auto x = drawn(n * d, 6), q = drawn(asked * d, 7);
    const Matrix rows = as_rows(x, d), queries = as_rows(q, d);
    std::vector<std::int64_t> first(n), starts(n + 1);
    first_equal_rows(rows, first, 2);
    CHECK(first.front() == 0 && std::is_sorted(first.begin(), first.end()));  // all rows differ
    std::iota(starts.begin(), starts.end(), 0);
    Graph before;
    for (const int threads : {1, 2, 3}) {
        const Lists lists = build_lists(rows, {}, {30, 6, 64, 1}, threads);
        const Graph graph = build_graph(view_of(lists), rows, {8, 20, 4}, threads);
        if (threads > 1) CHECK(graph.links == before.links && graph.starts == before.starts);
        before = graph;
        const GraphView view{view_of(lists), graph.table, graph.starts, graph.links,
                             graph.entries,  starts,      lists.order,  {}};
        Answer got(asked, k);
        graph_nearest(view, rows, queries, k, {n, 4, {}}, {}, got.distances, got.rows, threads);
        CHECK(got == brute(rows, queries, k));
    }
}

TEST(buckets_hold_every_row_once_and_all_probes_find_all) {
    const Size n = 300, d = 6, tables = 3, bits = 4, asked = 10, k = 4;
    const auto x = drawn(n * d, 8), q = drawn(asked * d, 9), w = drawn(d * tables * bits, 10);
    const std::vector<double> normals(w.begin(), w.end()), offsets(tables * bits, 0.01);
    const Planes planes{tables, bits, normals, offsets};
    const Matrix rows = as_rows(x, d), queries = as_rows(q, d);
    std::vector<std::uint64_t> codes(n * tables);
    plane_codes(planes, rows, codes, 2);
    for (Size r = 0; r < n; ++r)
        for (Size t = 0; t < tables; ++t)
            for (Size p = 0; p < bits; ++p) {
                double side = -0.01;
                for (Size j = 0; j < d; ++j)
                    side += static_cast<double>(x[r * d + j]) * normals[j * tables * bits + t * bits + p];
                CHECK((codes[r * tables + t] >> p & 1) == (side >= 0));
            }
    const Buckets buckets = fill_buckets(codes, n, tables, 2);
    CHECK(buckets.rows.size() == n * tables && buckets.starts.size() == buckets.codes.size() + 1);
    const HashView view{planes, buckets.table_starts, buckets.starts, buckets.rows, buckets.codes};
    Answer got(asked, k);
    hash_nearest(view, rows, queries, k, 16, {}, got.distances, got.rows, 2);
    CHECK(got == brute(rows, queries, k));
    const Neighborhoods all = hash_candidates(view, queries, n, 16, 2);
    CHECK(all.rows.size() == asked * n);
}

}  // namespace
}  // namespace pellucid

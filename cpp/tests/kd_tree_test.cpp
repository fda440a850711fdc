// The KD-tree against a plain loop over all rows, at every level and on any number of threads.
#include "core/distance/kd_tree.hpp"

#include <algorithm>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/distance/kd_textbook.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

// Values of a few kinds: whole numbers, so that ties occur; fractions; all equal; narrow and far from 0.
std::vector<double> table(Size rows, Size cols, std::uint64_t kind) {
    const Random chance{kind, 7};
    std::vector<double> x(rows * cols);
    for (Size i = 0; i < x.size(); ++i) {
        const auto whole = static_cast<double>(chance.below(i, 4));
        x[i] = kind == 0 ? whole : kind == 1 ? chance.uniform(i) : kind == 2 ? 0.25 : 1e8 + 1e-8 * whole;
    }
    return x;
}

template <class T>
Dense<T> view(const std::vector<T>& x, Size cols) {
    return {x.data(), x.size() / cols, cols, static_cast<std::ptrdiff_t>(cols), 1};
}

template <class T>
struct Built {
    Arrangement a;
    std::vector<T> panels, boxes;
    std::vector<std::int32_t> numbers;

    Built(const std::vector<T>& x, Size cols, Size leaf, int threads)
        : a(kd_arrangement(x.size() / cols, cols, leaf)),
          panels(a.slots() * cols),
          boxes(a.regions),
          numbers(a.slots()) {
        kd_build<T>(view(x, cols), a, panels, numbers, boxes, threads);
    }
    KdView<T> tree(const Metric& metric) const {
        return kd_view(a, panels.data(), numbers.data(), boxes.data(), metric);
    }
};

template <class T>
std::vector<Neighbor> by_loop(const std::vector<T>& x, const double* query, Size cols, const Metric& metric,
                              std::int64_t self) {
    std::vector<Neighbor> found;
    for (Size r = 0; r < x.size() / cols; ++r)
        if (static_cast<std::int64_t>(r) != self)
            found.push_back(
                {metric.functions<T>().pair(query, x.data() + r * cols, cols, metric.p), static_cast<std::int64_t>(r)});
    std::sort(found.begin(), found.end());
    return found;
}

template <class T>
void check_searches(const std::vector<double>& values, Size cols, Size leaf, Size k, const Metric& metric) {
    const std::vector<T> x(values.begin(), values.end());
    const Size n = x.size() / cols;
    const Built<T> built(x, cols, leaf, 2);
    const std::vector<double> queries(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(std::min<Size>(n, 9) * cols));
    const Size m = queries.size() / cols;
    std::vector<double> distances(m * k);
    std::vector<std::int64_t> numbers(m * k), counts(m);
    kd_nearest(built.tree(metric), metric, view(queries, cols), k, {}, distances, numbers, 1);
    const double radius = distances[k - 1];
    const std::vector<double> radii{radius};
    const Neighborhoods near = kd_within(built.tree(metric), metric, view(queries, cols), radii, 2);
    kd_count(built.tree(metric), metric, view(queries, cols), radii, counts, 2);
    for (Size i = 0; i < m; ++i) {
        const auto want = by_loop(x, queries.data() + i * cols, cols, metric, -1);
        for (Size j = 0; j < k; ++j) {
            CHECK(numbers[i * k + j] == want[j].row);
            CHECK(distances[i * k + j] == metric.distance(want[j].reduced));
        }
        Size at = static_cast<Size>(near.starts[i]);
        for (const Neighbor& one : want)
            if (metric.distance(one.reduced) <= radius) {
                CHECK(at < near.rows.size() && near.rows[at] == one.row);
                ++at;
            }
        CHECK(at == static_cast<Size>(near.starts[i + 1]));
        CHECK(counts[i] == near.starts[i + 1] - near.starts[i]);
    }
    // Radii that hold a few rows, about half of them, and all but the last: boxes that lie within as a whole.
    for (Size part = 1; part <= 3; ++part) {
        const auto want = by_loop(x, queries.data(), cols, metric, -1);
        const std::vector<double> wide{metric.distance(want[(want.size() - 1) * part / 3].reduced)};
        const auto within = [&](const Neighbor& one) { return metric.distance(one.reduced) <= wide[0]; };
        kd_count(built.tree(metric), metric, view(queries, cols), wide, counts, 1);
        CHECK(counts[0] == std::count_if(want.begin(), want.end(), within));
    }
}

}  // namespace

TEST(kd_tree_finds_what_a_loop_finds) {
    const std::string_view before = level_name(current_level());
    for (const char* level : {"baseline", "v3", "v4"}) {
        if (!set_level(level)) continue;
        where = level;
        for (const Size n : {1, 8, 9, 65, 700})
            for (const Size d : {1, 2, 3, 4, 6, 9})
                for (std::uint64_t kind = 0; kind < 4; ++kind)
                    for (const Metric& metric : {Metric{}, Metric{MetricKind::manhattan}, Metric{MetricKind::chebyshev},
                                                 Metric{MetricKind::minkowski, 3}}) {
                        check_searches<double>(table(n, d, kind), d, 1 + n % 2, std::min<Size>(n, 5), metric);
                        check_searches<float>(table(n, d, kind), d, 1, std::min<Size>(n, 40), metric);
                    }
    }
    where = "";
    set_level(before);
}

TEST(kd_tree_leaves_the_row_itself_out) {
    const Size n = 300, d = 2, k = 4;
    const auto x = table(n, d, 0);
    const Built<double> built(x, d, 1, 1);
    const Metric metric;
    std::vector<double> distances(n * k);
    std::vector<std::int64_t> numbers(n * k);
    kd_nearest_others(built.tree(metric), metric, k, {}, distances, numbers, 2);
    for (Size i = 0; i < n; ++i) {
        const auto want = by_loop(x, x.data() + i * d, d, metric, static_cast<std::int64_t>(i));
        for (Size j = 0; j < k; ++j) CHECK(numbers[i * k + j] == want[j].row);
    }
}

TEST(kd_tree_is_the_same_on_any_number_of_threads) {
    const auto x = table(40000, 3, 1);
    const Built<double> one(x, 3, 1, 1), three(x, 3, 1, 3);
    CHECK(one.numbers == three.numbers);
    CHECK(same_bits(one.panels, three.panels));
    CHECK(same_bits(one.boxes, three.boxes));
}

TEST(kd_tree_of_textbooks_finds_what_a_loop_finds) {
    for (const Size d : {1, 2, 3})
        for (std::uint64_t kind = 0; kind < 4; ++kind) {
            const auto x = table(90, d, kind);
            const TextbookTree tree = textbook_tree(view(x, d), 1);
            const Metric metric;
            double distances[5];
            std::int64_t numbers[5];
            for (Size i = 0; i < 90; i += 7) {
                textbook_nearest(view(x, d), tree.nodes, tree.order, metric, x.data() + i * d, 5, distances, numbers,
                                 nullptr);
                const auto want = by_loop(x, x.data() + i * d, d, metric, -1);
                for (Size j = 0; j < 5; ++j) CHECK(numbers[j] == want[j].row);
            }
        }
}

}  // namespace pellucid::test

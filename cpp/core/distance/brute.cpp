#include "core/distance/brute.hpp"

#include "core/base/check.hpp"
#include "core/distance/brute_collect.hpp"
#include "core/distance/brute_direct.hpp"
#include "core/distance/brute_filter.hpp"
#include "core/distance/brute_range.hpp"
#include "core/distance/brute_rows.hpp"
#include "core/distance/brute_sparse.hpp"

namespace pellucid {
namespace {

constexpr Size kFew = 16;            // queries that do not pay for rows in another form
constexpr double kOneThread = 2e5;   // products of two numbers below which waking another thread costs more
constexpr Size kFilterColumns = 12;  // from here on a product beats the distance itself
constexpr Size kFinishQueries = 64;

enum class Way { few, panels, filter, sparse };

// k is 0 for a radius.
Way choose(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric) {
    const Size n = rows_of(rows);
    if (sparse_pays(rows, metric)) return Way::sparse;
    if (rows_of(queries) <= kFew) return Way::few;
    const bool product = metric.kind == MetricKind::euclidean || metric.kind == MetricKind::cosine;
    return product && cols_of(rows) >= kFilterColumns && n >= 4 * kGroup && 4 * k <= n ? Way::filter : Way::panels;
}

template <class Collection>
void search_all(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, bool others,
                Collection& collection, int threads, const auto& finish) {
    const Size n = rows_of(queries);
    const Way way = choose(rows, queries, k, metric);
    const double work =
        static_cast<double>(rows_of(rows)) * static_cast<double>(n) * (static_cast<double>(cols_of(rows)) + 8);
    if (work < kOneThread) threads = 1;
    FilterPlan plan;
    if (way == Way::filter) plan = plan_filter(rows, queries, k, collection.bound(0), metric, others, threads);
    for (Size first = 0; first < n; first += collection.queries_at_once()) {
        const Size count = std::min(collection.queries_at_once(), n - first);
        collection.open(first, count);
        switch (way) {
            case Way::few:
                row_by_row(rows, queries, first, count, metric, collection, threads);
                break;
            case Way::panels:
                by_panels(rows, queries, first, count, metric, collection, threads);
                break;
            case Way::filter:
                filter_search(rows, queries, first, count, metric, plan, collection, threads);
                break;
            case Way::sparse:
                sparse_search(rows, queries, first, count, metric, collection, threads);
                break;
        }
        finish(first, count, threads);
    }
}

// Pairs of one query by the whole range of their distances.
class Reacher {
  public:
    Reacher(const Matrix& rows, const Matrix& queries, Size query, const Metric& metric)
        : rows_(rows), range_(metric, cols_of(rows)), x_(cols_of(rows)), z_(cols_of(rows)) {
        std::visit([&](const auto& q) { copy_rows(q, query, 1, x_.data()); }, queries);
    }
    ReachedRow operator()(std::int64_t row) {
        std::visit([&](const auto& view) { copy_rows(view, static_cast<Size>(row), 1, z_.data()); }, rows_);
        return {range_.reach(x_.data(), z_.data()), row};
    }
    // Offers f every row but `self`.
    void each(std::int64_t self, const auto& f) {
        for (Size r = 0; r < rows_of(rows_); ++r) {
            if (r % 256 == 0) check_interrupt();
            if (static_cast<std::int64_t>(r) != self) f((*this)(static_cast<std::int64_t>(r)));
        }
    }
    double distance(const ReachedRow& found) const { return range_.distance(found.reach); }

  private:
    const Matrix& rows_;
    Range range_;
    std::vector<double> x_, z_;
};

// The k nearest of all rows, by reach.
std::vector<ReachedRow> nearest_by_reach(Reacher& reacher, std::int64_t self, Size k) {
    std::vector<ReachedRow> heap;
    reacher.each(self, [&](const ReachedRow& found) {
        if (heap.size() == k && !(found < heap.front())) return;
        if (heap.size() == k) {
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.push_back(found);
        std::push_heap(heap.begin(), heap.end());
    });
    std::sort_heap(heap.begin(), heap.end());
    return heap;
}

// Neighbors whose squares vanish, put into the order of their distances. Returns false if others might belong there.
bool order_tiny(std::vector<ReachedRow>& tiny, bool all) {
    if (all && std::any_of(tiny.begin(), tiny.end(), [](const auto& t) { return t.reach.reduced != 0; })) return false;
    std::sort(tiny.begin(), tiny.end());
    return true;
}

struct NearestAnswer {
    const Matrix &rows, &queries;
    const Metric& metric;
    NearestOfMany& collection;
    std::span<double> distances;
    std::span<std::int64_t> numbers;

    void write(Size i) {
        const auto found = collection.finish(i);
        const Size k = found.size(), at = (collection.first() + i) * k;
        for (Size j = 0; j < k; ++j) {
            distances[at + j] = metric.distance(found[j].reduced);
            numbers[at + j] = found[j].row;
        }
        if (has_powers(metric) && (found.front().reduced < kLeast || found.back().reduced > kMost)) reach(i, found, at);
    }

  private:
    void reach(Size i, std::span<const Neighbor> found, Size at) {
        Reacher reacher(rows, queries, collection.first() + i, metric);
        std::vector<ReachedRow> best;
        for (Size j = 0; j < found.size() && found[j].reduced < kLeast; ++j) best.push_back(reacher(found[j].row));
        if (found.back().reduced > kMost || !order_tiny(best, best.size() == found.size()))
            best = nearest_by_reach(reacher, collection.self(i), found.size());
        for (Size j = 0; j < best.size(); ++j) {
            distances[at + j] = reacher.distance(best[j]);
            numbers[at + j] = best[j].row;
        }
    }
};

void nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, bool others,
             std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k + (others ? 1 : 0) <= rows_of(rows), "k must be between 1 and the number of rows");
    require(cols_of(rows) >= 1 && cols_of(rows) == cols_of(queries), "queries must have as many columns as the rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    if (rows_of(queries) == 0) return;
    NearestOfMany collection(k, others);
    collection.open(0, 1);
    NearestAnswer answer{rows, queries, metric, collection, distances, numbers};
    search_all(rows, queries, k, metric, others, collection, threads, [&](Size, Size count, int workers) {
        parallel_for(blocks_of(count, kFinishQueries), workers, [&](Size block) {
            const Size end = std::min(count, (block + 1) * kFinishQueries);
            for (Size i = block * kFinishQueries; i < end; ++i) answer.write(i);
        });
    });
}

// What was found of one query, in order, and its distances in place of the reduced ones.
// `far`: powers may overflow within the radius.
void settle(const Matrix& rows, const Matrix& queries, Size query, const Metric& metric, double radius, bool far,
            std::vector<Neighbor>& found) {
    std::sort(found.begin(), found.end());
    Size tiny = 0;
    while (has_powers(metric) && tiny < found.size() && found[tiny].reduced < kLeast) ++tiny;
    std::vector<Neighbor> settled;
    if (tiny > 0 || far) {
        Reacher reacher(rows, queries, query, metric);
        std::vector<ReachedRow> reached;
        if (far)
            reacher.each(kNobody, [&](const ReachedRow& one) { reached.push_back(one); });
        else
            for (Size j = 0; j < tiny; ++j) reached.push_back(reacher(found[j].row));
        std::sort(reached.begin(), reached.end());
        for (const ReachedRow& one : reached)
            if (reacher.distance(one) <= radius) settled.push_back({reacher.distance(one), one.row});
    }
    if (far) {
        found = std::move(settled);
        return;
    }
    for (Size j = tiny; j < found.size(); ++j) found[j].reduced = metric.distance(found[j].reduced);
    if (tiny == 0) return;
    std::copy_backward(settled.begin(), settled.end(), found.begin() + static_cast<std::ptrdiff_t>(tiny));
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(tiny - settled.size()));
}

}  // namespace

void brute_nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, std::span<double> distances,
                   std::span<std::int64_t> numbers, int threads) {
    nearest(rows, queries, k, metric, false, distances, numbers, threads);
}

void brute_nearest_others(const Matrix& rows, Size k, const Metric& metric, std::span<double> distances,
                          std::span<std::int64_t> numbers, int threads) {
    nearest(rows, rows, k, metric, true, distances, numbers, threads);
}

Neighborhoods brute_within(const Matrix& rows, const Matrix& queries, double radius, const Metric& metric,
                           int threads) {
    require(cols_of(rows) >= 1 && cols_of(rows) == cols_of(queries), "queries must have as many columns as the rows");
    const Size n = rows_of(queries);
    Neighborhoods all;
    all.starts.assign(n + 1, 0);
    if (n == 0 || rows_of(rows) == 0) return all;
    WithinOfMany collection(metric, radius, n);
    const bool far = has_powers(metric) && collection.bound(0) > kMost;
    search_all(rows, queries, 0, metric, false, collection, threads, [&](Size first, Size count, int workers) {
        parallel_for(blocks_of(count, kFinishQueries), workers, [&](Size block) {
            const Size end = std::min(count, (block + 1) * kFinishQueries);
            for (Size i = first + block * kFinishQueries; i < first + end; ++i)
                settle(rows, queries, i, metric, radius, far, collection.found(i));
        });
    });
    for (Size i = 0; i < n; ++i)
        all.starts[i + 1] = all.starts[i] + static_cast<std::int64_t>(collection.found(i).size());
    all.rows.resize(static_cast<Size>(all.starts[n]));
    all.distances.resize(all.rows.size());
    for (Size i = 0; i < n; ++i) {  // each list is freed when it has been written
        Size at = static_cast<Size>(all.starts[i]);
        for (const Neighbor& one : collection.found(i)) {
            all.rows[at] = one.row;
            all.distances[at++] = one.reduced;
        }
        std::vector<Neighbor>().swap(collection.found(i));
    }
    return all;
}

}  // namespace pellucid

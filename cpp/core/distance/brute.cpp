#include "core/distance/brute.hpp"

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kQueriesABlock = 16;

// A table whose rows can be pointed to: C order is read in place, anything else copied once.
template <class T>
struct RowTable {
    const T* data = nullptr;
    Size rows = 0, cols = 0;
    std::ptrdiff_t stride = 0;
    std::vector<T> own;

    const T* row(Size r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }
};

template <class T>
RowTable<T> by_rows(const Dense<T>& x) {
    RowTable<T> table{x.data, x.rows, x.cols, x.row_stride, {}};
    if (x.rows_contiguous()) return table;
    table.own.resize(x.rows * x.cols);
    for (Size r = 0; r < x.rows; ++r)
        for (Size c = 0; c < x.cols; ++c) table.own[r * x.cols + c] = x.at(r, c);
    table.data = table.own.data();
    table.stride = static_cast<std::ptrdiff_t>(x.cols);
    return table;
}

template <class Index>
RowTable<double> by_rows(const Csr<Index>& x) {
    RowTable<double> table{nullptr, x.rows, x.cols, static_cast<std::ptrdiff_t>(x.cols), {}};
    table.own.assign(x.rows * x.cols, 0.0);
    for (Size r = 0; r < x.rows; ++r)
        for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k)
            table.own[r * x.cols + static_cast<Size>(x.indices[k])] = x.values[k];
    table.data = table.own.data();
    return table;
}

// Calls f(query number, query as doubles, rows) for each query, in parallel blocks.
template <class F>
void for_queries(const Matrix& rows, const Matrix& queries, int threads, const F& f) {
    require(cols_of(rows) == cols_of(queries), "queries must have as many columns as the rows");
    std::visit(
        [&](const auto& x, const auto& q) {
            const auto table = by_rows(x);
            const auto asked = by_rows(q);
            parallel_for(blocks_of(q.rows, kQueriesABlock), threads, [&](Size block) {
                std::vector<double> query(q.cols);
                const Size end = std::min(q.rows, (block + 1) * kQueriesABlock);
                for (Size i = block * kQueriesABlock; i < end; ++i) {
                    std::copy_n(asked.row(i), q.cols, query.begin());
                    f(i, query.data(), table);
                }
            });
        },
        rows, queries);
}

template <class T>
const MetricFunctions<T>& functions_for(const Metric& metric, const RowTable<T>&) {
    return metric.functions<T>();
}

}  // namespace

void brute_nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, std::span<double> distances,
                   std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k <= rows_of(rows), "k must be between 1 and the number of rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    for_queries(rows, queries, threads, [&](Size i, const double* query, const auto& table) {
        const auto& functions = functions_for(metric, table);
        std::vector<Neighbour> room(k);
        Nearest nearest(room);
        for (Size r = 0; r < table.rows; ++r)
            nearest.offer(functions.pair(query, table.row(r), table.cols, metric.p), static_cast<std::int64_t>(r));
        const auto found = nearest.finish();
        for (Size j = 0; j < k; ++j) {
            distances[i * k + j] = metric.distance(found[j].reduced);
            numbers[i * k + j] = found[j].row;
        }
    });
}

Neighbourhoods brute_within(const Matrix& rows, const Matrix& queries, double radius, const Metric& metric,
                            int threads) {
    std::vector<std::vector<Neighbour>> found(rows_of(queries));
    for_queries(rows, queries, threads, [&](Size i, const double* query, const auto& table) {
        const auto& functions = functions_for(metric, table);
        for (Size r = 0; r < table.rows; ++r) {
            const double reduced = functions.pair(query, table.row(r), table.cols, metric.p);
            if (metric.distance(reduced) <= radius) found[i].push_back({reduced, static_cast<std::int64_t>(r)});
        }
        std::sort(found[i].begin(), found[i].end());
    });
    Neighbourhoods all;
    all.starts.push_back(0);
    for (const auto& one : found) {
        for (const Neighbour& n : one) {
            all.rows.push_back(n.row);
            all.distances.push_back(metric.distance(n.reduced));
        }
        all.starts.push_back(static_cast<std::int64_t>(all.rows.size()));
    }
    return all;
}

}  // namespace pellucid

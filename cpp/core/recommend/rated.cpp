#include "core/recommend/rated.hpp"

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

// starts[k] .. starts[k+1]: the places of the entries with this key, in their order.
std::vector<std::int64_t> places_of(std::span<const std::int32_t> keys, Size n) {
    std::vector<std::int64_t> starts(n + 1, 0);
    for (const std::int32_t key : keys) {
        require(key >= 0 && static_cast<Size>(key) < n, "ratings: a code outside its range");
        ++starts[static_cast<Size>(key) + 1];
    }
    for (Size k = 0; k < n; ++k) starts[k + 1] += starts[k];
    return starts;
}

struct Entry {
    std::int32_t row;
    std::int32_t column;
    double value;
};

std::vector<Entry> by_column(const Triples& t, Size columns) {
    std::vector<std::int64_t> next = places_of(t.columns, columns);
    std::vector<Entry> found(t.rows.size());
    for (Size i = 0; i < t.rows.size(); ++i)
        found[static_cast<Size>(next[static_cast<Size>(t.columns[i])]++)] = {t.rows[i], t.columns[i], t.values[i]};
    return found;
}

// Entries of a row from `at` on that have its column, as one value.
double joined(const std::vector<Entry>& row, Size at, Size end, Twice twice) {
    if (twice == Twice::last) return row[end - 1].value;
    double sum = 0;
    for (Size i = at; i < end; ++i) sum += row[i].value;
    return twice == Twice::mean ? sum / static_cast<double>(end - at) : sum;
}

}  // namespace

Grouped group_ratings(const Triples& t, Size rows, Size columns, Twice twice) {
    require(t.rows.size() == t.columns.size() && t.rows.size() == t.values.size(), "ratings: lengths differ");
    const std::vector<std::int64_t> starts = places_of(t.rows, rows);
    std::vector<Entry> sorted(t.rows.size());
    {
        std::vector<std::int64_t> next = starts;
        for (const Entry& e : by_column(t, columns)) sorted[static_cast<Size>(next[static_cast<Size>(e.row)]++)] = e;
    }
    check_interrupt();
    Grouped found;
    RatedRows& out = found.rated;
    out.starts.reserve(rows + 1);
    out.indices.reserve(sorted.size());
    out.values.reserve(sorted.size());
    out.starts.push_back(0);
    for (Size r = 0; r < rows; ++r) {
        const Size last = static_cast<Size>(starts[r + 1]);
        for (Size at = static_cast<Size>(starts[r]); at < last;) {
            Size end = at + 1;
            while (end < last && sorted[end].column == sorted[at].column) ++end;
            out.indices.push_back(sorted[at].column);
            out.values.push_back(end - at == 1 ? sorted[at].value : joined(sorted, at, end, twice));
            found.repeated += end - at - 1;
            at = end;
        }
        out.starts.push_back(static_cast<std::int64_t>(out.indices.size()));
    }
    return found;
}

RatedRows transposed(const Rated& rated, Size columns) {
    RatedRows out;
    out.starts = places_of(rated.indices, columns);
    out.indices.resize(rated.indices.size());
    out.values.resize(rated.values.size());
    std::vector<std::int64_t> next = out.starts;
    for (Size r = 0; r < rated.rows(); ++r)
        for (Size at = rated.first(r); at < rated.last(r); ++at) {
            const auto to = static_cast<Size>(next[rated.column(at)]++);
            out.indices[to] = static_cast<std::int32_t>(r);
            out.values[to] = rated.values[at];
        }
    return out;
}

}  // namespace pellucid

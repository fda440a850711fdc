#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "core/distance/brute.hpp"

namespace pellucid::bind {
namespace {

// (distances, rows), queries x k each.
nb::tuple py_brute_nearest(const BoundMatrix& rows, const BoundMatrix& queries, Size k, int metric, double p,
                           int threads) {
    const Size n = rows_of(queries.view);
    std::vector<double> distances(n * k);
    std::vector<std::int64_t> numbers(n * k);
    {
        const nb::gil_scoped_release release;
        brute_nearest(rows.view, queries.view, k, metric_of(metric, p), distances, numbers, threads);
    }
    return nb::make_tuple(to_numpy(std::move(distances), {n, k}), to_numpy(std::move(numbers), {n, k}));
}

// (starts, distances, rows): of query i from starts[i] on.
nb::tuple py_brute_within(const BoundMatrix& rows, const BoundMatrix& queries, double radius, int metric, double p,
                          int threads) {
    Neighbourhoods found;
    {
        const nb::gil_scoped_release release;
        found = brute_within(rows.view, queries.view, radius, metric_of(metric, p), threads);
    }
    const Size pairs = found.rows.size(), starts = found.starts.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {starts}), to_numpy(std::move(found.distances), {pairs}),
                          to_numpy(std::move(found.rows), {pairs}));
}

}  // namespace

void bind_neighbours(nb::module_& m) {
    m.def("brute_nearest", &py_brute_nearest);
    m.def("brute_within", &py_brute_within);
}

}  // namespace pellucid::bind

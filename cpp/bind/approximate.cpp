// Indices that find most of the nearest rows. An index is a tuple of arrays on the Python side; here it becomes a view.
#include "bind/arrays.hpp"
#include "core/distance/graph_index.hpp"
#include "core/distance/hyperplanes.hpp"
#include "core/distance/inverted_lists.hpp"

namespace pellucid::bind {
namespace {

template <class T>
std::span<const T> flat(const nb::tuple& arrays, Size place) {
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(arrays[place], false);
    return {array.data(), array.size()};  // the tuple keeps the memory alive
}

template <class T>
nb::object line(std::vector<T> values) {
    const Size n = values.size();
    return to_numpy(std::move(values), {n});
}

// (distances, rows), queries x k each, of f(distances, rows).
template <class F>
nb::tuple nearest_of(const BoundMatrix& queries, Size k, const F& f) {
    const Size n = rows_of(queries.view);
    std::vector<double> distances(n * k);
    std::vector<std::int64_t> numbers(n * k);
    {
        const nb::gil_scoped_release release;
        f(std::span<double>(distances), std::span<std::int64_t>(numbers));
    }
    return nb::make_tuple(to_numpy(std::move(distances), {n, k}), to_numpy(std::move(numbers), {n, k}));
}

// (starts, distances, rows) of f().
template <class F>
nb::tuple within_of(const F& f) {
    Neighborhoods found;
    {
        const nb::gil_scoped_release release;
        found = f();
    }
    return nb::make_tuple(line(std::move(found.starts)), line(std::move(found.distances)), line(std::move(found.rows)));
}

// ------------------------------------------------------------------------------------------------------------- lists

ListsView lists_view(const nb::tuple& arrays) {
    ListsView view;
    view.center = flat<double>(arrays, 0);
    view.scale = flat<double>(arrays, 1)[0];
    view.cells = flat<float>(arrays, 2);
    view.cell_panels = flat<float>(arrays, 3);
    view.cell_sizes = flat<float>(arrays, 4);
    view.radii = flat<float>(arrays, 5);
    view.starts = flat<std::int64_t>(arrays, 6);
    view.order = flat<std::int64_t>(arrays, 7);
    view.panel_starts = flat<std::int64_t>(arrays, 8);
    view.panels = flat<float>(arrays, 9);
    view.sizes = flat<float>(arrays, 10);
    return view;
}

nb::tuple py_build_lists(const BoundMatrix& rows, int metric, Size cells, Size rounds, Size rows_a_cell,
                         std::uint64_t seed, int threads) {
    Lists lists;
    {
        const nb::gil_scoped_release release;
        lists = build_lists(rows.view, metric_of(metric, 2, cols_of(rows.view)), {cells, rounds, rows_a_cell, seed},
                            threads);
    }
    const Size kept = lists.radii.size(), d = lists.center.size();
    return nb::make_tuple(line(std::move(lists.center)), line(std::vector<double>{lists.scale}),
                          to_numpy(std::move(lists.cells), {kept, d}), line(std::move(lists.cell_panels)),
                          line(std::move(lists.cell_sizes)), line(std::move(lists.radii)),
                          line(std::move(lists.starts)), line(std::move(lists.order)),
                          line(std::move(lists.panel_starts)), line(std::move(lists.panels)),
                          line(std::move(lists.sizes)));
}

nb::tuple py_lists_nearest(const nb::tuple& lists, const BoundMatrix& rows, const BoundMatrix& queries, Size k,
                           Size probes, int metric, int threads) {
    const ListsView view = lists_view(lists);
    return nearest_of(queries, k, [&](std::span<double> distances, std::span<std::int64_t> numbers) {
        lists_nearest(view, rows.view, queries.view, k, probes, metric_of(metric, 2, cols_of(rows.view)), distances,
                      numbers, threads);
    });
}

nb::tuple py_lists_within(const nb::tuple& lists, const BoundMatrix& rows, const BoundMatrix& queries, double radius,
                          int metric, int threads) {
    const ListsView view = lists_view(lists);
    return within_of([&] {
        return lists_within(view, rows.view, queries.view, radius, metric_of(metric, 2, cols_of(rows.view)), threads);
    });
}

// The cells in the order in which each query looks at them.
nb::object py_lists_order(const nb::tuple& lists, const BoundMatrix& queries, Size probes, int threads) {
    const ListsView view = lists_view(lists);
    const Size n = rows_of(queries.view);
    std::vector<std::int32_t> cells(n * probes);
    {
        const nb::gil_scoped_release release;
        lists_order(view, queries.view, probes, cells, threads);
    }
    return to_numpy(std::move(cells), {n, probes});
}

// ------------------------------------------------------------------------------------------------------------- graph

// cells: the first six arrays of lists; graph: table, starts, links, entries, member starts, members, always.
GraphView graph_view(const nb::tuple& cells, const nb::tuple& graph) {
    GraphView view;
    view.cells.center = flat<double>(cells, 0);
    view.cells.scale = flat<double>(cells, 1)[0];
    view.cells.cells = flat<float>(cells, 2);
    view.cells.cell_panels = flat<float>(cells, 3);
    view.cells.cell_sizes = flat<float>(cells, 4);
    view.cells.radii = flat<float>(cells, 5);
    view.table = flat<float>(graph, 0);
    view.starts = flat<std::int64_t>(graph, 1);
    view.links = flat<std::uint32_t>(graph, 2);
    view.entries = flat<std::uint32_t>(graph, 3);
    view.member_starts = flat<std::int64_t>(graph, 4);
    view.members = flat<std::int64_t>(graph, 5);
    view.always = flat<std::int64_t>(graph, 6);
    return view;
}

// (table, starts, links, entries)
nb::tuple py_build_graph(const nb::tuple& lists, const BoundMatrix& rows, Size links, Size candidates, Size probes,
                         int threads) {
    const ListsView view = lists_view(lists);
    Graph graph;
    {
        const nb::gil_scoped_release release;
        graph = build_graph(view, rows.view, {links, candidates, probes}, threads);
    }
    return nb::make_tuple(line(std::move(graph.table)), line(std::move(graph.starts)), line(std::move(graph.links)),
                          line(std::move(graph.entries)));
}

nb::tuple py_graph_nearest(const nb::tuple& cells, const nb::tuple& graph, const BoundMatrix& rows,
                           const BoundMatrix& queries, Size k, Size reach, Size entries, const nb::tuple& hidden,
                           int metric, int threads) {
    const GraphView view = graph_view(cells, graph);
    const GraphReach how{reach, entries,
                         hidden.size() == 0 ? std::span<const std::int64_t>() : flat<std::int64_t>(hidden, 0)};
    return nearest_of(queries, k, [&](std::span<double> distances, std::span<std::int64_t> numbers) {
        graph_nearest(view, rows.view, queries.view, k, how, metric_of(metric, 2, cols_of(rows.view)), distances,
                      numbers, threads);
    });
}

nb::tuple py_graph_within(const nb::tuple& cells, const nb::tuple& graph, const BoundMatrix& rows,
                          const BoundMatrix& queries, double radius, Size reach, Size entries, int metric,
                          int threads) {
    const GraphView view = graph_view(cells, graph);
    return within_of([&] {
        return graph_within(view, rows.view, queries.view, radius, {reach, entries, {}},
                            metric_of(metric, 2, cols_of(rows.view)), threads);
    });
}

nb::object py_first_like_rows(const BoundMatrix& rows, int threads) {
    std::vector<std::int64_t> first(rows_of(rows.view));
    {
        const nb::gil_scoped_release release;
        first_equal_rows(rows.view, first, threads);
    }
    return line(std::move(first));
}

// ------------------------------------------------------------------------------------------------------- hyperplanes

// planes: normals (d x planes), offsets (tables x bits).
Planes planes_view(const nb::tuple& planes) {
    const auto offsets = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(planes[1], false);
    return {offsets.shape(0), offsets.shape(1), flat<double>(planes, 0), flat<double>(planes, 1)};
}

// buckets: table starts, starts, rows, codes.
HashView hash_view(const nb::tuple& planes, const nb::tuple& buckets) {
    return {planes_view(planes), flat<std::int64_t>(buckets, 0), flat<std::int64_t>(buckets, 1),
            flat<std::int64_t>(buckets, 2), flat<std::uint64_t>(buckets, 3)};
}

nb::object py_plane_codes(const nb::tuple& planes, const BoundMatrix& rows, int threads) {
    const Planes view = planes_view(planes);
    const Size n = rows_of(rows.view);
    std::vector<std::uint64_t> codes(n * view.tables);
    {
        const nb::gil_scoped_release release;
        plane_codes(view, rows.view, codes, threads);
    }
    return to_numpy(std::move(codes), {n, view.tables});
}

nb::tuple py_fill_buckets(const nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig>& codes, int threads) {
    Buckets buckets;
    {
        const nb::gil_scoped_release release;
        buckets = fill_buckets({codes.data(), codes.size()}, codes.shape(0), codes.shape(1), threads);
    }
    return nb::make_tuple(line(std::move(buckets.table_starts)), line(std::move(buckets.starts)),
                          line(std::move(buckets.rows)), line(std::move(buckets.codes)));
}

nb::tuple py_hash_nearest(const nb::tuple& planes, const nb::tuple& buckets, const BoundMatrix& rows,
                          const BoundMatrix& queries, Size k, Size probes, int metric, int threads) {
    const HashView view = hash_view(planes, buckets);
    return nearest_of(queries, k, [&](std::span<double> distances, std::span<std::int64_t> numbers) {
        hash_nearest(view, rows.view, queries.view, k, probes, metric_of(metric, 2, cols_of(rows.view)), distances,
                     numbers, threads);
    });
}

nb::tuple py_hash_within(const nb::tuple& planes, const nb::tuple& buckets, const BoundMatrix& rows,
                         const BoundMatrix& queries, double radius, Size probes, int metric, int threads) {
    const HashView view = hash_view(planes, buckets);
    return within_of([&] {
        return hash_within(view, rows.view, queries.view, radius, probes, metric_of(metric, 2, cols_of(rows.view)),
                           threads);
    });
}

// (starts, rows)
nb::tuple py_hash_candidates(const nb::tuple& planes, const nb::tuple& buckets, const BoundMatrix& queries, Size rows,
                             Size probes, int threads) {
    const HashView view = hash_view(planes, buckets);
    Neighborhoods found;
    {
        const nb::gil_scoped_release release;
        found = hash_candidates(view, queries.view, rows, probes, threads);
    }
    return nb::make_tuple(line(std::move(found.starts)), line(std::move(found.rows)));
}

}  // namespace

void bind_approximate(nb::module_& m) {
    m.def("build_lists", &py_build_lists);
    m.def("lists_nearest", &py_lists_nearest);
    m.def("lists_within", &py_lists_within);
    m.def("lists_order", &py_lists_order);
    m.def("build_graph", &py_build_graph);
    m.def("graph_nearest", &py_graph_nearest);
    m.def("graph_within", &py_graph_within);
    m.def("first_like_rows", &py_first_like_rows);
    m.def("plane_codes", &py_plane_codes);
    m.def("fill_buckets", &py_fill_buckets);
    m.def("hash_nearest", &py_hash_nearest);
    m.def("hash_within", &py_hash_within);
    m.def("hash_candidates", &py_hash_candidates);
}

}  // namespace pellucid::bind

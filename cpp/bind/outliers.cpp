// Rows unlike the others.
#include <algorithm>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "core/outliers/isolation.hpp"
#include "core/outliers/local_density.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Column<T>& a) {
    return {a.data(), a.shape(0)};
}

NeighborLists lists_of(const Column<std::int64_t>& starts, const Vector& distances, const Column<std::int64_t>& rows) {
    require(starts.shape(0) >= 1 && rows.shape(0) == distances.shape(0), "neighbors: sizes");
    return {view(starts), span_of(distances), view(rows)};
}

// Figures of the fitted rows come out of a model, which may come out of a file.
void check_fitted(const NeighborLists& lists, Size fitted) {
    for (const std::int64_t row : lists.rows)
        if (row < 0 || static_cast<Size>(row) >= fitted) throw std::invalid_argument("neighbors: one figure a row");
}

nb::object py_local_densities(const Column<std::int64_t>& starts, const Vector& distances,
                              const Column<std::int64_t>& rows, const Vector& k_distance, double least, int threads) {
    const NeighborLists lists = lists_of(starts, distances, rows);
    std::vector<double> out(lists.count());
    const Size n = out.size();
    {
        const nb::gil_scoped_release release;
        check_fitted(lists, k_distance.shape(0));
        local_densities(lists, span_of(k_distance), least, out, threads);
    }
    return to_numpy(std::move(out), {n});
}

nb::object py_outlier_factors(const Column<std::int64_t>& starts, const Vector& distances,
                              const Column<std::int64_t>& rows, const Vector& own, const Vector& fitted, int threads) {
    const NeighborLists lists = lists_of(starts, distances, rows);
    require(own.shape(0) == lists.count(), "outlier_factors: sizes");
    std::vector<double> out(lists.count());
    const Size n = out.size();
    {
        const nb::gil_scoped_release release;
        check_fitted(lists, fitted.shape(0));
        outlier_factors(lists, span_of(own), span_of(fitted), out, threads);
    }
    return to_numpy(std::move(out), {n});
}

// (starts, column, left, threshold, rows)
nb::tuple py_grow_isolation(const BoundMatrix& X, Size trees, Size samples, Size columns, bool bootstrap,
                            std::uint64_t seed, int threads) {
    IsolationTrees found;
    {
        const nb::gil_scoped_release release;
        found = grow_isolation(X.view, {trees, samples, columns, bootstrap, seed, threads});
    }
    const Size nodes = found.column.size(), starts = found.starts.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {starts}), to_numpy(std::move(found.column), {nodes}),
                          to_numpy(std::move(found.left), {nodes}), to_numpy(std::move(found.threshold), {nodes}),
                          to_numpy(std::move(found.rows), {nodes}));
}

nb::object py_mean_paths(const BoundMatrix& X, const Column<std::int64_t>& starts, const Column<std::int32_t>& column,
                         const Column<std::int32_t>& left, const Vector& threshold, int threads) {
    const Size n = rows_of(X.view), cols = cols_of(X.view);
    std::vector<double> out(n);
    {
        const nb::gil_scoped_release release;
        // Where the nodes lead was looked at when the trees were made; the table comes with the call.
        std::int32_t last = -1;
        for (const std::int32_t j : view(column)) last = std::max(last, j);
        if (last >= 0 && static_cast<Size>(last) >= cols) throw std::invalid_argument("trees: no such column");
        mean_paths(X.view, {view(starts), view(column), view(left), span_of(threshold)}, out, threads);
    }
    return to_numpy(std::move(out), {n});
}

}  // namespace

void bind_outliers(nb::module_& m) {
    m.def("local_densities", &py_local_densities, nb::arg("starts").noconvert(), nb::arg("distances").noconvert(),
          nb::arg("rows").noconvert(), nb::arg("k_distance").noconvert(), nb::arg("least"), nb::arg("threads"));
    m.def("outlier_factors", &py_outlier_factors, nb::arg("starts").noconvert(), nb::arg("distances").noconvert(),
          nb::arg("rows").noconvert(), nb::arg("own").noconvert(), nb::arg("fitted").noconvert(), nb::arg("threads"));
    m.def("average_path", &average_path, nb::arg("m"));
    m.def("grow_isolation", &py_grow_isolation, nb::arg("x"), nb::arg("trees"), nb::arg("samples"), nb::arg("columns"),
          nb::arg("bootstrap"), nb::arg("seed"), nb::arg("threads"));
    m.def("mean_paths", &py_mean_paths, nb::arg("x"), nb::arg("starts").noconvert(), nb::arg("column").noconvert(),
          nb::arg("left").noconvert(), nb::arg("threshold").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind

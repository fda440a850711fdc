#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "core/impute/chained.hpp"
#include "core/impute/fill.hpp"
#include "core/impute/neighbors.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}
template <class T>
std::span<T> span_of(const Rows<T>& rows) {
    return {rows.data(), rows.shape(0) * rows.shape(1)};
}

template <class T>
bool py_fill_missing(const BoundMatrix& x, const Column<const std::int64_t>& from, const Vector& value,
                     const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "fill_missing: X and the result must be dense and of one type");
    const Written<T> written{out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
    const nb::gil_scoped_release release;
    return fill_missing(*view, span_of(from), bind::span_of(value), written, threads);
}

nb::object py_column_medians(const BoundMatrix& x, int threads) {
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = column_medians(x.view, threads);
    }
    return to_numpy(std::move(found), {cols_of(x.view)});
}

const Dense<double>& doubles(const BoundMatrix& x) {
    const auto* view = std::get_if<Dense<double>>(&x.view);
    require(view != nullptr, "X must be dense and of 64-bit floats");
    return *view;
}

// gaps: (row, column) of every cell to be filled. (rows, distances) of the donors of each.
nb::tuple py_nearest_donors(const Donors& donors, const BoundMatrix& receivers, const Rows<const std::int64_t>& gaps,
                            Size k, int threads) {
    require(gaps.shape(1) == 2, "nearest_donors: a row and a column for each gap");
    const Size n = gaps.shape(0);
    std::vector<std::int64_t> rows(n * k);
    std::vector<double> distances(n * k);
    {
        const nb::gil_scoped_release release;
        std::vector<Gap> cells(n);
        for (Size g = 0; g < n; ++g) cells[g] = {gaps.data()[2 * g], gaps.data()[2 * g + 1]};
        nearest_donors(donors, doubles(receivers), cells, k, rows, distances, threads);
    }
    return nb::make_tuple(to_numpy(std::move(rows), {n, k}), to_numpy(std::move(distances), {n, k}));
}

Filled filled(const Rows<double>& x) { return {x.data(), x.shape(0), x.shape(1)}; }

// rows: positions, or None for all.
nb::object py_cross_products(const Rows<double>& x, const std::optional<Column<const std::int64_t>>& rows,
                             const Vector& shift, const Vector& scale, int threads) {
    const Size width = x.shape(1) + 1;
    std::vector<double> out(width * width);
    {
        const nb::gil_scoped_release release;
        const std::span<const std::int64_t> listed = rows ? span_of(*rows) : std::span<const std::int64_t>{};
        cross_products(filled(x), listed, !rows, {bind::span_of(shift), bind::span_of(scale)}, out, threads);
    }
    return to_numpy(std::move(out), {width, width});
}

// limits: low and high.
nb::object py_refresh_column(const Rows<double>& x, const Column<const std::int64_t>& rows, Size column,
                             double intercept, const Vector& coef, const std::tuple<double, double>& limits,
                             const Vector& shift, const Vector& scale, int threads) {
    const Size width = x.shape(1) + 1;
    std::vector<double> change(width);
    {
        const nb::gil_scoped_release release;
        const Line line{column, intercept, bind::span_of(coef), std::get<0>(limits), std::get<1>(limits)};
        refresh_column(filled(x), span_of(rows), line, {bind::span_of(shift), bind::span_of(scale)}, change, threads);
    }
    return to_numpy(std::move(change), {width});
}

double py_largest_change(const Rows<double>& x, const Rows<double>& before, int threads) {
    const nb::gil_scoped_release release;
    return largest_change(filled(x), span_of(before), threads);
}

void py_run_chain(const Rows<double>& x, const Rows<const std::uint8_t>& missing,
                  const Column<const std::int64_t>& columns, const Vector& intercepts, const Rows<const double>& coefs,
                  const Vector& low, const Vector& high, int threads) {
    const nb::gil_scoped_release release;
    const Chain chain{span_of(columns), bind::span_of(intercepts), span_of(coefs), bind::span_of(low),
                      bind::span_of(high)};
    run_chain(filled(x), span_of(missing), chain, threads);
}

template <class T>
void bind_fill(nb::module_& m) {
    m.def("fill_missing", &py_fill_missing<T>, nb::arg("x"), nb::arg("source").noconvert(),
          nb::arg("value").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_impute(nb::module_& m) {
    bind_fill<double>(m);
    bind_fill<float>(m);
    m.def("column_medians", &py_column_medians, nb::arg("x"), nb::arg("threads"));
    nb::class_<Donors>(m, "Donors")
        .def(
            "__init__",
            [](Donors* place, const BoundMatrix& x, int threads) {
                const nb::gil_scoped_release release;
                new (place) Donors(doubles(x), threads);
            },
            nb::arg("x"), nb::arg("threads"));
    m.def("nearest_donors", &py_nearest_donors, nb::arg("donors"), nb::arg("receivers"), nb::arg("gaps").noconvert(),
          nb::arg("k"), nb::arg("threads"));
    m.def("cross_products", &py_cross_products, nb::arg("x").noconvert(), nb::arg("rows").noconvert().none(),
          nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("threads"));
    m.def("refresh_column", &py_refresh_column, nb::arg("x").noconvert(), nb::arg("rows").noconvert(),
          nb::arg("column"), nb::arg("intercept"), nb::arg("coef").noconvert(), nb::arg("limits"),
          nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("threads"));
    m.def("largest_change", &py_largest_change, nb::arg("x").noconvert(), nb::arg("before").noconvert(),
          nb::arg("threads"));
    m.def("run_chain", &py_run_chain, nb::arg("x").noconvert(), nb::arg("missing").noconvert(),
          nb::arg("columns").noconvert(), nb::arg("intercepts").noconvert(), nb::arg("coefs").noconvert(),
          nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind

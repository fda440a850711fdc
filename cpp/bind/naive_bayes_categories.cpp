#include "bind/arrays.hpp"
#include "core/naive_bayes/categorical.hpp"
#include "core/naive_bayes/kernel_density.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

// Columns of flags and numbers, one row a column of the table: codes?, missing?, infinite?, largest.
template <class T>
nb::object py_code_extents(const Table<T>& x, int threads) {
    std::vector<CodeExtent> extents;
    {
        const nb::gil_scoped_release release;
        extents = code_extents(dense_view(x), threads);
    }
    std::vector<double> found;
    for (const CodeExtent& e : extents)
        found.insert(found.end(), {e.codes ? 1.0 : 0.0, e.missing ? 1.0 : 0.0, e.infinite ? 1.0 : 0.0, e.largest});
    return to_numpy(std::move(found), {extents.size(), 4});
}

template <class T>
nb::object py_count_codes(const Table<T>& x, const Column<const std::int64_t>& sizes,
                          const Column<const std::int32_t>& classes, Size n_classes, const Column<const double>& weight,
                          int threads) {
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = count_codes(dense_view(x), {span_of(sizes), span_of(classes), span_of(weight), n_classes}, threads);
    }
    const Size rows = found.size() / n_classes;
    return to_numpy(std::move(found), {rows, n_classes});
}

template <class T>
void py_add_code_scores(const Table<T>& x, const Column<const std::int64_t>& sizes, const Column<const double>& tables,
                        Size n_classes, const Column<double>& out, int threads) {
    const nb::gil_scoped_release release;
    add_code_scores(dense_view(x), span_of(sizes), span_of(tables), n_classes, span_of(out), threads);
}

template <class T>
void bind_counts(nb::module_& m) {
    m.def("count_codes", &py_count_codes<T>, nb::arg("x").noconvert(), nb::arg("sizes").noconvert(),
          nb::arg("classes").noconvert(), nb::arg("n_classes"), nb::arg("weight").noconvert(), nb::arg("threads"));
    m.def("add_code_scores", &py_add_code_scores<T>, nb::arg("x").noconvert(), nb::arg("sizes").noconvert(),
          nb::arg("tables").noconvert(), nb::arg("n_classes"), nb::arg("out").noconvert(), nb::arg("threads"));
}

template <class T>
void bind_numbers(nb::module_& m) {
    bind_counts<T>(m);
    m.def("code_extents", &py_code_extents<T>, nb::arg("x").noconvert(), nb::arg("threads"));
}

// ---------------------------------------------------------------------------------------------------------- densities

// A density with the arrays behind it, and its table of polynomials.
struct BoundDensity {
    Density view;
    DensityTable table;
    std::vector<nb::object> owners;
};

BoundDensity py_density(const Column<const double>& points, const Column<const double>& weight, double h) {
    BoundDensity made;
    {
        const nb::gil_scoped_release release;
        made.table = density_table(span_of(points), span_of(weight), h);
    }
    made.view = {span_of(points), span_of(weight), h, made.table.cells, made.table.coefficients};
    made.owners = {nb::cast(points), nb::cast(weight)};
    return made;
}

void py_add_log_densities(const nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>& x, const nb::list& densities,
                          const Column<double>& out, int threads) {
    std::vector<Density> views;
    for (const nb::handle one : densities) {
        const auto& bound = nb::cast<const BoundDensity&>(one);
        views.push_back(bound.view);
        views.back().cells = bound.table.cells;  // a moved object's vectors keep their memory, but not by promise
        views.back().coefficients = bound.table.coefficients;
    }
    const nb::gil_scoped_release release;
    add_log_densities(x.data(), x.shape(0), x.stride(0), views, span_of(out), threads);
}

}  // namespace

void bind_naive_bayes_categories(nb::module_& m) {
    bind_numbers<double>(m);
    bind_numbers<float>(m);
    bind_numbers<std::int64_t>(m);
    bind_numbers<std::uint8_t>(m);
    bind_counts<std::int32_t>(m);
    nb::class_<BoundDensity>(m, "Density")
        .def(
            "__init__",
            [](BoundDensity* self, const Column<const double>& points, const Column<const double>& weight, double h) {
                new (self) BoundDensity(py_density(points, weight, h));
            },
            nb::arg("points").noconvert(), nb::arg("weight").noconvert(), nb::arg("h"))
        .def_prop_ro("has_table", [](const BoundDensity& d) { return !d.table.cells.empty(); });
    m.def("add_log_densities", &py_add_log_densities, nb::arg("x").noconvert(), nb::arg("densities"),
          nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind

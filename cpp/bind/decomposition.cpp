// Components of a table.
#include "bind/arrays.hpp"
#include "core/decomposition/project.hpp"

namespace pellucid::bind {
namespace {

using Directions = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// (rows along the directions, squared lengths of the centered rows or None)
nb::tuple py_project(const BoundMatrix& X, double unit, const Vector& center, const Directions& W, bool squares,
                     int threads) {
    ensure_lapack();
    const Size n = rows_of(X.view), k = W.shape(0);
    std::vector<double> out(n * k), lengths(squares ? n : 0);
    {
        const nb::gil_scoped_release release;
        project(X.view, unit, span_of(center), {W.data(), W.size()}, k, out, lengths, threads);
    }
    return nb::make_tuple(to_numpy(std::move(out), {n, k}),
                          squares ? to_numpy(std::move(lengths), {n}) : nb::object(nb::none()));
}

// (Z, G)
nb::tuple py_covariance_times(const BoundMatrix& X, double unit, const Vector& center, const Directions& V,
                              int threads) {
    ensure_lapack();
    const Size p = cols_of(X.view), l = V.shape(0);
    CovarianceTimes found;
    {
        const nb::gil_scoped_release release;
        found = covariance_times(X.view, unit, span_of(center), {V.data(), V.size()}, l, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.Z), {l, p}), to_numpy(std::move(found.G), {l, l}));
}

}  // namespace

void bind_decomposition(nb::module_& m) {
    m.def("project", &py_project, nb::arg("x"), nb::arg("unit"), nb::arg("center").noconvert(),
          nb::arg("w").noconvert(), nb::arg("squares"), nb::arg("threads"));
    m.def("covariance_times", &py_covariance_times, nb::arg("x"), nb::arg("unit"), nb::arg("center").noconvert(),
          nb::arg("v").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind

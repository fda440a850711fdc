#include "bind/arrays.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Result = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void py_polynomial(const BoundMatrix& x, const PolynomialPlan& plan, const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "polynomial: X and the result must be dense and of one type");
    const Written<T> written{out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
    const nb::gil_scoped_release release;
    polynomial(*view, plan, written, threads);
}

template <class T, class Index>
void py_polynomial_sparse(const BoundMatrix& x, const PolynomialPlan& plan, const Column<const std::int64_t>& starts,
                          const Column<Index>& indices, const Column<T>& values, int threads) {
    const std::span<const std::int64_t> first{starts.data(), starts.shape(0)};
    const std::span<Index> columns{indices.data(), indices.shape(0)};
    const std::span<T> cells{values.data(), values.shape(0)};
    const nb::gil_scoped_release release;
    if (const auto* narrow = std::get_if<Csr<std::int32_t>>(&x.view))
        return polynomial(*narrow, plan, first, columns, cells, threads);
    const auto* wide = std::get_if<Csr<std::int64_t>>(&x.view);
    require(wide != nullptr, "polynomial_sparse: X must be sparse");
    polynomial(*wide, plan, first, columns, cells, threads);
}

template <class T>
void bind_results(nb::module_& m) {
    m.def("polynomial", &py_polynomial<T>, nb::arg("x"), nb::arg("plan"), nb::arg("out").noconvert(),
          nb::arg("threads"));
    m.def("polynomial_sparse", &py_polynomial_sparse<T, std::int32_t>, nb::arg("x"), nb::arg("plan"),
          nb::arg("starts").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
          nb::arg("threads"));
    m.def("polynomial_sparse", &py_polynomial_sparse<T, std::int64_t>, nb::arg("x"), nb::arg("plan"),
          nb::arg("starts").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
          nb::arg("threads"));
}

}  // namespace

void bind_preprocessing(nb::module_& m) {
    nb::class_<PolynomialPlan>(m, "PolynomialPlan")
        .def(nb::init<Size, Size, Size, bool, bool>(), nb::arg("columns"), nb::arg("lowest"), nb::arg("highest"),
             nb::arg("distinct"), nb::arg("ones"))
        .def_ro("width", &PolynomialPlan::width);
    bind_results<double>(m);
    bind_results<float>(m);
}

}  // namespace pellucid::bind

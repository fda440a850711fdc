#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/discriminants/class_scatter.hpp"
#include "core/discriminants/gaussian_scores.hpp"

namespace pellucid::bind {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // of any number of dimensions

std::span<const double> numbers_of(const Rows& a) { return {a.data(), a.size()}; }
std::span<const std::int32_t> codes_of(const Codes& codes) { return {codes.data(), codes.shape(0)}; }
std::span<const double> span_or_empty(const std::optional<Vector>& v) {
    return v ? span_of(*v) : std::span<const double>{};
}

// (status, weights k, means k x p, scale p, scatters k x p x p or 1 x p x p)
nb::tuple py_class_scatter(const BoundMatrix& X, const Codes& codes, Size classes, const std::optional<Vector>& weight,
                           bool pooled, int threads) {
    ClassScatter m;
    {
        const nb::gil_scoped_release release;
        m = class_scatter(X.view, codes_of(codes), classes, span_or_empty(weight), pooled, threads);
    }
    const Size p = m.scale.size(), slots = pooled ? 1 : classes;
    return nb::make_tuple(static_cast<int>(m.status), to_numpy(std::move(m.weight), {classes}),
                          to_numpy(std::move(m.mean), {classes, p}), to_numpy(std::move(m.scale), {p}),
                          to_numpy(std::move(m.scatter), {slots, p, p}));
}

nb::object py_fourth_moments(const BoundMatrix& X, const Codes& codes, const std::optional<Vector>& weight,
                             const Rows& mean, const Rows& inverse, int threads) {
    const Size classes = mean.shape(0);
    std::vector<double> out(classes);
    {
        const nb::gil_scoped_release release;
        fourth_moments(X.view, codes_of(codes), span_or_empty(weight), numbers_of(mean), numbers_of(inverse), out,
                       threads);
    }
    return to_numpy(std::move(out), {classes});
}

nb::object py_linear_scores(const BoundMatrix& X, const Vector& scale, const Vector& offset, const Rows& W,
                            const Vector& b, int threads) {
    const Size n = rows_of(X.view), k = b.shape(0);
    std::vector<double> out(n * k);
    {
        const nb::gil_scoped_release release;
        centered_scores(X.view, span_of(scale), span_of(offset), numbers_of(W), span_of(b), out, threads);
    }
    return to_numpy(std::move(out), {n, k});
}

nb::object py_quadratic_scores(const BoundMatrix& X, const Vector& scale, const Rows& mean, const Rows& factors,
                               const Vector& level, int threads) {
    const Size n = rows_of(X.view), k = level.shape(0);
    std::vector<double> out(n * k);
    {
        const nb::gil_scoped_release release;
        quadratic_scores(X.view, span_of(scale), numbers_of(mean), numbers_of(factors), span_of(level), out, threads);
    }
    return to_numpy(std::move(out), {n, k});
}

}  // namespace

void bind_discriminants(nb::module_& m) {
    m.def("class_scatter", &py_class_scatter, nb::arg("x"), nb::arg("codes").noconvert(), nb::arg("classes"),
          nb::arg("weight").none(), nb::arg("pooled"), nb::arg("threads"));
    m.def("fourth_moments", &py_fourth_moments, nb::arg("x"), nb::arg("codes").noconvert(), nb::arg("weight").none(),
          nb::arg("mean").noconvert(), nb::arg("inverse").noconvert(), nb::arg("threads"));
    m.def("centered_scores", &py_linear_scores, nb::arg("x"), nb::arg("scale").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("w").noconvert(), nb::arg("b").noconvert(), nb::arg("threads"));
    m.def("quadratic_scores", &py_quadratic_scores, nb::arg("x"), nb::arg("scale").noconvert(),
          nb::arg("mean").noconvert(), nb::arg("factors").noconvert(), nb::arg("level").noconvert(),
          nb::arg("threads"));
}

}  // namespace pellucid::bind

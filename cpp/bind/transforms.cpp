#include "bind/arrays.hpp"
#include "core/preprocessing/power.hpp"
#include "core/preprocessing/quantile.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Result = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
using Rows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The dense view behind x, and the result, of one type.
template <class T>
const Dense<T>& view_of(const BoundMatrix& x) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "transforms: X and the result must be dense and of one type");
    return *view;
}
template <class T>
Written<T> written_to(const Result<T>& out) {
    return {out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
}

PowerFamily family_of(bool box_cox) { return box_cox ? PowerFamily::box_cox : PowerFamily::yeo_johnson; }

// (lambda, center, mean, scale, held), one number a column each
nb::tuple py_fit_powers(const BoundMatrix& x, bool box_cox, const Vector& low, const Vector& high, int threads) {
    PowerFit fit;
    {
        const nb::gil_scoped_release release;
        fit = fit_powers(x.view, family_of(box_cox), span_of(low), span_of(high), threads);
    }
    const Size cols = cols_of(x.view);
    return nb::make_tuple(to_numpy(std::move(fit.lambda), {cols}), to_numpy(std::move(fit.center), {cols}),
                          to_numpy(std::move(fit.mean), {cols}), to_numpy(std::move(fit.scale), {cols}),
                          to_numpy(std::move(fit.held), {cols}));
}

// powers: four rows, one number a column: lambda, center, mean, scale.
template <class T, auto write>
int py_powers(const BoundMatrix& x, bool box_cox, const Table& powers, const Result<T>& out, int threads) {
    require(powers.shape(0) == 4, "powers: four rows");
    const Size cols = powers.shape(1);
    const auto row = [&](Size i) { return std::span<const double>{powers.data() + i * cols, cols}; };
    const nb::gil_scoped_release release;
    return write(view_of<T>(x), Powers{family_of(box_cox), row(0), row(1), row(2), row(3)}, written_to(out), threads);
}

template <class T, auto write>
int py_logs(const BoundMatrix& x, int base, const Vector& shift, const Result<T>& out, int threads) {
    require(base == 0 || base == 2 || base == 10, "logs: base");
    const nb::gil_scoped_release release;
    return write(view_of<T>(x), Logs{span_of(shift), static_cast<LogBase>(base)}, written_to(out), threads);
}

template <class T, auto write>
int py_roots(const BoundMatrix& x, int degree, const Result<T>& out, int threads) {
    const nb::gil_scoped_release release;
    return write(view_of<T>(x), degree, written_to(out), threads);
}

nb::object py_sample_quantiles(const BoundMatrix& x, const Rows& rows, const Vector& shares, int threads) {
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = sample_quantiles(x.view, {rows.data(), rows.shape(0)}, span_of(shares), threads);
    }
    return to_numpy(std::move(found), {cols_of(x.view), shares.shape(0)});
}

// normal: margin, low and high of a normal output; empty for a uniform one.
template <class T, auto write>
int py_quantiles(const BoundMatrix& x, const Vector& shares, const Table& quantiles, const Vector& normal,
                 const Result<T>& out, int threads) {
    require(normal.shape(0) == 0 || normal.shape(0) == 3, "quantiles: margin, low and high");
    Curves curves{span_of(shares), {quantiles.data(), quantiles.size()}, quantiles.shape(1)};
    if (normal.shape(0) == 3)
        curves.output = Output::normal, curves.margin = normal(0), curves.low = normal(1), curves.high = normal(2);
    const nb::gil_scoped_release release;
    return write(view_of<T>(x), curves, written_to(out), threads);
}

template <class T>
void bind_written(nb::module_& m) {
    const auto powers = [&](const char* name, auto f) {
        m.def(name, f, nb::arg("x"), nb::arg("box_cox"), nb::arg("powers").noconvert(), nb::arg("out").noconvert(),
              nb::arg("threads"));
    };
    const auto logs = [&](const char* name, auto f) {
        m.def(name, f, nb::arg("x"), nb::arg("base"), nb::arg("shift").noconvert(), nb::arg("out").noconvert(),
              nb::arg("threads"));
    };
    const auto roots = [&](const char* name, auto f) {
        m.def(name, f, nb::arg("x"), nb::arg("degree"), nb::arg("out").noconvert(), nb::arg("threads"));
    };
    const auto quantiles = [&](const char* name, auto f) {
        m.def(name, f, nb::arg("x"), nb::arg("shares").noconvert(), nb::arg("quantiles").noconvert(),
              nb::arg("normal").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
    };
    powers("power_columns", &py_powers<T, &power_columns<T>>);
    powers("unpower_columns", &py_powers<T, &unpower_columns<T>>);
    logs("log_columns", &py_logs<T, &log_columns<T>>);
    logs("unlog_columns", &py_logs<T, &unlog_columns<T>>);
    roots("root_columns", &py_roots<T, &root_columns<T>>);
    roots("unroot_columns", &py_roots<T, &unroot_columns<T>>);
    quantiles("quantile_columns", &py_quantiles<T, &quantile_columns<T>>);
    quantiles("unquantile_columns", &py_quantiles<T, &unquantile_columns<T>>);
}

}  // namespace

void bind_transforms(nb::module_& m) {
    m.def("fit_powers", &py_fit_powers, nb::arg("x"), nb::arg("box_cox"), nb::arg("low").noconvert(),
          nb::arg("high").noconvert(), nb::arg("threads"));
    m.def("sample_quantiles", &py_sample_quantiles, nb::arg("x"), nb::arg("rows").noconvert(),
          nb::arg("shares").noconvert(), nb::arg("threads"));
    bind_written<double>(m);
    bind_written<float>(m);
}

}  // namespace pellucid::bind

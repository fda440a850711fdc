#include "core/isotonic/isotonic.hpp"

#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

using Weights = std::optional<Vector>;

std::span<const double> view(const Weights& w) { return w ? span_of(*w) : std::span<const double>(); }

// (x, y) of the corners
nb::tuple py_fit_isotonic(const Vector& x, const Vector& y, const Weights& weight, double tie, double low, double high,
                          int threads) {
    Corners found;
    {
        const nb::gil_scoped_release release;
        found = fit_isotonic({span_of(x), span_of(y), view(weight)}, tie, low, high, threads);
    }
    const Size n = found.x.size();
    return nb::make_tuple(to_numpy(std::move(found.x), {n}), to_numpy(std::move(found.y), {n}));
}

nb::object py_pool_in_order(const Vector& y, const Weights& weight) {
    std::vector<double> f(y.shape(0));
    {
        const nb::gil_scoped_release release;
        pool_in_order(span_of(y), view(weight), f);
    }
    const Size n = f.size();
    return to_numpy(std::move(f), {n});
}

}  // namespace

void bind_isotonic(nb::module_& m) {
    m.def("fit_isotonic", &py_fit_isotonic, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          nb::arg("weight").none(), nb::arg("tie"), nb::arg("low"), nb::arg("high"), nb::arg("threads"));
    m.def("pool_in_order", &py_pool_in_order, nb::arg("y").noconvert(), nb::arg("weight").none());
}

}  // namespace pellucid::bind

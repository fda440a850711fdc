#include <nanobind/stl/tuple.h>

#include <memory>

#include "bind/arrays.hpp"
#include "core/distance/brute.hpp"

namespace pellucid::bind {
namespace {

// Memory that is not filled before it is written to, handed over to NumPy as it is.
template <class T>
struct Room {
    std::unique_ptr<T[]> held;
    Size size;

    explicit Room(Size n) : held(new T[std::max<Size>(n, 1)]), size(n) {}
    std::span<T> span() { return {held.get(), size}; }
    nb::object to_numpy(std::initializer_list<Size> shape) {
        T* data = held.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
    }
};

// (distances, rows), queries x k each.
nb::tuple py_brute_nearest(const BoundMatrix& rows, const BoundMatrix& queries, Size k, int metric, double p,
                           int threads) {
    const Size n = rows_of(queries.view);
    Room<double> distances(n * k);
    Room<std::int64_t> numbers(n * k);
    {
        const nb::gil_scoped_release release;
        brute_nearest(rows.view, queries.view, k, metric_of(metric, p, cols_of(rows.view)), distances.span(),
                      numbers.span(), threads);
    }
    return nb::make_tuple(distances.to_numpy({n, k}), numbers.to_numpy({n, k}));
}

// (distances, rows), rows x k each.
nb::tuple py_brute_nearest_others(const BoundMatrix& rows, Size k, int metric, double p, int threads) {
    const Size n = rows_of(rows.view);
    Room<double> distances(n * k);
    Room<std::int64_t> numbers(n * k);
    {
        const nb::gil_scoped_release release;
        brute_nearest_others(rows.view, k, metric_of(metric, p, cols_of(rows.view)), distances.span(), numbers.span(),
                             threads);
    }
    return nb::make_tuple(distances.to_numpy({n, k}), numbers.to_numpy({n, k}));
}

// (starts, distances, rows): of query i from starts[i] on.
nb::tuple py_brute_within(const BoundMatrix& rows, const BoundMatrix& queries, double radius, int metric, double p,
                          int threads) {
    Neighborhoods found;
    {
        const nb::gil_scoped_release release;
        found = brute_within(rows.view, queries.view, radius, metric_of(metric, p, cols_of(rows.view)), threads);
    }
    const Size pairs = found.rows.size(), starts = found.starts.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {starts}), to_numpy(std::move(found.distances), {pairs}),
                          to_numpy(std::move(found.rows), {pairs}));
}

}  // namespace

void bind_neighbors(nb::module_& m) {
    m.def("brute_nearest", &py_brute_nearest);
    m.def("brute_nearest_others", &py_brute_nearest_others);
    m.def("brute_within", &py_brute_within);
}

}  // namespace pellucid::bind

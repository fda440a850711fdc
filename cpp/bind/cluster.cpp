// Groups of rows that are alike.
#include "bind/traced.hpp"
#include "core/cluster/k_means.hpp"

namespace pellucid::bind {
namespace {

using Centers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

RowFrame frame_of(const std::optional<Vector>& shift, double unit) {
    return {shift ? span_of(*shift) : std::span<const double>{}, unit};
}
std::span<const double> weight_of(const std::optional<Vector>& weight) {
    return weight ? span_of(*weight) : std::span<const double>{};
}

// (centers, labels, distortion, passes, settled, record)
nb::tuple py_k_means(const BoundMatrix& X, const std::optional<Vector>& shift, double unit,
                     const std::optional<Vector>& weight, const Centers& start, Size max_iter, double tol, bool panels,
                     int threads, bool record, std::optional<nb::callable> listener) {
    const Size k = start.shape(0), p = start.shape(1), n = rows_of(X.view);
    require(p == cols_of(X.view), "k_means: columns");
    KMeansResult result;
    nb::object told = with_trace(record, listener, [&](auto& trace) {
        result = k_means(X.view, frame_of(shift, unit), weight_of(weight), {start.data(), start.size()}, k,
                         {max_iter, tol, panels, threads}, trace);
    });
    return nb::make_tuple(to_numpy(std::move(result.centers), {k, p}), to_numpy(std::move(result.labels), {n}),
                          result.distortion, result.passes, result.settled, told);
}

nb::object py_nearest_centers(const BoundMatrix& X, const std::optional<Vector>& shift, double unit,
                              const Centers& centers, int threads) {
    const Size n = rows_of(X.view), k = centers.shape(0);
    std::vector<std::int32_t> labels(n);
    {
        const nb::gil_scoped_release release;
        nearest_centers(X.view, frame_of(shift, unit), {centers.data(), centers.size()}, k, labels, threads);
    }
    return to_numpy(std::move(labels), {n});
}

double py_distortion(const BoundMatrix& X, const std::optional<Vector>& shift, double unit,
                     const std::optional<Vector>& weight, const Centers& centers, const Labels& labels, int threads) {
    require(labels.shape(0) == rows_of(X.view), "distortion: labels");
    const nb::gil_scoped_release release;
    return distortion(X.view, frame_of(shift, unit), weight_of(weight), {centers.data(), centers.size()},
                      {labels.data(), labels.size()}, threads);
}

nb::object py_far_apart_rows(const BoundMatrix& X, const std::optional<Vector>& shift, double unit,
                             const std::optional<Vector>& weight, Size k, Size trials, std::uint64_t seed,
                             int threads) {
    std::vector<std::int64_t> rows;
    {
        const nb::gil_scoped_release release;
        rows = far_apart_rows(X.view, frame_of(shift, unit), weight_of(weight), k, trials, seed, threads);
    }
    return to_numpy(std::move(rows), {k});
}

}  // namespace

void bind_cluster(nb::module_& m) {
    m.def("k_means", &py_k_means, nb::arg("x"), nb::arg("shift").none(), nb::arg("unit"), nb::arg("weight").none(),
          nb::arg("start").noconvert(), nb::arg("max_iter"), nb::arg("tol"), nb::arg("panels"), nb::arg("threads"),
          nb::arg("record"), nb::arg("listener").none());
    m.def("nearest_centers", &py_nearest_centers, nb::arg("x"), nb::arg("shift").none(), nb::arg("unit"),
          nb::arg("centers").noconvert(), nb::arg("threads"));
    m.def("distortion", &py_distortion, nb::arg("x"), nb::arg("shift").none(), nb::arg("unit"),
          nb::arg("weight").none(), nb::arg("centers").noconvert(), nb::arg("labels").noconvert(), nb::arg("threads"));
    m.def("far_apart_rows", &py_far_apart_rows, nb::arg("x"), nb::arg("shift").none(), nb::arg("unit"),
          nb::arg("weight").none(), nb::arg("k"), nb::arg("trials"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace pellucid::bind

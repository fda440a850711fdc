#include "core/distance/pairwise.hpp"

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void py_pairwise_table(const BoundMatrix& x, const BoundMatrix& z, bool same, int metric, double p, bool reduced,
                       const Out<T>& out, int threads) {
    require(out.shape(0) == rows_of(x.view) && out.shape(1) == rows_of(z.view), "room for every pair of rows");
    require(!same || out.shape(0) == out.shape(1), "one table has one number of rows");
    const nb::gil_scoped_release release;
    pairwise_table(x.view, z.view, same, metric_of(metric, p, cols_of(x.view)), reduced, out.data(), threads);
}

nb::object py_paired_distances(const BoundMatrix& x, const BoundMatrix& z, int metric, double p, bool reduced,
                               int threads) {
    const Size n = rows_of(x.view);
    std::vector<double> out(n);
    {
        const nb::gil_scoped_release release;
        paired_distances(x.view, z.view, metric_of(metric, p, cols_of(x.view)), reduced, out, threads);
    }
    return to_numpy(std::move(out), {n});
}

void py_gower_table(const Grid& x, const Grid& z, bool same, const Vector& share, const Vector& weight,
                    const Out<double>& out, int threads) {
    require(out.shape(0) == x.shape(0) && out.shape(1) == z.shape(0), "room for every pair of rows");
    require(!same || out.shape(0) == out.shape(1), "one table has one number of rows");
    const nb::gil_scoped_release release;
    gower_table(dense_view<double>(x), dense_view<double>(z), same, {span_of(share), span_of(weight)}, out.data(),
                threads);
}

}  // namespace

void bind_pairwise(nb::module_& m) {
    m.def("pairwise_table", &py_pairwise_table<double>);
    m.def("pairwise_table", &py_pairwise_table<float>);
    m.def("paired_distances", &py_paired_distances);
    m.def("gower_table", &py_gower_table);
}

}  // namespace pellucid::bind

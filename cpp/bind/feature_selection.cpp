#include "bind/arrays.hpp"
#include "core/feature_selection/groups.hpp"
#include "core/feature_selection/neighbors.hpp"

namespace pellucid::bind {
namespace {

using Groups = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shifts = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

std::span<const std::int32_t> span_of(const Groups& g) { return {g.data(), g.shape(0)}; }
std::span<const double> span_of(const Columns& c) { return {c.data(), c.shape(0) * c.shape(1)}; }

nb::dict py_group_sums(const BoundMatrix& x, const Groups& group, Size groups, const Shifts& shift, const Vector& unit,
                       int threads) {
    GroupSums found;
    {
        const nb::gil_scoped_release release;
        found = group_sums(x.view, span_of(group), groups, {shift.data(), shift.shape(0) * shift.shape(1)},
                           bind::span_of(unit), threads);
    }
    const Size cols = cols_of(x.view);
    nb::dict result;
    result["count"] = to_numpy(std::move(found.count), {groups});
    result["sum"] = to_numpy(std::move(found.sum), {groups, cols});
    result["square"] = to_numpy(std::move(found.square), {groups, cols});
    result["low"] = to_numpy(std::move(found.low), {cols});
    result["high"] = to_numpy(std::move(found.high), {cols});
    return result;
}

// (counts along x, counts along y), each columns x rows
nb::tuple py_plane_neighbors(const Columns& table, const Vector& y, Size k, int threads) {
    const Size cells = table.shape(0) * table.shape(1);
    std::vector<std::int64_t> nx(cells), ny(cells);
    {
        const nb::gil_scoped_release release;
        plane_neighbors(span_of(table), bind::span_of(y), k, nx, ny, threads);
    }
    return nb::make_tuple(to_numpy(std::move(nx), {table.shape(1), table.shape(0)}),
                          to_numpy(std::move(ny), {table.shape(1), table.shape(0)}));
}

nb::object py_group_neighbors(const Columns& table, const Groups& group, Size groups, Size k, int threads) {
    std::vector<std::int64_t> count(table.shape(0) * table.shape(1));
    {
        const nb::gil_scoped_release release;
        group_neighbors(span_of(table), span_of(group), groups, k, count, threads);
    }
    return to_numpy(std::move(count), {table.shape(1), table.shape(0)});
}

}  // namespace

void bind_feature_selection(nb::module_& m) {
    m.def("group_sums", &py_group_sums, nb::arg("x"), nb::arg("group").noconvert(), nb::arg("groups"),
          nb::arg("shift").noconvert(), nb::arg("unit").noconvert(), nb::arg("threads"));
    m.def("plane_neighbors", &py_plane_neighbors, nb::arg("table").noconvert(), nb::arg("y").noconvert(), nb::arg("k"),
          nb::arg("threads"));
    m.def("group_neighbors", &py_group_neighbors, nb::arg("table").noconvert(), nb::arg("group").noconvert(),
          nb::arg("groups"), nb::arg("k"), nb::arg("threads"));
}

}  // namespace pellucid::bind

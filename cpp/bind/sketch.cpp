// Quantile sketches.
#include "core/bins/sketch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

using Ints64 = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FourColumns = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using TwoColumns = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

nb::object to_array(std::span<const SummaryEntry> entries) {
    std::vector<double> cells;
    for (const SummaryEntry& e : entries) cells.insert(cells.end(), {e.value, e.rank_min, e.rank_max, e.weight});
    return to_numpy(std::move(cells), {entries.size(), 4});
}

nb::tuple to_tuple(const SketchState& state) {
    std::vector<double> waiting;
    for (const WeightedValue& row : state.waiting) waiting.insert(waiting.end(), {row.value, row.weight});
    return nb::make_tuple(state.size, state.block, to_numpy(state.levels, {state.levels.size()}),
                          to_numpy(state.starts, {state.starts.size()}), to_array(state.entries),
                          to_numpy(std::move(waiting), {state.waiting.size(), 2}));
}

std::unique_ptr<QuantileSketch> from_state(Size size, Size block, const Ints64& levels, const Ints64& starts,
                                           const FourColumns& entries, const TwoColumns& waiting) {
    SketchState state;
    state.size = size;
    state.block = block;
    state.levels.assign(levels.data(), levels.data() + levels.size());
    state.starts.assign(starts.data(), starts.data() + starts.size());
    for (const double* e = entries.data(); e != entries.data() + entries.size(); e += 4)
        state.entries.push_back({e[0], e[1], e[2], e[3]});
    for (const double* row = waiting.data(); row != waiting.data() + waiting.size(); row += 2)
        state.waiting.push_back({row[0], row[1]});
    return std::make_unique<QuantileSketch>(state);
}

Summary summary_of(const QuantileSketch& sketch) {
    SketchRoom room;
    return sketch.summary(room);
}

nb::object quantiles(const QuantileSketch& sketch, const Vector& shares) {
    const Summary summary = summary_of(sketch);
    std::vector<double> found;
    for (const double q : span_of(shares)) found.push_back(summary.quantile(q));
    return to_numpy(std::move(found), {shares.size()});
}

nb::object rank_bounds(const QuantileSketch& sketch, const Vector& x) {
    const Summary summary = summary_of(sketch);
    std::vector<double> found;
    for (const double one : span_of(x)) {
        const auto [least, most] = summary.rank_bounds(one);
        found.insert(found.end(), {least, most});
    }
    return to_numpy(std::move(found), {x.size(), 2});
}

nb::object edges(const QuantileSketch& sketch, Size most_bins) {
    ColumnBins bins = cut_summary(summary_of(sketch), most_bins);
    const Size n = bins.edges.size();
    return to_numpy(std::move(bins.edges), {n});
}

}  // namespace

void bind_sketch(nb::module_& m) {
    nb::class_<QuantileSketch>(m, "QuantileSketch")
        .def(nb::init<Size, Size>(), nb::arg("size"), nb::arg("block") = kSketchBlock)
        .def(
            "add",
            [](QuantileSketch& sketch, const Vector& values, const std::optional<Vector>& weight) {
                const nb::gil_scoped_release release;
                SketchRoom room;
                sketch.add(span_of(values), weight ? span_of(*weight) : std::span<const double>{}, room);
            },
            nb::arg("values").noconvert(), nb::arg("weight").noconvert().none() = nb::none())
        .def(
            "merge",
            [](QuantileSketch& sketch, const QuantileSketch& other) {
                SketchRoom room;
                sketch.merge(other, room);
            },
            nb::arg("other"))
        .def("prune",
             [](QuantileSketch& sketch) {
                 SketchRoom room;
                 sketch.prune(room);
             })
        .def("quantiles", &quantiles, nb::arg("shares").noconvert())
        .def("rank_bounds", &rank_bounds, nb::arg("x").noconvert())
        .def("edges", &edges, nb::arg("most_bins"))
        .def("entries", [](const QuantileSketch& sketch) { return to_array(summary_of(sketch).entries()); })
        .def("state", [](const QuantileSketch& sketch) { return to_tuple(sketch.state()); })
        .def_prop_ro("total", [](const QuantileSketch& sketch) { return summary_of(sketch).total(); })
        .def_prop_ro("error", [](const QuantileSketch& sketch) { return summary_of(sketch).error(); })
        .def_prop_ro("bound", &QuantileSketch::bound);
    m.def("sketch_from_state", &from_state, nb::arg("size"), nb::arg("block"), nb::arg("levels").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("entries").noconvert(), nb::arg("waiting").noconvert());
}

}  // namespace pellucid::bind

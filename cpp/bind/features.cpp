#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/preprocessing/bins.hpp"
#include "core/preprocessing/rows.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Result = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::int64_t> numbers_of(const Numbers& v) { return {v.data(), v.shape(0)}; }

template <class T>
Written<T> written_to(const Result<T>& out) {
    return {out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
}

template <class Out>
bool py_assign_bins(const BoundMatrix& x, const Vector& cuts, const Numbers& first, const Numbers& offset,
                    const Result<Out>& out, int threads) {
    const Cuts all{span_of(cuts), numbers_of(first)};
    const Written<Out> written = written_to(out);
    const nb::gil_scoped_release release;
    if (const auto* wide = std::get_if<Dense<double>>(&x.view))
        return assign_bins(*wide, all, numbers_of(offset), written, threads);
    const auto* narrow = std::get_if<Dense<float>>(&x.view);
    require(narrow != nullptr, "assign_bins: X must be dense");
    return assign_bins(*narrow, all, numbers_of(offset), written, threads);
}

nb::object py_column_ranked(const BoundMatrix& x, const Numbers& ranks, int threads) {
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = column_ranked(x.view, numbers_of(ranks), threads);
    }
    return to_numpy(std::move(found), {cols_of(x.view), ranks.shape(0)});
}

// One array a column, a row for each cut in the order of their making: below, cut, above, gain.
nb::list py_greedy_cuts(const BoundMatrix& x, const Vector& y, Size classes, const std::optional<Vector>& weight,
                        const Numbers& leaves, Size min_leaf, int threads) {
    std::vector<std::vector<GreedyCut>> found;
    {
        const CutTarget target{span_of(y), classes, weight ? span_of(*weight) : std::span<const double>{}};
        const nb::gil_scoped_release release;
        found = greedy_cuts(x.view, target, numbers_of(leaves), min_leaf, threads);
    }
    nb::list columns;
    for (const auto& made : found) {
        std::vector<double> cells;
        for (const GreedyCut& cut : made) cells.insert(cells.end(), {cut.below, cut.cut, cut.above, cut.gain});
        columns.append(to_numpy(std::move(cells), {made.size(), 4}));
    }
    return columns;
}

template <class T>
bool py_normalize_rows(const BoundMatrix& x, int norm, const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "normalize_rows: X and the result must be dense and of one type");
    const Written<T> written = written_to(out);
    const nb::gil_scoped_release release;
    return normalize_rows(*view, static_cast<Norm>(norm), written, threads);
}

template <class T>
void py_similarities(const BoundMatrix& x, const Grid& landmarks, double gamma, const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "similarities: X and the result must be dense and of one type");
    const Dense<double> points = dense_view<double>(landmarks);
    const Written<T> written = written_to(out);
    const nb::gil_scoped_release release;
    similarities(*view, points, gamma, written, threads);
}

template <class Out>
void bind_bins(nb::module_& m) {
    m.def("assign_bins", &py_assign_bins<Out>, nb::arg("x"), nb::arg("cuts").noconvert(), nb::arg("first").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
}

template <class T>
void bind_rows(nb::module_& m) {
    m.def("normalize_rows", &py_normalize_rows<T>, nb::arg("x"), nb::arg("norm"), nb::arg("out").noconvert(),
          nb::arg("threads"));
    m.def("similarities", &py_similarities<T>, nb::arg("x"), nb::arg("landmarks").noconvert(), nb::arg("gamma"),
          nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_features(nb::module_& m) {
    bind_bins<double>(m);
    bind_bins<float>(m);
    bind_bins<std::int32_t>(m);
    bind_bins<std::int64_t>(m);
    m.def("column_ranked", &py_column_ranked, nb::arg("x"), nb::arg("ranks").noconvert(), nb::arg("threads"));
    m.def("greedy_cuts", &py_greedy_cuts, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("classes"),
          nb::arg("weight").noconvert().none(), nb::arg("leaves").noconvert(), nb::arg("min_leaf"), nb::arg("threads"));
    bind_rows<double>(m);
    bind_rows<float>(m);
}

}  // namespace pellucid::bind

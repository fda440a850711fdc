#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/naive_bayes/best.hpp"
#include "core/naive_bayes/counts.hpp"
#include "core/naive_bayes/gaussian.hpp"

namespace pellucid::bind {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Written = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WrittenCodes = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class A>
auto cells_of(const A& a) {
    return std::span{a.data(), a.size()};
}
std::span<const double> weight_of(const std::optional<Vector>& w) {
    return w ? bind::span_of(*w) : std::span<const double>{};
}

nb::tuple py_class_moments(const BoundMatrix& x, const Codes& codes, Size classes, const std::optional<Vector>& weight,
                           bool missing, int threads) {
    ClassMoments found;
    {
        const nb::gil_scoped_release release;
        found = class_moments(x.view, cells_of(codes), classes, weight_of(weight), missing, threads);
    }
    const Size cols = cols_of(x.view);
    return nb::make_tuple(to_numpy(std::move(found.count), {classes, cols}),
                          to_numpy(std::move(found.mean), {classes, cols}),
                          to_numpy(std::move(found.square), {classes, cols}));
}

void py_gaussian_scores(const BoundMatrix& x, const Cells& mean, const Cells& half, const Cells& log,
                        const Vector& prior, const Written& out, int threads) {
    const nb::gil_scoped_release release;
    gaussian_scores(x.view, {cells_of(mean), cells_of(half), cells_of(log), bind::span_of(prior)}, cells_of(out),
                    threads);
}

void py_gaussian_codes(const BoundMatrix& x, const Cells& mean, const Cells& half, const Cells& log,
                       const Vector& prior, const WrittenCodes& out, int threads) {
    const nb::gil_scoped_release release;
    gaussian_codes(x.view, {cells_of(mean), cells_of(half), cells_of(log), bind::span_of(prior)}, cells_of(out),
                   threads);
}

// (was a number below zero met, was one not finite)
nb::tuple answer(const CountsFound& found) { return nb::make_tuple(found.negative, found.not_finite); }

nb::tuple py_class_counts(const BoundMatrix& x, const Codes& codes, const std::optional<Vector>& weight,
                          std::optional<double> threshold, const Written& out, int threads) {
    CountsFound found;
    {
        const nb::gil_scoped_release release;
        found =
            class_counts(x.view, cells_of(codes), out.shape(0), weight_of(weight), threshold, cells_of(out), threads);
    }
    return answer(found);
}

nb::tuple py_linear_scores(const BoundMatrix& x, const Cells& table, const Vector& start,
                           std::optional<double> threshold, const Written& out, int threads) {
    CountsFound found;
    {
        const nb::gil_scoped_release release;
        found = linear_scores(x.view, cells_of(table), bind::span_of(start), threshold, cells_of(out), threads);
    }
    return answer(found);
}

nb::tuple py_linear_codes(const BoundMatrix& x, const Cells& table, const Vector& start,
                          std::optional<double> threshold, const WrittenCodes& out, int threads) {
    CountsFound found;
    {
        const nb::gil_scoped_release release;
        found = linear_codes(x.view, cells_of(table), bind::span_of(start), threshold, cells_of(out), threads);
    }
    return answer(found);
}

void py_best_classes(const Cells& scores, const WrittenCodes& out, int threads) {
    const nb::gil_scoped_release release;
    best_classes(cells_of(scores), scores.shape(1), cells_of(out), threads);
}

Size py_posterior(const Written& scores, bool logarithm, int threads) {
    const nb::gil_scoped_release release;
    return posterior(cells_of(scores), scores.shape(1), logarithm, threads);
}

}  // namespace

void bind_naive_bayes(nb::module_& m) {
    m.def("class_moments", &py_class_moments, nb::arg("x"), nb::arg("codes").noconvert(), nb::arg("classes"),
          nb::arg("weight").noconvert().none(), nb::arg("missing"), nb::arg("threads"));
    m.def("gaussian_scores", &py_gaussian_scores, nb::arg("x"), nb::arg("mean").noconvert(),
          nb::arg("half").noconvert(), nb::arg("log").noconvert(), nb::arg("prior").noconvert(),
          nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("gaussian_codes", &py_gaussian_codes, nb::arg("x"), nb::arg("mean").noconvert(), nb::arg("half").noconvert(),
          nb::arg("log").noconvert(), nb::arg("prior").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("class_counts", &py_class_counts, nb::arg("x"), nb::arg("codes").noconvert(),
          nb::arg("weight").noconvert().none(), nb::arg("threshold").none(), nb::arg("out").noconvert(),
          nb::arg("threads"));
    m.def("linear_scores", &py_linear_scores, nb::arg("x"), nb::arg("table").noconvert(), nb::arg("start").noconvert(),
          nb::arg("threshold").none(), nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("linear_codes", &py_linear_codes, nb::arg("x"), nb::arg("table").noconvert(), nb::arg("start").noconvert(),
          nb::arg("threshold").none(), nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("best_classes", &py_best_classes, nb::arg("scores").noconvert(), nb::arg("out").noconvert(),
          nb::arg("threads"));
    m.def("posterior", &py_posterior, nb::arg("scores").noconvert(), nb::arg("logarithm"), nb::arg("threads"));
}

}  // namespace pellucid::bind

#include "core/solvers/coordinate_descent.hpp"

#include "bind/linear_problem.hpp"
#include "core/solvers/coordinate_columns.hpp"

namespace pellucid::bind {
namespace {

// (stops, passes, objectives, gaps, coefficients k x penalties x p, intercepts, record or None); all but the
// coefficients are k x penalties
nb::tuple py_coordinate_descent(const BoundMatrix& X, const Grid& y, const std::optional<Vector>& weight,
                                const Vector& l1, const Vector& l2, const Parameters& start,
                                const CoordinateSettings& settings, bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    CoordinateProblem problem{&X.view, dense_view(y), {}, span_of(l1), span_of(l2), {start.data(), start.size()}};
    if (weight) problem.weight = span_of(*weight);
    const Size k = y.shape(1), count = l1.shape(0), p = cols_of(X.view);
    std::vector<double> coef(k * count * p), intercept(k * count), objective(k * count), gap(k * count);
    std::vector<LinearResult> answers(k * count);
    nb::object tables = with_trace(
        record, listener, [&](auto& trace) { coordinate_descent(problem, settings, coef, intercept, answers, trace); });
    std::vector<std::int64_t> stop(k * count), passes(k * count);
    for (Size i = 0; i < answers.size(); ++i) {
        stop[i] = static_cast<std::int64_t>(answers[i].stop);
        passes[i] = static_cast<std::int64_t>(answers[i].passes);
        objective[i] = answers[i].objective;
        gap[i] = answers[i].measure;
    }
    return nb::make_tuple(to_numpy(std::move(stop), {k, count}), to_numpy(std::move(passes), {k, count}),
                          to_numpy(std::move(objective), {k, count}), to_numpy(std::move(gap), {k, count}),
                          to_numpy(std::move(coef), {k, count, p}), to_numpy(std::move(intercept), {k, count}), tables);
}

}  // namespace

void bind_coordinate_descent(nb::module_& m) {
    nb::class_<CoordinateSettings>(m, "CoordinateSettings")
        .def(nb::init<>())
        .def_rw("intercept", &CoordinateSettings::intercept)
        .def_rw("positive", &CoordinateSettings::positive)
        .def_rw("plain", &CoordinateSettings::plain)
        .def_rw("random", &CoordinateSettings::random)
        .def_rw("tol", &CoordinateSettings::tol)
        .def_rw("most_passes", &CoordinateSettings::most_passes)
        .def_rw("seed", &CoordinateSettings::seed)
        .def_rw("threads", &CoordinateSettings::threads);
    m.def("coordinate_descent", &py_coordinate_descent, nb::arg("x"), nb::arg("y").noconvert(),
          nb::arg("weight").none(), nb::arg("l1").noconvert(), nb::arg("l2").noconvert(), nb::arg("start").noconvert(),
          nb::arg("settings"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

#include <nanobind/stl/string_view.h>

#include "bind/linear_problem.hpp"
#include "core/losses/squared.hpp"
#include "core/penalties/l1.hpp"
#include "core/penalties/l2.hpp"
#include "core/penalties/none.hpp"
#include "core/solvers/descent.hpp"
#include "core/solvers/lsqr.hpp"
#include "core/solvers/nnls.hpp"

namespace pellucid::bind {
namespace {

// (status, passes, coefficients, record or None)
nb::tuple py_lsqr(const BoundMatrix& X, const Vector& b, const Vector& scale, const std::optional<Vector>& mean,
                  const std::optional<Vector>& root_weight, double tolerance, Size most_passes, int threads,
                  bool record, std::optional<nb::callable> listener, double damp) {
    const Size n = rows_of(X.view), p = cols_of(X.view);
    LsqrProblem problem{&X.view, span_of(scale), {}, {}, tolerance, most_passes, threads, damp};
    if (mean) problem.mean = span_of(*mean);
    if (root_weight) problem.root_weight = span_of(*root_weight);
    require(b.shape(0) == n && (!mean || mean->shape(0) == p) && (!root_weight || root_weight->shape(0) == n),
            "lsqr: sizes");
    std::vector<double> rest(b.data(), b.data() + n), w(p);
    LsqrResult result;
    nb::object tables = with_trace(record, listener, [&](auto& trace) { result = lsqr(problem, rest, w, trace); });
    return nb::make_tuple(static_cast<int>(result.status), result.passes, to_numpy(std::move(w), {p}), tables);
}

nb::tuple py_nnls(const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& G, const Vector& b,
                  Size most_passes, bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    const Size p = b.shape(0);
    require(G.shape(0) == p && G.shape(1) == p, "nnls: sizes");
    std::vector<double> w(p);
    NnlsResult result;
    nb::object tables = with_trace(
        record, listener, [&](auto& trace) { result = nnls({G.data(), p * p}, span_of(b), most_passes, w, trace); });
    return nb::make_tuple(static_cast<int>(result.status), result.passes, to_numpy(std::move(w), {p}), tables);
}

// (stop, epochs, steps, cost of the first epoch, of the last, theta, path, record or None)
nb::tuple py_descend(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                     const std::optional<Whole>& listed, const Vector& start, std::string_view penalty,
                     const DescentSettings& settings, bool record, std::optional<nb::callable> listener) {
    DescentProblem problem{&X.view, span_of(y), {}, {}};
    if (weight) problem.weight = span_of(*weight);
    if (listed) problem.listed = {listed->data(), listed->shape(0)};
    require(penalty == "none" || penalty == "l1" || penalty == "l2", "descend: penalty");
    std::vector<double> theta(start.data(), start.data() + start.shape(0)), path;
    DescentResult result;
    nb::object tables = with_trace(record, listener, [&](auto& trace) {
        if (penalty == "l1")
            result = descend<SquaredLoss, L1Penalty>(problem, settings, theta, path, trace);
        else if (penalty == "l2")
            result = descend<SquaredLoss, L2Penalty>(problem, settings, theta, path, trace);
        else
            result = descend<SquaredLoss, NoPenalty>(problem, settings, theta, path, trace);
    });
    const Size width = theta.size(), rows = path.size() / width;
    return nb::make_tuple(static_cast<int>(result.stop), result.epochs, result.steps, result.first_cost,
                          result.last_cost, to_numpy(std::move(theta), {width}),
                          to_numpy(std::move(path), {rows, width}), tables);
}

void bind_descent(nb::module_& m) {
    nb::class_<DescentSettings> settings(m, "DescentSettings");
    settings.def(nb::init<>())
        .def_rw("factor", &DescentSettings::factor)
        .def_rw("alpha", &DescentSettings::alpha)
        .def_rw("intercept", &DescentSettings::intercept)
        .def_rw("batch", &DescentSettings::batch)
        .def_rw("divide_by_rows", &DescentSettings::divide_by_rows)
        .def_rw("divide_by", &DescentSettings::divide_by)
        .def_rw("seed", &DescentSettings::seed)
        .def_rw("gradient_tol", &DescentSettings::gradient_tol)
        .def_rw("tol", &DescentSettings::tol)
        .def_rw("patience", &DescentSettings::patience)
        .def_rw("most_epochs", &DescentSettings::most_epochs)
        .def_rw("most_steps", &DescentSettings::most_steps)
        .def_rw("most_path", &DescentSettings::most_path)
        .def_rw("threads", &DescentSettings::threads)
        .def("set_order", [](DescentSettings& s, int order) { s.order = static_cast<RowOrder>(order); })
        .def("set_rate", [](DescentSettings& s, int kind, double eta0, double power, double t0, double t1) {
            s.rate = {static_cast<Rate::Kind>(kind), eta0, power, t0, t1, 1};
        });
    m.def("descend", &py_descend, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("listed").none(), nb::arg("start").noconvert(), nb::arg("penalty"), nb::arg("settings"),
          nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

void bind_linear_settings(nb::module_& m) {
    nb::class_<LinearSettings>(m, "LinearSettings")
        .def(nb::init<>())
        .def_rw("l1", &LinearSettings::l1)
        .def_rw("l2", &LinearSettings::l2)
        .def_rw("intercept_l2", &LinearSettings::intercept_l2)
        .def_rw("intercept_l1", &LinearSettings::intercept_l1)
        .def_rw("intercept", &LinearSettings::intercept)
        .def_rw("tol", &LinearSettings::tol)
        .def_rw("most_passes", &LinearSettings::most_passes)
        .def_rw("seed", &LinearSettings::seed)
        .def_rw("threads", &LinearSettings::threads);
}

}  // namespace

void bind_solvers(nb::module_& m) {
    bind_linear_settings(m);
    bind_descent(m);
    m.def("lsqr", &py_lsqr, nb::arg("x"), nb::arg("b").noconvert(), nb::arg("scale").noconvert(),
          nb::arg("mean").none(), nb::arg("root_weight").none(), nb::arg("tolerance"), nb::arg("most_passes"),
          nb::arg("threads"), nb::arg("record") = false, nb::arg("listener").none() = nb::none(),
          nb::arg("damp") = 0.0);
    m.def("nnls", &py_nnls, nb::arg("g").noconvert(), nb::arg("b").noconvert(), nb::arg("most_passes"),
          nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

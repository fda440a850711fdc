#include <nanobind/stl/string_view.h>

#include "bind/linear_problem.hpp"
#include "core/solvers/coordinate_logistic.hpp"
#include "core/solvers/saga.hpp"

namespace pellucid::bind {
namespace {

std::vector<double> copy_of(const double* data, Size size) { return {data, data + size}; }

nb::tuple py_coordinate_logistic(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                                 const Parameters& start_coef, const Vector& start_intercept,
                                 const LinearSettings& settings, bool record, std::optional<nb::callable> listener) {
    const LinearProblem problem = problem_of(X, y, weight, start_intercept.shape(0));
    std::vector<double> w = copy_of(start_coef.data(), start_coef.size());
    std::vector<double> b = copy_of(start_intercept.data(), start_intercept.size());
    LinearResult result;
    nb::object tables = with_trace(record, listener,
                                   [&](auto& trace) { result = coordinate_logistic(problem, settings, w, b, trace); });
    return answer_of(result, std::move(w), std::move(b), tables);
}

RowLoss row_loss(std::string_view name) {
    if (name == "squared") return RowLoss::squared;
    if (name == "logistic") return RowLoss::logistic;
    require(name == "softmax", "saga: loss");
    return RowLoss::softmax;
}

nb::tuple py_saga(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                  const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                  std::string_view loss, bool sag, bool record, std::optional<nb::callable> listener) {
    const LinearProblem problem = problem_of(X, y, weight, start_intercept.shape(0));
    std::vector<double> W = copy_of(start_coef.data(), start_coef.size());
    std::vector<double> b = copy_of(start_intercept.data(), start_intercept.size());
    const RowLoss rows = row_loss(loss);
    const AverageKind kind = sag ? AverageKind::sag : AverageKind::saga;
    LinearResult result;
    nb::object tables =
        with_trace(record, listener, [&](auto& trace) { result = saga(problem, settings, rows, kind, W, b, trace); });
    return answer_of(result, std::move(W), std::move(b), tables);
}

}  // namespace

void bind_sparse_solvers(nb::module_& m) {
    m.def("coordinate_logistic", &py_coordinate_logistic, nb::arg("x"), nb::arg("y").noconvert(),
          nb::arg("weight").none(), nb::arg("start_coef").noconvert(), nb::arg("start_intercept").noconvert(),
          nb::arg("settings"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
    m.def("saga", &py_saga, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("start_coef").noconvert(), nb::arg("start_intercept").noconvert(), nb::arg("settings"),
          nb::arg("loss"), nb::arg("sag"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

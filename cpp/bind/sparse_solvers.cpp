#include "bind/linear_problem.hpp"
#include "core/solvers/coordinate_logistic.hpp"
#include "core/solvers/saga.hpp"

namespace pellucid::bind {
namespace {

nb::tuple py_coordinate_logistic(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                                 const Parameters& start_coef, const Vector& start_intercept,
                                 const LinearSettings& settings, bool record, std::optional<nb::callable> listener) {
    return solve_linear(X, y, weight, start_coef, start_intercept, record, listener,
                        [&](const LinearProblem& problem, auto& W, auto& b, auto& trace) {
                            return coordinate_logistic(problem, settings, W, b, trace);
                        });
}

nb::tuple py_saga(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                  const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                  std::string_view loss, bool sag, bool record, std::optional<nb::callable> listener) {
    const LinearLoss chosen = linear_loss(loss);
    const AverageKind kind = sag ? AverageKind::sag : AverageKind::saga;
    return solve_linear(X, y, weight, start_coef, start_intercept, record, listener,
                        [&](const LinearProblem& problem, auto& W, auto& b, auto& trace) {
                            return saga(problem, settings, chosen, kind, W, b, trace);
                        });
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

#include "bind/linear_problem.hpp"
#include "core/solvers/lbfgs.hpp"
#include "core/solvers/newton.hpp"

namespace pellucid::bind {
namespace {

nb::tuple py_newton(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                    const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                    bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    return solve_linear(X, y, weight, start_coef, start_intercept, record, listener,
                        [&](const LinearProblem& problem, auto& W, auto& b, auto& trace) {
                            return newton(problem, settings, W, b, trace);
                        });
}

nb::tuple py_lbfgs(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                   const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                   std::string_view loss, bool positive, bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    const LinearLoss chosen = linear_loss(loss);
    return solve_linear(X, y, weight, start_coef, start_intercept, record, listener,
                        [&](const LinearProblem& problem, auto& W, auto& b, auto& trace) {
                            return lbfgs(problem, settings, chosen, positive, W, b, trace);
                        });
}

}  // namespace

void bind_smooth(nb::module_& m) {
    m.def("newton", &py_newton, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("start_coef").noconvert(), nb::arg("start_intercept").noconvert(), nb::arg("settings"),
          nb::arg("record") = false, nb::arg("listener").none() = nb::none());
    m.def("lbfgs", &py_lbfgs, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("start_coef").noconvert(), nb::arg("start_intercept").noconvert(), nb::arg("settings"),
          nb::arg("loss"), nb::arg("positive") = false, nb::arg("record") = false,
          nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

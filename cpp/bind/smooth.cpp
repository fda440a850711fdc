#include <nanobind/stl/string_view.h>

#include "bind/linear_problem.hpp"
#include "core/solvers/lbfgs.hpp"
#include "core/solvers/newton.hpp"

namespace pellucid::bind {
namespace {

std::vector<double> copied(const double* from, Size count) { return {from, from + count}; }

nb::tuple py_newton(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                    const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                    bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    const LinearProblem problem = problem_of(X, y, weight, start_intercept.shape(0));
    std::vector<double> W = copied(start_coef.data(), start_coef.size());
    std::vector<double> b = copied(start_intercept.data(), start_intercept.size());
    LinearResult result;
    nb::object tables =
        with_trace(record, listener, [&](auto& trace) { result = newton(problem, settings, W, b, trace); });
    return answer_of(result, std::move(W), std::move(b), tables);
}

SmoothLoss loss_named(std::string_view name) {
    if (name == "logistic") return SmoothLoss::logistic;
    if (name == "softmax") return SmoothLoss::softmax;
    require(name == "squared", "lbfgs: loss");
    return SmoothLoss::squared;
}

nb::tuple py_lbfgs(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                   const Parameters& start_coef, const Vector& start_intercept, const LinearSettings& settings,
                   std::string_view loss, bool positive, bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    const LinearProblem problem = problem_of(X, y, weight, start_intercept.shape(0));
    const SmoothLoss chosen = loss_named(loss);
    std::vector<double> W = copied(start_coef.data(), start_coef.size());
    std::vector<double> b = copied(start_intercept.data(), start_intercept.size());
    LinearResult result;
    nb::object tables = with_trace(
        record, listener, [&](auto& trace) { result = lbfgs(problem, settings, chosen, positive, W, b, trace); });
    return answer_of(result, std::move(W), std::move(b), tables);
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

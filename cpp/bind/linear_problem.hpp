// What every solver of a linear problem takes and answers.
#pragma once

#include <nanobind/stl/string_view.h>

#include "bind/traced.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid::bind {

using Parameters = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline LinearLoss linear_loss(std::string_view name) {
    if (name == "squared") return LinearLoss::squared;
    if (name == "logistic") return LinearLoss::logistic;
    require(name == "softmax", "linear problem: loss");
    return LinearLoss::softmax;
}

// Runs solve(problem, W, b, trace) from a start. Answers (stop, passes, objective, measure, coefficients k x p,
// intercepts k, record or None).
template <class Solve>
nb::tuple solve_linear(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                       const Parameters& start_coef, const Vector& start_intercept, bool record,
                       std::optional<nb::callable>& listener, const Solve& solve) {
    const Size k = start_intercept.shape(0), p = start_coef.shape(1);
    LinearProblem problem{&X.view, span_of(y), {}, k};
    if (weight) problem.weight = span_of(*weight);
    std::vector<double> W(start_coef.data(), start_coef.data() + start_coef.size());
    std::vector<double> b(start_intercept.data(), start_intercept.data() + k);
    LinearResult r;
    nb::object tables = with_trace(record, listener, [&](auto& trace) { r = solve(problem, W, b, trace); });
    return nb::make_tuple(static_cast<int>(r.stop), r.passes, r.objective, r.measure, to_numpy(std::move(W), {k, p}),
                          to_numpy(std::move(b), {k}), tables);
}

}  // namespace pellucid::bind

// What every solver of a linear problem takes and answers.
#pragma once

#include "bind/traced.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid::bind {

using Parameters = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline LinearProblem problem_of(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                                Size outputs) {
    LinearProblem problem{&X.view, span_of(y), {}, outputs};
    if (weight) problem.weight = span_of(*weight);
    return problem;
}

// (stop, passes, objective, measure, coefficients k x p, intercepts k, record or None)
inline nb::tuple answer_of(const LinearResult& r, std::vector<double> W, std::vector<double> b, nb::object tables) {
    const Size k = b.size(), p = W.size() / k;
    return nb::make_tuple(static_cast<int>(r.stop), r.passes, r.objective, r.measure, to_numpy(std::move(W), {k, p}),
                          to_numpy(std::move(b), {k}), tables);
}

}  // namespace pellucid::bind

#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/solvers/lsqr.hpp"
#include "core/solvers/nnls.hpp"

namespace pellucid::bind {
namespace {

// Calls a Python function at the end of a pass; an exception there ends the fit and reaches the user as it is.
bool call_listener(void* state, Size pass, std::span<const double> parameters) {
    const nb::gil_scoped_acquire gil;
    auto& function = *static_cast<nb::callable*>(state);
    const std::vector<double> copy(parameters.begin(), parameters.end());
    return nb::cast<bool>(function(pass, to_numpy(copy, {copy.size()})));
}

// Runs solve(trace) with the trace that the caller wants: none, or a record with an optional listener.
template <class Solve>
nb::object with_trace(bool record, std::optional<nb::callable>& listener, const Solve& solve) {
    if (!record && !listener) {
        NoTrace none;
        const nb::gil_scoped_release release;
        solve(none);
        return nb::none();
    }
    Watch watch;
    if (listener) {
        watch.listener = call_listener;
        watch.state = &*listener;
    }
    {
        const nb::gil_scoped_release release;
        solve(watch);
    }
    return to_dict(watch.record);
}

// (status, passes, coefficients, record or None)
nb::tuple py_lsqr(const BoundMatrix& X, const Vector& b, const Vector& scale, const std::optional<Vector>& mean,
                  const std::optional<Vector>& root_weight, double tolerance, Size most_passes, int threads,
                  bool record, std::optional<nb::callable> listener) {
    const Size n = rows_of(X.view), p = cols_of(X.view);
    LsqrProblem problem{&X.view, span_of(scale), {}, {}, tolerance, most_passes, threads};
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

}  // namespace

void bind_solvers(nb::module_& m) {
    m.def("lsqr", &py_lsqr, nb::arg("x"), nb::arg("b").noconvert(), nb::arg("scale").noconvert(),
          nb::arg("mean").none(), nb::arg("root_weight").none(), nb::arg("tolerance"), nb::arg("most_passes"),
          nb::arg("threads"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
    m.def("nnls", &py_nnls, nb::arg("g").noconvert(), nb::arg("b").noconvert(), nb::arg("most_passes"),
          nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

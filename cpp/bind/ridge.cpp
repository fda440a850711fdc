#include "core/solvers/ridge.hpp"

#include "bind/traced.hpp"
#include "core/solvers/conjugate_gradient.hpp"

namespace pellucid::bind {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> span_of(const Rows& a) { return {a.data(), a.size()}; }
std::span<const double> span_or_none(const std::optional<Vector>& v) {
    return v ? bind::span_of(*v) : std::span<const double>{};
}

// (sums k x a, errors n x k x a or None)
nb::tuple py_leave_one_out(const BoundMatrix& X, const Grid& Y, const std::optional<Vector>& weight,
                           const Vector& mean_x, const Vector& scale_x, const Vector& mean_y, const Vector& scale_y,
                           const Rows& V, const Rows& share, const Rows& coordinates, double total_weight, bool keep,
                           int threads) {
    ensure_lapack();
    LeaveOneOut problem{&X.view,
                        dense_view(Y),
                        span_or_none(weight),
                        bind::span_of(mean_x),
                        bind::span_of(scale_x),
                        bind::span_of(mean_y),
                        bind::span_of(scale_y),
                        span_of(V),
                        span_of(share),
                        span_of(coordinates),
                        share.shape(0),
                        share.shape(1),
                        total_weight,
                        threads};
    const Size n = rows_of(X.view), k = problem.Y.cols, a = problem.alphas;
    std::vector<double> sums(k * a), errors(keep ? n * k * a : 0);
    {
        const nb::gil_scoped_release release;
        leave_one_out(problem, sums, errors);
    }
    nb::object kept = keep ? to_numpy(std::move(errors), {n, k, a}) : nb::none();
    return nb::make_tuple(to_numpy(std::move(sums), {k, a}), kept);
}

nb::object py_multiply_many(const BoundMatrix& X, const Rows& W, const Vector& b, int threads) {
    ensure_lapack();
    const Size n = rows_of(X.view), m = b.shape(0);
    std::vector<double> out(n * m);
    {
        const nb::gil_scoped_release release;
        multiply_many(X.view, span_of(W), bind::span_of(b), out, threads);
    }
    return to_numpy(std::move(out), {n, m});
}

// (status, passes, coefficients, record or None)
nb::tuple py_conjugate_gradient(const BoundMatrix& X, const Vector& b, const Vector& scale,
                                const std::optional<Vector>& mean, const std::optional<Vector>& root_weight,
                                const Vector& penalty, const Vector& diagonal, double tolerance, Size most_passes,
                                int threads, bool record, std::optional<nb::callable> listener) {
    const Size n = rows_of(X.view), p = cols_of(X.view);
    require(b.shape(0) == n && scale.shape(0) == p, "conjugate_gradient: sizes");
    require((!mean || mean->shape(0) == p) && (!root_weight || root_weight->shape(0) == n),
            "conjugate_gradient: sizes");
    const CenteredMatrix A{&X.view, bind::span_of(scale), span_or_none(mean), span_or_none(root_weight), threads};
    const ConjugateProblem problem{A, bind::span_of(penalty), bind::span_of(diagonal), tolerance, most_passes};
    std::vector<double> rest(b.data(), b.data() + n), w(p);
    ConjugateResult result;
    nb::object tables =
        with_trace(record, listener, [&](auto& trace) { result = conjugate_gradient(problem, rest, w, trace); });
    return nb::make_tuple(static_cast<int>(result.status), result.passes, to_numpy(std::move(w), {p}), tables);
}

}  // namespace

void bind_ridge(nb::module_& m) {
    m.def("ridge_leave_one_out", &py_leave_one_out, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("mean_x").noconvert(), nb::arg("scale_x").noconvert(), nb::arg("mean_y").noconvert(),
          nb::arg("scale_y").noconvert(), nb::arg("v").noconvert(), nb::arg("share").noconvert(),
          nb::arg("coordinates").noconvert(), nb::arg("total_weight"), nb::arg("keep"), nb::arg("threads"));
    m.def("multiply_many", &py_multiply_many, nb::arg("x"), nb::arg("w").noconvert(), nb::arg("b").noconvert(),
          nb::arg("threads"));
    m.def("ridge_conjugate_gradient", &py_conjugate_gradient, nb::arg("x"), nb::arg("b").noconvert(),
          nb::arg("scale").noconvert(), nb::arg("mean").none(), nb::arg("root_weight").none(),
          nb::arg("penalty").noconvert(), nb::arg("diagonal").noconvert(), nb::arg("tolerance"), nb::arg("most_passes"),
          nb::arg("threads"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind

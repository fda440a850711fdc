#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/jacobi.hpp"
#include "core/linalg/moments.hpp"
#include "core/linalg/products.hpp"
#include "core/linalg/qr.hpp"

namespace pellucid::bind {
namespace {

std::span<const double> span_or_empty(const std::optional<Vector>& v) {
    return v ? span_of(*v) : std::span<const double>{};
}

std::vector<double> copy_of(const Grid& a) {
    std::vector<double> out(a.shape(0) * a.shape(1));
    const auto view = dense_view(a);
    for (Size r = 0; r < view.rows; ++r)
        for (Size c = 0; c < view.cols; ++c) out[c * view.rows + r] = view.at(r, c);  // column-major
    return out;
}

nb::tuple py_moments(const BoundMatrix& X, const Grid& Y, const std::optional<Vector>& weight, bool center,
                     int threads) {
    Moments m;
    {
        const nb::gil_scoped_release release;
        m = moments(X.view, dense_view(Y), span_or_empty(weight), center, threads);
    }
    const Size c = m.cols;
    return nb::make_tuple(static_cast<int>(m.status), m.weight, to_numpy(std::move(m.mean), {c}),
                          to_numpy(std::move(m.scale), {c}), to_numpy(std::move(m.cross), {c, c}));
}

nb::object py_multiply(const BoundMatrix& X,
                       const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& W, const Vector& b,
                       int threads) {
    const Size n = rows_of(X.view), k = b.shape(0);
    std::vector<double> out(n * k);
    {
        const nb::gil_scoped_release release;
        multiply(X.view, {W.data(), W.size()}, span_of(b), out, threads);
    }
    return to_numpy(std::move(out), {n, k});
}

nb::object py_multiply_transposed(const BoundMatrix& X, const Vector& u, int threads) {
    const Size p = cols_of(X.view);
    std::vector<double> out(p);
    {
        const nb::gil_scoped_release release;
        multiply_transposed(X.view, span_of(u), out, threads);
    }
    return to_numpy(std::move(out), {p});
}

// (status, rcond, solution as k x n rows)
nb::tuple py_cholesky_solve(const Grid& A, const Grid& B, int threads) {
    ensure_lapack();
    std::vector<double> a = copy_of(A), b = copy_of(B);
    const Size n = A.shape(0), k = B.shape(1);
    require(A.shape(1) == n && B.shape(0) == n, "cholesky_solve: sizes");
    CholeskyResult result;
    {
        const nb::gil_scoped_release release;
        result = cholesky_solve(a, b, n, threads);
    }
    return nb::make_tuple(static_cast<int>(result.status), result.rcond, to_numpy(std::move(b), {k, n}));
}

// R as rows of its transpose: row j of the answer is column j of R.
nb::object py_qr_of_rows(const BoundMatrix& X, const Grid& Y, const std::optional<Vector>& weight, const Vector& shift,
                         const Vector& scale, bool center, int threads) {
    ensure_lapack();
    std::vector<double> r;
    {
        const nb::gil_scoped_release release;
        r = qr_of_rows(X.view, dense_view(Y), span_or_empty(weight), span_of(shift), span_of(scale), center, threads);
    }
    const Size c = shift.shape(0);
    return to_numpy(std::move(r), {c, c});
}

// R X = B: (rcond of R, solution as k x n rows)
nb::tuple py_solve_triangle(const Grid& R, const Grid& B) {
    ensure_lapack();
    std::vector<double> r = copy_of(R), b = copy_of(B);
    const Size n = R.shape(0), k = B.shape(1);
    require(R.shape(1) == n && B.shape(0) == n, "solve_triangle: sizes");
    double rcond = 0;
    {
        const nb::gil_scoped_release release;
        rcond = solve_triangle(r.data(), n, n, b.data(), k, n);
    }
    return nb::make_tuple(rcond, to_numpy(std::move(b), {k, n}));
}

// One-sided Jacobi of A with `extra` rows rotated along: (status, sweeps, singular values, columns of [A; extra] as
// rows)
nb::tuple py_jacobi(const Grid& A, Size extra, int threads) {
    std::vector<double> a = copy_of(A);
    const Size length = A.shape(0), n = A.shape(1);
    require(extra <= length, "jacobi: extra");
    JacobiResult result;
    {
        const nb::gil_scoped_release release;
        result = jacobi(a, length - extra, extra, n, threads);
    }
    return nb::make_tuple(static_cast<int>(result.status), result.sweeps, to_numpy(std::move(result.singular), {n}),
                          to_numpy(std::move(a), {n, length}));
}

// QR of A (m x n, m >= n) for a caller who wants Q applied later.
struct Reflections {
    std::vector<double> a, tau;
    Size m, n;
};

nb::tuple py_qr(const Grid& A, int threads) {
    ensure_lapack();
    auto q =
        std::make_unique<Reflections>(Reflections{copy_of(A), std::vector<double>(A.shape(1)), A.shape(0), A.shape(1)});
    std::vector<double> r(q->n * q->n, 0.0);
    {
        const nb::gil_scoped_release release;
        qr_in_place(q->a, q->m, q->n, q->tau, threads);
        for (Size c = 0; c < q->n; ++c)
            for (Size i = 0; i <= c; ++i) r[i * q->n + c] = q->a[c * q->m + i];
    }
    const Size n = q->n;
    return nb::make_tuple(nb::cast(q.release(), nb::rv_policy::take_ownership), to_numpy(std::move(r), {n, n}));
}

// Q [C; 0] as k x m rows
nb::object py_apply_q(Reflections& q, const Grid& C) {
    const Size k = C.shape(1);
    require(C.shape(0) == q.n, "apply_q: sizes");
    std::vector<double> c(q.m * k, 0.0);
    const auto view = dense_view(C);
    for (Size t = 0; t < k; ++t)
        for (Size i = 0; i < q.n; ++i) c[t * q.m + i] = view.at(i, t);
    {
        const nb::gil_scoped_release release;
        apply_q(q.a, q.m, q.n, q.tau, c);
    }
    const Size m = q.m;
    return to_numpy(std::move(c), {k, m});
}

}  // namespace

void bind_linalg(nb::module_& m) {
    nb::class_<Reflections>(m, "Reflections");
    m.def("moments", &py_moments, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(), nb::arg("center"),
          nb::arg("threads"));
    m.def("multiply", &py_multiply, nb::arg("x"), nb::arg("w").noconvert(), nb::arg("b").noconvert(),
          nb::arg("threads"));
    m.def("multiply_transposed", &py_multiply_transposed, nb::arg("x"), nb::arg("u").noconvert(), nb::arg("threads"));
    m.def("cholesky_solve", &py_cholesky_solve, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("threads"));
    m.def("qr_of_rows", &py_qr_of_rows, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("center"), nb::arg("threads"));
    m.def("solve_triangle", &py_solve_triangle, nb::arg("r").noconvert(), nb::arg("b").noconvert());
    m.def("jacobi", &py_jacobi, nb::arg("a").noconvert(), nb::arg("extra"), nb::arg("threads"));
    m.def("qr", &py_qr, nb::arg("a").noconvert(), nb::arg("threads"));
    m.def("apply_q", &py_apply_q, nb::arg("q"), nb::arg("c").noconvert());
}

}  // namespace pellucid::bind

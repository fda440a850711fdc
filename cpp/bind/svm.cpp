// Support vector machines.
#include "bind/traced.hpp"
#include "core/base/pool.hpp"
#include "core/svm/linear_svm.hpp"
#include "core/svm/smo.hpp"

namespace pellucid::bind {
namespace {

using Block = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

KernelFunction kernel_of(int kind, double gamma, double coef0, int degree) {
    require(kind >= 0 && kind <= static_cast<int>(KernelKind::given), "svm: kernel");
    return {static_cast<KernelKind>(kind), gamma, coef0, degree};
}

// Solves problems 0 .. count-1: beside each other, or one after the other where somebody follows.
template <class Solve>
nb::object solve_all(Size count, int threads, bool record, const Solve& solve) {
    std::optional<nb::callable> nobody;
    return with_trace(record, nobody, [&](auto& trace) {
        if (record)
            for (Size k = 0; k < count; ++k) solve(k, trace);
        else
            parallel_for(count, threads, [&](Size k) { solve(k, trace); });
    });
}

// (beta of all problems one behind the other; k x 5: bias, objective, gap, steps, converged; record)
nb::tuple py_smo(const BoundMatrix& X, int kind, double gamma, double coef0, int degree, const Whole& rows,
                 const Whole& starts, const Vector& from, const Vector& to, const Vector& cost, double tol,
                 bool shrinking, double cache_bytes, Size most_steps, int threads, bool record) {
    const Size count = starts.shape(0) - 1, total = rows.shape(0);
    require(from.size() == total && to.size() == total && cost.size() == total, "smo: sizes");
    std::vector<Size> chosen(rows.data(), rows.data() + total);
    for (const Size row : chosen) require(row < rows_of(X.view), "smo: rows");
    const KernelFunction kernel = kernel_of(kind, gamma, coef0, degree);
    const SmoSettings settings{tol, shrinking, cache_bytes, most_steps, threads};
    std::vector<double> beta(total), ends(5 * count);
    nb::object tables = solve_all(count, threads, record, [&](Size k, auto& trace) {
        const auto first = static_cast<Size>(starts.data()[k]), size = static_cast<Size>(starts.data()[k + 1]) - first;
        const SmoProblem problem{{chosen.data() + first, size},
                                 {from.data() + first, size},
                                 {to.data() + first, size},
                                 {cost.data() + first, size}};
        const SmoResult found = smo(X.view, kernel, problem, settings, k, trace);
        std::copy(found.beta.begin(), found.beta.end(), beta.begin() + static_cast<std::ptrdiff_t>(first));
        const double end[] = {found.bias, found.objective, found.gap, static_cast<double>(found.steps),
                              found.converged ? 1.0 : 0.0};
        std::copy(std::begin(end), std::end(end), ends.begin() + static_cast<std::ptrdiff_t>(5 * k));
    });
    return nb::make_tuple(to_numpy(std::move(beta), {total}), to_numpy(std::move(ends), {count, 5}), tables);
}

nb::object py_kernel_decisions(const BoundMatrix& X, int kind, double gamma, double coef0, int degree,
                               const Block& supports, const Block& coef, const Vector& bias, int threads) {
    const Size n = rows_of(X.view), outputs = bias.size();
    require(supports.shape(1) == cols_of(X.view) && coef.shape(0) == outputs, "kernel_decisions: sizes");
    std::vector<double> out(n * outputs);
    const KernelFunction kernel = kernel_of(kind, gamma, coef0, degree);
    require(kernel.kind != KernelKind::given, "kernel_decisions: kernel");
    {
        const nb::gil_scoped_release release;
        kernel_decisions(X.view, kernel, {supports.data(), supports.size()}, {coef.data(), coef.size()}, span_of(bias),
                         threads, out);
    }
    return to_numpy(std::move(out), {n, outputs});
}

// (k x (p + 1) coefficients, the constant column's last; k x n beta; k x 4: passes, converged, objective, measure;
// record)
nb::tuple py_linear_svm(const BoundMatrix& X, const Block& from, const Block& to, const Block& cost, double constant,
                        bool squared, bool primal, const Vector& tol, Size most_passes, std::uint64_t seed, int threads,
                        bool record) {
    const Size count = from.shape(0), n = rows_of(X.view), width = cols_of(X.view) + 1;
    require(from.shape(1) == n && to.size() == from.size() && cost.size() == from.size(), "linear_svm: sizes");
    require(tol.size() == count, "linear_svm: tol");
    std::vector<double> w(count * width), beta(count * n), ends(4 * count);
    nb::object tables = solve_all(count, threads, record, [&](Size k, auto& trace) {
        const LinearSvmProblem problem{
            &X.view, {from.data() + k * n, n}, {to.data() + k * n, n}, {cost.data() + k * n, n}, constant, squared};
        const LinearSvmSettings settings{primal, tol.data()[k], most_passes, seed + k, threads};
        const LinearSvmResult found = linear_svm(problem, settings, k, trace);
        std::copy(found.w.begin(), found.w.end(), w.begin() + static_cast<std::ptrdiff_t>(k * width));
        std::copy(found.beta.begin(), found.beta.end(), beta.begin() + static_cast<std::ptrdiff_t>(k * n));
        const double end[] = {static_cast<double>(found.passes), found.converged ? 1.0 : 0.0, found.objective,
                              found.measure};
        std::copy(std::begin(end), std::end(end), ends.begin() + static_cast<std::ptrdiff_t>(4 * k));
    });
    return nb::make_tuple(to_numpy(std::move(w), {count, width}), to_numpy(std::move(beta), {count, n}),
                          to_numpy(std::move(ends), {count, 4}), tables);
}

}  // namespace

void bind_svm(nb::module_& m) {
    m.def("smo", &py_smo, nb::arg("x"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"),
          nb::arg("rows").noconvert(), nb::arg("starts").noconvert(), nb::arg("from_").noconvert(),
          nb::arg("to").noconvert(), nb::arg("cost").noconvert(), nb::arg("tol"), nb::arg("shrinking"),
          nb::arg("cache_bytes"), nb::arg("most_steps"), nb::arg("threads"), nb::arg("record") = false);
    m.def("kernel_decisions", &py_kernel_decisions, nb::arg("x"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"),
          nb::arg("degree"), nb::arg("supports").noconvert(), nb::arg("coef").noconvert(), nb::arg("bias").noconvert(),
          nb::arg("threads"));
    m.def("linear_svm", &py_linear_svm, nb::arg("x"), nb::arg("from_").noconvert(), nb::arg("to").noconvert(),
          nb::arg("cost").noconvert(), nb::arg("constant"), nb::arg("squared"), nb::arg("primal"),
          nb::arg("tol").noconvert(), nb::arg("most_passes"), nb::arg("seed"), nb::arg("threads"),
          nb::arg("record") = false);
}

}  // namespace pellucid::bind

// Support vector machines.
#include "bind/traced.hpp"
#include "core/base/pool.hpp"
#include "core/svm/coupling.hpp"
#include "core/svm/joint_svm.hpp"
#include "core/svm/linear_svm.hpp"
#include "core/svm/smo.hpp"
#include "core/svm/sparse_svm.hpp"

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

constexpr Size kEnds = 4;

void write_ends(const LinearSvmResult& found, double* into) {
    const double end[] = {static_cast<double>(found.passes), found.converged ? 1.0 : 0.0, found.objective,
                          found.measure};
    std::copy(std::begin(end), std::end(end), into);
}

// (k x (p + 1) coefficients, the constant column's last; k x n beta; k x 4: passes, converged, objective, measure;
// record)
template <class Solve>
nb::tuple solve_planes(Size n, Size width, const LinearSvmProblem& like, const LinearSvmSettings& so, const Block& from,
                       const Block& to, const Block& cost, const Vector& tol, bool record, const Solve& solve) {
    const Size count = from.shape(0);
    require(from.shape(1) == n && to.size() == from.size() && cost.size() == from.size(), "svm: sizes");
    require(tol.size() == count, "svm: tol");
    std::vector<double> w(count * width), beta(count * n), ends(kEnds * count);
    nb::object tables = solve_all(count, so.threads, record, [&](Size k, auto& trace) {
        LinearSvmProblem problem = like;
        problem.from = {from.data() + k * n, n};
        problem.to = {to.data() + k * n, n};
        problem.cost = {cost.data() + k * n, n};
        LinearSvmSettings settings = so;
        settings.tol = tol.data()[k];
        settings.seed += k;
        const LinearSvmResult found = solve(problem, settings, k, trace);
        std::copy(found.w.begin(), found.w.end(), w.begin() + static_cast<std::ptrdiff_t>(k * width));
        std::copy(found.beta.begin(), found.beta.end(), beta.begin() + static_cast<std::ptrdiff_t>(k * n));
        write_ends(found, ends.data() + kEnds * k);
    });
    return nb::make_tuple(to_numpy(std::move(w), {count, width}), to_numpy(std::move(beta), {count, n}),
                          to_numpy(std::move(ends), {count, kEnds}), tables);
}

nb::tuple py_linear_svm(const BoundMatrix& X, const Block& from, const Block& to, const Block& cost, double constant,
                        bool squared, bool primal, const Vector& tol, Size most_passes, std::uint64_t seed, int threads,
                        bool record) {
    const LinearSvmProblem like{&X.view, {}, {}, {}, constant, squared};
    return solve_planes(rows_of(X.view), cols_of(X.view) + 1, like, {primal, 0, most_passes, seed, threads}, from, to,
                        cost, tol, record, [](const auto& problem, const auto& settings, Size k, auto& trace) {
                            return linear_svm(problem, settings, k, trace);
                        });
}

nb::tuple py_sparse_svm(const BoundMatrix& columns, const Block& from, const Block& to, const Block& cost,
                        double constant, const Vector& tol, Size most_passes, std::uint64_t seed, int threads,
                        bool record) {
    const LinearSvmProblem like{&columns.view, {}, {}, {}, constant, true};
    return solve_planes(cols_of(columns.view), rows_of(columns.view) + 1, like, {true, 0, most_passes, seed, threads},
                        from, to, cost, tol, record,
                        [](const auto& problem, const auto& settings, Size k, auto& trace) {
                            return sparse_svm(problem, settings, k, trace);
                        });
}

// (k x (p + 1) coefficients; k x n dual; 1 x 4: passes, converged, objective, measure; record)
nb::tuple py_joint_svm(const BoundMatrix& X, const Whole& label, const Vector& cost, Size classes, double constant,
                       double tol, Size most_passes, std::uint64_t seed, bool record) {
    const Size n = rows_of(X.view);
    const JointSvmProblem problem{&X.view, {label.data(), label.size()}, span_of(cost), classes, constant};
    LinearSvmResult found;
    nb::object tables = solve_all(1, 1, record, [&](Size, auto& trace) {
        found = joint_svm(problem, {false, tol, most_passes, seed, 1}, trace);
    });
    std::vector<double> ends(kEnds);
    write_ends(found, ends.data());
    return nb::make_tuple(to_numpy(std::move(found.w), {classes, cols_of(X.view) + 1}),
                          to_numpy(std::move(found.beta), {classes, n}), to_numpy(std::move(ends), {Size{1}, kEnds}),
                          tables);
}

nb::object py_couple_pairs(const Block& r, Size classes, int threads) {
    require(classes >= 2 && r.shape(1) == classes * (classes - 1) / 2, "couple_pairs: sizes");
    std::vector<double> out(r.shape(0) * classes);
    {
        const nb::gil_scoped_release release;
        couple_pairs({r.data(), r.size()}, classes, threads, out);
    }
    return to_numpy(std::move(out), {r.shape(0), classes});
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
    m.def("sparse_svm", &py_sparse_svm, nb::arg("columns"), nb::arg("from_").noconvert(), nb::arg("to").noconvert(),
          nb::arg("cost").noconvert(), nb::arg("constant"), nb::arg("tol").noconvert(), nb::arg("most_passes"),
          nb::arg("seed"), nb::arg("threads"), nb::arg("record") = false);
    m.def("joint_svm", &py_joint_svm, nb::arg("x"), nb::arg("label").noconvert(), nb::arg("cost").noconvert(),
          nb::arg("classes"), nb::arg("constant"), nb::arg("tol"), nb::arg("most_passes"), nb::arg("seed"),
          nb::arg("record") = false);
    m.def("couple_pairs", &py_couple_pairs, nb::arg("r").noconvert(), nb::arg("classes"), nb::arg("threads"));
}

}  // namespace pellucid::bind

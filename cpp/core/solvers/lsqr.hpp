// Least squares by LSQR (Paige, Saunders 1982): only products with X and X' are needed, so X stays sparse.
//
//   minimize || b - D (X - 1 m') S w ||^2 + d^2 || w ||^2
//
//   D = diag(sqrt(weight)), m = column means (zero when not centered), S = scale, d = damp (zero: least squares)
//
// Golub-Kahan bidiagonalisation of A = D (X - 1 m') S started at b and a QR factorization updated by one
// plane rotation a pass; one more takes in the damping. Started at w = 0 it stays in the row space of A: of all
// minimizers it finds the shortest.
#pragma once

#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/centered.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

struct LsqrPass {
    static constexpr std::string_view name = "passes";
    static constexpr std::array<std::string_view, 3> columns = {"pass", "residual_norm", "gradient_norm"};
    double pass, residual_norm, gradient_norm;
    std::array<double, 3> values() const { return {pass, residual_norm, gradient_norm}; }
};

struct LsqrProblem {
    const Matrix* X = nullptr;
    std::span<const double> scale;        // p: column j is taken times scale[j]
    std::span<const double> mean;         // p; empty: not centered
    std::span<const double> root_weight;  // n; empty: all one
    double tolerance = 1e-6;
    Size most_passes = 0;
    int threads = 1;
    double damp = 0;  // d: adds d^2 || w ||^2 to what is minimized

    CenteredMatrix matrix() const { return {X, scale, mean, root_weight, threads}; }
};

namespace lsqr_detail {
inline double normalize(std::vector<double>& v) {
    const double norm = std::sqrt(hot().dot(v.data(), v.data(), v.size()));
    if (norm > 0)
        for (double& value : v) value /= norm;
    return norm;
}
inline void replace(std::vector<double>& old, double times, const std::vector<double>& fresh) {
    for (Size i = 0; i < old.size(); ++i) old[i] = fresh[i] - times * old[i];
}
}  // namespace lsqr_detail

struct LsqrResult {
    Status status = Status::ok;
    Size passes = 0;
};

// b: right-hand side (n), overwritten. w: answer (p).
template <class Trace>
LsqrResult lsqr(const LsqrProblem& problem, std::vector<double>& b, std::span<double> w, Trace& trace) {
    using namespace lsqr_detail;
    const Size n = rows_of(*problem.X), p = cols_of(*problem.X);
    require(b.size() == n && w.size() == p && problem.scale.size() == p, "lsqr: sizes");
    std::vector<double>& u = b;
    std::vector<double> v(p), direction(p), fresh_u(n), fresh_v(p), scratch(n);
    std::fill(w.begin(), w.end(), 0.0);
    const CenteredMatrix A = problem.matrix();

    const double norm_b = normalize(u), damp = problem.damp;
    A.backward(u, scratch, v);
    double alpha = normalize(v), phi_bar = norm_b, rho_bar = alpha, norm_a2 = alpha * alpha, damped = 0;
    direction = v;
    LsqrResult result;
    if (alpha == 0 || norm_b == 0) return result;
    for (result.passes = 1; result.passes <= problem.most_passes; ++result.passes) {
        A.forward(v, scratch, fresh_u);
        replace(u, alpha, fresh_u);
        const double beta = normalize(u);
        A.backward(u, scratch, fresh_v);
        replace(v, beta, fresh_v);
        alpha = normalize(v);

        if (damp > 0) {
            const double longer = std::hypot(rho_bar, damp);
            damped = std::hypot(damped, damp / longer * phi_bar);
            phi_bar *= rho_bar / longer;
            rho_bar = longer;
        }
        const double rho = std::hypot(rho_bar, beta), c = rho_bar / rho, s = beta / rho, phi = c * phi_bar;
        for (Size j = 0; j < p; ++j) w[j] += phi / rho * direction[j];
        replace(direction, s * alpha / rho, v);
        rho_bar = -c * alpha;
        phi_bar = s * phi_bar;

        norm_a2 += alpha * alpha + beta * beta + damp * damp;
        const double rest = std::hypot(phi_bar, damped);
        const double gradient = std::abs(phi_bar) * alpha * std::abs(c), norm_a = std::sqrt(norm_a2);
        const double norm_w = std::sqrt(hot().dot(w.data(), w.data(), p));
        emit(trace, LsqrPass{static_cast<double>(result.passes), rest, gradient});
        const bool exact = rest <= problem.tolerance * (norm_b + norm_a * norm_w);
        const bool stationary = gradient <= problem.tolerance * norm_a * rest;
        const bool told = stop_after(trace, result.passes, w);
        if (exact || stationary || told) return result;
        check_interrupt();
    }
    result.passes = problem.most_passes;
    result.status = Status::not_converged;
    return result;
}

}  // namespace pellucid

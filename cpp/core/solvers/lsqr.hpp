// Least squares by LSQR (Paige, Saunders 1982): only products with X and X' are needed, so X stays sparse.
//
//   minimise || b - D (X - 1 m') S w ||^2,   D = diag(sqrt(weight)), m = column means (zero when not centred), S =
//   scale
//
// Golub-Kahan bidiagonalisation of A = D (X - 1 m') S started at b and a QR factorisation updated by one
// plane rotation a pass. Started at w = 0 it stays in the row space of A: of all minimisers it finds the shortest.
#pragma once

#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/products.hpp"

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
    std::span<const double> mean;         // p; empty: not centred
    std::span<const double> root_weight;  // n; empty: all one
    double tolerance = 1e-6;
    Size most_passes = 0;
    int threads = 1;

    // out = D (X - 1 m') S v
    void forward(std::span<const double> v, std::vector<double>& scaled, std::span<double> out) const {
        double offset = 0;
        scaled.resize(v.size());
        for (Size j = 0; j < v.size(); ++j) scaled[j] = v[j] * scale[j];
        for (Size j = 0; j < mean.size(); ++j) offset -= mean[j] * scaled[j];
        multiply(*X, scaled, std::span<const double>(&offset, 1), out, threads);
        for (Size i = 0; i < root_weight.size(); ++i) out[i] *= root_weight[i];
    }
    // out = S (X' - m 1') D u
    void backward(std::span<const double> u, std::vector<double>& scaled, std::span<double> out) const {
        scaled.assign(u.begin(), u.end());
        double sum = 0;
        for (Size i = 0; i < scaled.size(); ++i) {
            if (!root_weight.empty()) scaled[i] *= root_weight[i];
            sum += scaled[i];
        }
        multiply_transposed(*X, scaled, out, threads);
        for (Size j = 0; j < mean.size(); ++j) out[j] -= mean[j] * sum;
        for (Size j = 0; j < scale.size(); ++j) out[j] *= scale[j];
    }
};

namespace lsqr_detail {
inline double normalise(std::vector<double>& v) {
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

    const double norm_b = normalise(u);
    problem.backward(u, scratch, v);
    double alpha = normalise(v), phi_bar = norm_b, rho_bar = alpha, norm_a2 = alpha * alpha;
    direction = v;
    LsqrResult result;
    if (alpha == 0 || norm_b == 0) return result;
    for (result.passes = 1; result.passes <= problem.most_passes; ++result.passes) {
        problem.forward(v, scratch, fresh_u);
        replace(u, alpha, fresh_u);
        const double beta = normalise(u);
        problem.backward(u, scratch, fresh_v);
        replace(v, beta, fresh_v);
        alpha = normalise(v);

        const double rho = std::hypot(rho_bar, beta), c = rho_bar / rho, s = beta / rho, phi = c * phi_bar;
        for (Size j = 0; j < p; ++j) w[j] += phi / rho * direction[j];
        replace(direction, s * alpha / rho, v);
        rho_bar = -c * alpha;
        phi_bar = s * phi_bar;

        norm_a2 += alpha * alpha + beta * beta;
        const double gradient = phi_bar * alpha * std::abs(c), norm_a = std::sqrt(norm_a2);
        const double norm_w = std::sqrt(hot().dot(w.data(), w.data(), p));
        emit(trace, LsqrPass{static_cast<double>(result.passes), phi_bar, gradient});
        const bool exact = phi_bar <= problem.tolerance * (norm_b + norm_a * norm_w);
        const bool stationary = gradient <= problem.tolerance * norm_a * phi_bar;
        const bool told = stop_after(trace, result.passes, w);
        if (exact || stationary || told) return result;
        check_interrupt();
    }
    result.passes = problem.most_passes;
    result.status = Status::not_converged;
    return result;
}

}  // namespace pellucid

// Least squares with non-negative coefficients by the active-set method of Lawson and Hanson (1974), on the normal
// equations (Bro, de Jong 1997):
//
//   minimize  w' G w / 2 - b' w   subject to  w >= 0
//
// At the answer the gradient g = b - G w is zero where w > 0 and not positive where w = 0. Columns enter one at a time,
// the one with the largest gradient first; when a column in use would turn negative the step stops where it reaches
// zero and that column leaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"

namespace pellucid {

struct NnlsStep {
    static constexpr std::string_view name = "passes";
    static constexpr std::array<std::string_view, 4> columns = {"pass", "column", "enters", "gradient"};
    double pass, column, enters, gradient;
    std::array<double, 4> values() const { return {pass, column, enters, gradient}; }
};

struct NnlsResult {
    Status status = Status::ok;
    Size passes = 0;
};

namespace nnls_detail {

// z solves G_PP z = b_P for the columns P in use; false when G_PP is not positive definite.
inline bool solve_used(std::span<const double> G, std::span<const double> b, const std::vector<Size>& used,
                       std::vector<double>& z) {
    const Size p = b.size(), k = used.size();
    std::vector<double> a(k * k);
    z.resize(k);
    for (Size j = 0; j < k; ++j) {
        z[j] = b[used[j]];
        for (Size i = 0; i < k; ++i) a[j * k + i] = G[used[j] * p + used[i]];
    }
    char lower = 'L';
    int n = static_cast<int>(k), one = 1, info = 0;
    lapack().dpotrf(&lower, &n, a.data(), &n, &info);
    if (info != 0) return false;
    // A pivot that is rounding noise of its column means dependence.
    for (Size j = 0; j < k; ++j)
        if (a[j * k + j] * a[j * k + j] <= 64 * std::numeric_limits<double>::epsilon() * G[used[j] * p + used[j]])
            return false;
    lapack().dpotrs(&lower, &n, &one, a.data(), &n, z.data(), &n, &info);
    return true;
}

// The coefficient in use that reaches zero first on the way from w to z, and the share of the way until then.
struct Block {
    Size place;
    double step;
};
inline Block first_block(std::span<const double> w, const std::vector<double>& z, const std::vector<Size>& used) {
    Block first{used.size(), 1.0};
    for (Size j = 0; j < used.size(); ++j) {
        if (z[j] > 0) continue;
        const double step = w[used[j]] / (w[used[j]] - z[j]);
        if (first.place == used.size() || step < first.step) first = {j, step};
    }
    return first;
}

}  // namespace nnls_detail

template <class Trace>
NnlsResult nnls(std::span<const double> G, std::span<const double> b, Size most_passes, std::span<double> w,
                Trace& trace) {
    using namespace nnls_detail;
    const Size p = b.size();
    require(G.size() == p * p && w.size() == p, "nnls: sizes");
    std::vector<Size> used;
    std::vector<bool> out(p, true), refused(p, false);
    std::vector<double> z, g(b.begin(), b.end());
    std::fill(w.begin(), w.end(), 0.0);
    double largest = 0;
    for (Size j = 0; j < p; ++j) largest = std::max(largest, std::abs(b[j]));
    const double tolerance = 16 * std::numeric_limits<double>::epsilon() * static_cast<double>(p + 1) * largest;

    NnlsResult result;
    while (true) {
        Size best = p;
        for (Size j = 0; j < p; ++j)
            if (out[j] && !refused[j] && g[j] > tolerance && (best == p || g[j] > g[best])) best = j;
        if (best == p) return result;
        if (result.passes == most_passes) break;
        ++result.passes;
        const auto pass = static_cast<double>(result.passes);
        used.push_back(best);
        out[best] = false;
        if (!solve_used(G, b, used, z) || z.back() <= 0) {  // depends on the columns in use: cannot help now
            used.pop_back();
            out[best] = refused[best] = true;
            continue;
        }
        emit(trace, NnlsStep{pass, static_cast<double>(best), 1, g[best]});
        bool solved = true;
        while (solved && !used.empty() && *std::min_element(z.begin(), z.end()) <= 0) {
            const Block block = first_block(w, z, used);
            std::vector<Size> kept;
            for (Size j = 0; j < used.size(); ++j) {
                const Size column = used[j];
                w[column] += block.step * (z[j] - w[column]);
                if (j != block.place && w[column] > 0) {
                    kept.push_back(column);
                    continue;
                }
                w[column] = 0;
                out[column] = true;
                emit(trace, NnlsStep{pass, static_cast<double>(column), 0, g[column]});
            }
            used = kept;
            solved = solve_used(G, b, used, z);
        }
        if (solved)
            for (Size j = 0; j < used.size(); ++j) w[used[j]] = z[j];
        for (Size j = 0; j < p; ++j) g[j] = b[j] - hot().dot(G.data() + j * p, w.data(), p);
        std::fill(refused.begin(), refused.end(), false);
        if (stop_after(trace, result.passes, w)) return result;
        check_interrupt();
    }
    result.status = Status::not_converged;
    return result;
}

}  // namespace pellucid

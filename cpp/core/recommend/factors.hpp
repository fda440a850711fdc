// Ratings as products of a few factors.
//
//   r_ui ~ m + b_u + b_i + p_u . q_i
//
//   minimize  sum over rated (u, i) of (r_ui - m - b_u - b_i - p_u . q_i)^2
//             + sum_u s_u (|p_u|^2 + b_u^2) + sum_i s_i (|q_i|^2 + b_i^2)
//
// with s_u the penalty, times the number of u's ratings where it is counted (Zhou et al., 2008). By turns: with the
// items held, the best (p_u, b_u) is a ridge regression of r_ui - m - b_i on (q_i, 1), one for each user, and the same
// for items. A pass is both, users first.
#pragma once

#include <array>

#include "core/base/check.hpp"
#include "core/base/trace.hpp"
#include "core/recommend/rated.hpp"

namespace pellucid {

// Factors of one side, row after row with a stride that kFactorStep divides, and its biases.
struct FactorSide {
    std::span<double> factors;
    std::span<double> bias;
    Size stride = 0;
    const double* row(Size r) const { return factors.data() + r * stride; }
    double* row(Size r) { return factors.data() + r * stride; }
};

struct FactorSettings {
    Size factors = 0;
    double mean = 0;  // m
    double penalty = 0;
    bool by_count = false;  // the penalty of a row times the number of its ratings
    bool biases = true;     // else they stay as they are
    Size passes = 0;        // at most
    double tol = 0;         // stop when the objective fell by less than this share of itself
    int threads = 1;
};

struct FactorResult {
    Status status = Status::ok;
    Size passes = 0;
    double objective = 0;
    bool settled = false;
};

struct FactorPass {
    static constexpr auto name = "passes";
    static constexpr std::array columns = {"pass", "objective"};
    double pass, objective;
    std::array<double, 2> values() const { return {pass, objective}; }
};

// Sets the factors and biases of all rows with those of the columns held; false where an equation has no one answer.
bool refresh_factors(const Rated& rows, const FactorSide& other, const FactorSettings& settings, FactorSide& own);

double factor_objective(const Rated& users, const Rated& items, const FactorSide& p, const FactorSide& q,
                        const FactorSettings& settings);

// All numbers of both sides one behind the other, without the filling of the rows.
std::vector<double> all_numbers(const FactorSide& p, const FactorSide& q, Size factors);

template <class Trace>
FactorResult fit_factors(const Rated& users, const Rated& items, const FactorSettings& s, FactorSide& p, FactorSide& q,
                         Trace& trace) {
    FactorResult result;
    double before = 0;
    while (result.passes < s.passes && !result.settled) {
        if (!refresh_factors(users, q, s, p) || !refresh_factors(items, p, s, q)) {
            result.status = Status::singular;
            return result;
        }
        ++result.passes;
        result.objective = factor_objective(users, items, p, q, s);
        result.settled = result.passes > 1 && before - result.objective <= s.tol * before;
        before = result.objective;
        if constexpr (!std::is_same_v<Trace, NoTrace>) {
            emit(trace, FactorPass{static_cast<double>(result.passes), result.objective});
            if (stop_after(trace, result.passes, all_numbers(p, q, s.factors))) break;
        }
    }
    return result;
}

// out[i] = x_{rows[i]} . y_{columns[i]}
template <class T>
void pair_products(const T* x, const T* y, Size stride, std::span<const std::int32_t> rows,
                   std::span<const std::int32_t> columns, std::span<double> out, int threads);

// out[i, j] = x_{rows[i]} . y_j  for all n rows of y, with the bits of pair_products
template <class T>
void all_products(const T* x, const T* y, Size n, Size stride, std::span<const std::int32_t> rows,
                  std::span<double> out, int threads);

}  // namespace pellucid

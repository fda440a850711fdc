// What people like, from what they did: counts of plays, views, purchases.
//
//   minimize  sum over all (u, i) of c_ui (p_ui - x_u . y_i)^2 + penalty (sum_u |x_u|^2 + sum_i |y_i|^2)
//
// with p_ui = 1 and a confidence c_ui where u did something with i, else p_ui = 0 and c_ui = 1 (Hu, Koren, Volinsky,
// 2008). With Y held, x_u solves
//
//   (Y'Y + sum over u's items of (c_ui - 1) y_i y_i' + penalty I) x_u = sum over u's items of c_ui y_i
//
// Y'Y is the same for all users, so that a user costs what their own items cost. The equation is solved exactly
// (Cholesky), or nearly, by a few steps of conjugate gradients from the last answer (Takacs, Pilaszy, Tikk, 2011).
#pragma once

#include <algorithm>
#include <array>

#include "core/base/check.hpp"
#include "core/base/trace.hpp"
#include "core/recommend/rated.hpp"

namespace pellucid {

struct ImplicitSettings {
    Size factors = 0;
    Size steps = 0;  // of conjugate gradients; 0 for Cholesky
    double penalty = 0;
    Size passes = 0;  // at most
    double tol = 0;   // stop when the objective fell by less than this share of itself; negative: do not look
    int threads = 1;
};

struct ImplicitResult {
    Status status = Status::ok;
    Size passes = 0;
    double objective = 0;  // where it was looked at
    bool settled = false;
};

struct ImplicitPass {
    static constexpr auto name = "passes";
    static constexpr std::array columns = {"pass", "objective"};
    double pass, objective;
    std::array<double, 2> values() const { return {pass, objective}; }
};

// Factors of one side, row after row, with a stride that kFactorStep divides and zeros behind the last factor.
template <class T>
struct FactorTable {
    std::span<T> values;
    Size stride = 0;
    Size rows() const { return values.size() / stride; }
    T* row(Size r) const { return values.data() + r * stride; }
};

// Sets all rows of `own` with `other` held; false where an equation has no one answer. Values of `rows`: c_ui.
template <class T>
bool refresh_implicit(const Rated& rows, const FactorTable<T>& other, const ImplicitSettings& settings,
                      const FactorTable<T>& own);

template <class T>
double implicit_objective(const Rated& users, const FactorTable<T>& x, const FactorTable<T>& y,
                          const ImplicitSettings& settings);

template <class T>
std::vector<double> both_tables(const FactorTable<T>& x, const FactorTable<T>& y, Size factors) {
    std::vector<double> found;
    for (const FactorTable<T>* table : {&x, &y})
        for (Size r = 0; r < table->rows(); ++r) found.insert(found.end(), table->row(r), table->row(r) + factors);
    return found;
}

template <class T, class Trace>
ImplicitResult fit_implicit(const Rated& users, const Rated& items, const ImplicitSettings& s, const FactorTable<T>& x,
                            const FactorTable<T>& y, Trace& trace) {
    constexpr bool told = !std::is_same_v<Trace, NoTrace>;
    ImplicitResult result;
    double before = 0;
    while (result.passes < s.passes && !result.settled) {
        if (!refresh_implicit(users, y, s, x) || !refresh_implicit(items, x, s, y)) {
            result.status = Status::singular;
            return result;
        }
        ++result.passes;
        if (told || s.tol >= 0) {
            result.objective = implicit_objective(users, x, y, s);
            result.settled = s.tol >= 0 && result.passes > 1 && before - result.objective <= s.tol * before;
            before = result.objective;
        }
        if constexpr (told) {
            emit(trace, ImplicitPass{static_cast<double>(result.passes), result.objective});
            if (stop_after(trace, result.passes, both_tables(x, y, s.factors))) break;
        }
    }
    return result;
}

}  // namespace pellucid

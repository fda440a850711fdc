// What the solvers of a linear problem tell of their passes: the table "passes" with pass, objective, two numbers of
// the solver's own, and the parameters where they are few; pass 0 is the start.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

inline constexpr Size kFewParameters = 100;

// W (k x p) and b as one vector, W first; without intercept b is zero.
inline std::vector<double> joined(std::span<const double> W, std::span<const double> b, bool intercept) {
    std::vector<double> theta(W.begin(), W.end());
    theta.insert(theta.end(), b.begin(), b.end());
    if (!intercept) std::fill_n(theta.rbegin(), b.size(), 0.0);
    return theta;
}
inline void divide(std::span<const double> theta, std::span<double> W, std::span<double> b) {
    std::copy_n(theta.begin(), W.size(), W.begin());
    std::copy_n(theta.rbegin(), b.size(), b.rbegin());
}

// What a solver calls its measure, and its other number.
struct PassWords {
    const char *measure, *other;
};
inline constexpr PassWords kSmoothPass{"slope", "step"}, kSparsePass{"measure", "nonzero"};

inline std::vector<std::string> pass_columns(const PassWords& words, Size coefficients, Size outputs) {
    std::vector<std::string> columns = {"pass", "objective", words.measure, words.other};
    if (coefficients + outputs > kFewParameters) return columns;
    const auto name = [&](std::string word, Size t) { return outputs == 1 ? word : word + "_" + std::to_string(t); };
    for (Size t = 0; t < outputs; ++t)
        for (Size j = 0; j < coefficients / outputs; ++j) columns.push_back(name("coef", t) + "_" + std::to_string(j));
    for (Size t = 0; t < outputs; ++t) columns.push_back(name("intercept", t));
    return columns;
}

template <class Trace>
void tell_pass(Trace& trace, const PassWords& words, const LinearResult& result, double other,
               std::span<const double> theta, Size outputs) {
    std::vector<double> cells = {static_cast<double>(result.passes), result.objective, result.measure, other};
    if (theta.size() <= kFewParameters) cells.insert(cells.end(), theta.begin(), theta.end());
    emit(trace, "passes", pass_columns(words, theta.size() - outputs, outputs), cells);
}
inline void tell_pass(NoTrace&, const PassWords&, const LinearResult&, double, std::span<const double>, Size) {}

// How many coefficients are not zero.
inline double used_of(std::span<const double> theta, Size outputs) {
    const std::span<const double> W = theta.first(theta.size() - outputs);
    return static_cast<double>(W.size()) - static_cast<double>(std::count(W.begin(), W.end(), 0.0));
}

}  // namespace pellucid

// What the solvers of sparse models tell of their passes: a table with pass, objective, measure, number of coefficients
// that are not zero, and the parameters where they are few; pass 0 is the start.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

inline constexpr Size kFewParameters = 100;

// theta: W, k x p, and then b.
template <class Trace>
void tell_pass(Trace& trace, const LinearResult& result, std::span<const double> theta, Size outputs) {
    const Size p = theta.size() / outputs - 1;
    const auto nonzero = std::count_if(theta.begin(), theta.begin() + static_cast<std::ptrdiff_t>(outputs * p),
                                       [](double w) { return w != 0; });
    std::vector<std::string> columns = {"pass", "objective", "measure", "nonzero"};
    std::vector<double> cells = {static_cast<double>(result.passes), result.objective, result.measure,
                                 static_cast<double>(nonzero)};
    if (theta.size() <= kFewParameters) {
        const auto name = [&](std::string word, Size t) {
            return outputs == 1 ? word : word + "_" + std::to_string(t);
        };
        for (Size t = 0; t < outputs; ++t)
            for (Size j = 0; j < p; ++j) columns.push_back(name("coef", t) + "_" + std::to_string(j));
        for (Size t = 0; t < outputs; ++t) columns.push_back(name("intercept", t));
        cells.insert(cells.end(), theta.begin(), theta.end());
    }
    emit(trace, "passes", columns, cells);
}
inline void tell_pass(NoTrace&, const LinearResult&, std::span<const double>, Size) {}

}  // namespace pellucid

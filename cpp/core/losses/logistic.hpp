// Logistic loss of a target y that is 0 or 1, for f the log odds of 1:
//
//   l(y, f) = log(1 + e^f) - y f = -y log s(f) - (1 - y) log(1 - s(f)),   s(f) = 1 / (1 + e^-f)
#pragma once

#include <algorithm>
#include <cmath>

namespace pellucid {

struct LogisticLoss {
    // Written with e^-|f|, which never overflows and keeps its digits for large |f|.
    static double value(double y, double f) { return std::max(f, 0.0) - y * f + std::log1p(std::exp(-std::abs(f))); }
    // dl/df = s(f) - y
    static double gradient(double y, double f) { return probability(f) - y; }
    // d2l/df2 = s(f) (1 - s(f))
    static double hessian(double, double f) {
        const double small = std::exp(-std::abs(f));
        return small / ((1 + small) * (1 + small));
    }
    static double probability(double f) {
        const double small = std::exp(-std::abs(f));
        return (f >= 0 ? 1 : small) / (1 + small);
    }
};

}  // namespace pellucid

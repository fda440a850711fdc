// Squared hinge loss of a target y that is -1 or 1:  l(y, f) = max(0, 1 - y f)^2.
#pragma once

#include <algorithm>

namespace pellucid {

struct SquaredHingeLoss {
    static double value(double y, double f) {
        const double short_of = std::max(0.0, 1 - y * f);
        return short_of * short_of;
    }
    // dl/df = -2 y max(0, 1 - y f)
    static double gradient(double y, double f) { return -2 * y * std::max(0.0, 1 - y * f); }
};

}  // namespace pellucid

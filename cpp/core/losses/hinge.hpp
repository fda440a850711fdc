// Hinge loss of a target y that is -1 or 1: rows on their own side of the street cost nothing.
//
//   l(y, f) = max(0, 1 - y f)
#pragma once

#include <algorithm>

namespace pellucid {

struct HingeLoss {
    static double value(double y, double f) { return std::max(0.0, 1 - y * f); }
    // dl/df = -y for y f <= 1: at the kink, a subgradient
    static double gradient(double y, double f) { return y * f <= 1 ? -y : 0.0; }
};

}  // namespace pellucid

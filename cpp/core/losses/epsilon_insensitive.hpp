// The loss of support vector regression: errors of up to epsilon cost nothing,  l(y, f) = max(0, |f - y| - epsilon).
#pragma once

#include <algorithm>
#include <cmath>

namespace pellucid {

struct EpsilonInsensitiveLoss {
    double epsilon = 0.1;

    double value(double y, double f) const { return std::max(0.0, std::abs(f - y) - epsilon); }
    // dl/df = sign(f - y) outside the tube, 0 inside and on its edge
    double gradient(double y, double f) const { return static_cast<double>((f - y > epsilon) - (y - f > epsilon)); }
};

}  // namespace pellucid

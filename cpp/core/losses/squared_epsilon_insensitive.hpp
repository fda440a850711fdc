// Errors of up to epsilon cost nothing, what is beyond counts squared:  l(y, f) = max(0, |f - y| - epsilon)^2.
#pragma once

#include <algorithm>
#include <cmath>

namespace pellucid {

struct SquaredEpsilonInsensitiveLoss {
    double epsilon = 0.1;

    double value(double y, double f) const {
        const double beyond = std::max(0.0, std::abs(f - y) - epsilon);
        return beyond * beyond;
    }
    // dl/df = 2 sign(f - y) max(0, |f - y| - epsilon)
    double gradient(double y, double f) const {
        return 2 * (std::max(0.0, f - y - epsilon) - std::max(0.0, y - f - epsilon));
    }
};

}  // namespace pellucid

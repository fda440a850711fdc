// Huber's loss: squared near the target, straight beyond, so that outliers pull no harder than a row that is epsilon
// off.
//
//   l(y, f) = (f - y)^2 / 2  for |f - y| <= epsilon,   epsilon (|f - y| - epsilon / 2)  beyond
#pragma once

#include <algorithm>
#include <cmath>

namespace pellucid {

struct HuberLoss {
    double epsilon = 0.1;

    double value(double y, double f) const {
        const double size = std::abs(f - y);
        return size <= epsilon ? 0.5 * size * size : epsilon * (size - 0.5 * epsilon);
    }
    // dl/df = f - y, cut off at -epsilon and epsilon
    double gradient(double y, double f) const { return std::min(std::max(f - y, -epsilon), epsilon); }
};

}  // namespace pellucid

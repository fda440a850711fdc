// Sizes and squares together: h(w) = l1 |w| + l2/2 w^2. Exact zeros as with l1, and correlated columns share as with
// l2.
#pragma once

#include <cmath>

namespace pellucid {

struct ElasticNet {
    double l1 = 0, l2 = 0;

    double value(double w) const { return l1 * std::abs(w) + 0.5 * l2 * w * w; }
    // argmin_w (w - z)^2 / 2 + step h(w): soft thresholding, then shrinking
    double prox(double z, double step) const {
        return std::copysign(std::fmax(std::abs(z) - step * l1, 0.0), z) / (1 + step * l2);
    }
};

}  // namespace pellucid

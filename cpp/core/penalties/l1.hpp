// The size of each coefficient: h(w) = |w|. Its minimizer has exact zeros; a step along the subgradient passes them.
#pragma once

#include <cmath>

namespace pellucid {

struct L1Penalty {
    static constexpr bool active = true;
    static double value(double w) { return std::abs(w); }
    // Subgradient sign(w), 0 at the kink.
    static double gradient(double w) { return static_cast<double>((w > 0) - (w < 0)); }
    // argmin_w (w - z)^2 / 2 + step h(w): soft thresholding
    static double prox(double z, double step) { return std::copysign(std::fmax(std::abs(z) - step, 0.0), z); }
};

}  // namespace pellucid

// Absolute loss, whose best constant is the median:  l(y, f) = |f - y|.
#pragma once

#include <cmath>

namespace pellucid {

struct AbsoluteLoss {
    static double value(double y, double f) { return std::abs(f - y); }
    // dl/df = sign(f - y), 0 at the kink
    static double gradient(double y, double f) { return static_cast<double>((f > y) - (f < y)); }
};

}  // namespace pellucid

// Half the square of each coefficient: h(w) = w^2 / 2. Large coefficients cost most; none becomes exactly zero.
#pragma once

namespace pellucid {

struct L2Penalty {
    static constexpr bool active = true;
    static double value(double w) { return 0.5 * w * w; }
    static double gradient(double w) { return w; }
    // argmin_w (w - z)^2 / 2 + step h(w)
    static double prox(double z, double step) { return z / (1 + step); }
};

}  // namespace pellucid

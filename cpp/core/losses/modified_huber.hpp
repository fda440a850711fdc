// Modified Huber loss of a target y that is -1 or 1: a squared hinge that goes on straight for rows far on the wrong
// side (Zhang, 2004). Its scores give probabilities: (clip(f, -1, 1) + 1) / 2.
//
//   l(y, f) = max(0, 1 - y f)^2  for y f >= -1,   -4 y f  below
#pragma once

namespace pellucid {

struct ModifiedHuberLoss {
    static double value(double y, double f) {
        const double z = y * f;
        return z >= 1 ? 0 : z >= -1 ? (1 - z) * (1 - z) : -4 * z;
    }
    static double gradient(double y, double f) {
        const double z = y * f;
        return z >= 1 ? 0 : z >= -1 ? -2 * y * (1 - z) : -4 * y;
    }
};

}  // namespace pellucid

// Squared error of a probability, for a target y that is 0 or 1 and the score f behind the probability:
//
//   l(y, f) = (y - s(f))^2 / 2,   s(f) = 1 / (1 + e^-f)
//
// Not convex: far on the wrong side it is nearly flat, so a row that is very wrong hardly pulls. Logistic loss does.
#pragma once

#include "core/losses/logistic.hpp"

namespace pellucid {

struct SquaredSigmoidLoss {
    static double value(double y, double f) {
        const double error = LogisticLoss::probability(f) - y;
        return 0.5 * error * error;
    }
    // dl/df = (p - y) p (1 - p)
    static double gradient(double y, double f) {
        return (LogisticLoss::probability(f) - y) * LogisticLoss::hessian(y, f);
    }
};

}  // namespace pellucid

// Squared loss, with the half that makes its derivative the error itself:  l(y, f) = (f - y)^2 / 2.
#pragma once

namespace pellucid {

struct SquaredLoss {
    static double value(double y, double f) {
        const double error = f - y;
        return 0.5 * error * error;
    }
    // dl/df
    static double gradient(double y, double f) { return f - y; }
    // d2l/df2
    static double hessian(double, double) { return 1; }
};

}  // namespace pellucid

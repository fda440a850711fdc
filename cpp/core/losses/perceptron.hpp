// Rosenblatt's loss of a target y that is -1 or 1: a row on the wrong side costs its distance, any other nothing.
//
//   l(y, f) = max(0, -y f)
//
// Its slope is -y for a mistake. A score of exactly zero is a mistake by choice: of every row, or of the rows of one
// class alone, where the step function says the other one at zero.
#pragma once

#include <algorithm>

namespace pellucid {

struct PerceptronLoss {
    bool zero_is_wrong_for_negative = true, zero_is_wrong_for_positive = true;

    static double value(double y, double f) { return std::max(0.0, -y * f); }
    double gradient(double y, double f) const {
        const bool tie = y > 0 ? zero_is_wrong_for_positive : zero_is_wrong_for_negative;
        return y * f < 0 || (f == 0 && tie) ? -y : 0.0;
    }
};

}  // namespace pellucid

// The lasso and the elastic net on few columns, solved exactly by following the pattern of signs.
//
//   minimize  1/2 |y - Z w|^2 + l1 |w|_1 + l2/2 |w|^2        (w >= 0 where only positive coefficients are allowed)
//
// With the signs s of the columns in use T known, the answer solves  (Z_T'Z_T + l2) v = Z_T'y - l1 s,  here by
// Householder QR and two steps of refinement: columns that are nearly dependent keep half of their digits, where the
// products Z'Z would keep none. On the way from w to v coefficients that reach zero drop out (the best of these points
// is taken); when v has the signs s, the column at zero whose slope is steepest joins. Every step lowers the objective,
// so no pattern comes twice (feature-sign search: Lee, Battle, Raina, Ng, NIPS 2006).
#pragma once

#include <span>

#include "core/base/views.hpp"

namespace pellucid {

struct ExactResult {
    bool solved = false;  // the conditions of the optimum hold up to rounding
    Size steps = 0;
};

// Z is rows x w.size(), column-major; w holds the start and the answer. Without success w is as it was.
ExactResult solve_exactly(std::span<const double> Z, std::span<const double> y, double l1, double l2, bool positive,
                          Size most_steps, std::span<double> w);

// How far to go from w toward w + d: the best of the points where a coefficient reaches zero and the end. `slope` is
// the derivative of the smooth part there, `curve` its second derivative. Coefficients must not cross zero where only
// positive ones are allowed. Returns the share of the way, 0 where nothing is gained.
double best_share(std::span<const double> w, std::span<const double> d, double slope, double curve, double l1,
                  bool positive);

}  // namespace pellucid

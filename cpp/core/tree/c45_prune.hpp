// Making a multiway tree smaller.
#pragma once

#include "core/tree/c45_draft.hpp"

namespace pellucid::tree::c45 {

// Errors to expect of a leaf with N cases of which e are wrong: e and what the upper limit of the binomial distribution
// at confidence CF adds. With z = quantile 1 - CF of the normal distribution and p = (e + 1/2) / N the limit is
//
//     r = [ p + z^2/2N + z sqrt( p/N - p^2/N + z^2/4N^2 ) ] / (1 + z^2/N)         for e >= 1,
//     r = 1 - CF^(1/N)                                                            for e = 0,
//
// between 0 and 1 errors the line between the two, and N where e + 1/2 reaches it (Quinlan 1993, ch. 4; Weka's
// addErrs).
double expected_errors(double N, double e, double confidence, double normal);

// A subtree whose leaves make as many errors on the training cases as its root would make becomes a leaf.
void collapse(Draft& draft);

// Bottom-up: a node becomes a leaf, or its largest branch takes its place, if that is expected to make no more errors
// than the subtree (to within 0.1).
void prune_by_expected_errors(Draft& draft, const Columns& table, const MultiwayRules& rules);

// Bottom-up: a node becomes a leaf if that makes no more errors on cases that were held out.
void prune_by_held_out(Draft& draft, const Columns& table, const MultiwayRules& rules, const Cases& held_out);

}  // namespace pellucid::tree::c45

// Description lengths in bits: how long a message is that names the rules of a class and the rows on which they err
// (Quinlan 1995, "MDL and categorical theories (continued)"; Cohen 1995).
//
//   S(t, k, p)  = -k log2 p - (t - k) log2(1 - p)                      k marked ones among t, when p of them is
//   expected rule        = 1/2 (log2 k + 2 log2 log2 k + S(m, k, k / m))        k conditions of m possible ones; half:
//   redundancy rows        = log2(C + U + 1) + S(C, fp, p_C) + S(U, fn, p_U)      C covered, U not; fp, fn errors among
//   them
//
// where the larger side's p comes from the expected share e of the class among the rows, e (fp + fn) / C or
// (1 - e) (fp + fn) / U, and the smaller side's p is its own share of errors.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/views.hpp"

namespace pellucid::rules {

inline double subset_bits(double t, double k, double p) {
    const double least = 1e-9;
    p = std::clamp(p, least, 1.0 - least);
    double bits = 0.0;
    if (k > 0) bits -= k * std::log2(p);
    if (t - k > 0) bits -= (t - k) * std::log2(1.0 - p);
    return bits;
}

inline double theory_bits(Size conditions, double possible) {
    if (conditions == 0) return 0.0;
    const auto k = static_cast<double>(conditions);
    double number = std::log2(k);
    if (conditions > 1) number += 2.0 * std::log2(number);
    return 0.5 * (number + subset_bits(possible, k, k / possible));
}

// What a set of rules covers, by weight: rows of the class and others.
struct Coverage {
    double positive = 0.0;
    double negative = 0.0;
};

inline double data_bits(Coverage all, Coverage covered, double expected) {
    const double inside = covered.positive + covered.negative;
    const double outside = std::max(0.0, all.positive + all.negative - inside);
    const double fp = covered.negative;
    const double fn = std::max(0.0, all.positive - covered.positive);
    double bits = std::log2(inside + outside + 1.0);
    if (inside > outside) {
        bits += subset_bits(inside, fp, expected * (fp + fn) / inside);
        if (outside > 0) bits += subset_bits(outside, fn, fn / outside);
    } else {
        if (inside > 0) bits += subset_bits(inside, fp, fp / inside);
        if (outside > 0) bits += subset_bits(outside, fn, (1.0 - expected) * (fp + fn) / outside);
    }
    return bits;
}

}  // namespace pellucid::rules

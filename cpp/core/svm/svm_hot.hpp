// The loops of support vector machines that run over all rows at every step. Compiled once per SIMD level.
//
// Rows stand in panels of sixteen: panel[j * kSvmPanel + r] is column j of row r. Sums run over the columns in order,
// each row in a lane of its own, so that K(x, z) and K(z, x) have the same bits.
#pragma once

#include <cstddef>

namespace pellucid {

inline constexpr std::size_t kSvmPanel = 16;

// The largest value and its place, the first of equals; -infinity and 0 where there is none.
struct Peak {
    double value;
    std::size_t place;
};

struct SvmHot {
    // out[16 q + r] = sum_j (x_j - z_j)^2 and sum_j x_j z_j for the rows z of `count` panels.
    void (*squares)(const double* panels, std::size_t count, std::size_t p, const double* x, double* out);
    void (*products)(const double* panels, std::size_t count, std::size_t p, const double* x, double* out);
    // v = exp(-gamma v), gamma v >= 0; n is a multiple of 16. Below e^-708 it is 0.
    void (*bells)(double gamma, std::size_t n, double* v);
    // f += step (ki - kj); then the largest of up - f, and the largest of f - low.
    void (*move)(double step, const double* ki, const double* kj, const double* up, const double* low, std::size_t n,
                 double* f, Peak* highest, Peak* lowest);
    // The largest of g^2 / max(kii + diagonal - 2 ki, tiny), g = top - (low - f), where g > 0.
    Peak (*partner)(double top, double kii, const double* ki, const double* diagonal, const double* low,
                    const double* f, std::size_t n);
};

const SvmHot& svm_hot();  // of the current level

}  // namespace pellucid

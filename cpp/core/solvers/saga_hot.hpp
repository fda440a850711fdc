// The step of SAG and SAGA along a dense row, compiled once per SIMD level.
#pragma once

#include <cstddef>

namespace pellucid {

struct SagaHot {
    // w[c] = soft(w[c] - eta (own x[c] + g[c]), l1) shrink,   g[c] += part x[c]
    // where soft(z, l1) brings z nearer to zero by l1, and no further than zero.
    void (*step_f64)(const double* x, std::size_t n, double own, double part, double eta, double l1, double shrink,
                     double* w, double* g);
    void (*step_f32)(const float* x, std::size_t n, double own, double part, double eta, double l1, double shrink,
                     double* w, double* g);
};

const SagaHot& saga_hot();  // of the current level

}  // namespace pellucid

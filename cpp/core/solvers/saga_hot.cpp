// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/solvers/saga_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {

namespace {

template <class T>
void smooth_step(const T* x, std::size_t n, double own, double part, double eta, double shrink, double* w, double* g) {
    for (std::size_t c = 0; c < n; ++c) {
        const double value = static_cast<double>(x[c]);
        w[c] = (w[c] - eta * (own * value + g[c])) * shrink;
        g[c] += part * value;
    }
}

template <class T>
void step(const T* x, std::size_t n, double own, double part, double eta, double l1, double shrink, double* w,
          double* g) {
    if (l1 == 0) return smooth_step(x, n, own, part, eta, shrink, w, g);
    for (std::size_t c = 0; c < n; ++c) {
        const double value = static_cast<double>(x[c]);
        const double z = w[c] - eta * (own * value + g[c]);
        const double above = z - l1, below = z + l1;
        w[c] = ((above > 0 ? above : 0) + (below < 0 ? below : 0)) * shrink;
        g[c] += part * value;
    }
}

}  // namespace

extern const SagaHot PELLUCID_JOIN(saga_hot_, PELLUCID_LEVEL);
const SagaHot PELLUCID_JOIN(saga_hot_, PELLUCID_LEVEL) = {step<double>, step<float>};

}  // namespace pellucid

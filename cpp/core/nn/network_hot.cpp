// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops here, and no header with inline functions: a
// function shared with another translation unit could be linked from the wrong level.
#include "core/nn/network_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

void relu(double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? 0 : x[i];
}

void minus_size(const double* __restrict x, std::size_t n, double factor, double* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = -factor * __builtin_fabs(x[i]);
}

void logistic(const double* __restrict e, std::size_t n, double* __restrict x) {
    for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] < 0 ? e[i] : 1.0) / (1 + e[i]);
}

void tanh(const double* __restrict e, std::size_t n, double* __restrict x) {
    for (std::size_t i = 0; i < n; ++i) {
        const double size = (1 - e[i]) / (1 + e[i]);
        x[i] = x[i] < 0 ? -size : size;
    }
}

void relu_slope(const double* __restrict a, std::size_t n, double* __restrict d) {
    for (std::size_t i = 0; i < n; ++i) d[i] = a[i] > 0 ? d[i] : 0;
}

void logistic_slope(const double* __restrict a, std::size_t n, double* __restrict d) {
    for (std::size_t i = 0; i < n; ++i) d[i] *= a[i] * (1 - a[i]);
}

void tanh_slope(const double* __restrict a, std::size_t n, double* __restrict d) {
    for (std::size_t i = 0; i < n; ++i) d[i] *= 1 - a[i] * a[i];
}

void adam(const double* __restrict g, std::size_t n, const AdamStep& step, double* __restrict theta,
          double* __restrict m, double* __restrict v) {
    const double rate = step.rate, b1 = step.beta_1, b2 = step.beta_2, epsilon = step.epsilon;
    for (std::size_t i = 0; i < n; ++i) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
        theta[i] -= rate * m[i] / (__builtin_sqrt(v[i]) + epsilon);
    }
}

void momentum(const double* __restrict g, std::size_t n, double rate, double momentum, bool ahead,
              double* __restrict theta, double* __restrict v) {
    const double kept = ahead ? momentum : 1.0, more = ahead ? rate : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = momentum * v[i] - rate * g[i];
        theta[i] += kept * v[i] - more * g[i];
    }
}

}  // namespace

extern const NetworkHot PELLUCID_JOIN(network_hot_, PELLUCID_LEVEL);
const NetworkHot PELLUCID_JOIN(network_hot_, PELLUCID_LEVEL) = {
    relu, minus_size, logistic, tanh, relu_slope, logistic_slope, tanh_slope, adam, momentum,
};

}  // namespace pellucid

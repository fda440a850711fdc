// The innermost loops of a network, compiled once per SIMD level: bends of layers, their slopes, and updates.
#pragma once

#include <cstddef>

namespace pellucid {

// What an update of Adam is told: rate is that of this update, with both corrections of the start in it.
struct AdamStep {
    double rate, beta_1, beta_2, epsilon;
};

struct NetworkHot {
    // x <- max(x, 0)
    void (*relu)(double* x, std::size_t n);
    // out = -factor |x|
    void (*minus_size)(const double* x, std::size_t n, double factor, double* out);
    // x <- 1 / (1 + e^-x), with e = e^-|x|
    void (*logistic)(const double* e, std::size_t n, double* x);
    // x <- tanh x, with e = e^-2|x|
    void (*tanh)(const double* e, std::size_t n, double* x);
    // d <- d f'(x), told by the values a = f(x)
    void (*relu_slope)(const double* a, std::size_t n, double* d);
    void (*logistic_slope)(const double* a, std::size_t n, double* d);
    void (*tanh_slope)(const double* a, std::size_t n, double* d);
    // m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2;  theta <- theta - rate m / (sqrt v + epsilon)
    void (*adam)(const double* g, std::size_t n, const AdamStep& step, double* theta, double* m, double* v);
    // v <- momentum v - rate g;  theta <- theta + v, or with `ahead` theta + momentum v - rate g
    void (*momentum)(const double* g, std::size_t n, double rate, double momentum, bool ahead, double* theta,
                     double* v);
};

const NetworkHot& network_hot();  // of the current level

}  // namespace pellucid

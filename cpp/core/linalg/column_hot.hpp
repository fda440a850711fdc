// Loops over a dense column with a weight for each row, compiled once per SIMD level.
#pragma once

#include <cstddef>

namespace pellucid {

struct ColumnHot {
    // out[i] += a * d[i] * x[i]
    void (*add_f64)(double a, const double* d, const double* x, std::size_t n, double* out);
    void (*add_f32)(double a, const double* d, const float* x, std::size_t n, double* out);
    // sums[0] = sum_i d[i] (unit x[i]),  sums[1] = sum_i d[i] (unit x[i])^2
    void (*weigh_f64)(double unit, const double* d, const double* x, std::size_t n, double* sums);
    void (*weigh_f32)(double unit, const double* d, const float* x, std::size_t n, double* sums);
};

const ColumnHot& column_hot();  // of the current level

}  // namespace pellucid

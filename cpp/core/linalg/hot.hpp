// The innermost loops, compiled once per SIMD level. Everything here works on memory that is already in cache or is
// streamed exactly once; sizes and layouts are settled by the caller.
#pragma once

#include <cstddef>

namespace pellucid {

inline constexpr std::size_t kPanel = 8;  // columns of a packed panel; a multiple of every vector width

// The order of a dot product, the same for every memory layout and SIMD level: element c goes to lane c % 8. While at
// least 32 elements are left, a lane adds four products as (p0 + p1) + (p2 + p3); after that, one product at a time.
// The lanes are added as ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)). Products are rounded before they are added.
// `ordered_dot` in rows.hpp is this definition for elements at any distance.
inline constexpr std::size_t kDotLanes = 8;
inline constexpr std::size_t kDotRun = 4 * kDotLanes;

struct Hot {
    // out[(j*rows + r)*8 + c] = x[r*stride + 8j + c] * scale[8j + c] - offset[8j + c]  for `panels` panels j of 8
    // adjacent columns. Row by row: memory is read once, from front to back.
    void (*pack_f64)(const double* x, std::ptrdiff_t stride, std::size_t rows, std::size_t panels, const double* offset,
                     const double* scale, double* out);
    void (*pack_f32)(const float* x, std::ptrdiff_t stride, std::size_t rows, std::size_t panels, const double* offset,
                     const double* scale, double* out);
    // out[r*8 + c] = x[c*stride + r] * scale[c] - offset[c]  for 8 columns whose rows lie side by side.
    void (*pack_columns_f64)(const double* x, std::ptrdiff_t stride, std::size_t rows, const double* offset,
                             const double* scale, double* out);
    void (*pack_columns_f32)(const float* x, std::ptrdiff_t stride, std::size_t rows, const double* offset,
                             const double* scale, double* out);
    // C[i, j] += sum_r A[r, i] * B[r, j] for two packed panels A, B of 8 columns; C is 8 x 8 with row length ld.
    // The only function here whose last bits depend on the level: v3 and v4 fuse products and sums, baseline does not.
    void (*gram_tile)(const double* a, const double* b, std::size_t rows, double* c, std::size_t ld);
    // out[r] += sum_c x[r*stride + c] * w[c]
    void (*rows_dot_f64)(const double* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w,
                         double* out);
    void (*rows_dot_f32)(const float* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w,
                         double* out);
    // out[r] += sum_c x[c*stride + r] * w[c], with the bits of rows_dot
    void (*columns_dot_f64)(const double* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w,
                            double* out);
    void (*columns_dot_f32)(const float* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w,
                            double* out);
    // out[i] += a * x[i]
    void (*axpy_f64)(double a, const double* x, std::size_t n, double* out);
    void (*axpy_f32)(double a, const float* x, std::size_t n, double* out);
    double (*dot)(const double* a, const double* b, std::size_t n);
    // (a, b) <- (c a - s b, s a + c b)
    void (*rotate)(double* a, double* b, double c, double s, std::size_t n);
    // True when no element is NaN or infinite.
    bool (*finite_f64)(const double* x, std::size_t n);
    bool (*finite_f32)(const float* x, std::size_t n);
};

const Hot& hot();  // the kernels of the current level

}  // namespace pellucid

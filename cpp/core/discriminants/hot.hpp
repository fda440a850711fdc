// The inner loops of the discriminants, compiled once per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

// Rows of a table: element (r, c) lies at data[r * row_stride + c * col_stride].
template <class T>
struct HotRows {
    const T* data;
    std::ptrdiff_t row_stride, col_stride;
};

// Which row goes where in a packed block: the r-th packed row is row at[r] of the table and belongs to group[r]; it is
// taken times root[r], the root of its weight.
struct HotOrder {
    const std::uint32_t* at;
    const std::int32_t* group;
    const double* root;
    std::size_t rows;
};

struct DiscriminantHot {
    // z = (x * scale[c] - offset[group * width + c]) * root  as panels of eight columns, panel j at out + j*rows*8, and
    // sums[group * width + c] += z * root. width is cols rounded up to whole panels; columns past the end are zero.
    void (*pack_f64)(HotRows<double> x, HotOrder order, std::size_t cols, const double* offset, const double* scale,
                     double* out, double* sums);
    void (*pack_f32)(HotRows<float> x, HotOrder order, std::size_t cols, const double* offset, const double* scale,
                     double* out, double* sums);
    // out[r * cols + c] = x * scale[c] - offset[c]
    void (*center_f64)(HotRows<double> x, std::size_t rows, std::size_t cols, const double* offset, const double* scale,
                       double* out);
    void (*center_f32)(HotRows<float> x, std::size_t rows, std::size_t cols, const double* offset, const double* scale,
                       double* out);
    // out[c * 8 + r] = x * scale[c] for up to eight rows side by side; absent rows are zero.
    void (*turn_f64)(HotRows<double> x, std::size_t rows, std::size_t cols, const double* scale, double* out);
    void (*turn_f32)(HotRows<float> x, std::size_t rows, std::size_t cols, const double* scale, double* out);
    // out[r] = sum_i (sum_j t_ij (x[j * 8 + r] - mean[j]))²  for the eight rows of a turned panel. T is upper
    // triangular, by blocks of eight of its rows i: for every column j from the block's first, eight numbers t_ij.
    // y is room for 8 p numbers.
    void (*squared_lengths)(const double* x, const double* mean, const double* t, std::size_t p, double* y,
                            double* out);
};

const DiscriminantHot& discriminant_hot();  // the kernels of the current level

}  // namespace pellucid

// One row of a table at a time: x_r . w, out += a x_r, and its entries. Dense rows of any layout and sparse rows are
// overloads.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/views.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

// The dot product of hot.hpp for elements that are `stride` apart.
template <class T>
double ordered_dot(const T* x, std::ptrdiff_t stride, Size cols, const double* w) {
    const auto product = [&](Size c) { return static_cast<double>(x[static_cast<std::ptrdiff_t>(c) * stride]) * w[c]; };
    double lanes[kDotLanes] = {};
    Size c = 0;
    for (; c + kDotRun <= cols; c += kDotRun)
        for (Size l = c; l < c + kDotLanes; ++l)
            lanes[l - c] +=
                (product(l) + product(l + kDotLanes)) + (product(l + 2 * kDotLanes) + product(l + 3 * kDotLanes));
    for (; c < cols; ++c) lanes[c % kDotLanes] += product(c);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

inline double dot_row(const Dense<double>& x, Size r, const double* w) {
    const double* row = &x.at(r, 0);
    if (!x.rows_contiguous()) return ordered_dot(row, x.col_stride, x.cols, w);
    return hot().dot(row, w, x.cols);
}
inline double dot_row(const Dense<float>& x, Size r, const double* w) {
    const float* row = &x.at(r, 0);
    if (!x.rows_contiguous()) return ordered_dot(row, x.col_stride, x.cols, w);
    double sum = 0;
    hot().rows_dot_f32(row, x.row_stride, 1, x.cols, w, &sum);
    return sum;
}
template <class Index>
double dot_row(const Csr<Index>& x, Size r, const double* w) {
    double sum = 0;
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) sum += x.values[k] * w[x.indices[k]];
    return sum;
}

inline void add_row(const Dense<double>& x, Size r, double a, double* out) {
    const double* row = &x.at(r, 0);
    if (x.rows_contiguous()) return hot().axpy_f64(a, row, x.cols, out);
    for (Size c = 0; c < x.cols; ++c) out[c] += a * row[static_cast<std::ptrdiff_t>(c) * x.col_stride];
}
inline void add_row(const Dense<float>& x, Size r, double a, double* out) {
    const float* row = &x.at(r, 0);
    if (x.rows_contiguous()) return hot().axpy_f32(a, row, x.cols, out);
    for (Size c = 0; c < x.cols; ++c)
        out[c] += a * static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * x.col_stride]);
}
template <class Index>
void add_row(const Csr<Index>& x, Size r, double a, double* out) {
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) out[x.indices[k]] += a * x.values[k];
}

// x itself where each row lies in one piece; otherwise a copy of it in `memory`.
template <class T>
Dense<T> in_rows(const Dense<T>& x, std::vector<T>& memory, int threads) {
    if (x.rows_contiguous()) return x;
    constexpr Size kTile = 64;  // rows and columns that are copied together: both sides stay in the first cache
    memory.resize(std::max<Size>(x.rows * x.cols, 1));
    parallel_for(blocks_of(x.rows, kTile), threads, [&](Size block) {
        const Size top = block * kTile, bottom = std::min(x.rows, top + kTile);
        for (Size left = 0; left < x.cols; left += kTile)
            for (Size c = left; c < std::min(x.cols, left + kTile); ++c)
                for (Size r = top; r < bottom; ++r) memory[r * x.cols + c] = x.at(r, c);
    });
    return {memory.data(), x.rows, x.cols, static_cast<std::ptrdiff_t>(x.cols), 1};
}

// f(c, x_rc) for the entries of a row in their order; those of a sparse row that are not stored are left out.
template <class T, class F>
void each_in_row(const Dense<T>& x, Size r, const F& f) {
    for (Size c = 0; c < x.cols; ++c) f(c, static_cast<double>(x.at(r, c)));
}
template <class Index, class F>
void each_in_row(const Csr<Index>& x, Size r, const F& f) {
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) f(static_cast<Size>(x.indices[k]), x.values[k]);
}

}  // namespace pellucid

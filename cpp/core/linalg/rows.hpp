// One row of a table at a time: x_r . w, out += a x_r, and its entries. Dense rows of any layout and sparse rows are
// overloads.
#pragma once

#include "core/base/views.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

inline double dot_row(const Dense<double>& x, Size r, const double* w) {
    const double* row = &x.at(r, 0);
    double sum = 0;
    if (x.rows_contiguous()) {
        hot().rows_dot_f64(row, x.row_stride, 1, x.cols, w, &sum);
        return sum;
    }
    for (Size c = 0; c < x.cols; ++c) sum += row[static_cast<std::ptrdiff_t>(c) * x.col_stride] * w[c];
    return sum;
}
inline double dot_row(const Dense<float>& x, Size r, const double* w) {
    const float* row = &x.at(r, 0);
    double sum = 0;
    if (x.rows_contiguous()) {
        hot().rows_dot_f32(row, x.row_stride, 1, x.cols, w, &sum);
        return sum;
    }
    for (Size c = 0; c < x.cols; ++c)
        sum += static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * x.col_stride]) * w[c];
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

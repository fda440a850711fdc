#include "core/linalg/products.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"
#include "core/linalg/rows.hpp"

namespace pellucid {
namespace {

constexpr Size kBlockRows = 1024, kBlockCols = 8;

void rows_dot(const double* x, std::ptrdiff_t stride, Size rows, Size cols, const double* w, double* out) {
    hot().rows_dot_f64(x, stride, rows, cols, w, out);
}
void rows_dot(const float* x, std::ptrdiff_t stride, Size rows, Size cols, const double* w, double* out) {
    hot().rows_dot_f32(x, stride, rows, cols, w, out);
}
void columns_dot(const double* x, std::ptrdiff_t stride, Size rows, Size cols, const double* w, double* out) {
    hot().columns_dot_f64(x, stride, rows, cols, w, out);
}
void columns_dot(const float* x, std::ptrdiff_t stride, Size rows, Size cols, const double* w, double* out) {
    hot().columns_dot_f32(x, stride, rows, cols, w, out);
}
void axpy(double a, const double* x, Size n, double* out) { hot().axpy_f64(a, x, n, out); }
void axpy(double a, const float* x, Size n, double* out) { hot().axpy_f32(a, x, n, out); }

// out[r] += x_r . w for rows [begin, begin + rows)
template <class T>
void dot_rows(const Dense<T>& x, Size begin, Size rows, const double* w, double* out) {
    const T* first = &x.at(begin, 0);
    if (x.rows_contiguous()) return rows_dot(first, x.row_stride, rows, x.cols, w, out);
    if (x.row_stride == 1) return columns_dot(first, x.col_stride, rows, x.cols, w, out);
    for (Size r = 0; r < rows; ++r) out[r] += ordered_dot(&x.at(begin + r, 0), x.col_stride, x.cols, w);
}
template <class Index>
void dot_rows(const Csr<Index>& x, Size begin, Size rows, const double* w, double* out) {
    for (Size r = 0; r < rows; ++r) {
        double sum = 0;
        for (auto k = x.starts[begin + r]; k < x.starts[begin + r + 1]; ++k) sum += x.values[k] * w[x.indices[k]];
        out[r] += sum;
    }
}

// out[c] += sum over rows [begin, begin + rows) of x_rc u_r
template <class T>
void add_rows(const Dense<T>& x, Size begin, Size rows, const double* u, double* out) {
    for (Size r = 0; r < rows; ++r) {
        const T* row = &x.at(begin + r, 0);
        if (x.rows_contiguous())
            axpy(u[r], row, x.cols, out);
        else
            for (Size c = 0; c < x.cols; ++c)
                out[c] += u[r] * static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * x.col_stride]);
    }
}
template <class Index>
void add_rows(const Csr<Index>& x, Size begin, Size rows, const double* u, double* out) {
    for (Size r = 0; r < rows; ++r)
        for (auto k = x.starts[begin + r]; k < x.starts[begin + r + 1]; ++k) out[x.indices[k]] += x.values[k] * u[r];
}

// out[c] = x_c . u for `width` columns from `first` on, each added up as multiply_transposed does: part by part of the
// rows, row by row. Four columns at a time, because each sum waits for the sum before it.
template <class T>
void columns_times(const Dense<T>& x, Size first, Size width, Size part_rows, const double* u, double* out) {
    constexpr Size kAbreast = 4;
    for (Size c = 0; c < width; c += kAbreast) {
        const T* column[kAbreast];
        double total[kAbreast] = {};
        for (Size k = 0; k < kAbreast; ++k) column[k] = &x.at(0, first + std::min(c + k, width - 1));
        for (Size begin = 0; begin < x.rows; begin += part_rows) {
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            for (Size r = begin; r < std::min(x.rows, begin + part_rows); ++r) {
                const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r) * x.row_stride;
                s0 += static_cast<double>(column[0][at]) * u[r];
                s1 += static_cast<double>(column[1][at]) * u[r];
                s2 += static_cast<double>(column[2][at]) * u[r];
                s3 += static_cast<double>(column[3][at]) * u[r];
            }
            total[0] += s0, total[1] += s1, total[2] += s2, total[3] += s3;
        }
        std::copy_n(total, std::min(kAbreast, width - c), out + c);
    }
}

bool finite(const double* x, Size n) { return hot().finite_f64(x, n); }
bool finite(const float* x, Size n) { return hot().finite_f32(x, n); }

template <class T>
bool rows_finite(const Dense<T>& x, Size begin, Size rows) {
    if (x.cols == 0) return true;
    if (x.rows_contiguous() && x.row_stride == static_cast<std::ptrdiff_t>(x.cols))
        return finite(&x.at(begin, 0), rows * x.cols);
    if (x.rows_contiguous()) {
        for (Size r = begin; r < begin + rows; ++r)
            if (!finite(&x.at(r, 0), x.cols)) return false;
        return true;
    }
    if (x.row_stride == 1) {
        for (Size c = 0; c < x.cols; ++c)
            if (!finite(&x.at(begin, c), rows)) return false;
        return true;
    }
    for (Size r = begin; r < begin + rows; ++r)
        for (Size c = 0; c < x.cols; ++c)
            if (!std::isfinite(x.at(r, c))) return false;
    return true;
}
template <class Index>
bool rows_finite(const Csr<Index>& x, Size begin, Size rows) {
    const Size from = static_cast<Size>(x.starts[begin]), to = static_cast<Size>(x.starts[begin + rows]);
    return finite(x.values + from, to - from);
}

}  // namespace

void multiply(const Matrix& X, std::span<const double> W, std::span<const double> b, std::span<double> out,
              int threads) {
    const Size n = rows_of(X), p = cols_of(X), k = b.size();
    require(W.size() == k * p, "multiply: W must be k x p");
    require(out.size() == n * k, "multiply: out must be n x k");
    parallel_for(blocks_of(n, kBlockRows), threads, [&](Size block) {
        const Size begin = block * kBlockRows, rows = std::min(kBlockRows, n - begin);
        double column[kBlockRows];
        for (Size t = 0; t < k; ++t) {
            std::fill(column, column + rows, b[t]);
            std::visit([&](const auto& x) { dot_rows(x, begin, rows, W.data() + t * p, column); }, X);
            for (Size r = 0; r < rows; ++r) out[(begin + r) * k + t] = column[r];
        }
    });
}

void multiply_transposed(const Matrix& X, std::span<const double> u, std::span<double> out, int threads) {
    const Size n = rows_of(X), p = cols_of(X);
    require(u.size() == n && out.size() == p, "multiply_transposed: sizes");
    const Size parts = std::clamp<Size>(blocks_of(n, 16 * kBlockRows), 1, 32);
    const Size part_rows = std::max<Size>(blocks_of(n, parts), 1);
    const bool done = std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.row_stride; }) {
                if (std::abs(x.row_stride) >= std::abs(x.col_stride)) return false;
                parallel_for(blocks_of(p, kBlockCols), threads, [&](Size block) {
                    const Size first = block * kBlockCols, width = std::min(kBlockCols, p - first);
                    columns_times(x, first, width, part_rows, u.data(), out.data() + first);
                });
                return true;
            } else {
                return false;
            }
        },
        X);
    if (done) return;
    ordered_sum(parts, p, threads, out.data(), [&](Size part, double* into) {
        const Size begin = std::min(n, part * part_rows), rows = std::min(part_rows, n - begin);
        std::visit([&](const auto& x) { add_rows(x, begin, rows, u.data() + begin, into); }, X);
    });
}

bool all_finite(const Matrix& X, int threads) {
    const Size n = rows_of(X);
    std::atomic<bool> good{true};
    parallel_for(blocks_of(n, kBlockRows), threads, [&](Size block) {
        const Size begin = block * kBlockRows, rows = std::min(kBlockRows, n - begin);
        if (!good.load(std::memory_order_relaxed)) return;
        if (!std::visit([&](const auto& x) { return rows_finite(x, begin, rows); }, X)) good.store(false);
    });
    return good.load();
}

}  // namespace pellucid

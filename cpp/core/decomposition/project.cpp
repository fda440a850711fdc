#include "core/decomposition/project.hpp"

#include <algorithm>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/lapack.hpp"

namespace pellucid {
namespace {

constexpr Size kMostParts = 64;
constexpr Size kPartCells = Size{1} << 22;  // of all parts' sums together: 32 MB

// Rows of a block: what stays in the second cache beside the directions.
Size rows_of_block(Size p) { return std::clamp<Size>((Size{256} << 10) / (p * sizeof(double) + 1), 16, 512); }

template <class T>
void centered_rows(const Dense<T>& x, Size begin, Size rows, double unit, const double* center, double* z) {
    if (x.rows_contiguous()) {
        for (Size r = 0; r < rows; ++r) {
            const T* row = &x.at(begin + r, 0);
            for (Size c = 0; c < x.cols; ++c) z[r * x.cols + c] = static_cast<double>(row[c]) * unit - center[c];
        }
        return;
    }
    constexpr Size wide = 16;  // columns at a time: a cache line of each is used whole
    for (Size first = 0; first < x.cols; first += wide) {
        const Size end = std::min(x.cols, first + wide);
        for (Size r = 0; r < rows; ++r)
            for (Size c = first; c < end; ++c)
                z[r * x.cols + c] = static_cast<double>(x.at(begin + r, c)) * unit - center[c];
    }
}

// C (m x n, column-major, leading dimension m) = op(A) op(B) + beta C.
void gemm(char ta, char tb, Size m, Size n, Size k, const double* a, Size lda, const double* b, Size ldb, double beta,
          double* c) {
    int mi = static_cast<int>(m), ni = static_cast<int>(n), ki = static_cast<int>(k), la = static_cast<int>(lda),
        lb = static_cast<int>(ldb);
    double one = 1;
    lapack().dgemm(&ta, &tb, &mi, &ni, &ki, &one, const_cast<double*>(a), &la, const_cast<double*>(b), &lb, &beta, c,
                   &mi);
}

// The products of the center with each direction.
std::vector<double> along_center(std::span<const double> center, std::span<const double> W, Size k) {
    const Size p = center.size();
    std::vector<double> out(k, 0.0);
    for (Size c = 0; c < k; ++c)
        for (Size j = 0; j < p; ++j) out[c] += W[c * p + j] * center[j];
    return out;
}

// Directions with the numbers of one column side by side: p x k.
std::vector<double> by_column(std::span<const double> W, Size k, Size p) {
    std::vector<double> out(p * k);
    for (Size c = 0; c < k; ++c)
        for (Size j = 0; j < p; ++j) out[j * k + c] = W[c * p + j];
    return out;
}

template <class Index>
void sparse_row(const Csr<Index>& x, Size r, double unit, const double* by_col, const double* less, Size k,
                double* out) {
    for (Size c = 0; c < k; ++c) out[c] = -less[c];
    for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) {
        const double v = x.values[e] * unit;
        const double* w = by_col + static_cast<Size>(x.indices[e]) * k;
        for (Size c = 0; c < k; ++c) out[c] += v * w[c];
    }
}

template <class T>
void project_rows(const Dense<T>& x, double unit, std::span<const double> center, std::span<const double> W, Size k,
                  std::span<double> out, std::span<double> squares, int threads) {
    const Size n = x.rows, p = x.cols, step = rows_of_block(p);
    parallel_for(blocks_of(n, step), threads, [&](Size block) {
        const Size begin = block * step, rows = std::min(step, n - begin);
        std::vector<double> z(rows * p);
        centered_rows(x, begin, rows, unit, center.data(), z.data());
        gemm('T', 'N', k, rows, p, W.data(), p, z.data(), p, 0.0, out.data() + begin * k);
        for (Size r = 0; r < (squares.empty() ? 0 : rows); ++r) {
            double sum = 0;
            for (Size c = 0; c < p; ++c) sum += z[r * p + c] * z[r * p + c];
            squares[begin + r] = sum;
        }
    });
}

template <class Index>
void project_rows(const Csr<Index>& x, double unit, std::span<const double> center, std::span<const double> W, Size k,
                  std::span<double> out, std::span<double> squares, int threads) {
    const std::vector<double> less = along_center(center, W, k), wide = by_column(W, k, x.cols);
    double size = 0;
    for (const double c : center) size += c * c;
    constexpr Size step = 512;
    parallel_for(blocks_of(x.rows, step), threads, [&](Size block) {
        for (Size r = block * step; r < std::min(x.rows, (block + 1) * step); ++r) {
            sparse_row(x, r, unit, wide.data(), less.data(), k, out.data() + r * k);
            if (squares.empty()) continue;
            double sum = size;
            for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) {
                const double v = x.values[e] * unit;
                sum += v * (v - 2 * center[static_cast<Size>(x.indices[e])]);
            }
            squares[r] = std::max(sum, 0.0);
        }
    });
}

// Rows are divided into parts whose sums are kept apart and added in order.
Size parts_of(Size blocks, Size cells) {
    return std::clamp<Size>(std::min(blocks, kPartCells / std::max<Size>(cells, 1)), 1, kMostParts);
}

struct Sums {
    double *Z, *G, *t;  // l x p, l x l, and sum_i V z_i (sparse tables alone)
};

template <class T>
void add_block(const Dense<T>& x, Size begin, Size rows, double unit, std::span<const double> center,
               std::span<const double> V, const double*, Size l, const Sums& sums) {
    const Size p = x.cols;
    std::vector<double> z(rows * p), t(rows * l);
    centered_rows(x, begin, rows, unit, center.data(), z.data());
    gemm('T', 'N', l, rows, p, V.data(), p, z.data(), p, 0.0, t.data());
    gemm('N', 'T', p, l, rows, z.data(), p, t.data(), l, 1.0, sums.Z);
    gemm('N', 'T', l, l, rows, t.data(), l, t.data(), l, 1.0, sums.G);
}

template <class Index>
void add_block(const Csr<Index>& x, Size begin, Size rows, double unit, std::span<const double>,
               std::span<const double>, const double* tables, Size l, const Sums& sums) {
    const Size p = x.cols;
    const double *less = tables, *wide = tables + l;  // see along_center and by_column
    std::vector<double> t(rows * l);
    for (Size r = 0; r < rows; ++r) {
        double* own = t.data() + r * l;
        sparse_row(x, begin + r, unit, wide, less, l, own);
        for (Size c = 0; c < l; ++c) sums.t[c] += own[c];
        for (auto e = x.starts[begin + r]; e < x.starts[begin + r + 1]; ++e) {
            const double v = x.values[e] * unit;
            for (Size c = 0; c < l; ++c) sums.Z[c * p + static_cast<Size>(x.indices[e])] += v * own[c];
        }
    }
    gemm('N', 'T', l, l, rows, t.data(), l, t.data(), l, 1.0, sums.G);
}

}  // namespace

void project(const Matrix& X, double unit, std::span<const double> center, std::span<const double> W, Size k,
             std::span<double> out, std::span<double> squares, int threads) {
    const Size n = rows_of(X), p = cols_of(X);
    require(center.size() == p && W.size() == k * p && out.size() == n * k, "project: sizes");
    require(squares.empty() || squares.size() == n, "project: squares");
    std::visit([&](const auto& x) { project_rows(x, unit, center, W, k, out, squares, threads); }, X);
}

CovarianceTimes covariance_times(const Matrix& X, double unit, std::span<const double> center,
                                 std::span<const double> V, Size l, int threads) {
    const Size n = rows_of(X), p = cols_of(X), width = l * p + l * l + l, step = rows_of_block(p);
    require(center.size() == p && V.size() == l * p, "covariance_times: sizes");
    const Size blocks = blocks_of(n, step), parts = parts_of(blocks, width), each = blocks_of(blocks, parts);
    const bool sparse = X.index() >= 2;
    std::vector<double> tables;
    if (sparse) {
        tables = along_center(center, V, l);
        const std::vector<double> wide = by_column(V, l, p);
        tables.insert(tables.end(), wide.begin(), wide.end());
    }
    std::vector<double> all(parts * width, 0.0);
    parallel_for(parts, threads, [&](Size part) {
        double* own = all.data() + part * width;
        const Sums sums{own, own + l * p, own + l * p + l * l};
        for (Size block = part * each; block < std::min(blocks, (part + 1) * each); ++block) {
            const Size begin = block * step, rows = std::min(step, n - begin);
            std::visit([&](const auto& x) { add_block(x, begin, rows, unit, center, V, tables.data(), l, sums); }, X);
        }
    });
    for (Size part = 1; part < parts; ++part)
        for (Size i = 0; i < width; ++i) all[i] += all[part * width + i];
    for (Size c = 0; c < (sparse ? l : 0); ++c)
        for (Size j = 0; j < p; ++j) all[c * p + j] -= all[l * p + l * l + c] * center[j];
    const auto at = [&](Size i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    return {{at(0), at(l * p)}, {at(l * p), at(l * p + l * l)}};
}

}  // namespace pellucid

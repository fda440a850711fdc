#include "core/solvers/ridge.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/linalg/lapack.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid {
namespace {

// Rows of a block: with 100 columns its tables fill half of a 1 MB second-level cache.
constexpr Size kRows = 128;
constexpr Size kParts = 64;

// Rows [begin, begin + rows) as a row-major block: x * scale - offset.
struct RowReader {
    const Matrix* X;
    std::vector<double> scale, offset;

    void read(Size begin, Size rows, double* out) const {
        std::visit([&](const auto& x) { copy(x, begin, rows, out); }, *X);
    }

  private:
    template <class T>
    void copy(const Dense<T>& x, Size begin, Size rows, double* out) const {
        const Size p = x.cols;
        if (x.col_stride == 1) {
            for (Size r = 0; r < rows; ++r) {
                const T* row = &x.at(begin + r, 0);
                for (Size c = 0; c < p; ++c) out[r * p + c] = static_cast<double>(row[c]) * scale[c] - offset[c];
            }
            return;
        }
        for (Size c = 0; c < p; ++c) {
            const T* value = &x.at(begin, c);
            for (Size r = 0; r < rows; ++r, value += x.row_stride)
                out[r * p + c] = static_cast<double>(*value) * scale[c] - offset[c];
        }
    }
    template <class Index>
    void copy(const Csr<Index>& x, Size begin, Size rows, double* out) const {
        for (Size r = 0; r < rows; ++r, out += x.cols) {
            for (Size c = 0; c < x.cols; ++c) out[c] = -offset[c];
            for (auto k = x.starts[begin + r]; k < x.starts[begin + r + 1]; ++k) {
                const Size c = static_cast<Size>(x.indices[k]);
                out[c] = x.values[k] * scale[c] - offset[c];
            }
        }
    }
};

// out (rows x m) = left (rows x k) right (k x m), all row-major; right is not changed though BLAS has no word for it.
void product(const double* left, std::span<const double> right, Size rows, Size k, Size m, double* out) {
    char plain = 'N';
    int im = static_cast<int>(m), in = static_cast<int>(rows), ik = static_cast<int>(k);
    int lda = std::max(1, im), ldb = std::max(1, ik);
    double one = 1, zero = 0;
    lapack().dgemm(&plain, &plain, &im, &in, &ik, &one, const_cast<double*>(right.data()), &lda,
                   const_cast<double*>(left), &ldb, &zero, out, &lda);
}

struct Scratch {
    std::vector<double> x, z, h, f;
    Scratch(Size p, Size r, Size a, Size q) : x(kRows * p), z(kRows * r), h(kRows * a), f(kRows * q) {}
};

// Errors of a block into f, and their weighted squares onto sums.
void add_block(const LeaveOneOut& problem, const RowReader& reader, Size begin, Size rows, Scratch& s, double* sums) {
    const Size p = cols_of(*problem.X), r = problem.rank, a = problem.alphas, k = problem.Y.cols;
    reader.read(begin, rows, s.x.data());
    product(s.x.data(), problem.V, rows, p, r, s.z.data());
    product(s.z.data(), problem.coordinates, rows, r, k * a, s.f.data());
    for (Size i = 0; i < rows * r; ++i) s.z[i] *= s.z[i];
    product(s.z.data(), problem.share, rows, r, a, s.h.data());
    constexpr double least = std::numeric_limits<double>::epsilon();
    for (Size i = 0; i < rows; ++i) {
        const double w = problem.weight.empty() ? 1.0 : problem.weight[begin + i];
        const double free = problem.total_weight > 0 ? 1.0 - w / problem.total_weight : 1.0;
        double* h = &s.h[i * a];
        for (Size j = 0; j < a; ++j) h[j] = 1.0 / std::max(free - w * h[j], least);
        for (Size t = 0; t < k; ++t) {
            const double y = (problem.Y.at(begin + i, t) - problem.mean_y[t]) * problem.scale_y[t];
            double* f = &s.f[(i * k + t) * a];
            for (Size j = 0; j < a; ++j) {
                f[j] = (y - f[j]) * h[j];
                sums[t * a + j] += w * f[j] * f[j];
            }
        }
    }
}

RowReader reader_of(const Matrix& X, std::span<const double> mean, std::span<const double> scale) {
    RowReader reader{&X, {scale.begin(), scale.end()}, std::vector<double>(scale.size())};
    for (Size c = 0; c < scale.size(); ++c) reader.offset[c] = mean[c] * scale[c];
    return reader;
}

}  // namespace

void leave_one_out(const LeaveOneOut& problem, std::span<double> sums, std::span<double> errors) {
    const Size n = rows_of(*problem.X), p = cols_of(*problem.X), r = problem.rank, a = problem.alphas;
    const Size k = problem.Y.cols, q = k * a;
    require(problem.Y.rows == n && (problem.weight.empty() || problem.weight.size() == n), "leave_one_out: rows");
    require(problem.mean_x.size() == p && problem.scale_x.size() == p && problem.V.size() == p * r,
            "leave_one_out: columns");
    require(problem.mean_y.size() == k && problem.scale_y.size() == k, "leave_one_out: targets");
    require(problem.share.size() == r * a && problem.coordinates.size() == r * q, "leave_one_out: penalties");
    require(sums.size() == q && (errors.empty() || errors.size() == n * q), "leave_one_out: answers");
    const RowReader reader = reader_of(*problem.X, problem.mean_x, problem.scale_x);
    const Size parts = std::clamp<Size>(blocks_of(n, kRows), 1, kParts);
    const Size part_rows = blocks_of(blocks_of(n, parts), kRows) * kRows;
    ordered_sum(parts, q, problem.threads, sums.data(), [&](Size part, double* into) {
        Scratch scratch(p, r, a, q);
        const Size end = std::min(n, (part + 1) * part_rows);
        for (Size begin = part * part_rows; begin < end; begin += kRows) {
            const Size rows = std::min(kRows, end - begin);
            add_block(problem, reader, begin, rows, scratch, into);
            if (!errors.empty())
                std::copy(scratch.f.begin(), scratch.f.begin() + static_cast<std::ptrdiff_t>(rows * q),
                          errors.begin() + static_cast<std::ptrdiff_t>(begin * q));
        }
    });
}

void multiply_many(const Matrix& X, std::span<const double> W, std::span<const double> b, std::span<double> out,
                   int threads) {
    const Size n = rows_of(X), p = cols_of(X), m = b.size();
    require(W.size() == m * p && out.size() == n * m, "multiply_many: sizes");
    const RowReader reader = reader_of(X, std::vector<double>(p, 0.0), std::vector<double>(p, 1.0));
    std::vector<double> across(p * m);  // W' row-major
    for (Size t = 0; t < m; ++t)
        for (Size c = 0; c < p; ++c) across[c * m + t] = W[t * p + c];
    parallel_for(blocks_of(n, kRows), threads, [&](Size block) {
        const Size begin = block * kRows, rows = std::min(kRows, n - begin);
        std::vector<double> x(rows * p);
        reader.read(begin, rows, x.data());
        double* to = out.data() + begin * m;
        product(x.data(), across, rows, p, m, to);
        for (Size i = 0; i < rows; ++i)
            for (Size t = 0; t < m; ++t) to[i * m + t] += b[t];
    });
}

}  // namespace pellucid

#include "core/solvers/coordinate_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"
#include "core/linalg/products.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {
namespace {

constexpr Size kTileRows = 256, kTileCols = 128;  // 256 KB of doubles: half of a second-level cache
constexpr Size kFresh = 256;                      // columns of one product
constexpr Size kStripe = 16 * kTileRows;          // rows of the right side that are packed at a time
constexpr Size kColumnBlock = 64;

// Memory of a thread that lives on: a block's scratch would cost a page fault every 4 KB.
std::vector<double>& scratch(int which, Size size) {
    thread_local std::vector<double> kept[3];
    if (kept[which].size() < size) kept[which].resize(size);
    return kept[which];
}

// out[c*rows + r] = x(begin + r, which[c]) - shift[which[c]]
template <class T>
void copy_tile(const Dense<T>& x, Size begin, Size rows, std::span<const Size> which, const double* shift,
               double* out) {
    if (x.row_stride == 1 || x.cols == 1) {
        for (Size c = 0; c < which.size(); ++c) {
            const T* from = &x.at(begin, which[c]);
            const double m = shift[which[c]];
            double* to = out + c * rows;
            if (x.row_stride == 1)
                for (Size r = 0; r < rows; ++r) to[r] = static_cast<double>(from[r]) - m;
            else
                for (Size r = 0; r < rows; ++r)
                    to[r] = static_cast<double>(from[static_cast<std::ptrdiff_t>(r) * x.row_stride]) - m;
        }
        return;
    }
    for (Size r0 = 0; r0 < rows; r0 += 8) {  // a cache line of each column at a time
        const Size lines = std::min<Size>(8, rows - r0);
        for (Size c = 0; c < which.size(); ++c) {
            const T* from = &x.at(begin + r0, which[c]);
            const double m = shift[which[c]];
            double* to = out + c * rows + r0;
            for (Size r = 0; r < lines; ++r)
                to[r] = static_cast<double>(from[static_cast<std::ptrdiff_t>(r) * x.row_stride]) - m;
        }
    }
}

template <class T>
double dot_weighted(const T* x, const double* s, const double* r, Size n) {
    double lanes[4] = {0, 0, 0, 0};
    Size i = 0;
    for (; i + 4 <= n; i += 4)
        for (Size k = 0; k < 4; ++k) lanes[k] += static_cast<double>(x[i + k]) * (s[i + k] * r[i + k]);
    for (; i < n; ++i) lanes[0] += static_cast<double>(x[i]) * (s[i] * r[i]);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}
template <class T>
double dot_weighted(const DenseColumns<T>& x, Size j, const double* s, const double* r) {
    return dot_weighted(x.column(j), s, r, x.rows);
}
double dot_weighted(const Csc& x, Size j, const double* s, const double* r) {
    double sum = 0;
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) sum += x.values[k] * (s[x.indices[k]] * r[x.indices[k]]);
    return sum;
}

}  // namespace

CenteredColumns::CenteredColumns(const Matrix& X, std::span<const double> weight, bool center, int threads)
    : X_(X),
      weight_(weight),
      center_(center),
      sparse_(!std::holds_alternative<Dense<double>>(X) && !std::holds_alternative<Dense<float>>(X)),
      threads_(threads),
      rows_(rows_of(X)),
      cols_(cols_of(X)),
      mean_(cols_, 0.0),
      square_(cols_, 0.0) {
    require(weight.empty() || weight.size() == rows_, "columns: weights");
    total_ = total_weight(weight, rows_);
    require(total_ > 0, "columns: some weight");
    if (sparse_) {
        table_ = column_table(X, threads);
        summarize_sparse(std::get<Csc>(table_.view));
    } else {
        summarize_dense();
    }
    // A spread below two units in the last place of the mean is rounding.
    for (Size j = 0; j < cols_; ++j) {
        const double noise = 2 * std::numeric_limits<double>::epsilon() * mean_[j];
        if (std::sqrt(square_[j]) <= std::abs(noise)) square_[j] = 0;
    }
}

void CenteredColumns::tile(Size begin, Size rows, std::span<const Size> which, const double* shift, double* out) const {
    if (const auto* x = std::get_if<Dense<double>>(&X_))
        copy_tile(*x, begin, rows, which, shift, out);
    else
        copy_tile(std::get<Dense<float>>(X_), begin, rows, which, shift, out);
}

// Means are taken from the first row, so that a constant column has exactly its constant as mean.
void CenteredColumns::summarize_dense() {
    parallel_for(blocks_of(cols_, kTileCols), threads_, [&](Size block) {
        std::vector<Size> which;
        for (Size j = block * kTileCols; j < std::min(cols_, (block + 1) * kTileCols); ++j) which.push_back(j);
        std::vector<double>& cells = scratch(0, kTileRows * kTileCols);
        const auto sums = [&](const auto& add) {
            for (Size begin = 0; begin < rows_; begin += kTileRows) {
                const Size n = std::min(kTileRows, rows_ - begin);
                tile(begin, n, which, mean_.data(), cells.data());
                for (Size c = 0; c < which.size(); ++c) add(which[c], cells.data() + c * n, begin, n);
            }
        };
        if (center_ && rows_ > 0) {
            tile(0, 1, which, mean_.data(), cells.data());
            for (Size c = 0; c < which.size(); ++c) mean_[which[c]] = cells[c];
            std::vector<double> moved(which.size(), 0.0);
            sums([&](Size j, const double* x, Size begin, Size n) {
                double sum = 0;
                for (Size r = 0; r < n; ++r) sum += weight_at(begin + r) * x[r];
                moved[j - which[0]] += sum / total_;  // divided early: the sum may be too large
            });
            for (Size c = 0; c < which.size(); ++c) mean_[which[c]] += moved[c];
        }
        sums([&](Size j, const double* x, Size begin, Size n) {
            square_[j] += (weight_.empty() ? hot().dot(x, x, n) : dot_weighted(x, weight_.data() + begin, x, n));
        });
        for (const Size j : which) square_[j] /= total_;
    });
}

void CenteredColumns::summarize_sparse(const Csc& x) {
    parallel_for(blocks_of(cols_, kColumnBlock), threads_, [&](Size block) {
        for (Size j = block * kColumnBlock; j < std::min(cols_, (block + 1) * kColumnBlock); ++j) {
            const Size from = x.starts[j], to = x.starts[j + 1];
            // A full column is centered around its first entry, as a dense one is; otherwise zeros are among its
            // values.
            const bool full = to - from == rows_;
            const double first = full && to > from ? x.values[from] : 0.0;
            double moved = 0, seen = 0, square = 0;
            for (Size k = from; k < to; ++k) moved += weight_at(x.indices[k]) / total_ * (x.values[k] - first);
            const double m = center_ ? first + moved : 0.0;
            for (Size k = from; k < to; ++k) {
                const double s = weight_at(x.indices[k]) / total_, z = x.values[k] - m;
                seen += s;
                square += s * (z * z);
            }
            mean_[j] = m;
            square_[j] = full ? square : square + std::max(0.0, 1 - seen) * (m * m);
        }
    });
}

double CenteredColumns::mean_of(std::span<const double> y) const {
    double sum = 0;
    for (Size i = 0; i < rows_; ++i) sum += weight_at(i) * (y[i] - y[0]);
    return y[0] + sum / total_;
}

double CenteredColumns::product(std::span<const double> a, std::span<const double> b) const {
    const double sum = weight_.empty() ? hot().dot(a.data(), b.data(), rows_)
                                       : dot_weighted(a.data(), weight_.data(), b.data(), rows_);
    return sum / total_;
}

void CenteredColumns::correlate(std::span<const Size> which, std::span<const double> r, std::span<double> out) const {
    if (sparse_) {
        parallel_for(blocks_of(which.size(), kColumnBlock), threads_, [&](Size block) {
            for (Size k = block * kColumnBlock; k < std::min(which.size(), (block + 1) * kColumnBlock); ++k)
                out[k] = dot(which[k], r.data(), 0);
        });
        return;
    }
    std::vector<double> u(rows_);
    for (Size i = 0; i < rows_; ++i) u[i] = weight_at(i) * r[i] / total_;
    parallel_for(blocks_of(which.size(), kTileCols), threads_, [&](Size block) {
        const std::span<const Size> mine =
            which.subspan(block * kTileCols, std::min(kTileCols, which.size() - block * kTileCols));
        std::vector<double>& cells = scratch(0, kTileRows * kTileCols);
        for (Size c = 0; c < mine.size(); ++c) out[block * kTileCols + c] = 0;
        for (Size begin = 0; begin < rows_; begin += kTileRows) {
            const Size n = std::min(kTileRows, rows_ - begin);
            tile(begin, n, mine, mean_.data(), cells.data());
            for (Size c = 0; c < mine.size(); ++c)
                out[block * kTileCols + c] += hot().dot(cells.data() + c * n, u.data() + begin, n);
        }
    });
}

void CenteredColumns::products(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                               std::span<double* const> out) const {
    if (sparse_) return products_sparse(fresh, rest, offset, out);
    for (Size f = 0; f < fresh.size(); f += kFresh) {
        const Size count = std::min(kFresh, fresh.size() - f);
        products_dense(fresh.subspan(f, count), rest, offset, out.subspan(f, count));
    }
}

void CenteredColumns::products_dense(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                                     std::span<double* const> out) const {
    const Size width = fresh.size();
    std::vector<double> right(std::min(rows_, kStripe) * width);
    for (Size b = 0; b < width; ++b) std::fill(out[b] + offset, out[b] + offset + rest.size(), 0.0);
    for (Size stripe = 0; stripe < rows_; stripe += kStripe) {
        const Size height = std::min(kStripe, rows_ - stripe);
        parallel_for(blocks_of(height, kTileRows), threads_, [&](Size chunk) {
            const Size begin = stripe + chunk * kTileRows, n = std::min(kTileRows, stripe + height - begin);
            double* to = right.data() + chunk * kTileRows * width;
            tile(begin, n, fresh, mean_.data(), to);
            for (Size b = 0; b < width; ++b)
                for (Size r = 0; r < n; ++r) to[b * n + r] *= weight_at(begin + r) / total_;
        });
        parallel_for(blocks_of(rest.size(), kTileCols), threads_, [&](Size block) {
            const std::span<const Size> mine =
                rest.subspan(block * kTileCols, std::min(kTileCols, rest.size() - block * kTileCols));
            std::vector<double>& cells = scratch(0, kTileRows * kTileCols);
            std::vector<double>& sums = scratch(1, kTileCols * kFresh);
            char transposed = 'T', plain = 'N';
            int m = static_cast<int>(mine.size()), cols = static_cast<int>(width), ld = static_cast<int>(kTileCols);
            for (Size chunk = 0; chunk < blocks_of(height, kTileRows); ++chunk) {
                const Size begin = stripe + chunk * kTileRows, n = std::min(kTileRows, stripe + height - begin);
                tile(begin, n, mine, mean_.data(), cells.data());
                int inner = static_cast<int>(n);
                double one = 1, beta = chunk == 0 ? 0.0 : 1.0;
                lapack().dgemm(&transposed, &plain, &m, &cols, &inner, &one, cells.data(), &inner,
                               right.data() + chunk * kTileRows * width, &inner, &beta, sums.data(), &ld);
            }
            for (Size b = 0; b < width; ++b)
                for (Size i = 0; i < mine.size(); ++i)
                    out[b][offset + block * kTileCols + i] += sums[b * kTileCols + i];
        });
    }
}

// Entries of a column, each with the whole row it stands in: sum over i of s_i x_ib (x_i1 .. x_ip).
void CenteredColumns::products_sparse(std::span<const Size> fresh, std::span<const Size> rest, Size offset,
                                      std::span<double* const> out) const {
    constexpr Size kNowhere = std::numeric_limits<Size>::max();
    const Csc& z = std::get<Csc>(table_.view);
    std::vector<Size> place(cols_, kNowhere);
    for (Size i = 0; i < rest.size(); ++i) place[rest[i]] = i;
    std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.starts; }) {
                parallel_for(fresh.size(), threads_, [&](Size b) {
                    double* to = out[b] + offset;
                    for (Size i = 0; i < rest.size(); ++i) to[i] = -mean_[fresh[b]] * mean_[rest[i]];
                    for (Size k = z.starts[fresh[b]]; k < z.starts[fresh[b] + 1]; ++k) {
                        const Size row = z.indices[k];
                        const double by = weight_at(row) * z.values[k] / total_;
                        for (auto e = x.starts[row]; e < x.starts[row + 1]; ++e) {
                            const Size at = place[static_cast<Size>(x.indices[e])];
                            if (at != kNowhere) to[at] += by * x.values[e];
                        }
                    }
                });
            }
        },
        X_);
}

void CenteredColumns::rooted(Size j, double* out) const {
    if (sparse_) {
        const Csc& z = std::get<Csc>(table_.view);
        std::fill(out, out + rows_, -mean_[j]);
        for (Size k = z.starts[j]; k < z.starts[j + 1]; ++k) out[z.indices[k]] = z.values[k] - mean_[j];
    } else {
        tile(0, rows_, std::span(&j, 1), mean_.data(), out);
    }
    rooted(std::span<const double>(out, rows_), out);
}

void CenteredColumns::rooted(std::span<const double> centered, double* out) const {
    for (Size i = 0; i < rows_; ++i) out[i] = centered[i] * std::sqrt(weight_at(i) / total_);
}

void CenteredColumns::turn() {
    if (!sparse_ && !turned_) table_ = column_table(X_, threads_);
    turned_ = true;
}

double CenteredColumns::dot(Size j, const double* r, double level) const {
    const double sum = std::visit(
        [&](const auto& x) { return weight_.empty() ? pellucid::dot(x, j, r) : dot_weighted(x, j, weight_.data(), r); },
        table_.view);
    return sum / total_ - level * mean_[j];
}

void CenteredColumns::subtract(Size j, double by, double* r, double& level) const {
    level -= by * mean_[j];
    std::visit([&](const auto& x) { axpy(x, j, -by, r); }, table_.view);
}

}  // namespace pellucid

#include "core/distance/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/distance/pairwise_hot.hpp"
#include "core/distance/row_table.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

extern const PairwiseHot pairwise_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const PairwiseHot pairwise_hot_v3;
extern const PairwiseHot pairwise_hot_v4;
#endif

const PairwiseHot& pairwise_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return pairwise_hot_v4;
        case Level::v3:
            return pairwise_hot_v3;
        default:
            return pairwise_hot_baseline;
    }
#else
    return pairwise_hot_baseline;
#endif
}

namespace {

constexpr Size kTile = 128;

// Rows [begin, begin + n) as doubles, one after the other.
template <class T>
void take_rows(const Dense<T>& x, Size begin, Size n, std::vector<double>& to) {
    to.resize(n * x.cols);
    copy_rows(x, begin, n, to.data());
}

// Rows [begin, begin + n) in panels of eight; the last one is filled up with its first row.
template <class T>
void pack_rows(const Dense<T>& z, Size begin, Size n, std::vector<T>& to) {
    const Size panels = blocks_of(n, kAbreast);
    to.resize(panels * kAbreast * z.cols);
    for (Size r = 0; r < panels * kAbreast; ++r) {
        const Size row = begin + (r < n ? r : r / kAbreast * kAbreast);
        T* at = to.data() + r / kAbreast * kAbreast * z.cols + r % kAbreast;
        for (Size c = 0; c < z.cols; ++c) at[c * kAbreast] = z.at(row, c);
    }
}

struct Tile {
    Size row, rows, col, cols;
};

// Calls fill(tile, table of tile.rows x kTile numbers) for every tile and copies it to its place, and to the mirrored
// one.
template <class Out, class Fill>
void for_tiles(Size n, Size m, bool same, Out* out, int threads, const Fill& fill) {
    const Size down = blocks_of(n, kTile), across = blocks_of(m, kTile);
    parallel_for(down * across, threads, [&](Size block) {
        const Size i = block / across, j = block % across;
        if (same && j < i) return;
        const Tile tile{i * kTile, std::min(kTile, n - i * kTile), j * kTile, std::min(kTile, m - j * kTile)};
        const auto found = std::make_unique_for_overwrite<double[]>(kTile * kTile);
        fill(tile, found.get());
        for (Size r = 0; r < tile.rows; ++r)
            std::copy_n(found.get() + r * kTile, tile.cols, out + (tile.row + r) * m + tile.col);
        if (!same || i == j) return;
        for (Size c = 0; c < tile.cols; ++c)
            for (Size r = 0; r < tile.rows; ++r)
                out[(tile.col + c) * m + tile.row + r] = static_cast<Out>(found[r * kTile + c]);
    });
}

template <class X, class Z>
void by_terms(const Dense<X>& x, const Dense<Z>& z, const Tile& tile, const Metric& metric, double* found) {
    std::vector<double> rows;
    std::vector<Z> panels;
    take_rows(x, tile.row, tile.rows, rows);
    pack_rows(z, tile.col, tile.cols, panels);
    const auto& functions = metric.functions<Z>();
    for (Size c = 0; c < tile.cols; c += kAbreast)
        for (Size r = 0; r < tile.rows; ++r)
            functions.panel(rows.data() + r * x.cols, panels.data() + c * x.cols, x.cols, metric.p,
                            found + r * kTile + c);
}

// ------------------------------------------------------------------------------------ squares by a product

constexpr Size kFewCols = 8;  // up to here differences cost no more than products
constexpr double kNear = 1.0 / 64;
constexpr Size kColumnsAtOnce = 64;  // of 128 rows: 64 kB, which stay in the second cache

// Mean of the columns over at most 1,024 rows: products about it lose the fewest digits. Any center is right.
template <class Z>
std::vector<double> center_of(const Dense<Z>& z) {
    std::vector<double> center(z.cols, 0.0);
    const Size step = std::max<Size>(1, z.rows / 1024), n = blocks_of(z.rows, step);
    for (Size r = 0; r < z.rows; r += step)
        for (Size c = 0; c < z.cols; ++c) center[c] += static_cast<double>(z.at(r, c)) / static_cast<double>(n);
    return center;
}

// Rows less the center, in panels of eight, and their squared lengths; the last panel is filled up with zeros.
struct CenteredRows {
    std::vector<double> panels, squares;

    template <class T>
    CenteredRows(const Dense<T>& x, const std::vector<double>& center, int threads)
        : panels(blocks_of(x.rows, kPanel) * kPanel * x.cols), squares(blocks_of(x.rows, kPanel) * kPanel) {
        parallel_for(blocks_of(x.rows, kTile), threads, [&](Size block) {
            const Size end = std::min(x.rows, (block + 1) * kTile);
            for (Size r = block * kTile; r < end; ++r) take(x, center, r);
        });
    }

    template <class T>
    void take(const Dense<T>& x, const std::vector<double>& center, Size r) {
        double* at = panels.data() + r / kPanel * kPanel * x.cols + r % kPanel;
        double sum = 0;
        for (Size c = 0; c < x.cols; ++c) {
            const double v = static_cast<double>(x.at(r, c)) - center[c];
            at[c * kPanel] = v;
            sum += v * v;
        }
        squares[r] = sum;
    }
};

// |x - z|^2 = |x|^2 + |z|^2 - 2 x.z about the center; pairs below 1/64 of |x|^2 + |z|^2, where more than six bits would
// be lost, by their differences.
template <class X, class Z>
class SquaresByProduct {
  public:
    SquaresByProduct(const Dense<X>& x, const Dense<Z>& z, bool same, int threads)
        : x_(x), z_(z), left_(x, center_of(z), threads) {
        if (!same) right_.emplace(z, center_of(z), threads);
    }

    void fill(const Tile& tile, double* found) const {
        const CenteredRows& right = right_ ? *right_ : left_;
        std::fill(found, found + kTile * kTile, 0.0);
        for (Size j = 0; j < x_.cols; j += kColumnsAtOnce)
            for (Size c = 0; c < tile.cols; c += kPanel)
                for (Size r = 0; r < tile.rows; r += kPanel)
                    hot().gram_tile(left_.panels.data() + (tile.row + r) * x_.cols + j * kPanel,
                                    right.panels.data() + (tile.col + c) * x_.cols + j * kPanel,
                                    std::min(kColumnsAtOnce, x_.cols - j), found + r * kTile + c, kTile);
        for (Size c = 0; c < tile.cols; c += kPanel)
            for (Size r = 0; r < tile.rows; r += kPanel) {
                const double* own = left_.squares.data() + tile.row + r;
                const double* theirs = right.squares.data() + tile.col + c;
                if (pairwise_hot().squares(own, theirs, found + r * kTile + c, kTile))
                    by_differences(tile, r, c, own, theirs, found);
            }
    }

  private:
    // Those of 8 x 8 pairs that are near each other.
    void by_differences(const Tile& tile, Size r, Size c, const double* own, const double* theirs,
                        double* found) const {
        const auto& pair = metric_hot().f64[static_cast<Size>(MetricKind::euclidean)].pair;
        std::vector<double> one, other;
        for (Size i = r; i < std::min(r + kPanel, tile.rows); ++i) {
            take_rows(x_, tile.row + i, 1, one);
            for (Size k = c; k < std::min(c + kPanel, tile.cols); ++k) {
                double& square = found[i * kTile + k];
                if (square >= kNear * (own[i - r] + theirs[k - c])) continue;
                take_rows(z_, tile.col + k, 1, other);
                square = pair(one.data(), other.data(), x_.cols, 2);
            }
        }
    }

    const Dense<X>& x_;
    const Dense<Z>& z_;
    CenteredRows left_;
    std::optional<CenteredRows> right_;
};

void to_distances(const Tile& tile, const Metric& metric, double* found) {
    for (Size r = 0; r < tile.rows; ++r) {
        double* row = found + r * kTile;
        if (metric.kind == MetricKind::euclidean || metric.kind == MetricKind::nan_euclidean)
            pairwise_hot().roots(row, tile.cols);
        else if (metric.kind == MetricKind::minkowski)
            std::transform(row, row + tile.cols, row, [&](double d) { return metric.distance(d); });
    }
}

template <class X, class Z, class Out>
void dense_table(const Dense<X>& x, const Dense<Z>& z, bool same, const Metric& metric, bool reduced, Out* out,
                 int threads) {
    std::optional<SquaresByProduct<X, Z>> products;
    if (metric.kind == MetricKind::euclidean && x.cols > kFewCols) products.emplace(x, z, same, threads);
    for_tiles(x.rows, z.rows, same, out, threads, [&](const Tile& tile, double* found) {
        if (products)
            products->fill(tile, found);
        else
            by_terms(x, z, tile, metric, found);
        if (!reduced) to_distances(tile, metric, found);
    });
}

template <class F>
void with_dense(const Matrix& x, const Matrix& z, const F& f) {
    require(cols_of(x) == cols_of(z), "both tables must have as many columns");
    std::visit(
        [&](const auto& a, const auto& b) {
            if constexpr (requires { a.at(0, 0) + b.at(0, 0); })
                f(a, b);
            else
                require(false, "both tables must be dense");
        },
        x, z);
}

double gower(const double* x, const double* z, const GowerColumns& columns) {
    double sum = 0, weight = 0;
    for (Size j = 0; j < columns.share.size(); ++j) {
        const double apart = std::fabs(x[j] - z[j]), share = columns.share[j];
        const double d = share < 0 ? (apart > 0 ? 1.0 : 0.0) : std::min(apart * share, 1.0);
        const double w = apart == apart ? columns.weight[j] : 0.0;  // NaN: one of the two is missing
        sum += w > 0 ? w * d : 0.0;
        weight += w;
    }
    return sum / weight;
}

}  // namespace

template <class Out>
void pairwise_table(const Matrix& x, const Matrix& z, bool same, const Metric& metric, bool reduced, Out* out,
                    int threads) {
    with_dense(x, z, [&](const auto& a, const auto& b) { dense_table(a, b, same, metric, reduced, out, threads); });
}
template void pairwise_table(const Matrix&, const Matrix&, bool, const Metric&, bool, double*, int);
template void pairwise_table(const Matrix&, const Matrix&, bool, const Metric&, bool, float*, int);

void paired_distances(const Matrix& x, const Matrix& z, const Metric& metric, bool reduced, std::span<double> out,
                      int threads) {
    require(rows_of(x) == rows_of(z) && out.size() == rows_of(x), "both tables must have as many rows");
    with_dense(x, z, [&](const auto& a, const auto& b) {
        const auto& functions = metric.functions<double>();
        parallel_for(blocks_of(a.rows, kTile), threads, [&](Size block) {
            const Size begin = block * kTile, n = std::min(kTile, a.rows - begin);
            std::vector<double> left, right;
            take_rows(a, begin, n, left);
            take_rows(b, begin, n, right);
            for (Size r = 0; r < n; ++r) {
                const double d = functions.pair(left.data() + r * a.cols, right.data() + r * a.cols, a.cols, metric.p);
                out[begin + r] = reduced ? d : metric.distance(d);
            }
        });
    });
}

void gower_table(const Dense<double>& x, const Dense<double>& z, bool same, const GowerColumns& columns, double* out,
                 int threads) {
    require(x.cols == z.cols && columns.share.size() == x.cols && columns.weight.size() == x.cols,
            "a share and a weight for each column");
    for_tiles(x.rows, z.rows, same, out, threads, [&](const Tile& tile, double* found) {
        std::vector<double> left, right;
        take_rows(x, tile.row, tile.rows, left);
        take_rows(z, tile.col, tile.cols, right);
        for (Size r = 0; r < tile.rows; ++r)
            for (Size c = 0; c < tile.cols; ++c)
                found[r * kTile + c] = gower(left.data() + r * x.cols, right.data() + c * x.cols, columns);
    });
}

}  // namespace pellucid

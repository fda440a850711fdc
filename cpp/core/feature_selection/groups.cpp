#include "core/feature_selection/groups.hpp"

#include <algorithm>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Size kTileRows = 256;
constexpr Size kTileCols = 64;
constexpr Size kMostParts = 64;
constexpr Size kPartRows = 4096;
constexpr Size kPartCells = Size{1} << 22;  // numbers that all parts hold together

struct Partial {
    Partial(Size groups, Size cols)
        : count(groups), sum(groups * cols), square(groups * cols), low(cols, kInfinity), high(cols, -kInfinity) {}

    void join(const Partial& other) {
        for (Size g = 0; g < count.size(); ++g) count[g] += other.count[g];
        for (Size i = 0; i < sum.size(); ++i) sum[i] += other.sum[i], square[i] += other.square[i];
        for (Size c = 0; c < low.size(); ++c)
            low[c] = std::min(low[c], other.low[c]), high[c] = std::max(high[c], other.high[c]);
    }

    std::vector<double> count, sum, square, low, high;
};

// One row: a lane a column. The pointers never overlap, which the compiler must be told to use wide registers.
void add_row(const double* __restrict x, Size cols, const double* __restrict shift, const double* __restrict unit,
             double* __restrict sum, double* __restrict square, double* __restrict low, double* __restrict high) {
    for (Size c = 0; c < cols; ++c) {
        const double v = x[c], d = (v - shift[c]) * unit[c];
        sum[c] += d;
        square[c] += d * d;
        low[c] = v < low[c] ? v : low[c];
        high[c] = v > high[c] ? v : high[c];
    }
}

// Some columns of some rows, as rows of doubles: in place where they are that already, else copied.
template <class T>
std::pair<const double*, std::ptrdiff_t> rows_of_tile(const Dense<T>& x, Size row, Size rows, Size col, Size cols,
                                                      double* room) {
    if constexpr (std::is_same_v<T, double>)
        if (x.col_stride == 1 || cols == 1) return {&x.at(row, col), x.row_stride};
    if (x.col_stride == 1) {
        for (Size r = 0; r < rows; ++r)
            for (Size c = 0; c < cols; ++c) room[r * kTileCols + c] = static_cast<double>((&x.at(row + r, col))[c]);
    } else {
        for (Size c = 0; c < cols; ++c)
            for (Size r = 0; r < rows; ++r) room[r * kTileCols + c] = static_cast<double>(x.at(row + r, col + c));
    }
    return {room, static_cast<std::ptrdiff_t>(kTileCols)};
}

template <class T>
void add_rows(const Dense<T>& x, Size begin, Size end, const std::int32_t* group, const double* shift,
              const double* unit, Partial& into) {
    std::vector<double> room(kTileRows * kTileCols);
    for (Size row = begin; row < end; row += kTileRows) {
        const Size rows = std::min(kTileRows, end - row);
        for (Size r = 0; r < rows; ++r) into.count[static_cast<Size>(group[row + r])] += 1;
        for (Size col = 0; col < x.cols; col += kTileCols) {
            const Size cols = std::min(kTileCols, x.cols - col);
            const auto [values, stride] = rows_of_tile(x, row, rows, col, cols, room.data());
            for (Size r = 0; r < rows; ++r) {
                const Size at = static_cast<Size>(group[row + r]) * x.cols + col;
                add_row(values + static_cast<std::ptrdiff_t>(r) * stride, cols, shift + at, unit + col,
                        into.sum.data() + at, into.square.data() + at, into.low.data() + col, into.high.data() + col);
            }
        }
    }
}

// Stored numbers alone; that a column has zeros which are not stored is seen by their count.
template <class Index>
void add_rows(const Csr<Index>& x, Size begin, Size end, const std::int32_t* group, const double*, const double* unit,
              Partial& into) {
    std::vector<Size> stored(x.cols);
    for (Size r = begin; r < end; ++r) {
        const Size g = static_cast<Size>(group[r]);
        into.count[g] += 1;
        for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) {
            const Size c = static_cast<Size>(x.indices[k]);
            const double v = x.values[k], d = v * unit[c];
            into.sum[g * x.cols + c] += d;
            into.square[g * x.cols + c] += d * d;
            into.low[c] = std::min(into.low[c], v), into.high[c] = std::max(into.high[c], v);
            ++stored[c];
        }
    }
    for (Size c = 0; c < x.cols; ++c)
        if (stored[c] < end - begin)
            into.low[c] = std::min(into.low[c], 0.0), into.high[c] = std::max(into.high[c], 0.0);
}

}  // namespace

GroupSums group_sums(const Matrix& X, std::span<const std::int32_t> group, Size groups, std::span<const double> shift,
                     std::span<const double> unit, int threads) {
    const Size rows = rows_of(X), cols = cols_of(X);
    require(group.size() == rows && shift.size() == groups * cols && unit.size() == cols, "group_sums: sizes");
    const Size room = std::max<Size>(1, kPartCells / (2 * groups * cols + 1));
    const Size parts = std::max<Size>(1, std::min({kMostParts, room, blocks_of(rows, kPartRows)}));
    const Size part = blocks_of(rows, parts);
    std::vector<Partial> found(parts, Partial(groups, cols));
    parallel_for(parts, threads, [&](Size b) {
        const Size begin = std::min(rows, b * part), end = std::min(rows, begin + part);
        std::visit([&](const auto& x) { add_rows(x, begin, end, group.data(), shift.data(), unit.data(), found[b]); },
                   X);
    });
    for (Size b = 1; b < parts; ++b) found[0].join(found[b]);
    Partial& all = found[0];
    return {std::move(all.count), std::move(all.sum), std::move(all.square), std::move(all.low), std::move(all.high)};
}

}  // namespace pellucid

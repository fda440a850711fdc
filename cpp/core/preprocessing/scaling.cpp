#include "core/preprocessing/scaling.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Size kTileRows = 256;
constexpr Size kTileCols = 64;
constexpr Size kBlockCells = Size{1} << 19;  // of a result, in one block of work
constexpr Size kParts = 64;                  // of the rows, each with figures of its own

// Figures of the columns [0, cols), one number of a kind after the other.
struct Partial {
    explicit Partial(Size cols)
        : count(cols), weight(cols), mean(cols), square(cols), low(cols, kInfinity), high(cols, -kInfinity) {}

    // Joins a group of rows of column c:  S = S_a + S_b + (mean_b - mean_a)^2 w_a w_b / (w_a + w_b).
    void join(Size c, double n, double w, double m, double s, double least, double most) {
        low[c] = std::min(low[c], least), high[c] = std::max(high[c], most);
        count[c] += n;
        if (!(w > 0)) return;
        const double both = weight[c] + w, apart = m - mean[c], share = w / both;
        square[c] += s + apart * apart * share * weight[c];
        mean[c] = weight[c] > 0 ? mean[c] + apart * share : m;
        weight[c] = both;
    }
    void join(const Partial& other) {
        for (Size c = 0; c < count.size(); ++c)
            join(c, other.count[c], other.weight[c], other.mean[c], other.square[c], other.low[c], other.high[c]);
    }

    std::vector<double> count, weight, mean, square, low, high;
};

// Rows of a tile, one after the other, `stride` numbers apart.
struct Tile {
    const double* values;
    std::ptrdiff_t stride;
    Size rows, cols;
    const double* weight;  // one a row
    const double* shift;   // one a column
    bool weighted;         // else the weights are all 1
};

// One tile's sums, a lane a column.
struct Lanes {
    double count[kTileCols] = {}, weight[kTileCols] = {}, sum[kTileCols] = {}, shift[kTileCols] = {};
    double low[kTileCols], high[kTileCols], mean[kTileCols] = {}, rest[kTileCols] = {}, square[kTileCols] = {};

    Lanes(const double* from, Size cols) {
        std::fill(low, low + kTileCols, kInfinity);
        std::fill(high, high + kTileCols, -kInfinity);
        std::copy(from, from + cols, shift);
    }
    static const double* at(const Tile& t, Size r) { return t.values + static_cast<std::ptrdiff_t>(r) * t.stride; }

    // Sums of w (x - shift) u: a constant column has sums of exactly zero.
    void means(const Tile& t, const double* unit) {
        for (Size r = 0; r < t.rows; ++r) {
            const double w = t.weight[r];
            if (!(w > 0)) continue;
            const double* x = at(t, r);
            for (Size c = 0; c < t.cols; ++c) {
                const double v = x[c], here = v == v ? 1.0 : 0.0;
                count[c] += here;
                weight[c] += here * w;
                sum[c] += v == v ? (v * unit[c] - shift[c] * unit[c]) * w : 0.0;
                low[c] = v < low[c] ? v : low[c];
                high[c] = v > high[c] ? v : high[c];
            }
        }
    }

    // The same for weights of 1 where nothing is missing, twice as fast; false if something is.
    bool plain_means(const Tile& t, const double* unit) {
        for (Size r = 0; r < t.rows; ++r) {
            const double* x = at(t, r);
            for (Size c = 0; c < t.cols; ++c) {
                const double v = x[c];
                sum[c] += v * unit[c] - shift[c] * unit[c];
                low[c] = v < low[c] ? v : low[c];
                high[c] = v > high[c] ? v : high[c];
            }
        }
        std::fill(count, count + t.cols, static_cast<double>(t.rows));
        std::fill(weight, weight + t.cols, static_cast<double>(t.rows));
        return std::none_of(sum, sum + t.cols, [](double value) { return std::isnan(value); });
    }

    void center(Size cols) {
        for (Size c = 0; c < cols; ++c) mean[c] = weight[c] > 0 ? sum[c] / weight[c] : 0.0;
    }

    // Sums of squares about the tile's mean; what rounding left of the mean is taken off by `rest`.
    void squares(const Tile& t, const double* unit) {
        for (Size r = 0; r < t.rows; ++r) {
            const double w = t.weight[r];
            if (!(w > 0)) continue;
            const double* x = at(t, r);
            for (Size c = 0; c < t.cols; ++c) {
                const double d = x[c] == x[c] ? x[c] * unit[c] - shift[c] * unit[c] - mean[c] : 0.0;
                rest[c] += w * d;
                square[c] += w * (d * d);
            }
        }
    }
    void plain_squares(const Tile& t, const double* unit) {
        for (Size r = 0; r < t.rows; ++r) {
            const double* x = at(t, r);
            for (Size c = 0; c < t.cols; ++c) {
                const double d = x[c] * unit[c] - shift[c] * unit[c] - mean[c];
                rest[c] += d;
                square[c] += d * d;
            }
        }
    }
};

// What is worked out of a tile: all figures, or the ends only.
struct AllFigures {
    static void add(const Tile& t, const double* unit, Size first, Partial& into);
};
struct EndsOnly {
    static void add(const Tile& t, const double* unit, Size first, Partial& into);
};

void AllFigures::add(const Tile& t, const double* unit, Size first, Partial& into) {
    Lanes lanes(t.shift, t.cols);
    const bool plain = !t.weighted && lanes.plain_means(t, unit);
    if (!plain) {
        lanes = Lanes(t.shift, t.cols);
        lanes.means(t, unit);
    }
    lanes.center(t.cols);
    plain ? lanes.plain_squares(t, unit) : lanes.squares(t, unit);
    for (Size c = 0; c < t.cols; ++c) {
        const double w = lanes.weight[c], rest = w > 0 ? lanes.rest[c] / w : 0.0;
        const double square = std::max(lanes.square[c] - lanes.rest[c] * rest, 0.0);
        into.join(first + c, lanes.count[c], w, lanes.mean[c] + rest, square, lanes.low[c], lanes.high[c]);
    }
}

void EndsOnly::add(const Tile& t, const double*, Size first, Partial& into) {
    double count[kTileCols] = {}, low[kTileCols], high[kTileCols];
    std::fill(low, low + kTileCols, kInfinity);
    std::fill(high, high + kTileCols, -kInfinity);
    for (Size r = 0; r < t.rows; ++r) {
        const double* x = Lanes::at(t, r);
        for (Size c = 0; c < t.cols; ++c) {
            const double v = x[c];
            count[c] += v == v ? 1.0 : 0.0;
            low[c] = v < low[c] ? v : low[c];
            high[c] = v > high[c] ? v : high[c];
        }
    }
    for (Size c = 0; c < t.cols; ++c) into.join(first + c, count[c], count[c], 0, 0, low[c], high[c]);
}

// A tile of X as rows of doubles: in place where it is that already, else copied.
template <class T>
Tile tile_of(const Dense<T>& x, Size row, Size rows, Size col, Size cols, double* room) {
    if constexpr (std::is_same_v<T, double>)
        if (x.col_stride == 1 || cols == 1) return {&x.at(row, col), x.row_stride, rows, cols, nullptr, nullptr, false};
    if (x.col_stride == 1) {
        for (Size r = 0; r < rows; ++r)
            for (Size c = 0; c < cols; ++c) room[r * kTileCols + c] = static_cast<double>((&x.at(row + r, col))[c]);
    } else {
        for (Size c = 0; c < cols; ++c)
            for (Size r = 0; r < rows; ++r) room[r * kTileCols + c] = static_cast<double>(x.at(row + r, col + c));
    }
    return {room, kTileCols, rows, cols, nullptr, nullptr, false};
}

template <class What, class T>
void add_rows(const Dense<T>& x, Size begin, Size end, std::span<const double> weight, const double* unit,
              const double* shift, Partial& into) {
    std::vector<double> room(kTileRows * kTileCols);
    const std::vector<double> ones(kTileRows, 1.0);
    for (Size row = begin; row < end; row += kTileRows) {
        const Size rows = std::min(kTileRows, end - row);
        const double* w = weight.empty() ? ones.data() : weight.data() + row;
        for (Size col = 0; col < x.cols; col += kTileCols) {
            const Size cols = std::min(kTileCols, x.cols - col);
            Tile tile = tile_of(x, row, rows, col, cols, room.data());
            tile.weight = w, tile.weighted = !weight.empty(), tile.shift = shift + col;
            What::add(tile, unit + col, col, into);
        }
    }
}

// Stored numbers in two passes; the zeros that are not stored are one more group of rows. All shifts are zero.
template <class, class Index>
void add_rows(const Csr<Index>& x, Size begin, Size end, std::span<const double> weight, const double* unit,
              const double*, Partial& into) {
    std::vector<double> rows(x.cols), all(x.cols), count(x.cols), w_sum(x.cols), mean(x.cols), square(x.cols);
    std::vector<double> low(x.cols, kInfinity), high(x.cols, -kInfinity);
    double n = 0, total = 0;
    const auto each = [&](const auto& visit) {
        for (Size r = begin; r < end; ++r) {
            const double w = weight.empty() ? 1.0 : weight[r];
            if (!(w > 0)) continue;
            for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) visit(static_cast<Size>(x.indices[k]), x.values[k], w);
        }
    };
    for (Size r = begin; r < end; ++r) {
        const double w = weight.empty() ? 1.0 : weight[r];
        n += w > 0, total += w;
    }
    each([&](Size c, double v, double w) {
        rows[c] += 1, all[c] += w;
        if (v != v) return;
        count[c] += 1, w_sum[c] += w;
        mean[c] += (v * unit[c] - mean[c]) * (w / w_sum[c]);
        low[c] = std::min(low[c], v), high[c] = std::max(high[c], v);
    });
    each([&](Size c, double v, double w) {
        if (v == v) square[c] += w * (v * unit[c] - mean[c]) * (v * unit[c] - mean[c]);
    });
    for (Size c = 0; c < x.cols; ++c) {
        into.join(c, count[c], w_sum[c], mean[c], square[c], low[c], high[c]);
        if (rows[c] < n) into.join(c, n - rows[c], total - all[c], 0, 0, 0, 0);
    }
}

// A number in the midst of each column, from which deviations are taken: the median of a few rows. A constant column
// has its constant, and a wild first row does no harm.
template <class T>
std::vector<double> shifts(const Dense<T>& x, std::span<const double> weight) {
    constexpr Size kSample = 15;
    const Size step = std::max<Size>(1, x.rows / kSample);
    std::vector<double> found(x.cols, 0.0), values;
    for (Size c = 0; c < x.cols; ++c) {
        values.clear();
        for (Size r = 0; r < x.rows && values.size() < kSample; r += values.empty() ? 1 : step) {
            const double v = static_cast<double>(x.at(r, c));
            if (std::isfinite(v) && (weight.empty() || weight[r] > 0)) values.push_back(v);
        }
        if (values.empty()) continue;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        found[c] = *middle;
    }
    return found;
}
template <class Index>
std::vector<double> shifts(const Csr<Index>& x, std::span<const double>) {
    return std::vector<double>(x.cols, 0.0);
}

struct Divide {
    static double apply(double x, double factor) { return x / factor; }
};
struct Multiply {
    static double apply(double x, double factor) { return x * factor; }
};

template <class Step, class T>
T on_line(T x, double before, double factor, double after, double low, double high) {
    double v = Step::apply(static_cast<double>(x) - before, factor) + after;
    v = v < low ? low : v;
    v = v > high ? high : v;
    return static_cast<T>(v);
}

// Columns side by side in x and out.
template <class Step, class T>
bool write_row(const T* x, const Lines& l, Size n, T* out) {
    const double *before = l.before.data(), *factor = l.factor.data(), *after = l.after.data();
    const double *low = l.low.data(), *high = l.high.data();
    int infinite = 0;
    for (Size c = 0; c < n; ++c) {
        const T v = x[c];
        infinite |= std::abs(v) > std::numeric_limits<T>::max() ? 1 : 0;
        out[c] = on_line<Step>(v, before[c], factor[c], after[c], low[c], high[c]);
    }
    return infinite == 0;
}

// One column; its rows so far apart.
template <class Step, class T>
bool write_column(const T* x, std::ptrdiff_t from, const Lines& l, Size c, Size n, T* out, std::ptrdiff_t to) {
    const double before = l.before[c], factor = l.factor[c], after = l.after[c], low = l.low[c], high = l.high[c];
    int infinite = 0;
    const auto cell = [&](std::ptrdiff_t at_x, std::ptrdiff_t at_out) {
        const T v = x[at_x];
        infinite |= std::abs(v) > std::numeric_limits<T>::max() ? 1 : 0;
        out[at_out] = on_line<Step>(v, before, factor, after, low, high);
    };
    const auto rows = static_cast<std::ptrdiff_t>(n);
    if (from == 1 && to == 1)
        for (std::ptrdiff_t r = 0; r < rows; ++r) cell(r, r);
    else
        for (std::ptrdiff_t r = 0; r < rows; ++r) cell(r * from, r * to);
    return infinite == 0;
}

template <class Step, class T>
bool write_lines(const Dense<T>& x, const Lines& lines, const Written<T>& out, int threads) {
    for (const auto& numbers : {lines.before, lines.factor, lines.after, lines.low, lines.high})
        require(numbers.size() == x.cols, "lines: one number a column");
    require(out.rows == x.rows && out.cols == x.cols, "lines: size of the result");
    if (x.rows == 0 || x.cols == 0) return true;
    std::atomic<bool> finite = true;
    const bool by_row = x.col_stride == 1 && out.col_stride == 1;
    // Pages that were never touched are cleared by the system, 2 MB at a time: two threads must not meet in one.
    const Size height = by_row ? std::max<Size>(kBlockCells / x.cols, 1) : kBlockCells;
    const Size pieces = blocks_of(x.rows, height);
    parallel_for(by_row ? pieces : pieces * x.cols, threads, [&](Size block) {
        const Size begin = block % pieces * height, n = std::min(height, x.rows - begin), c = block / pieces;
        const auto place = [&](Size r, Size col) {
            return out.data + static_cast<std::ptrdiff_t>(r) * out.row_stride +
                   static_cast<std::ptrdiff_t>(col) * out.col_stride;
        };
        bool good = true;
        if (by_row)
            for (Size r = begin; r < begin + n; ++r) good &= write_row<Step>(&x.at(r, 0), lines, x.cols, place(r, 0));
        else
            good = write_column<Step>(&x.at(begin, c), x.row_stride, lines, c, n, place(begin, c), out.row_stride);
        if (!good) finite = false;
    });
    return finite;
}

template <class T>
void take_column(const Dense<T>& x, Size c, std::vector<double>& into) {
    for (Size r = 0; r < x.rows; ++r) {
        const double v = static_cast<double>(x.at(r, c));
        if (v == v) into.push_back(v);
    }
}

// Value at a place between ranks of values[begin..]; ranks before `begin` are in order already.
double ranked(std::vector<double>& values, Size begin, double share) {
    const double place = share * static_cast<double>(values.size() - 1), whole = std::floor(place);
    const Size k = static_cast<Size>(whole);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(k);
    std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(begin), at, values.end());
    const double part = place - whole, below = *at;
    if (part == 0) return below;
    const double above = *std::min_element(at + 1, values.end());
    return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

template <class What>
ColumnFigures figures_of(const Matrix& X, std::span<const double> weight, std::span<const double> unit, int threads) {
    const Size rows = rows_of(X), cols = cols_of(X);
    require(weight.empty() || weight.size() == rows, "column_figures: one weight a row");
    require(unit.size() == cols, "column_figures: one unit a column");
    const Size least = std::max<Size>(kTileRows, std::min<Size>(cols, Size{1} << 16));  // rows a part, for wide tables
    const Size height = blocks_of(std::max(blocks_of(rows, kParts), least), kTileRows) * kTileRows;
    std::vector<double> shift = std::visit([&](const auto& x) { return shifts(x, weight); }, X);
    std::vector<Partial> parts(blocks_of(rows, height), Partial(cols));
    parallel_for(parts.size(), threads, [&](Size part) {
        const Size begin = part * height, end = std::min(begin + height, rows);
        std::visit(
            [&](const auto& x) { add_rows<What>(x, begin, end, weight, unit.data(), shift.data(), parts[part]); }, X);
    });
    Partial all(cols);
    for (const Partial& part : parts) all.join(part);
    return {std::move(shift),      std::move(all.count), std::move(all.weight), std::move(all.mean),
            std::move(all.square), std::move(all.low),   std::move(all.high)};
}

}  // namespace

ColumnFigures column_figures(const Matrix& X, std::span<const double> weight, std::span<const double> unit,
                             int threads) {
    return figures_of<AllFigures>(X, weight, unit, threads);
}

ColumnFigures column_ends(const Matrix& X, int threads) {
    const std::vector<double> unit(cols_of(X), 1.0);
    return figures_of<EndsOnly>(X, {}, unit, threads);
}

template <class T>
bool divide_columns(const Dense<T>& x, const Lines& lines, const Written<T>& out, int threads) {
    return write_lines<Divide>(x, lines, out, threads);
}
template <class T>
bool multiply_columns(const Dense<T>& x, const Lines& lines, const Written<T>& out, int threads) {
    return write_lines<Multiply>(x, lines, out, threads);
}
template bool divide_columns(const Dense<double>&, const Lines&, const Written<double>&, int);
template bool divide_columns(const Dense<float>&, const Lines&, const Written<float>&, int);
template bool multiply_columns(const Dense<double>&, const Lines&, const Written<double>&, int);
template bool multiply_columns(const Dense<float>&, const Lines&, const Written<float>&, int);

std::vector<double> column_quantiles(const Matrix& X, std::span<const double> shares, int threads) {
    const Size cols = cols_of(X), n = shares.size();
    require(std::is_sorted(shares.begin(), shares.end()), "column_quantiles: shares must not fall");
    for (const double share : shares) require(share >= 0 && share <= 1, "column_quantiles: shares from 0 to 1");
    std::vector<double> found(cols * n, std::numeric_limits<double>::quiet_NaN());
    parallel_for(cols, threads, [&](Size c) {
        std::vector<double> values;
        values.reserve(rows_of(X));
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.at(0, 0); })
                    take_column(x, c, values);
                else
                    require(false, "column_quantiles: X must be dense");
            },
            X);
        if (values.empty()) return;
        Size begin = 0;
        for (Size i = 0; i < n; ++i) {
            found[c * n + i] = ranked(values, begin, shares[i]);
            begin = static_cast<Size>(shares[i] * static_cast<double>(values.size() - 1));
        }
    });
    return found;
}

}  // namespace pellucid

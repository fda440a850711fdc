// Every column of a table put through a function of its own, a tile at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid {

// What was met on the way; several may be.
enum Met : int { kNothing = 0, kInfinite = 1, kOutside = 2 };

namespace detail {

constexpr Size kMapRows = 256;
constexpr Size kMapCols = 8;                    // doubles of a cache line
constexpr Size kMapCells = Size{1} << 19;       // of a result, in one block of work
constexpr Size kMapRoom = kMapRows * kMapCols;  // of a tile, 16 kB

template <class T>
bool is_infinite(T v) {
    return std::abs(v) > std::numeric_limits<T>::max();
}

// Columns [col, col + cols) of rows [begin, begin + rows) into room, column by column; is one of them infinite?
template <class T>
bool read_tile(const Dense<T>& x, Size begin, Size rows, Size col, Size cols, double* room) {
    int infinite = 0;
    for (Size r = 0; r < rows; ++r)
        for (Size c = 0; c < cols; ++c) {
            const T v = x.at(begin + r, col + c);
            infinite |= is_infinite(v) ? 1 : 0;
            room[c * kMapRows + r] = static_cast<double>(v);
        }
    return infinite != 0;
}

template <class T>
void write_tile(const Written<T>& out, Size begin, Size rows, Size col, Size cols, const double* room) {
    for (Size r = 0; r < rows; ++r)
        for (Size c = 0; c < cols; ++c)
            out.data[static_cast<std::ptrdiff_t>(begin + r) * out.row_stride +
                     static_cast<std::ptrdiff_t>(col + c) * out.col_stride] = static_cast<T>(room[c * kMapRows + r]);
}

}  // namespace detail

// out[r, c] = map(c, x[r, c]). `map(c, values, n)` writes over n numbers of column c and says whether all of them lay
// where it is defined; NaN always does. out may be x. Answers what was met, as a sum of `Met`.
template <class T, class Map>
int map_columns(const Dense<T>& x, const Written<T>& out, int threads, const Map& map) {
    using namespace detail;
    require(out.rows == x.rows && out.cols == x.cols, "map_columns: size of the result");
    if (x.rows == 0 || x.cols == 0) return kNothing;
    std::atomic<int> met = kNothing;
    // Rows of several columns share cache lines in C order, and two threads must not meet in one fresh page.
    const bool by_row = x.col_stride == 1 || out.col_stride == 1;
    const Size height = by_row ? std::max<Size>(kMapCells / x.cols, kMapRows) : kMapCells;
    const Size width = by_row ? kMapCols : 1;
    const Size pieces = blocks_of(x.rows, height);
    parallel_for(by_row ? pieces : pieces * x.cols, threads, [&](Size block) {
        const Size begin = block % pieces * height, end = std::min(begin + height, x.rows);
        const Size first = by_row ? 0 : block / pieces, last = by_row ? x.cols : first + 1;
        double room[kMapRoom];
        int here = kNothing;
        for (Size col = first; col < last; col += width) {
            const Size cols = std::min(width, last - col);
            for (Size row = begin; row < end; row += kMapRows) {
                const Size rows = std::min(kMapRows, end - row);
                if (read_tile(x, row, rows, col, cols, room)) here |= kInfinite;
                for (Size c = 0; c < cols; ++c)
                    if (!map(col + c, room + c * kMapRows, rows)) here |= kOutside;
                write_tile(out, row, rows, col, cols, room);
            }
        }
        if (here != kNothing) met |= here;
    });
    return met;
}

}  // namespace pellucid

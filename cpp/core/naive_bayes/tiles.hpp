// Tiles of 32 rows in the form of the hot loops: column j of row r at [j * 32 + r].
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/views.hpp"
#include "core/naive_bayes/bayes_hot.hpp"

namespace pellucid {

inline constexpr Size kTileCols = 128;  // columns at a time: 32 KiB
inline constexpr Size kTilesPerBlock = 32;

// Packs rows [r, r + rows) of columns [c, c + cols), each number as `read` gives it; rows that are not there are 0.
template <class T, class Read>
void pack_tile(const Dense<T>& x, Size r, Size rows, Size c, Size cols, Read&& read, double* out) {
    if (rows < kTileRows) std::fill_n(out, cols * kTileRows, 0.0);
    if (x.row_stride == 1) {
        for (Size j = 0; j < cols; ++j) {
            const T* from = &x.at(r, c + j);
            for (Size i = 0; i < rows; ++i) out[j * kTileRows + i] = read(static_cast<double>(from[i]));
        }
        return;
    }
    for (Size i = 0; i < rows; ++i) {
        const T* from = &x.at(r + i, c);
        for (Size j = 0; j < cols; ++j)
            out[j * kTileRows + i] = read(static_cast<double>(from[static_cast<std::ptrdiff_t>(j) * x.col_stride]));
    }
}

// Sums of a panel of columns are taken by themselves and then added, so that thousands of columns do not each round a
// large sum: sum(first column, columns, to) adds a panel's to `to`; `panel` has room for as many numbers as `scores`.
template <class Sum>
void add_panels(Size cols, Size numbers, double* scores, double* panel, const Sum& sum) {
    for (Size j = 0; j < cols; j += kTileCols) {
        std::fill_n(panel, numbers, 0.0);
        sum(j, std::min(kTileCols, cols - j), panel);
        for (Size i = 0; i < numbers; ++i) scores[i] += panel[i];
    }
}

// Calls work(first row, rows, scratch of kTileCols * 32 numbers, scores of classes * 32 numbers and as many for a
// panel) for every tile.
template <class Work>
void for_tiles(Size rows, Size classes, int threads, const Work& work) {
    constexpr Size kBlock = kTileRows * kTilesPerBlock;
    parallel_for(blocks_of(rows, kBlock), threads, [&](Size b) {
        std::vector<double> scratch(kTileCols * kTileRows), scores(2 * classes * kTileRows);
        const Size end = std::min(rows, (b + 1) * kBlock);
        for (Size r = b * kBlock; r < end; r += kTileRows)
            work(r, std::min(kTileRows, end - r), scratch.data(), scores.data());
    });
}

}  // namespace pellucid

// What a scaler reads from the columns of a table, and the straight line that it puts each of them through.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid {

// Of every column, over the rows in which it is not missing and whose weight is not zero:
//   count                        how many they are
//   weight = sum w               mean = sum w d / weight,  d = (x - shift) u
//   square = sum w (d - mean)^2
//   low, high                    smallest and largest x; infinity and minus infinity where there is none
// u is a power of two a column, which keeps squares within the range of numbers; shift is a number in its midst.
struct ColumnFigures {
    std::vector<double> shift, count, weight, mean, square, low, high;
};

// Rows are read once, in blocks that stay in cache; within a block deviations are taken from the block's own mean, and
// blocks are joined in order (Chan, Golub, LeVeque 1983). weight: empty, or one non-negative number a row.
ColumnFigures column_figures(const Matrix& X, std::span<const double> weight, std::span<const double> unit,
                             int threads);

// Count, low and high alone, for those who need no more; the other figures of a dense table are zero.
ColumnFigures column_ends(const Matrix& X, int threads);

// A line for every column:  (x - before) / factor + after  or  (x - before) * factor + after,  then kept between low
// and high. A missing value stays missing.
struct Lines {
    std::span<const double> before, factor, after, low, high;
};

// Both return false if some x is infinite. out may be x itself.
template <class T>
bool divide_columns(const Dense<T>& x, const Lines& lines, const Written<T>& out, int threads);
template <class T>
bool multiply_columns(const Dense<T>& x, const Lines& lines, const Written<T>& out, int threads);

// Quantiles of every column over its values that are not missing, by linear interpolation between ranks:
// out[c * shares + i] belongs to place (n - 1) shares[i]; NaN for a column without values.
std::vector<double> column_quantiles(const Matrix& X, std::span<const double> shares, int threads);

}  // namespace pellucid

// Quantiles of columns, and values put in their place among them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/preprocessing/map_columns.hpp"

namespace pellucid {

// Quantiles of every column of a dense table over the given rows (all if there are none), missing values left out:
// the value at place (n - 1) share, counted from 0, of the ordered values, between two neighbors in proportion.
// One row a column; NaN where there are no values.
std::vector<double> sample_quantiles(const Matrix& X, std::span<const std::int64_t> rows,
                                     std::span<const double> shares, int threads);

// z with  P(a standard normal number < z) = p,  relative error below 1e-15 (Wichura 1988, AS 241, PPND16).
double normal_quantile(double p);

enum class Output { uniform, normal };

// The curves of the columns: quantile k of column c, at share k, is quantiles[k * cols + c].
struct Curves {
    std::span<const double> shares;
    std::span<const double> quantiles;
    Size cols = 0;
    Output output = Output::uniform;
    double margin = 0;  // normal only: so near an end is the end
    double low = 0;     // normal only: results are kept between low and high
    double high = 0;
};

// The share of a value: between the shares of the two quantiles around it in proportion, the mean of the first and the
// last share where several quantiles equal it, 0 and 1 beyond the ends. For normal output the normal quantile of that.
template <class T>
int quantile_columns(const Dense<T>& x, const Curves& curves, const Written<T>& out, int threads);

// The value at a share.
template <class T>
int unquantile_columns(const Dense<T>& x, const Curves& curves, const Written<T>& out, int threads);

}  // namespace pellucid

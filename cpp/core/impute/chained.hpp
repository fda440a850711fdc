// Chained regressions: each column with missing values is predicted from the others, in turn, until nothing changes.
//
// A line for column j is fitted on the rows that have it. All that least squares needs of them is their cross-product
//   G_j = sum over rows that have j of  z z',    z = [(x - shift) * scale, 1],
// and with G over all rows  G_j = G - (the same sum over the few rows that lack j).  When the missing values of column
// j get new numbers, only row and column j of G change, by sums over those rows. So a pass costs one look at the table
// and n_missing p^2 operations instead of n p^2 for every column.
#pragma once

#include <span>

#include "core/base/views.hpp"

namespace pellucid {

// A table that is filled in place: rows one after the other.
struct Filled {
    double* data = nullptr;
    Size rows = 0;
    Size cols = 0;
    double* row(Size r) const { return data + r * cols; }
};

// z of a column: (x - shift) * scale.
struct Units {
    std::span<const double> shift, scale;
};

// out = sum of z z' over the rows listed, (p + 1) x (p + 1), symmetric; over all rows if `every`.
void cross_products(const Filled& x, std::span<const std::int64_t> rows, bool every, const Units& units,
                    std::span<double> out, int threads);

// A line  b + w . x  with w[j] = 0, kept between low and high.
struct Line {
    Size column = 0;
    double intercept = 0;
    std::span<const double> coef;
    double low = 0, high = 0;
};

// Writes the line's values into column j of the rows listed; change[c] is what G[c, j] gains (p + 1 numbers).
void refresh_column(const Filled& x, std::span<const std::int64_t> rows, const Line& line, const Units& units,
                    std::span<double> change, int threads);

// Largest sum of absolute differences of a row between x and before, which becomes x.
double largest_change(const Filled& x, std::span<double> before, int threads);

// Runs a whole chain of lines over a table, row by row. missing: one flag a cell. coefs: one row of p a line.
struct Chain {
    std::span<const std::int64_t> columns;
    std::span<const double> intercepts, coefs, low, high;  // low, high: one a column
};
void run_chain(const Filled& x, std::span<const std::uint8_t> missing, const Chain& chain, int threads);

}  // namespace pellucid

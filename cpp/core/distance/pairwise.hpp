// Tables of distances: every row of x with every row of z.
//
// In square tiles of 128 x 128: a tile's rows of z are packed into panels of eight that stay in the first cache while
// the rows of x pass by. Where x and z are the same table, tiles below the diagonal are the mirror image of those
// above. Euclidean distances of more than eight columns go by products of the rows less a common center, of
// which a copy is made.
//
//   Gower's distance of rows of mixed kinds, with weight w_j of column j and over the columns that both rows have:
//     sum_j w_j d_j / sum_j w_j,   d_j = min(|x_j - z_j| s_j, 1) for numbers, s_j one over the column's range,
//                                  d_j = [x_j != z_j] for the codes of categories
//   NaN where the two rows have no column in common.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// out: rows of x by rows of z, C order; distances, or reduced ones (squares) if asked for. x and z dense.
template <class Out>
void pairwise_table(const Matrix& x, const Matrix& z, bool same, const Metric& metric, bool reduced, Out* out,
                    int threads);

// Distances of row i of x and row i of z.
void paired_distances(const Matrix& x, const Matrix& z, const Metric& metric, bool reduced, std::span<double> out,
                      int threads);

// share[j]: one over the range of a column of numbers; below 0 for a column of codes.
struct GowerColumns {
    std::span<const double> share, weight;
};
void gower_table(const Dense<double>& x, const Dense<double>& z, bool same, const GowerColumns& columns, double* out,
                 int threads);

}  // namespace pellucid

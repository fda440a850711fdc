// The innermost loop of nearest-row imputation, compiled once per SIMD level.
#pragma once

#include <cstddef>

namespace pellucid {

inline constexpr std::size_t kDonors = 32;  // rows of a block of donors, side by side; a multiple of every vector width

struct Apart {
    // For the 32 donors of a block, over the n columns that the receiver has (x[i] in column columns[i]):
    //   out[d] = (sum of (x - y_d)^2 over columns that d has too) / (their number),  infinity where there is none.
    // y, there: column c of donor d at [c * 32 + d]; there is 1 where d has the column, else 0 (and y is 0).
    // Returns the smallest of them.
    double (*some)(const double* x, const int* columns, std::size_t n, const double* y, const double* there,
                   double* out);
    // The same for donors that have every column.
    double (*all)(const double* x, const int* columns, std::size_t n, const double* y, double* out);
};

const Apart& apart();  // of the current level

}  // namespace pellucid

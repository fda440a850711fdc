// Products of many short rows in single precision, for indices that look at far more rows than they report. Compiled
// once per SIMD level.
//
// Rows come in panels of sixteen, column by column: panel[j * 16 + r] is column j of row r. Queries come in bundles of
// six, one after the other: queries[t * d + j] is column j of query t. For a row x and a query q
//
//   value = size - 2 sum_j q_j x_j,   size = |x|^2:   value + |q|^2 = |q - x|^2
//
// so the smallest value is the nearest row. One bundle and one panel are a tile of 96 sums that stay in registers; the
// sum over j runs from front to back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

inline constexpr std::size_t kScanRows = 16;
inline constexpr std::size_t kScanQueries = 6;

struct ScanHot {
    // Values of a bundle and all panels: out[t * stride + row].
    void (*values)(const float* panels, const float* sizes, std::size_t count, std::size_t d, const float* queries,
                   float* out, std::size_t stride);
    // Of each query of a bundle the rows with value <= limit: hits[h] = row * 8 + query and their values, panel by
    // panel. Returns how many; there is room for count * 96.
    std::size_t (*below)(const float* panels, const float* sizes, std::size_t count, std::size_t d,
                         const float* queries, const float* limits, std::uint32_t* hits, float* found);
    // Of each query of a bundle the row with the smallest value, the first of equals.
    void (*smallest)(const float* panels, const float* sizes, std::size_t count, std::size_t d, const float* queries,
                     std::uint32_t* rows, float* values);
    // out = x - c in single precision; returns |out|^2.
    double (*minus)(const double* x, const float* c, std::size_t d, float* out);
    // |a - b|^2 in single precision; d is a multiple of 16.
    float (*apart)(const float* a, const float* b, std::size_t d);
    // The same of x and rows of a table: out[i] of row rows[i]. Rows are fetched ahead of their turn.
    void (*apart_from)(const float* x, const float* table, std::size_t d, const std::uint32_t* rows, std::size_t count,
                       float* out);
};

const ScanHot& scan_hot();  // of the current level

}  // namespace pellucid

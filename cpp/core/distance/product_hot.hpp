// Which of many pairs of rows can be near: products of tiles, compared with a threshold. Compiled once per SIMD level.
//
// A tile is kTile queries by the rows of a group, panel by panel. For query q and row r the sum
//
//   s = sum_j Q_qj R_rj
//
// stays in a register and meets its threshold there; the pair survives unless
//
//   s < alpha_q a_r + beta_q b_r - slack
//
// (so also where the threshold is NaN). Nothing is written but the few pairs that survive. See brute_filter.hpp for
// where the threshold comes from.
//
// Elements are 16-bit integers, two columns to a 32-bit word, summed exactly in 32 bits; or doubles. With AVX2 two
// columns of eight rows are one instruction and two are started a cycle: twice the products of a float32 kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

inline constexpr std::size_t kTile = 6;         // queries of a tile: 6 x 2 vectors of sums leave 4 of 16 registers
inline constexpr std::size_t kSparsePanel = 8;  // queries that meet a sparse row together
inline constexpr std::size_t kGroup = 64;       // rows of a group: whole panels at every level

template <class Element, class Real>
struct ProductTile {
    const Element* queries = nullptr;  // [step][kTile]; a step is two columns of 16 bits, or one column of doubles
    const Element* rows = nullptr;     // panels of [step][rows of a panel]
    std::size_t steps = 0;
    const Real* alpha = nullptr;  // of the queries
    const Real* beta = nullptr;
    const Real* a = nullptr;  // of the rows
    const Real* b = nullptr;
    Real slack = 0;
};
using NarrowTile = ProductTile<std::int16_t, float>;
using WideTile = ProductTile<double, double>;

struct ProductHot {
    std::size_t narrow_panel;  // rows of a panel
    std::size_t wide_panel;
    // Survivors of a tile and a group as 8 * row + query, and how many. Room for kTile * kGroup.
    std::size_t (*narrow)(const NarrowTile& tile, std::uint32_t* survivors);
    std::size_t (*wide)(const WideTile& tile, std::uint32_t* survivors);
    // sum_j x_j z_j in 32 bits; n is a multiple of 32.
    std::int32_t (*narrow_dot)(const std::int16_t* x, const std::int16_t* z, std::size_t n);
    // out = (x - shift) * unit; also the sum of its squares and its largest magnitude.
    void (*center_f64)(const double* x, const double* shift, double unit, std::size_t n, double* out, double* squares,
                       double* largest);
    void (*center_f32)(const float* x, const double* shift, double unit, std::size_t n, double* out, double* squares,
                       double* largest);
    // out_j = the whole number nearest to a * v_j, |a v_j| < 2^15 - 1
    void (*narrow_down)(const double* v, double a, std::size_t n, std::int16_t* out);
    // out[r * count + t] = sum_j v[r * n + j] axes[t * n + j] for four rows r and `count` axes t, a multiple of 3
    void (*turn)(const double* v, const double* axes, std::size_t count, std::size_t n, double* out);
    // sums[q] += sum_k values[k] panel[columns[k] * 8 + q] for eight queries; squares += sum_k values[k]^2
    void (*sparse_32)(const double* values, const std::int32_t* columns, std::size_t n, const double* panel,
                      double* sums, double* squares);
    void (*sparse_64)(const double* values, const std::int64_t* columns, std::size_t n, const double* panel,
                      double* sums, double* squares);
    // Numbers of the values that are at most `bound` (or NaN), and how many.
    std::size_t (*at_most)(const double* values, std::size_t n, double bound, std::uint32_t* out);
};

const ProductHot& product_hot();  // of the current level

}  // namespace pellucid

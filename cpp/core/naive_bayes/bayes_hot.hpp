// The innermost loops of naive Bayes, compiled once per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

inline constexpr std::size_t kTileRows = 32;  // rows side by side; a multiple of two vectors at every level

struct BayesHot {
    // Adds rows to the sums of their classes. With d = x_rj - shift_cj, c = codes[r] and weight w_r (1 without
    // weights):
    //   sum_cj += w d,  square_cj += w d^2
    // x: rows of `cols` adjacent numbers, `stride` apart; shift, sum, square: `pitch` numbers a class.
    void (*gather)(const double* x, std::ptrdiff_t stride, const std::int32_t* codes, const double* weight,
                   std::size_t rows, std::size_t cols, const double* shift, std::size_t pitch, double* sum,
                   double* square);
    // The same with NaN left out, and count_cj += w.
    void (*gather_present)(const double* x, std::ptrdiff_t stride, const std::int32_t* codes, const double* weight,
                           std::size_t rows, std::size_t cols, const double* shift, std::size_t pitch, double* sum,
                           double* square, double* count);

    // Scores of a tile of 32 rows: x holds column j of row r at [j * 32 + r], out class c of row r at [c * 32 + r];
    // tables have `pitch` numbers a class.
    //   out -= sum_j (x - mean_cj)^2 half_cj
    void (*squares)(const double* x, std::size_t cols, const double* mean, const double* half, std::size_t classes,
                    std::size_t pitch, double* out);
    //   out -= sum over j with a number of  (x - mean_cj)^2 half_cj + log_cj
    void (*squares_present)(const double* x, std::size_t cols, const double* mean, const double* half,
                            const double* log, std::size_t classes, std::size_t pitch, double* out);
    //   out += sum_j x table_cj
    void (*linear)(const double* x, std::size_t cols, const double* table, std::size_t classes, std::size_t pitch,
                   double* out);

    // One sparse row:  out[k] += sum_i values[i] table[indices[i] * width + k]  for k < width, a multiple of 4.
    void (*sparse_32)(const double* values, const std::int32_t* indices, std::size_t n, const double* table,
                      std::size_t width, double* out);
    void (*sparse_64)(const double* values, const std::int64_t* indices, std::size_t n, const double* table,
                      std::size_t width, double* out);
};

const BayesHot& bayes_hot();  // of the current level

}  // namespace pellucid

// Rows against centers: which is nearest, and how far. Compiled once per SIMD level.
//
// Centers stand in panels of sixteen: panel[j * kCenters + c] is column j of center c, and sizes[c] = |c|^2, infinite
// for the places that fill up the last panel. Of a row x and a center c the value
//
//   v = |c|^2 - 2 x.c
//
// orders centers as the distance does, |x - c|^2 = v + |x|^2; sums run over the columns in order, each in a lane of its
// own, so a row has the same values whichever rows stand beside it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

inline constexpr std::size_t kCenters = 16;  // of a panel
inline constexpr std::size_t kRowTile = 6;   // rows that meet a panel together

// The smallest value and its center (the first of equals), and the smallest value of all other centers.
struct Nearest {
    double best, second;
    std::uint32_t center;
};

struct CenterHot {
    // Of kRowTile rows and `count` panels; the first center has number 0.
    void (*nearest)(const double* const* rows, std::size_t p, const double* panels, const double* sizes,
                    std::size_t count, Nearest* out);
    // out[t * kCenters + c]: values of kRowTile rows and one panel.
    void (*values)(const double* const* rows, std::size_t p, const double* panel, const double* sizes, double* out);
    // The same of one row of n entries in the given columns.
    void (*sparse_nearest_32)(const double* entries, const std::int32_t* columns, std::size_t n, double unit,
                              std::size_t p, const double* panels, const double* sizes, std::size_t count,
                              Nearest* out);
    void (*sparse_nearest_64)(const double* entries, const std::int64_t* columns, std::size_t n, double unit,
                              std::size_t p, const double* panels, const double* sizes, std::size_t count,
                              Nearest* out);
    void (*sparse_values_32)(const double* entries, const std::int32_t* columns, std::size_t n, double unit,
                             const double* panel, const double* sizes, double* out);
    void (*sparse_values_64)(const double* entries, const std::int64_t* columns, std::size_t n, double unit,
                             const double* panel, const double* sizes, double* out);
    // out = (x - shift) unit; returns the sum of its squares.
    double (*frame_f64)(const double* x, const double* shift, double unit, std::size_t p, double* out);
    double (*frame_f32)(const float* x, const double* shift, double unit, std::size_t p, double* out);
    // sum_j (x_j - c_j)^2
    double (*apart)(const double* x, const double* c, std::size_t p);
    // sum += a x
    void (*add)(double a, const double* x, std::size_t p, double* sum);
};

const CenterHot& center_hot();  // of the current level

}  // namespace pellucid

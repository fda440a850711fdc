// Nearest rows by cells: rows are put into cells by k-means, and a query looks at the rows of the cells whose centers
// are nearest. Which cells are looked at is the approximation; within them the answer is exact.
//
// With c the center of a cell, x one of its rows and q a query,
//
//   |q - x|^2 = |q - c|^2 + |x - c|^2 - 2 (q - c)(x - c)
//
// The last product is taken in single precision for many queries and rows at a time (scan_hot.hpp). Numbers relative to
// the center of the cell keep its rounding error below
//
//   m = (d + 16) 2^-24 (|q - c| + |x - c|)^2
//
// so every row whose value lies within 2 m of the k-th smallest is looked at again in double precision, by the
// metric itself; the answer is that of a scan of those cells in double precision. Cosine distance of rows of length 1
// is half the square above; a row of zeros, whose distance to all is 1, gets 1 added to its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// Everything that a search needs besides the rows: plain arrays. Numbers are scale x - center.
struct Lists {
    std::vector<double> center;              // d
    double scale = 1;                        // a power of two that brings the farthest number below 1
    std::vector<float> cells;                // cells x d: their centers
    std::vector<float> cell_panels;          // the same in panels of sixteen
    std::vector<float> cell_sizes;           // |c|^2, infinite for those that fill up the last panel
    std::vector<float> radii;                // the largest |x - c| of each cell
    std::vector<std::int64_t> starts;        // rows of cell c: order[starts[c]] to order[starts[c + 1] - 1], ascending
    std::vector<std::int64_t> order;         // n
    std::vector<std::int64_t> panel_starts;  // panels of cell c
    std::vector<float> panels, sizes;        // x - c by panels, and |x - c|^2
};

struct ListsView {
    std::span<const double> center;
    double scale = 1;
    std::span<const float> cells, cell_panels, cell_sizes, radii;
    std::span<const std::int64_t> starts, order, panel_starts;
    std::span<const float> panels, sizes;

    Size count() const { return radii.size(); }
    Size cols() const { return center.size(); }
    Size rows_in(Size cell) const { return static_cast<Size>(starts[cell + 1] - starts[cell]); }
};
ListsView view_of(const Lists& lists);

struct ListsSettings {
    Size cells = 1;
    Size rounds = 10;        // of k-means
    Size rows_a_cell = 64;   // that k-means looks at, at most
    std::uint64_t seed = 0;  // of the rows it looks at and begins with
};

// rows must be dense.
Lists build_lists(const Matrix& rows, const Metric& metric, const ListsSettings& settings, int threads);

// The k nearest rows among those of the `probes` nearest cells; of twice as many, and again, until they have k rows.
void lists_nearest(const ListsView& lists, const Matrix& rows, const Matrix& queries, Size k, Size probes,
                   const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads);

// All rows within a radius, exactly: a cell is left out if all of it lies beyond.
Neighborhoods lists_within(const ListsView& lists, const Matrix& rows, const Matrix& queries, double radius,
                           const Metric& metric, int threads);

// The numbers of the nearest cells of each query, nearest first: queries x probes. Only the cells are looked at.
void lists_order(const ListsView& lists, const Matrix& queries, Size probes, std::span<std::int32_t> cells,
                 int threads);

}  // namespace pellucid

// What a histogram keeps of the rows in a bin.
//
// A statistic S is an object with
//
//   Row                 what is known of a row: a class, a number, a gradient and its curvature
//   Cell                the numbers it sums up
//   width()             cells a bin
//   add(cells, row)     one row more
//
// Sums of disjoint sets of rows add cell by cell, so that a node's histogram less one child's is the other's.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/base/views.hpp"

namespace pellucid {

template <class S>
concept Statistic = requires(const S& s, typename S::Cell* cells, const typename S::Row& row) {
    { s.width() } -> std::same_as<Size>;
    s.add(cells, row);
};

// Two classes without weights: rows in the lower half of a number, those of class 1 in the upper. One addition a row;
// whole numbers, so that no order of the rows changes a bit. Row has a `code`.
template <class RowType>
struct CountsOfTwo {
    using Row = RowType;
    using Cell = std::uint64_t;

    static Size width() { return 1; }
    static void add(Cell* cell, const Row& row) { *cell += 1 + (Cell{row.code} << 32); }
    static double rows(Cell cell) { return static_cast<double>(static_cast<std::uint32_t>(cell)); }
    static double ones(Cell cell) { return static_cast<double>(cell >> 32); }
};

// Rows of each class, without weights.
template <class RowType>
struct CountsOfClasses {
    using Row = RowType;
    using Cell = std::uint32_t;
    Size classes = 0;

    Size width() const { return classes; }
    static void add(Cell* cells, const Row& row) { ++cells[row.code]; }
};

// A gradient and its curvature, as boosting sums them up, and rows.
struct Slope {
    float gradient, curvature;
};
struct SlopeSums {
    using Row = Slope;
    using Cell = double;

    static Size width() { return 3; }
    static void add(Cell* cells, const Row& row) {
        cells[0] += static_cast<double>(row.gradient);
        cells[1] += static_cast<double>(row.curvature);
        cells[2] += 1;
    }
};

}  // namespace pellucid

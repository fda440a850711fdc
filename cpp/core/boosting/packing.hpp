// Gradient, curvature and number of rows as whole numbers in one word of 64 bits.
//
// Words are not kept: they are made of the slopes of a node's rows whenever its histogram is counted. That takes 0.8 ns
// a row, a tenth of what counting 28 columns takes, and saves eight bytes a row.
//
// One addition sums up all three, subtraction is exact, and no order of the rows, blocks or threads changes a bit. A
// row's gradient becomes the whole number q with mean g / step (rounded up or down at random, by the row's number and
// the tree's), so that sums have no bias. The steps are as small as the number of rows of a node allows without any sum
// leaving its field:
//
//   large nodes   | gradient, 32 bits | curvature, 32 bits |                     no room for the rows
//   small nodes   | gradient          | curvature          | rows, as needed |   steps of the node's own
//   curvature 1   | gradient, 32 bits | rows, 32 bits      |                     the curvature is the number of rows
//
// Only the search for splits reads these sums: what a leaf answers comes from its rows' gradients themselves. Instead
// of words a histogram may hold sums in floating point, three numbers a cell: about half as fast, and a check of what
// rounding costs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/base/views.hpp"
#include "core/boosting/boost_hot.hpp"

namespace pellucid::boosting {

using Word = std::uint64_t;

// The same in floating point. Its bits depend on the order of the rows, which is the same for any number of threads.
struct Sums {
    double gradient = 0, curvature = 0, rows = 0;

    Sums& operator+=(const Sums& other) {
        gradient += other.gradient;
        curvature += other.curvature;
        rows += other.rows;
        return *this;
    }
    Sums& operator-=(const Sums& other) {
        gradient -= other.gradient;
        curvature -= other.curvature;
        rows -= other.rows;
        return *this;
    }
    friend Sums operator-(Sums a, const Sums& b) { return a -= b; }
};

inline bool is_empty(Word w) { return w == 0; }
inline bool is_empty(const Sums& s) { return s.rows == 0; }

// Nodes of at most so many rows count them.
inline constexpr Size kSmallNode = 8192;

// Of some rows: what their gradients are at most.
struct Extent {
    float gradient = 0, curvature = 0;  // greatest |g| and h

    void cover(float gradient_size, float of_curvature) {
        gradient = std::max(gradient, gradient_size);
        curvature = std::max(curvature, of_curvature);
    }
};

struct Packing {
    Fields fields;
    double gradient_step = 1, curvature_step = 1;
    bool constant = false;  // every row has the same curvature, which is not written into its word
    std::uint32_t key = 0;  // what rounding is drawn by

    bool counts() const { return fields.count_mask != 0; }
    double gradient(Word w) const {
        return static_cast<double>(static_cast<std::int64_t>(w) >> fields.gradient_shift) * gradient_step;
    }
    double curvature(Word w) const {
        return static_cast<double>(w >> fields.curvature_shift & fields.curvature_mask) * curvature_step;
    }
    Size rows(Word w) const { return static_cast<Size>(w & fields.count_mask); }
    double gradient(const Sums& s) const { return s.gradient; }
    double curvature(const Sums& s) const { return s.curvature; }
    Size rows(const Sums& s) const { return static_cast<Size>(s.rows); }

    // Of a worth in steps.
    double unit() const { return gradient_step * gradient_step / curvature_step; }

    // Of sums in floating point, which know their rows and have no steps.
    static Packing of_sums() {
        Packing out;
        out.fields.count_mask = 1;
        out.gradient_step = out.curvature_step = 0;
        return out;
    }

    // constant: every row in use has the curvature extent.curvature.
    static Packing of(Size rows, const Extent& extent, bool constant, Size small_node = kSmallNode) {
        Packing out;
        out.constant = constant;
        const double n = static_cast<double>(std::max<Size>(rows, 1));
        const bool small = !constant && rows <= small_node;
        const int count_bits = small ? static_cast<int>(std::bit_width(rows)) : 0;
        const int curvature_bits = small ? std::min((64 - count_bits) / 2, 32) : 32;
        Fields& f = out.fields;
        f.curvature_shift = count_bits;
        f.gradient_shift = count_bits + curvature_bits;
        f.curvature_mask = (Word{1} << curvature_bits) - 1;
        f.count_mask = constant ? f.curvature_mask : (Word{1} << count_bits) - 1;
        const int gradient_bits = 64 - f.gradient_shift;
        const double most_gradient = std::min((std::ldexp(1.0, gradient_bits - 1) - 1) / n - 1, 0x1p30);
        // Whole, so that the greatest curvature, which many rows may share, is not rounded.
        const double most_curvature =
            constant ? 1 : std::max(std::floor(std::min((std::ldexp(1.0, curvature_bits) - 1) / n - 1, 0x1p30)), 1.0);
        f.gradient_sign = Word{1} << (gradient_bits - 1);
        f.gradient_offset = 0x1p52 + std::ldexp(1.0, gradient_bits - 1);
        out.gradient_step = extent.gradient > 0 ? extent.gradient / most_gradient : 1;
        out.curvature_step = extent.curvature > 0 ? extent.curvature / most_curvature : 1;
        return out;
    }
};

// The words of some rows, side by side: rows[0], rows[1], ..., or row first, first + 1, ... where rows is null. of_row:
// the slopes of all rows.
void write_words(const Packing& packing, const Slope* of_row, const std::uint32_t* rows, Size first, Size n, Word* to);
void write_words(const Packing& packing, const Slope* of_row, const std::uint32_t* rows, Size first, Size n, Sums* to);

}  // namespace pellucid::boosting

// The innermost loops of boosting, compiled once per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid::boosting {

// A row's first and second derivative of the loss.
struct Slope {
    float gradient, curvature;
};

// Where gradient, curvature and rows lie in a word (packing.hpp).
struct Fields {
    int gradient_shift = 32, curvature_shift = 0;
    std::uint64_t curvature_mask = 0xFFFFFFFF;
    std::uint64_t count_mask = 0;                          // the rows are the lowest bits; 0: not counted
    std::uint64_t gradient_sign = std::uint64_t{1} << 31;  // of the gradient after the shift
    double gradient_offset = 0x1p52 + 0x1p31;              // 2^52 + gradient_sign
};

// What a cut is judged by, in steps of the packing: l1 in gradient steps, the others in curvature steps.
struct Judging {
    Fields fields;
    double l1 = 0, l2 = 0;
    double min_curvature = 0, min_rows = 0;
    std::uint64_t total = 0;  // of the node
};

// What memory is asked for while something else is done: the line of base + rows[i] stride, i < n.
struct Ahead {
    const void* base = nullptr;
    std::size_t stride = 0;
    const std::uint32_t* rows = nullptr;
    std::size_t n = 0;
};

struct BoostHot {
    // words[i] of slopes[i], which are those of rows[i] (or of row first + i where rows is null), gradients and
    // curvatures divided by their steps and rounded at random by (key, row); `add` to each (a row that is counted,
    // say).
    void (*pack)(const Slope* slopes, const std::uint32_t* rows, std::size_t first, std::size_t n, double per_gradient,
                 double per_curvature, const Fields* fields, std::uint32_t key, std::uint64_t add,
                 std::uint64_t* words);

    // Adds words[i] to the cell of each column in which rows[i] (or row i where rows is null) lies. codes: of a group
    // of eight columns, eight bytes a row, `stride` bytes from row to row; cells[k]: where the cells of its k-th column
    // begin; columns: 1 to 8. ahead: asked for meanwhile, where rows is null.
    void (*count)(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows, const std::uint64_t* words,
                  std::size_t n, std::uint64_t* const* cells, std::size_t columns, const Ahead* ahead);

    // The n rows of `from` (or rows first, first + 1, ... where it is null) whose byte is of the left side to the front
    // of `to`, the others from its end on backwards; how many go left. The byte of row r is codes[r stride]; three
    // bytes behind the last one may be read. sides: 256.
    std::size_t (*part)(const std::uint32_t* from, std::size_t first, std::size_t n, const std::uint8_t* codes,
                        std::size_t stride, const bool* sides, std::uint32_t* to);

    // Cells that are not 0, side by side; how many. `words` has room for a whole vector more.
    std::size_t (*compact)(const std::uint64_t* cells, std::size_t n, std::uint64_t* words);
    // to[i] += from[i], to[i] -= from[i].
    void (*add)(const std::uint64_t* from, std::size_t n, std::uint64_t* to);
    void (*subtract)(const std::uint64_t* from, std::size_t n, std::uint64_t* to);

    // With left[k] the words on the left of cut k: scores[k] = T(gl)² / (hl + l2) + T(gr)² / (hr + l2), or minus
    // infinity where a side is too small; returns the greatest. `left` and `scores` have room for a whole vector more.
    double (*judge)(const std::uint64_t* left, std::size_t cuts, const Judging* by, double* scores);
};

const BoostHot& boost_hot();  // of the current level

}  // namespace pellucid::boosting

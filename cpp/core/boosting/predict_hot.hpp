// The innermost loops of prediction by boosted trees, compiled once per SIMD level.
//
// Values of rows are small numbers, a byte each: of the thresholds that trees ask a column for, how many lie below the
// value. `kLane` rows go together; their bytes of one column are a lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid::boosting {

inline constexpr std::size_t kLane = 256;        // rows
inline constexpr std::size_t kLine = 64;         // bytes of a cache line, and of the longest vector
inline constexpr std::size_t kMostEdges = 255;   // that a byte can count
inline constexpr std::size_t kMostLeaves = 256;  // that a byte can name

// A choice between two answers: `right` for rows with (code & bits) > cut in the lane, else `left`. Answers are bytes
// in a desk of lines: line k < kMostLeaves holds k in every byte, the name of a leaf, and is good for all rows (step
// 0); behind them lie the lanes of answers that were chosen before (step 1: a line for each kLine rows).
struct Choice {
    std::uint32_t lane;  // lines before it
    std::uint16_t left, right, into;
    std::uint8_t left_step, right_step;
    std::uint8_t bits, cut;
};
static_assert(sizeof(Choice) == 16);

struct PredictHot {
    // What kLane values have below them, of 2^levels - 1 edges in the order of a search: the middle one, those in the
    // middle of both halves, and so on; no value is above those that fill up. A missing value counts 0 in `low`, and
    // 255 in `high`.
    bool (*code_singles)(const float* x, const float* edges, int levels, std::uint8_t* low, std::uint8_t* high);
    bool (*code_doubles)(const double* x, const double* edges, int levels, std::uint8_t* low, std::uint8_t* high);

    // Makes the choices one after the other.
    void (*choose)(const Choice* choices, std::size_t n, const std::uint8_t* lanes, std::uint8_t* desk);

    // Of a tree that asks all rows the same: bit n - 1 - k of the answer is set where choice k goes right.
    void (*collect)(const Choice* choices, std::size_t n, const std::uint8_t* lanes, std::uint8_t* answer);

    // scores[r] += values[answer[r]] for kLane rows; there are room numbers of values, a power of two from 8 to
    // kMostLeaves.
    void (*add)(const std::uint8_t* answer, const double* values, std::size_t room, double* scores);
};

const PredictHot& predict_hot();  // of the current level

}  // namespace pellucid::boosting

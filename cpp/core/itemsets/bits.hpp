// Rows of bits, one bit a basket: what they have in common, and how many that are. Compiled once per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid::itemsets {

struct BitRows {
    // Meets `with` and each of n rows of so many words, one row behind the other:
    //   out = with & row,  count = number of ones in it,
    // and keeps those with count >= least, one behind the other: which row it was, its count, and the bits.
    // out, counts and kept have room for n. Returns how many were kept.
    std::size_t (*meet)(const std::uint64_t* with, const std::uint64_t* rows, std::size_t n, std::size_t words,
                        std::uint32_t least, std::uint64_t* out, std::uint32_t* counts, std::uint32_t* kept);
    // The number of ones in a & b.
    std::uint32_t (*shared)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
};

const BitRows& bit_rows();  // of the current level

}  // namespace pellucid::itemsets

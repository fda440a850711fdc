// Edit distances of one text to many short ones at a time: each lane of a vector holds the column of one of them.
// Compiled once per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

inline constexpr std::size_t kSharedDepth = 64;  // letters of a common beginning whose columns are kept

// Texts in sorted order; those of a run of equal beginnings share the columns of it.
struct SortedTexts {
    const std::uint32_t* const* letters;
    const std::size_t* lengths;
    const std::size_t* shared;  // letters in common with the text before, at most kSharedDepth
    std::size_t count;
};

// Some patterns side by side. Row 0 of the masks is for letters that no pattern has.
struct PatternGroup {
    const std::uint16_t* row_of;  // letter -> row of masks
    const unsigned char* masks;   // rows x `bytes`: a word a lane
    const unsigned char* places;  // `bytes`: the bits of each lane that its pattern has
};

struct EditHot {
    std::size_t bytes;  // of a group's lanes together
    // For words of 1, 2, 4, 8 bytes: out[t * stride + lane] = D - (letters of the text) for Levenshtein, the length of
    // the longest common subsequence for indel. `scratch` has room for 2 (kSharedDepth + 1) bytes.
    using Run = void (*)(const SortedTexts&, const PatternGroup&, unsigned char* scratch, std::int8_t* out,
                         std::size_t stride);
    Run levenshtein[4], indel[4];
};

const EditHot& edit_hot();  // of the current level

}  // namespace pellucid

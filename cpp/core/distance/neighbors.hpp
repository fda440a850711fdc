// All pairs of texts that lie within few edits of each other, without comparing all pairs.
//
// Texts at most k edits apart (insertion, deletion, substitution, two neighbors that change places) have a common
// subsequence that lacks at most k letters of either. So of the texts that are left when up to k letters are deleted
// from each, one is the same (Mor and Fraenkel 1982), and only texts that share one need be compared.
//
// A text of n letters has 1 + n + n(n-1)/2 such remainders for k = 2. For long texts the same is said of their first 8
// and last 8 letters together: k1 edits at the front and k2 at the back with k1 + k2 <= k, at most 138 remainders. Both
// ends at once, because texts with a common beginning ("University of ...") are many and differ at the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/distance/text_set.hpp"

namespace pellucid {

struct ClosePair {
    std::int64_t left, right;  // left < right
    std::int64_t distance;
};

// most[t]: how many edits text t may be away, at most 2; a pair may have as many as the stricter of its two texts.
// side[t]: a pair needs the bit 1 of one of its texts and the bit 2 of the other. In order of left, then right.
std::vector<ClosePair> close_pairs(const TextSet& texts, std::span<const std::uint8_t> most,
                                   std::span<const std::uint8_t> side, int threads);

}  // namespace pellucid

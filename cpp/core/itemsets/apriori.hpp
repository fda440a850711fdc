// Frequent sets level by level.
#pragma once

#include "core/itemsets/baskets.hpp"
#include "core/itemsets/found.hpp"

namespace pellucid::itemsets {

// What became of the candidates of one length.
struct LevelCount {
    std::int64_t joined = 0;    // made of two frequent sets that differ in their last item
    std::int64_t pruned = 0;    // of these, with a part that is not frequent: not counted
    std::int64_t frequent = 0;  // of those counted
};

// A candidate: places of the two sets it was joined of (for single items the item's code, and 0), the place of the item
// whose removal leaves a set that is not frequent (-1: there is none), and how many baskets have it (-1: not counted).
struct Candidate {
    std::int64_t length, left, right, without, count;
};

struct AprioriResult {
    Found found;
    std::vector<LevelCount> levels;
    std::vector<Candidate> candidates;  // where they are asked for
};

// Agrawal and Srikant (1994): sets of k + 1 items are joined of frequent sets of k items that share all but the last;
// one with a part of k items that is not frequent is not counted, as it can be in no more baskets than the part. Pairs
// are counted basket by basket; longer ones too where baskets hold few items, else by rows of bits: the baskets of all
// items but the last, and those of the last.
AprioriResult apriori(const Baskets& baskets, const Settings& settings, bool record, int threads);

}  // namespace pellucid::itemsets

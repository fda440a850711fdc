// Rules between the parts of frequent sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::itemsets {

// Frequent sets by length; each has its place, counted through all levels.
struct Levels {
    std::vector<std::span<const std::int32_t>> codes;  // sets x length, of length 1, 2, ...
    std::span<const std::int64_t> counts;              // of all sets, in order
};

struct RuleSettings {
    double least;        // confidence
    Size longest;        // items that a consequent may have, at least 1
    std::uint64_t most;  // rules that may be found
};

struct FoundRules {
    std::vector<std::uint32_t> places;  // rules x 3: places of the whole set, the antecedent, the consequent
    bool complete = true;               // false: there are more than `most`, and places are empty
};

// Every rule X -> Y with X and Y parts of a frequent set Z = X + Y and
//   confidence = count(Z) / count(X) >= least,
// in the order of Z, then of X. Consequents grow item by item: taking an item from X to Y can only enlarge count(X), so
// where a consequent fails, every larger one does (Agrawal and Srikant 1994). Every part of a set that is given must be
// given too.
FoundRules rules_of(const Levels& levels, const RuleSettings& settings, int threads);

}  // namespace pellucid::itemsets

// RIPPER: rules by repeated incremental pruning to produce error reduction (Cohen 1995, "Fast effective rule
// induction"). Classes have their turn one after the other; the last one is what remains.
//
//   for each class but the last
//     IREP*: until the description length says stop
//       split the rows that no rule covers yet into a growing and a pruning part
//       grow a rule by FOIL's gain, prune it, add it
//     delete rules without which rules and errors take no more bits
//     `optimizations` times
//       for each rule: the original, a replacement grown from nothing, a revision grown from the original;
//       both pruned for the accuracy of the whole set; the one with the shortest description stays
//       cover what is left by IREP*, delete rules again
//     rows that the rules cover leave the table
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/trace.hpp"
#include "core/rules/ripper_grow.hpp"
#include "core/rules/ripper_table.hpp"

namespace pellucid::rules {

struct RipperSettings {
    double folds = 3;  // one of so many parts is for pruning
    Size optimizations = 2;
    GrowLimits grow;
    bool prune = true;
    PruneValue prune_by = PruneValue::laplace;
    bool check_error = true;
    Size max_rules = std::numeric_limits<Size>::max();
    std::uint64_t seed = 0;
    int threads = 1;
};

struct RipperRule {
    Tests tests;
    std::int32_t place = 0;      // its class
    std::vector<double> counts;  // weight of each class among the rows that it is the first to cover
};

struct RipperRules {
    std::vector<RipperRule> rules;
    std::vector<double> left;  // weight of each class among the rows that no rule covers
};

template <class Trace>
RipperRules ripper(const CodedTable& table, const RipperSettings& settings, Trace& trace);

}  // namespace pellucid::rules

// PRISM (Cendrowska 1987): rules that are right, one class after the other.
//
// For a class, with E all rows: while E holds rows of the class, a rule begins without conditions and takes, of all
// conditions  column = value  on columns it does not use yet, the one with the largest share  p / t  (t rows of E that
// the rule with it covers, p of them of the class); of equals the one with the larger p, then the first column, then
// the first value. It ends when the share is large enough, or nothing is left to ask; its rows leave E.
//
// Counts of E are kept up to date, and a tournament over them has the best first condition at its top; so are those of
// first conditions that cover many rows, as many rules begin alike. Weights are whole numbers: counts are exact, and
// nothing depends on an order of sums. Classes are independent of each other: one block each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::rules {

struct PrismTable {
    std::span<const std::int32_t> codes;   // column after column, rows each; -1 is missing
    std::span<const std::int64_t> sizes;   // values of each column
    std::span<const std::int32_t> labels;  // class of each row
    std::span<const std::int64_t> weight;  // of each row, above zero
    Size classes = 1;

    Size rows() const { return labels.size(); }
    Size cols() const { return sizes.size(); }
};

struct PrismLimits {
    double accuracy = 1.0;       // a rule ends when p / t is at least this
    std::int64_t least = 1;      // t of a condition must be at least this
    Size conditions = Size(-1);  // most of them in a rule
};

// Rule i concludes label[i] from conditions starts[i] .. starts[i + 1]: feature = code. right (p) and covered (t) are
// those of the rule with its conditions up to this one.
struct PrismRules {
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> feature;
    std::vector<std::int32_t> code;
    std::vector<std::int64_t> right;
    std::vector<std::int64_t> covered;
};

PrismRules prism(const PrismTable& table, const PrismLimits& limits, int threads);

}  // namespace pellucid::rules

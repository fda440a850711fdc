// A split of a node in two, as finders propose it and growers carry it out.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/views.hpp"
#include "core/tree/nodes.hpp"

namespace pellucid::tree {

inline constexpr double kNone = -std::numeric_limits<double>::infinity();

// A test on another column that sends rows the same way as a split: x <= threshold, that is rank <= cut, goes left, or
// right if reversed.
struct Surrogate {
    std::int32_t feature = -1;
    double threshold = 0;
    std::uint32_t cut = 0;
    bool reverse = false;
    double agreed = 0;  // weight of the rows that it sends the same way
};

// The candidate with the higher score wins; of equal ones the first: finders go through the columns in rising order,
// and through the cuts of a column in rising order, missing values to the right before missing values to the left.
struct Split {
    double score = kNone;       // by the criterion, higher is better; of one node only comparable with its own
    std::int32_t feature = -1;  // -1: there is no split
    Test test = Test::leaf;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t cut = 0;                   // numbers: rank <= cut goes left
    std::vector<std::uint32_t> codes;        // categories of the node that go left, rising
    std::vector<std::uint32_t> right_codes;  // and right; filled in when the split is carried out
    bool missing_left = false;               // where missing values of the node's rows go
    bool has_missing = false;                // whether there are any
    std::vector<Surrogate> surrogates;       // tried in turn for a missing value, before missing_left

    explicit operator bool() const { return feature >= 0; }
};

// What both sides of a split must have.
struct Limits {
    Size min_rows = 1;
    double min_weight = 0;
    // The answers of both sides lie between these, and in the order that `monotone` says: +1 rising, -1 falling.
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    int monotone = 0;

    // a, b: what the left and the right side would answer.
    bool allow(double a, double b) const {
        return a >= lower && b >= lower && a <= upper && b <= upper && (a - b) * monotone <= 0;
    }
};

// The number between two neighbouring values a < b of which x <= number tells them apart. Halves are added, so that
// nothing overflows; where the sum rounds to b, or below a, it is a.
inline double midpoint(double a, double b) {
    const double mid = a / 2 + b / 2;
    return mid >= a && mid < b ? mid : a;
}

}  // namespace pellucid::tree

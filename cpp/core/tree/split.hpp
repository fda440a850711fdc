// A split of a node in two, as finders propose it and growers carry it out.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/views.hpp"
#include "core/tree/nodes.hpp"

namespace pellucid::tree {

inline constexpr double kNone = -std::numeric_limits<double>::infinity();

// A list that few have: one pointer where it is empty.
template <class T>
class RareList {
  public:
    RareList() = default;
    RareList(std::vector<T> items) : items_(kept(std::move(items))) {}
    RareList(const RareList& other) : items_(other.empty() ? nullptr : kept(*other.items_)) {}
    RareList(RareList&&) noexcept = default;
    RareList& operator=(RareList other) noexcept {
        items_ = std::move(other.items_);
        return *this;
    }

    bool empty() const { return items_ == nullptr; }
    const T* begin() const { return empty() ? nullptr : items_->data(); }
    const T* end() const { return empty() ? nullptr : items_->data() + items_->size(); }
    const T& back() const { return items_->back(); }

  private:
    using Items = std::unique_ptr<std::vector<T>>;
    static Items kept(std::vector<T> items) {
        return items.empty() ? nullptr : std::make_unique<std::vector<T>>(std::move(items));
    }
    Items items_;
};

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
    double score = kNone;  // by the criterion, higher is better; of one node only comparable with its own
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::int32_t feature = -1;  // -1: there is no split
    std::uint32_t cut = 0;      // numbers: rank <= cut goes left
    Test test = Test::leaf;
    bool missing_left = false;            // where missing values of the node's rows go
    bool has_missing = false;             // whether there are any
    RareList<std::uint32_t> codes;        // categories of the node that go left, rising
    RareList<std::uint32_t> right_codes;  // and right; filled in when the split is carried out
    RareList<Surrogate> surrogates;       // tried in turn for a missing value, before missing_left

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

// The number between two neighboring values a < b of which x <= number tells them apart. Halves are added, so that
// nothing overflows; where the sum rounds to b, or below a, it is a.
inline double midpoint(double a, double b) {
    const double mid = a / 2 + b / 2;
    return mid >= a && mid < b ? mid : a;
}

}  // namespace pellucid::tree

// The rules of one class together: which rows they cover, and how many bits rules and errors take.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/rules/ripper_grow.hpp"

namespace pellucid::rules {

// A set of rows, a bit each.
class RowBits {
  public:
    RowBits() = default;
    explicit RowBits(Size rows, bool full = false);
    static RowBits covered_by(const ClassRows& all, const Tests& tests);

    bool has(Size row) const { return words_[row / 64] >> (row % 64) & 1; }
    bool none() const;
    RowBits& operator|=(const RowBits& other);
    RowBits& operator&=(const RowBits& other);
    RowBits& subtract(const RowBits& other);
    template <class F>
    void each(F&& f) const {
        for (Size w = 0; w < words_.size(); ++w)
            for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
                f(64 * w + static_cast<Size>(std::countr_zero(bits)));
    }
    Coverage weight(const ClassRows& all) const;

  private:
    std::vector<std::uint64_t> words_;
};

struct SetRule {
    Tests tests;
    RowBits covered;
};

// What is the same for all rules of a class: the weights of all rows, the share of the class that is expected among
// errors, and how many conditions there are to choose from.
struct LengthFrame {
    Coverage all;
    double expected = 0.5;
    double possible = 1.0;
};

struct Length {
    double data = 0.0;
    double rules = 0.0;
    Coverage covered;
    Size kept = 0;
    double total() const { return data + rules; }
};

// Lengths closer together than this many bits are equal.
inline constexpr double kSameLength = 1e-6;

// Rules that can be taken out again, and the length of what is left.
class Described {
  public:
    Described(const ClassRows& all, const LengthFrame& frame, const std::vector<SetRule>& rules);
    Length length() const;
    // The length without a rule that is still in.
    Length length_without(Size rule) const;
    void remove(Size rule);
    bool is_in(Size rule) const { return in_[rule] != 0; }

  private:
    Coverage alone(Size rule) const;  // weight of the rows that no other rule covers
    Length length_of(Coverage covered, double bits, Size kept) const;

    const ClassRows& all_;
    const LengthFrame& frame_;
    const std::vector<SetRule>& rules_;
    std::vector<std::uint32_t> times_;  // how many rules cover a row
    std::vector<std::uint8_t> in_;
    Coverage covered_;
    double bits_ = 0.0;
    Size kept_ = 0;
};

}  // namespace pellucid::rules

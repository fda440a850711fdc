// Which rules fire for which rows.
//
// Tests of single columns are numbered. A test holds for a value x of its column if
//
//   low <= x <= high                          where its table is empty,
//   bit x of the table is set, x a code       otherwise
//
// or, if it is excluded, if x is known and that is not so; whether it holds for a missing value (NaN) is said apart. A
// rule is a list of steps in postfix order: the number of a test, or one of the steps below. Tests are worked out for
// 64 rows at a time, as the bits of a word, and only when a rule asks for them; rules that begin alike are tried
// together (match_tree.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::rules {

inline constexpr std::int32_t kAnd = -1;
inline constexpr std::int32_t kOr = -2;
inline constexpr std::int32_t kAlways = -3;
inline constexpr std::int32_t kNever = -4;

inline constexpr std::uint8_t kExcluded = 1;
inline constexpr std::uint8_t kMissing = 2;

struct Program {
    std::span<const std::int32_t> feature;      // of each test
    std::span<const double> low;                // of each test
    std::span<const double> high;               // of each test
    std::span<const std::uint8_t> flags;        // of each test: kExcluded | kMissing
    std::span<const std::int64_t> table_start;  // tests + 1
    std::span<const std::uint32_t> table;       // bits of codes
    std::span<const std::int32_t> steps;        // of all rules
    std::span<const std::int64_t> starts;       // rules + 1

    Size tests() const { return feature.size(); }
    Size rules() const { return starts.size() - 1; }
};

inline Size words_of(Size rows) { return (rows + 63) / 64; }

// Is the program one that the functions below can run on a table of that many columns?
bool is_valid(const Program& program, Size cols);

// rules x words_of(rows): bit r % 64 of word r / 64 says whether the rule fires for row r.
std::vector<std::uint64_t> rule_bits(const Matrix& x, const Program& program, int threads);

// Which rules may decide for which rows: those whose label is allowed, rows x classes flags; nothing allowed: all.
struct Allowed {
    std::span<const std::int32_t> labels;  // of each rule
    std::span<const std::uint8_t> flags;
    Size classes = 0;
};

// Number of the first rule that fires and may decide for each row, -1 where none does.
std::vector<std::int32_t> first_rule(const Matrix& x, const Program& program, const Allowed& allowed, int threads);

// rows x classes: sum of the weights of the rules that fire, by the class that they conclude.
std::vector<double> rule_votes(const Matrix& x, const Program& program, std::span<const std::int32_t> labels,
                               std::span<const double> weight, Size classes, int threads);

// The rules that fire for row r, in their order: rules[starts[r] .. starts[r + 1]).
struct Fired {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> rules;
};
Fired fired_rules(const Matrix& x, const Program& program, int threads);

// rules x classes: weight (empty: number) of the rows of each class for which a rule fires. Codes below zero are left
// out.
std::vector<double> rule_counts(std::span<const std::uint64_t> bits, std::span<const std::int32_t> codes,
                                std::span<const double> weight, Size classes, int threads);

struct Overlap {
    std::int32_t rule, other;  // rule < other
    std::int64_t rows;         // for which both fire
};

// Pairs of rules with different labels that fire for the same rows, in the order of the rules.
std::vector<Overlap> rule_conflicts(std::span<const std::uint64_t> bits, Size words,
                                    std::span<const std::int32_t> labels, int threads);

}  // namespace pellucid::rules

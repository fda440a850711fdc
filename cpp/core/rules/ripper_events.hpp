// What RIPPER tells about itself. `split` numbers the splits of a fit, `variant` says which rule was grown from it.
#pragma once

#include <array>
#include <string_view>

namespace pellucid::rules {

enum class Variant : int { added = 0, replacement = 1, revision = 2, original = 3 };

// The best condition of each column at a step of growing.
struct GrowStep {
    static constexpr std::string_view name = "grow";
    static constexpr std::array<std::string_view, 13> columns{
        "split", "variant", "step", "column", "sign", "value", "P", "N", "p", "n", "gain", "chosen", "place"};
    std::array<double, 13> cells;
    auto values() const { return cells; }
};

// The beginnings of a rule on the pruning rows.
struct PruneStep {
    static constexpr std::string_view name = "prune";
    static constexpr std::array<std::string_view, 9> columns{"split", "variant", "conditions", "P",   "N",
                                                             "p",     "n",       "value",      "kept"};
    std::array<double, 9> cells;
    auto values() const { return cells; }
};

// A condition of a rule as it came from a split, pruned ones among them.
struct RuleTest {
    static constexpr std::string_view name = "tests";
    static constexpr std::array<std::string_view, 7> columns{"split", "variant", "number", "column",
                                                             "sign",  "value",   "kept"};
    std::array<double, 7> cells;
    auto values() const { return cells; }
};

// Description length of the rules of a class with a rule: `added` ones are weighed as they come, variants in turn.
struct Weighed {
    static constexpr std::string_view name = "weighed";
    static constexpr std::array<std::string_view, 19> columns{
        "place", "round", "position", "split",    "variant",  "conditions", "p",         "n",        "rules", "P",
        "N",     "tp",    "fp",       "expected", "possible", "data_bits",  "rule_bits", "shortest", "taken"};
    std::array<double, 19> cells;
    auto values() const { return cells; }
};

// A rule looked at for deletion.
struct Deletion {
    static constexpr std::string_view name = "deletions";
    static constexpr std::array<std::string_view, 8> columns{"place", "round", "position", "p",
                                                             "n",     "with",  "without",  "deleted"};
    std::array<double, 8> cells;
    auto values() const { return cells; }
};

}  // namespace pellucid::rules

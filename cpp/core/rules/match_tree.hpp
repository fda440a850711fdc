// Rules that are tests joined by AND, as a tree: rules that begin alike share the way from the root.
//
// Rows go down it 64 at a time, and a branch ends where none of them is left; therefore the tests of a rule stand in
// the order of how few rules have them, as such tests hold for few rows. The children of a node are sorted by the
// column that they ask; of those that ask a column for one value (`x = 7`) there may be a hundred thousand, so where
// they are more than the rows that are left, the rows' values are looked up among theirs. Measured with 14,325 rules on
// 48,842 rows of 14 columns: MEASURED
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/rules/match.hpp"

namespace pellucid::rules {

struct RuleTree {
    struct Node {
        std::int32_t test = -1;
        std::uint32_t begin = 0, end = 0;              // children
        std::uint32_t rules_begin = 0, rules_end = 0;  // of `order`: those that end here
    };

    std::vector<Node> nodes;             // the first is the root
    std::vector<std::uint32_t> run_end;  // of a node: one after the last sibling that asks its column for one value too
    std::vector<double> value;           // of a node: that value
    std::vector<std::int32_t> order;     // rules in the tree
    std::vector<std::int32_t> others;    // rules that are something else than tests joined by AND

    explicit RuleTree(const Program& program) : program_(program) {
        rank_tests();
        for (Size r = 0; r < program.rules(); ++r)
            (joined_by_and(r) ? order : others).push_back(static_cast<std::int32_t>(r));
        order_tests();
        std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) { return before(a, b); });
        grow();
    }

  private:
    struct Range {
        Size begin, end, depth;  // rules of `order` with the same first `depth` tests
    };

    Size length(std::int32_t r) const {
        const auto i = static_cast<Size>(r);
        return static_cast<Size>(program_.starts[i + 1] - program_.starts[i] + 1) / 2;
    }
    // The k-th test in the tree's order
    Size test(std::int32_t r, Size k) const {
        return static_cast<Size>(tests_[static_cast<Size>(program_.starts[static_cast<Size>(r)]) + k]);
    }
    bool joined_by_and(Size r) const {
        const auto steps = program_.steps.subspan(static_cast<Size>(program_.starts[r]),
                                                  static_cast<Size>(program_.starts[r + 1] - program_.starts[r]));
        bool good = steps[0] >= 0;
        for (Size s = 1; s < steps.size(); ++s) good = good && (s % 2 == 0 ? steps[s] == kAnd : steps[s] >= 0);
        return good;
    }
    bool one_value(Size t) const {
        return program_.low[t] == program_.high[t] && program_.flags[t] == 0 &&
               program_.table_start[t] == program_.table_start[t + 1];
    }

    // Tests in the order of their columns, those for one value first and in the order of the values; equal ones are
    // one.
    void rank_tests() {
        std::vector<Size> sorted(program_.tests());
        std::iota(sorted.begin(), sorted.end(), Size{0});
        const auto column = [&](Size t) { return program_.feature[t]; };
        std::ranges::sort(sorted, [&](Size a, Size b) {
            if (column(a) != column(b)) return column(a) < column(b);
            if (one_value(a) != one_value(b)) return one_value(a);
            if (one_value(a) && program_.low[a] != program_.low[b]) return program_.low[a] < program_.low[b];
            return a < b;
        });
        rank_.resize(sorted.size());
        for (Size i = 0; i < sorted.size(); ++i) {
            const Size t = sorted[i], last = i > 0 ? sorted[i - 1] : t;
            const bool equal = i > 0 && column(t) == column(last) && one_value(t) && one_value(last) &&
                               program_.low[t] == program_.low[last];
            rank_[t] = equal ? rank_[last] : static_cast<std::uint32_t>(i);
        }
    }

    // The tests of each rule, those first that few rules have, from the place on where its steps begin.
    void order_tests() {
        std::vector<std::uint32_t> uses(program_.tests(), 0);
        tests_.resize(program_.steps.size());
        for (const std::int32_t r : order) {
            const auto start = static_cast<Size>(program_.starts[static_cast<Size>(r)]);
            for (Size k = 0; k < length(r); ++k) {
                tests_[start + k] = program_.steps[start + (k == 0 ? 0 : 2 * k - 1)];  // at 0, 1, 3, 5, ...
                ++uses[static_cast<Size>(tests_[start + k])];
            }
        }
        for (const std::int32_t r : order) {
            const auto begin = tests_.begin() + program_.starts[static_cast<Size>(r)];
            std::sort(begin, begin + static_cast<std::ptrdiff_t>(length(r)), [&](std::int32_t a, std::int32_t b) {
                const auto one = static_cast<Size>(a), other = static_cast<Size>(b);
                return uses[one] != uses[other] ? uses[one] < uses[other] : rank_[one] < rank_[other];
            });
        }
    }

    bool before(std::int32_t a, std::int32_t b) const {
        const Size most = std::min(length(a), length(b));
        for (Size k = 0; k < most; ++k) {
            const std::uint32_t one = rank_[test(a, k)], other = rank_[test(b, k)];
            if (one != other) return one < other;
        }
        return length(a) != length(b) ? length(a) < length(b) : a < b;
    }

    void grow() {
        std::vector<Range> ranges{{0, order.size(), 0}};
        nodes.emplace_back();
        run_end.push_back(1);
        value.push_back(0);
        for (Size n = 0; n < nodes.size(); ++n) {  // grows while it is read
            const Range range = ranges[n];
            Size at = range.begin;
            while (at < range.end && length(order[at]) == range.depth) ++at;
            nodes[n].rules_begin = static_cast<std::uint32_t>(range.begin);
            nodes[n].rules_end = static_cast<std::uint32_t>(at);
            nodes[n].begin = static_cast<std::uint32_t>(nodes.size());
            while (at < range.end) {
                const Size t = test(order[at], range.depth);
                Size end = at + 1;
                while (end < range.end && rank_[test(order[end], range.depth)] == rank_[t]) ++end;
                nodes.push_back({static_cast<std::int32_t>(t), 0, 0, 0, 0});
                value.push_back(program_.low[t]);
                ranges.push_back({at, end, range.depth + 1});
                at = end;
            }
            nodes[n].end = static_cast<std::uint32_t>(nodes.size());
            mark_runs(nodes[n]);
        }
    }

    void mark_runs(const Node& node) {
        run_end.resize(nodes.size());
        for (std::uint32_t c = node.end; c-- > node.begin;) {
            const auto t = static_cast<Size>(nodes[c].test);
            run_end[c] = c + 1;
            if (c + 1 == node.end || !one_value(t)) continue;
            const auto next = static_cast<Size>(nodes[c + 1].test);
            if (one_value(next) && program_.feature[next] == program_.feature[t]) run_end[c] = run_end[c + 1];
        }
    }

    const Program& program_;
    std::vector<std::uint32_t> rank_;  // of each test among siblings
    std::vector<std::int32_t> tests_;  // of the rules
};

}  // namespace pellucid::rules

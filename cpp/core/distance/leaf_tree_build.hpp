// Putting rows in the order of a tree: halves of halves, until a leaf is left.
//
// A *rule* says by which numbers a set of rows is parted: `rule(rows, keys, scratch)` writes a key for each row and
// answers false if it sees no difference. The rows with the smaller keys go to the left. Which rows go where depends on
// the rows and the rule alone; subtrees are independent, so the tree is the same on any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/pool.hpp"
#include "core/distance/leaf_tree.hpp"

namespace pellucid {

template <class K>
struct Keyed {
    K key;
    std::int32_t row;
};

struct LeafRange {
    Size first, count;
};

// Parts the rows of a range of leaves in two; answers the parts.
template <class K, class Rule>
std::pair<LeafRange, LeafRange> part_leaves(const Arrangement& a, LeafRange range, std::span<std::int32_t> order,
                                            std::vector<Keyed<K>>& keyed, const Rule& rule) {
    const Size left = leaves_left(range.count), step = a.leaf_rows();
    const Size begin = range.first * step, end = std::min((range.first + range.count) * step, a.rows);
    const Size cut = begin + left * step;
    const auto rows = order.subspan(begin, end - begin);
    keyed.resize(rows.size());
    if (rule(rows, std::span<Keyed<K>>(keyed))) {
        std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(cut - begin), keyed.end(),
                         [](const Keyed<K>& x, const Keyed<K>& y) { return x.key < y.key; });
        for (Size i = 0; i < rows.size(); ++i) rows[i] = keyed[i].row;
    }
    return {{range.first, left}, {range.first + left, range.count - left}};
}

// All levels below a range of leaves.
template <class K, class Rule>
void finish_subtree(const Arrangement& a, LeafRange whole, std::span<std::int32_t> order, const Rule& rule) {
    std::vector<Keyed<K>> keyed;
    std::vector<LeafRange> stack{whole};
    while (!stack.empty()) {
        const LeafRange range = stack.back();
        stack.pop_back();
        if (range.count <= 1) continue;
        const auto [left, right] = part_leaves<K>(a, range, order, keyed, rule);
        stack.push_back(right);
        stack.push_back(left);
    }
}

// Orders all rows: the large parts by `rule`, level by level, and then each small part by `subtree(leaves)`.
template <class K, class Rule, class Subtree>
void order_rows(const Arrangement& a, std::span<std::int32_t> order, int threads, const Rule& rule,
                const Subtree& subtree) {
    constexpr Size kSmall = 1 << 14;  // rows: those of eight columns fit the second-level cache
    for (Size i = 0; i < a.rows; ++i) order[i] = static_cast<std::int32_t>(i);
    std::vector<LeafRange> open{{0, a.counts[0]}}, small;
    while (!open.empty()) {
        std::vector<LeafRange> parts(2 * open.size());
        parallel_for(open.size(), threads, [&](Size i) {
            if (open[i].count * a.leaf_rows() <= kSmall || open[i].count == 1) return;
            std::vector<Keyed<K>> keyed;
            std::tie(parts[2 * i], parts[2 * i + 1]) = part_leaves<K>(a, open[i], order, keyed, rule);
        });
        std::vector<LeafRange> still;
        for (Size i = 0; i < open.size(); ++i) {
            if (parts[2 * i].count == 0)
                small.push_back(open[i]);
            else
                still.insert(still.end(), {parts[2 * i], parts[2 * i + 1]});
        }
        open = std::move(still);
    }
    parallel_for(small.size(), threads, [&](Size i) { subtree(small[i]); });
}

// Fills the panels of all leaves; places without a row repeat the last one and are marked in `numbers`.
template <class T, class Row>
void fill_panels(const Arrangement& a, std::span<const std::int32_t> order, std::span<T> panels,
                 std::span<std::int32_t> numbers, int threads, const Row& row_of) {
    constexpr Size kPanelsABlock = 512;
    const Size all = a.slots() / kAbreast;
    parallel_for(blocks_of(all, kPanelsABlock), threads, [&](Size block) {
        for (Size panel = block * kPanelsABlock, end = std::min(all, panel + kPanelsABlock); panel < end; ++panel)
            for (Size r = 0; r < kAbreast; ++r) {
                const Size place = panel * kAbreast + r;
                numbers[place] = place < a.rows ? order[place] : kNoRow;
                const auto row = row_of(static_cast<Size>(order[std::min(place, a.rows - 1)]));
                for (Size j = 0; j < a.dims; ++j) panels[(panel * a.dims + j) * kAbreast + r] = row(j);
            }
    });
}

}  // namespace pellucid

// In which order the nodes of a tree are split: the one that gains most first, or level by level.
//
//   expand(leaves, last) -> the new leaves that may be split, with their splits; last: none will be split any more
//   give_back(leaf)         a leaf that stays one: its memory
//
// A leaf knows its node. Every split takes one leaf away and adds two; one that turns out to leave too few rows on a
// side is looked for again, and adds none.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/pool.hpp"
#include "core/boosting/draft.hpp"

namespace pellucid::boosting {

// max_leaves: 0 for any number. Of equal gains the node that was made first.
template <class Leaf, class Expand, class GiveBack>
void split_best_first(const std::vector<Draft>& nodes, std::vector<Leaf> heap, Size max_leaves, Expand&& expand,
                      GiveBack&& give_back) {
    const auto gain = [&](const Leaf& leaf) { return nodes[static_cast<Size>(leaf.node)].split.gain; };
    const auto worse = [&](const Leaf& a, const Leaf& b) {
        return gain(a) != gain(b) ? gain(a) < gain(b) : a.node > b.node;
    };
    const auto leaves = [&] { return nodes.size() / 2 + 1; };
    while (!heap.empty() && (max_leaves == 0 || leaves() < max_leaves)) {
        check_interrupt();
        std::pop_heap(heap.begin(), heap.end(), worse);
        std::vector<Leaf> taken;
        taken.push_back(std::move(heap.back()));
        heap.pop_back();
        for (Leaf& leaf : expand(std::move(taken), leaves() + 1 == max_leaves)) {
            heap.push_back(std::move(leaf));
            std::push_heap(heap.begin(), heap.end(), worse);
        }
    }
    for (Leaf& leaf : heap) give_back(leaf);
}

// Where a level has more leaves than there may be, those that gain most are split.
template <class Leaf, class Expand, class GiveBack>
void split_by_level(const std::vector<Draft>& nodes, std::vector<Leaf> level, Size max_leaves, Expand&& expand,
                    GiveBack&& give_back) {
    const auto gain = [&](const Leaf& leaf) { return nodes[static_cast<Size>(leaf.node)].split.gain; };
    while (!level.empty()) {
        check_interrupt();
        const Size leaves = nodes.size() / 2 + 1;
        if (max_leaves > 0 && leaves + level.size() > max_leaves) {
            std::stable_sort(level.begin(), level.end(),
                             [&](const Leaf& a, const Leaf& b) { return gain(a) > gain(b); });
            for (Size i = max_leaves - leaves; i < level.size(); ++i) give_back(level[i]);
            level.resize(max_leaves - leaves);
            std::sort(level.begin(), level.end(), [](const Leaf& a, const Leaf& b) { return a.node < b.node; });
        }
        const bool last = leaves + level.size() == max_leaves;
        level = expand(std::move(level), last);
    }
}

// Those of the settings; trees with one test a level have an order of their own.
template <class Leaf, class Expand, class GiveBack>
void split_in_order(const std::vector<Draft>& nodes, std::vector<Leaf> waiting, const Settings& settings,
                    Expand&& expand, GiveBack&& give_back) {
    if (settings.growth == Growth::leaf)
        split_best_first(nodes, std::move(waiting), settings.max_leaves, expand, give_back);
    else
        split_by_level(nodes, std::move(waiting), settings.max_leaves, expand, give_back);
}

}  // namespace pellucid::boosting

// Categories of a nominal column in which the target is the same: equal shares of the classes, or equal means.
//
// The p value of two such is 1, the largest there is, and both together are as each was: merging puts all of them
// together before it looks at anything else. Found by sorting, they take the place of their pairs: of a hundred
// thousand names with a row or two each a few dozen are left, of which all pairs can be compared.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/tree/chaid_merge.hpp"

namespace pellucid::tree {

struct Alike {
    Size count = 0;
    std::vector<std::int32_t> unit;  // of each category; numbered in the order of their first categories
    std::vector<double> summaries;   // of each unit
    std::vector<std::int64_t> n_rows;
};

template <class Target>
Alike put_together(const Target& target, const Categories& categories) {
    const Size c = categories.count, width = target.width(), keys = target.orders();
    std::vector<double> key(c * keys);
    for (Size i = 0; i < c; ++i)
        for (Size k = 0; k < keys; ++k) key[i * keys + k] = target.score(&categories.summaries[i * width], k);
    const auto of = [&](std::int32_t i) { return std::span(key).subspan(static_cast<Size>(i) * keys, keys); };
    std::vector<std::int32_t> order(c);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [&](std::int32_t a, std::int32_t b) { return std::ranges::lexicographical_compare(of(a), of(b)); });

    std::vector<std::int32_t> first(c);  // the first category that is like each
    for (Size i = 0; i < c; ++i) {
        const auto own = static_cast<Size>(order[i]);
        const bool like = i > 0 && std::ranges::equal(of(order[i]), of(order[i - 1]));
        first[own] = like ? first[static_cast<Size>(order[i - 1])] : order[i];
    }
    if (c > 1 && std::ranges::all_of(first, [](std::int32_t f) { return f == 0; }))
        first.back() = static_cast<std::int32_t>(c) - 1;  // merging leaves two groups

    Alike found;
    found.unit.resize(c);
    for (Size i = 0; i < c; ++i) {
        if (static_cast<Size>(first[i]) == i) {
            found.unit[i] = static_cast<std::int32_t>(found.count++);
            found.summaries.resize(found.count * width, 0.0);
            found.n_rows.push_back(0);
        } else {
            found.unit[i] = found.unit[static_cast<Size>(first[i])];
        }
        const auto u = static_cast<Size>(found.unit[i]);
        target.add(&found.summaries[u * width], &categories.summaries[i * width]);
        found.n_rows[u] += categories.n_rows[i];
    }
    return found;
}

}  // namespace pellucid::tree

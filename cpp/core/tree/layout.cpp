#include <algorithm>

#include "core/tree/grow.hpp"

namespace pellucid::tree {
namespace {

// Bit c of the set is bit c % 32 of word c / 32. Categories that the node never met are put on the side where missing
// values go.
std::vector<std::int32_t> words_of(const Split& split, Size categories, bool others_left) {
    std::vector<std::uint32_t> words;
    if (others_left) {
        words.assign((categories + 31) / 32, ~0u);
        if (categories % 32 != 0) words.back() = (1u << (categories % 32)) - 1;
        for (const std::uint32_t code : split.right_codes) words[code / 32] &= ~(1u << (code % 32));
    } else {
        words.assign(split.codes.empty() ? 1 : split.codes.back() / 32 + 1, 0u);
        for (const std::uint32_t code : split.codes) words[code / 32] |= 1u << (code % 32);
    }
    return {words.begin(), words.end()};
}

// Nodes of a level lie far apart: they are asked for a little before they are needed.
constexpr Size kAhead = 8;
void prefetch(const Branch& branch) {
    const char* at = reinterpret_cast<const char*>(&branch);
    for (Size byte = 0; byte < sizeof(Branch); byte += 64) __builtin_prefetch(at + byte);
}

}  // namespace

Nodes lay_out(const Grown& grown, const Columns& columns, Size width, double unit) {
    const Size count = grown.branches.size();
    std::vector<std::int32_t> order{0};  // serial numbers, level by level, as far as they are known
    order.reserve(count);

    Nodes out;
    out.width = width;
    const auto resize = [&](auto&... columns) { (columns.resize(count), ...); };
    resize(out.parent, out.first_child, out.n_children, out.feature, out.test, out.missing_child, out.threshold,
           out.n_rows, out.weight, out.impurity);
    out.value.resize(count * width);
    const bool tables = grown.branches.any([](const Branch& b) { return b.split.test == Test::subset; });
    if (tables) out.table_start.assign(count + 1, 0);

    const bool surrogates = grown.branches.any([](const Branch& b) { return !b.split.surrogates.empty(); });
    if (surrogates) out.surrogate_start.assign(count + 1, 0);

    out.parent[0] = -1;
    std::int32_t next = 1;
    for (Size i = 0; i < count; ++i) {
        const Branch& b = grown.branches[static_cast<Size>(order[i])];
        const bool leaf = b.first_child < 0;
        if (!leaf) order.insert(order.end(), {b.first_child, b.first_child + 1});
        if (i + kAhead < order.size()) prefetch(grown.branches[static_cast<Size>(order[i + kAhead])]);
        out.first_child[i] = leaf ? -1 : next;
        out.n_children[i] = leaf ? 0 : 2;
        out.feature[i] = b.split.feature;
        out.test[i] = static_cast<std::uint8_t>(b.split.test);
        out.threshold[i] = b.split.threshold;
        out.n_rows[i] = static_cast<std::int64_t>(b.rows());
        out.weight[i] = b.weight;
        out.impurity[i] = b.impurity * unit;
        std::copy_n(grown.values.begin() + order[i] * static_cast<std::ptrdiff_t>(width), width,
                    out.value.begin() + static_cast<std::ptrdiff_t>(i * width));
        out.missing_child[i] = leaf ? kStop : b.missing_child();
        if (!leaf) {
            out.parent[static_cast<Size>(next)] = out.parent[static_cast<Size>(next) + 1] =
                static_cast<std::int32_t>(i);
            next += 2;
        }
        for (const Surrogate& s : b.split.surrogates) {
            out.surrogate_feature.push_back(s.feature);
            out.surrogate_threshold.push_back(s.threshold);
            out.surrogate_reverse.push_back(s.reverse);
        }
        if (surrogates) out.surrogate_start[i + 1] = static_cast<std::int64_t>(out.surrogate_feature.size());
        if (b.split.test == Test::subset) {
            const auto words =
                words_of(b.split, columns.categories(static_cast<Size>(b.split.feature)), b.missing_child() == 0);
            out.table.insert(out.table.end(), words.begin(), words.end());
        }
        if (tables) out.table_start[i + 1] = static_cast<std::int64_t>(out.table.size());
    }
    return out;
}

}  // namespace pellucid::tree

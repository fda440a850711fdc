#include "core/itemsets/found.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/pool.hpp"

namespace pellucid::itemsets {

void Nodes::look() {
    std::uint64_t sets = 0;
    for (; counted_ < nodes_.size(); ++counted_) sets += nodes_[counted_].count > 0;
    limit_.add(sets);
    if (limit_.reached()) throw TooMany{};
    check_interrupt();
}

void Nodes::close() { look(); }

namespace {

// The sets of a part, each with its codes ascending, written behind those of the parts before it.
void write_part(const std::vector<Node>& nodes, const std::vector<std::int32_t>& code, std::vector<Size> next,
                std::vector<Found::Level>& levels) {
    std::vector<std::int32_t> way(levels.size());
    for (const Node& node : nodes) {
        const Size length = node.depth;
        if (length > levels.size()) continue;  // on the way to a set that was not told
        way[length - 1] = code[static_cast<Size>(node.item)];
        if (node.count == 0) continue;
        Found::Level& level = levels[length - 1];
        const Size place = next[length - 1]++;
        level.counts[place] = node.count;
        std::int32_t* out = level.codes.data() + place * length;
        for (Size k = 0; k < length; ++k) {
            Size at = k;
            for (; at > 0 && out[at - 1] > way[k]; --at) out[at] = out[at - 1];
            out[at] = way[k];
        }
    }
}

// Sets of one length in the order of their codes: sorted by counting, the last place first.
void sort_level(Found::Level& level, Size length, Size items) {
    const Size n = level.counts.size();
    std::vector<std::uint32_t> order(n), other(n);
    std::iota(order.begin(), order.end(), 0u);
    const std::int32_t* codes = level.codes.data();
    if (n * 4 < items) {
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::lexicographical_compare(codes + a * length, codes + (a + 1) * length, codes + b * length,
                                                codes + (b + 1) * length);
        });
    } else {
        std::vector<std::uint32_t> first(items + 1);
        for (Size k = length; k-- > 0;) {
            std::fill(first.begin(), first.end(), 0u);
            for (Size i = 0; i < n; ++i) ++first[static_cast<Size>(codes[i * length + k]) + 1];
            std::partial_sum(first.begin(), first.end(), first.begin());
            for (const std::uint32_t i : order) other[first[static_cast<Size>(codes[i * length + k])]++] = i;
            order.swap(other);
        }
    }
    Found::Level sorted;
    sorted.codes.resize(level.codes.size());
    sorted.counts.resize(n);
    for (Size i = 0; i < n; ++i) {
        sorted.counts[i] = level.counts[order[i]];
        std::copy_n(codes + order[i] * length, length, sorted.codes.data() + i * length);
    }
    level = std::move(sorted);
}

}  // namespace

Found arranged(std::vector<std::vector<Node>>& parts, const std::vector<std::int32_t>& code, Size items, int threads) {
    std::vector<std::vector<Size>> starts;  // of a part, in every level
    std::vector<Size> sizes;
    for (const std::vector<Node>& part : parts) {
        starts.push_back(part.empty() ? std::vector<Size>() : sizes);
        for (const Node& node : part) {
            if (node.count == 0) continue;
            if (node.depth > sizes.size()) sizes.resize(node.depth, 0);
            ++sizes[node.depth - 1];
        }
    }
    Found out;
    out.levels.resize(sizes.size());
    for (Size k = 0; k < sizes.size(); ++k) {
        out.levels[k].codes.resize(sizes[k] * (k + 1));
        out.levels[k].counts.resize(sizes[k]);
    }
    parallel_for(parts.size(), threads, [&](Size p) {
        if (parts[p].empty()) return;
        starts[p].resize(sizes.size(), 0);
        write_part(parts[p], code, starts[p], out.levels);
        parts[p] = {};
    });
    parallel_for(sizes.size(), threads, [&](Size k) { sort_level(out.levels[k], k + 1, items); });
    return out;
}

}  // namespace pellucid::itemsets

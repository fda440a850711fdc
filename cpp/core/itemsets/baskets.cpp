#include "core/itemsets/baskets.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace pellucid::itemsets {

Tidy tidied(const Baskets& baskets) {
    const Size n = baskets.size();
    std::vector<std::int64_t> first(baskets.items + 1, 0);
    for (const std::int32_t code : baskets.codes) ++first[static_cast<Size>(code) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> with(baskets.codes.size());
    std::vector<std::int64_t> at(first.begin(), first.end() - 1);
    for (Size b = 0; b < n; ++b)
        for (std::int64_t k = baskets.starts[b]; k < baskets.starts[b + 1]; ++k)
            with[static_cast<Size>(at[static_cast<Size>(baskets.codes[static_cast<Size>(k)])]++)] =
                static_cast<std::uint32_t>(b);
    // An item that stands in a basket twice stands in its own list twice in a row.
    Tidy out;
    out.starts.assign(n + 1, 0);
    for (Size item = 0; item < baskets.items; ++item)
        for (std::int64_t k = first[item]; k < first[item + 1]; ++k)
            if (k == first[item] || with[static_cast<Size>(k)] != with[static_cast<Size>(k) - 1])
                ++out.starts[with[static_cast<Size>(k)] + 1];
    std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
    out.codes.resize(static_cast<Size>(out.starts.back()));
    at.assign(out.starts.begin(), out.starts.end() - 1);
    for (Size item = 0; item < baskets.items; ++item)
        for (std::int64_t k = first[item]; k < first[item + 1]; ++k)
            if (k == first[item] || with[static_cast<Size>(k)] != with[static_cast<Size>(k) - 1])
                out.codes[static_cast<Size>(at[with[static_cast<Size>(k)]]++)] = static_cast<std::int32_t>(item);
    return out;
}

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace

Lines coded_lines(std::string_view text, char delimiter) {
    Lines out;
    out.starts.push_back(0);
    std::unordered_map<std::string_view, std::int32_t> code;
    for (Size from = 0; from < text.size();) {
        const Size end = std::min(text.find('\n', from), text.size());
        const std::string_view line = trimmed(text.substr(from, end - from));
        for (Size at = 0; at < line.size();) {
            const Size stop = std::min(line.find(delimiter, at), line.size());
            const std::string_view item = trimmed(line.substr(at, stop - at));
            if (!item.empty()) {
                const auto [known, is_new] = code.try_emplace(item, static_cast<std::int32_t>(out.items.size()));
                if (is_new) out.items.push_back(item);
                out.codes.push_back(known->second);
            } else if (delimiter != ' ') {
                ++out.empty;
            }
            at = stop + 1;
        }
        if (!line.empty() && line.back() == delimiter) ++out.empty;
        out.starts.push_back(static_cast<std::int64_t>(out.codes.size()));
        from = end + 1;
    }
    return out;
}

std::vector<std::uint32_t> item_counts(const Baskets& baskets) {
    std::vector<std::uint32_t> counts(baskets.items, 0);
    for (const std::int32_t code : baskets.codes) ++counts[static_cast<Size>(code)];
    return counts;
}

Ranked ranked(const Baskets& baskets, std::uint32_t least, Order order) {
    const std::vector<std::uint32_t> counts = item_counts(baskets);
    Ranked out;
    for (Size item = 0; item < baskets.items; ++item)
        if (counts[item] >= least) out.code.push_back(static_cast<std::int32_t>(item));
    if (order == Order::by_count)
        std::stable_sort(out.code.begin(), out.code.end(), [&](std::int32_t a, std::int32_t b) {
            return counts[static_cast<Size>(a)] < counts[static_cast<Size>(b)];
        });
    const Size m = out.code.size(), n = baskets.size();
    std::vector<std::int32_t> rank(baskets.items, -1);
    out.where.assign(m + 1, 0);
    for (Size r = 0; r < m; ++r) {
        rank[static_cast<Size>(out.code[r])] = static_cast<std::int32_t>(r);
        out.count.push_back(counts[static_cast<Size>(out.code[r])]);
        out.where[r + 1] = out.where[r] + out.count[r];
    }
    out.basket.resize(out.where.back());
    out.at.resize(out.where.back());
    out.end.resize(out.where.back());
    out.ranks.resize(out.where.back());
    out.starts.assign(n + 1, 0);
    std::vector<std::uint32_t> next(out.where.begin(), out.where.end() - 1);
    for (Size b = 0; b < n; ++b) {
        std::uint32_t length = 0;
        for (std::int64_t k = baskets.starts[b]; k < baskets.starts[b + 1]; ++k) {
            const std::int32_t r = rank[static_cast<Size>(baskets.codes[static_cast<Size>(k)])];
            if (r < 0) continue;
            out.basket[next[static_cast<Size>(r)]++] = static_cast<std::uint32_t>(b);
            ++length;
        }
        out.starts[b + 1] = out.starts[b] + length;
    }
    next.assign(out.starts.begin(), out.starts.end() - 1);
    for (Size r = 0; r < m; ++r)
        for (std::uint32_t k = out.where[r]; k < out.where[r + 1]; ++k) {
            const std::uint32_t place = next[out.basket[k]]++;
            out.ranks[place] = static_cast<std::int32_t>(r);
            out.at[k] = place + 1;
            out.end[k] = out.starts[out.basket[k] + 1];
        }
    return out;
}

}  // namespace pellucid::itemsets

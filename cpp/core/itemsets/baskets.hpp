// Baskets of items: as they come, tidied, and ranked by how often their items occur.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::itemsets {

// The items of basket b are codes[starts[b]] .. codes[starts[b + 1] - 1], each below `items`.
struct Baskets {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> codes;
    Size items;

    Size size() const { return starts.size() - 1; }
};

struct Tidy {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> codes;
};

// The same baskets with their items ascending and each once, in time linear in the number of codes: items are put into
// baskets in the order of the items.
Tidy tidied(const Baskets& baskets);

struct Lines {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> codes;
    std::vector<std::string_view> items;  // in the order in which they first occur
    std::int64_t empty = 0;               // places between delimiters without an item
};

// Baskets of a text with a line for each, items between delimiters, without the blanks around them. An empty line is a
// basket without items. A blank as delimiter may be repeated.
Lines coded_lines(std::string_view text, char delimiter);

// In how many baskets each item occurs; baskets are tidy, here and below.
std::vector<std::uint32_t> item_counts(const Baskets& baskets);

// Baskets of frequent items alone, rare ones first. An item is called by its rank: 0 is the rarest.
struct Ranked {
    std::vector<std::int32_t> code;     // of a rank
    std::vector<std::uint32_t> count;   // baskets that have it
    std::vector<std::uint32_t> starts;  // basket b: ranks[starts[b]] .. ranks[starts[b + 1] - 1], ascending
    std::vector<std::int32_t> ranks;
    std::vector<std::uint32_t> where;   // rank r occurs in basket[where[r]] .. basket[where[r + 1] - 1]
    std::vector<std::uint32_t> basket;  // at[k] .. end[k] - 1: places in `ranks` behind it in basket[k]
    std::vector<std::uint32_t> at, end;

    Size size() const { return code.size(); }
};

enum class Order { by_count, by_code };

// Items that occur in at least `least` baskets. There must be fewer than 2^32 codes.
Ranked ranked(const Baskets& baskets, std::uint32_t least, Order order);

}  // namespace pellucid::itemsets

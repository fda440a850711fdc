// The baskets of one item as rows of bits: where both searches in depth begin.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/itemsets/baskets.hpp"

namespace pellucid::itemsets {

// Items that may join a prefix, each with the number of baskets it shares with the prefix, and a row of bits.
struct Candidates {
    std::vector<std::int32_t> items;  // ranks
    std::vector<std::uint32_t> counts, kept;
    std::vector<std::uint64_t> bits;
    Size words = 0;

    Size size() const { return items.size(); }
    const std::uint64_t* row(Size k) const { return bits.data() + k * words; }
    void make_room(Size n, Size of_words);  // for n candidates, whose bits are not set
    void drop(Size k);                      // the others move up
};

// Memory of one search, used again for the next first item.
struct Workspace {
    std::vector<std::uint32_t> counts;  // of a rank, among the baskets of the first item
    std::vector<std::int32_t> slot;     // row of a rank, or -1; -1 everywhere between searches
    std::vector<std::int32_t> hits;
    std::vector<std::int32_t> read;       // slots of basket after basket
    std::vector<std::uint32_t> ends;      // of a basket in `read`
    std::vector<std::uint32_t> together;  // slots x slots: baskets that hold both; empty where they were not counted
    std::vector<std::int32_t> free;       // items that are in all baskets of the prefix
    std::deque<Candidates> levels;        // a deque: references stay valid
    std::deque<Candidates> passed;

    explicit Workspace(Size ranks = 0) : counts(ranks, 0), slot(ranks, -1) {}
    Candidates& level(Size depth);
    Candidates& passed_at(Size depth);
};

// Words of a row of so many bits: of long rows whole vectors.
Size words_of(Size bits);

// Which part of a basket is read for its first item.
enum class Part { behind, all };

// Counts the items that share baskets with rank `first`; leaves in `hits` those that share at least `least`, ascending.
void count_partners(const Ranked& db, Size first, std::uint32_t least, Part part, Workspace& work);

// Rows of bits for the partners that have a slot, over the baskets of `first` that hold two of them: one that holds
// fewer says nothing about two items together.
void write_bits(const Ranked& db, Size first, Part part, Workspace& work, Size slots, std::vector<std::uint64_t>& bits,
                Size& words);

// Counts how often two slots stand in one basket, where that takes less time than to meet their rows: where baskets
// hold few of many candidates. To be called after write_bits.
void count_together(Workspace& work, Size slots, Size words);

}  // namespace pellucid::itemsets

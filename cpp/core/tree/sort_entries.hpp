// The rows of a node in the order of a column, sorted when they are wanted.
#pragma once

#include "core/tree/branch.hpp"
#include "core/tree/sweep.hpp"

namespace pellucid::tree {

// Sorts by rank; entries of equal rank stay in the order they are in. `other` is as long. The sorted entries are in
// `entries` afterward.
void sort_entries(std::vector<Entry>& entries, std::vector<Entry>& other, std::vector<std::uint32_t>& counts);

inline Ordered split_missing(std::span<const Entry> entries, Size begin, std::uint32_t missing) {
    Size present = entries.size();
    while (present > 0 && entries[present - 1].rank == missing) --present;
    return {entries.first(present), entries.subspan(present), begin};
}

}  // namespace pellucid::tree

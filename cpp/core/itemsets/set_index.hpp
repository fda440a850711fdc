// Finds a set among frequent sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::itemsets {

// A number of 64 bits for an item; that of a set is the sum over its items, so that a part of it is a subtraction.
constexpr std::uint64_t item_key(std::int32_t code) {
    std::uint64_t z = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(code)) + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

inline std::uint64_t set_key(std::span<const std::int32_t> codes) {
    std::uint64_t key = 0;
    for (const std::int32_t code : codes) key += item_key(code);
    return key;
}

// Places of sets by their key: open addressing over a table at most half full. Two sets may have one key, so whoever
// looks says whether a set found is the one that is meant.
class SetIndex {
  public:
    explicit SetIndex(Size sets) {
        Size size = 16;
        while (size < 2 * sets) size *= 2;
        mask_ = size - 1;
        table_.assign(size, kNone);
    }
    void add(std::uint64_t key, std::uint32_t place) {
        Size at = key & mask_;
        while (table_[at] != kNone) at = (at + 1) & mask_;
        table_[at] = place;
    }
    template <class IsIt>
    std::int64_t find(std::uint64_t key, IsIt&& is_it) const {
        for (Size at = key & mask_; table_[at] != kNone; at = (at + 1) & mask_)
            if (is_it(table_[at])) return table_[at];
        return -1;
    }

  private:
    static constexpr std::uint32_t kNone = 0xffffffffU;
    std::vector<std::uint32_t> table_;
    Size mask_;
};

}  // namespace pellucid::itemsets

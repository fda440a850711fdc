// What a search collects: the k nearest rows, or all rows within a radius. How to search and what to collect are apart.
//
// Neighbors are ordered by reduced distance and, among equals, by the number of the row: one answer, whatever the
// order in which an index meets the rows. So a branch may be left out only if all of it lies *beyond* `bound()`; at the
// bound itself a row with a smaller number may still come in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct Neighbor {
    double reduced = std::numeric_limits<double>::infinity();
    std::int64_t row = std::numeric_limits<std::int64_t>::max();

    friend bool operator<(const Neighbor& a, const Neighbor& b) {
        return a.reduced < b.reduced || (a.reduced == b.reduced && a.row < b.row);
    }
};

// The k nearest, in memory of the caller's: sorted for small k, where shifting a few entries beats a heap; else a heap.
class Nearest {
  public:
    explicit Nearest(std::span<Neighbor> room) : room_(room) { clear(); }

    void clear() { std::fill(room_.begin(), room_.end(), Neighbor{}); }
    double bound() const { return sorted() ? room_.back().reduced : room_.front().reduced; }

    void offer(double reduced, std::int64_t row) {
        if (reduced > bound()) return;
        offer(Neighbor{reduced, row});
    }
    // Puts them in order.
    std::span<const Neighbor> finish() {
        if (!sorted()) std::sort_heap(room_.begin(), room_.end());
        return room_;
    }

  private:
    static constexpr Size kSorted = 32;
    bool sorted() const { return room_.size() <= kSorted; }

    void offer(const Neighbor& found) {
        if (sorted()) {
            if (!(found < room_.back())) return;
            Size at = room_.size() - 1;
            for (; at > 0 && found < room_[at - 1]; --at) room_[at] = room_[at - 1];
            room_[at] = found;
        } else if (found < room_.front()) {
            std::pop_heap(room_.begin(), room_.end());
            room_.back() = found;
            std::push_heap(room_.begin(), room_.end());
        }
    }

    std::span<Neighbor> room_;  // never empty
};

// Rows within a radius of many queries, one query after the other: those of query i are [starts[i], starts[i + 1]). The
// test is on the distance itself and takes its bound in, so that a radius that is a row's distance finds the row.
struct Neighborhoods {
    std::vector<std::int64_t> starts, rows;
    std::vector<double> distances;
};

}  // namespace pellucid

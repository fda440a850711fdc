// Sets of items on their way from a search to the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::itemsets {

struct Settings {
    std::uint32_t least;  // baskets that a set must be in, at least 1
    Size longest;         // items that a set may have, at least 1
    std::uint64_t most;   // sets that may be found
};

// Frequent sets in one order, whatever found them: by length, then by the codes of their items, from the first on.
struct Found {
    struct Level {
        std::vector<std::int32_t> codes;  // sets x length, the codes of each set ascending
        std::vector<std::uint32_t> counts;
    };
    std::vector<Level> levels;  // of length 1, 2, ...
    bool complete = true;       // false: there are more than `most`, and levels are empty
};

// A set as a search meets it: the items of the nodes above it, at depths 1, 2, ..., and its own. Nodes stand in the
// order of a walk from above, so a depth is enough to know them. A count of 0: not a set itself, but on the way to one.
struct Node {
    std::int32_t item;
    std::uint32_t depth;
    std::uint32_t count;
};

// Found sets of all threads are counted together, a thousand at a time. A search that finds too many is left.
struct TooMany {};

class Limit {
  public:
    explicit Limit(std::uint64_t most) : most_(most) {}
    void add(std::uint64_t found) {
        if (found_.fetch_add(found, std::memory_order_relaxed) + found > most_) reached_.store(true);
    }
    void exceed() { reached_.store(true); }
    bool reached() const { return reached_.load(std::memory_order_relaxed); }

  private:
    std::uint64_t most_;
    std::atomic<std::uint64_t> found_{0};
    std::atomic<bool> reached_{false};
};

// The nodes of one part of a search.
class Nodes {
  public:
    // longest: a longer set means too many sets, as all its parts are frequent too.
    explicit Nodes(Limit& limit, Size longest = std::numeric_limits<Size>::max()) : limit_(limit), longest_(longest) {}
    void add(std::int32_t item, Size depth, std::uint32_t count) {
        if (depth > longest_) {
            limit_.exceed();
            throw TooMany{};
        }
        nodes_.push_back({item, static_cast<std::uint32_t>(depth), count});
        if ((nodes_.size() & 1023) == 0) look();
    }
    void close();  // counts those that were not counted yet
    std::vector<Node>& nodes() { return nodes_; }

  private:
    void look();

    Limit& limit_;
    Size longest_;
    std::vector<Node> nodes_;
    Size counted_ = 0;
};

// Puts the nodes of all parts in order. code: of an item.
Found arranged(std::vector<std::vector<Node>>& parts, const std::vector<std::int32_t>& code, Size items, int threads);

}  // namespace pellucid::itemsets

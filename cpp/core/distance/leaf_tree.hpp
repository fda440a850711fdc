// How the rows of a tree of points lie in memory. KD-tree and ball tree share it; they differ in who decides which rows
// go together and in what is known of a branch (a box, a ball).
//
// Rows are put in an order in which neighbors in space are neighbors in memory, and cut into leaves of `panels`
// panels of eight rows each (kAbreast); the last leaf may be shorter. Eight leaves make a node, eight nodes the next,
// up to one root: node i of a level has the children 8 i .. 8 i + 7 of the level below, so no pointer is kept, every
// search step looks at eight regions at once, and a million rows are six steps deep. (Measured, 3 columns, 1,000,000
// rows and queries, k = 5, seconds of processor time with the building: 1.7; binary trees of peers 5.6 to 8.6.)
//
// Level 0 are the leaves. Node i of level l >= 1 keeps the regions of its children: `extent` numbers for each of eight.
#pragma once

#include <cstdint>

#include "core/base/views.hpp"
#include "core/distance/metric_hot.hpp"

namespace pellucid {

inline constexpr Size kMostLevels = 12;  // 8^11 leaves: more rows than 32 bits number
inline constexpr std::int32_t kNoRow = -1;

struct Arrangement {
    Size rows = 0, dims = 0;
    Size panels = 1;  // of a leaf
    Size extent = 0;  // numbers that describe the region of one child: 2 dims for a box, dims + 1 for a ball
    Size levels = 1;  // with the leaves
    Size counts[kMostLevels] = {};   // of leaves, nodes
    Size offsets[kMostLevels] = {};  // where the regions of a level begin, root first
    Size regions = 0;                // numbers in all

    // Read by sources of several SIMD levels: never a function of its own.
    [[gnu::always_inline]] Size leaf_rows() const { return panels * kAbreast; }
    [[gnu::always_inline]] Size slots() const { return counts[0] * leaf_rows(); }
    [[gnu::always_inline]] Size node_size() const { return extent * kAbreast; }
};

inline Arrangement arrange(Size rows, Size dims, Size panels, Size extent) {
    Arrangement a{rows, dims, panels, extent};
    a.counts[0] = (rows + a.leaf_rows() - 1) / a.leaf_rows();
    while (a.counts[a.levels - 1] > 1) {
        a.counts[a.levels] = (a.counts[a.levels - 1] + kAbreast - 1) / kAbreast;
        ++a.levels;
    }
    for (Size level = a.levels - 1; level >= 1; --level) {
        a.offsets[level] = a.regions;
        a.regions += a.counts[level] * a.node_size();
    }
    return a;
}

// Where `leaves` leaves are cut in two so that the parts are whole nodes: the left one is the larger power of two.
inline Size leaves_left(Size leaves) { return Size{1} << (63 - __builtin_clzll(leaves - 1)); }

}  // namespace pellucid

// The search of a tree of points (leaf_tree.hpp): depth first, the nearest branch of a node first.
//
// Everything here has internal linkage: the header is read by sources of several SIMD levels, and each must keep its
// own copy.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/distance/leaf_tree.hpp"
#include "core/distance/tree_search.hpp"

namespace pellucid {
namespace {

// Bit r is set where eight[r] <= limit.
[[maybe_unused]] inline unsigned at_most(const double* eight, double limit) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(eight), _mm512_set1_pd(limit), _CMP_LE_OQ);
#elif defined(__AVX2__)
    const __m256d l = _mm256_set1_pd(limit);
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(eight), l, _CMP_LE_OQ));
    const int high = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(eight + 4), l, _CMP_LE_OQ));
    return static_cast<unsigned>(low | high << 4);
#elif defined(__SSE2__)
    const __m128d l = _mm_set1_pd(limit);
    unsigned mask = 0;
    for (unsigned at = 0; at < kAbreast; at += 2)
        mask |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmple_pd(_mm_loadu_pd(eight + at), l))) << at;
    return mask;
#else
    unsigned mask = 0;
    for (unsigned at = 0; at < kAbreast; ++at) mask |= static_cast<unsigned>(eight[at] <= limit) << at;
    return mask;
#endif
}

constexpr std::int32_t kNoneYet = 0x7fffffff;  // after all rows

// The k nearest, sorted by distance and, among equals, by the number of the row.
struct SortedRoom {
    double* distances;
    std::int32_t* rows;
    Size k;

    double limit() const { return distances[k - 1]; }
    bool full() const { return rows[k - 1] != kNoneYet; }
    void clear() {
        for (Size i = 0; i < k; ++i) distances[i] = __builtin_inf(), rows[i] = kNoneYet;
    }
    static bool before(double d, std::int32_t row, double other, std::int32_t other_row) {
        return d < other || (d == other && row < other_row);
    }
    void offer(double d, std::int32_t row) {
        if (!before(d, row, distances[k - 1], rows[k - 1])) return;
        Size at = k - 1;
        for (; at > 0 && before(d, row, distances[at - 1], rows[at - 1]); --at) {
            distances[at] = distances[at - 1];
            rows[at] = rows[at - 1];
        }
        distances[at] = d;
        rows[at] = row;
    }
    void finish() {}
};

// The same for large k: a heap with the farthest on top, sorted at the end.
struct HeapRoom {
    double* distances;
    std::int32_t* rows;
    Size k;

    double limit() const { return distances[0]; }
    bool full() const { return rows[0] != kNoneYet; }
    void clear() {
        for (Size i = 0; i < k; ++i) distances[i] = __builtin_inf(), rows[i] = kNoneYet;
    }
    void offer(double d, std::int32_t row) {
        if (SortedRoom::before(d, row, distances[0], rows[0])) sift(d, row, k);
    }
    // Puts an entry in the place of the top of the first n.
    void sift(double d, std::int32_t row, Size n) {
        Size at = 0;
        for (Size child = 1; child < n; child = 2 * at + 1) {
            if (child + 1 < n &&
                SortedRoom::before(distances[child], rows[child], distances[child + 1], rows[child + 1]))
                ++child;
            if (!SortedRoom::before(d, row, distances[child], rows[child])) break;
            distances[at] = distances[child];
            rows[at] = rows[child];
            at = child;
        }
        distances[at] = d;
        rows[at] = row;
    }
    void finish() {
        for (Size n = k; n > 1; --n) {
            const double d = distances[n - 1];
            const std::int32_t row = rows[n - 1];
            distances[n - 1] = distances[0];
            rows[n - 1] = rows[0];
            sift(d, row, n - 1);
        }
    }
};

// All rows within reach, handed over in handfuls.
struct Gather {
    static constexpr Size kHandful = 128;
    double reach;
    Take take;
    void* to;
    Size held;
    double distances[kHandful];
    std::int32_t rows[kHandful];

    Gather(double within, Take taker, void* where) : reach(within), take(taker), to(where), held(0) {}
    double limit() const { return reach; }
    bool full() const { return true; }
    void offer(double d, std::int32_t row) {
        if (held == kHandful) finish();
        distances[held] = d;
        rows[held++] = row;
    }
    void finish() {
        take(to, distances, rows, held);
        held = 0;
    }
};

// How many rows lie within reach: those of regions that lie within it as a whole are counted unseen, the others are
// handed over. `inside` is a reduced distance that is surely within the radius.
struct Count : Gather {
    double inside;
    Size unseen = 0;

    Count(double within, double surely, Take taker, void* where) : Gather(within, taker, where), inside(surely) {}
};

struct Frame {
    double bounds[kAbreast];
    Size first;     // number of the first child
    unsigned left;  // children that wait
};

// Rows below child `child` of a node of this level.
[[maybe_unused]] Size rows_below(const Arrangement& a, Size level, Size child) {
    Size each = a.leaf_rows();
    for (Size l = 1; l < level; ++l) each *= kAbreast;
    const Size rest = a.rows - child * each;
    return rest < each ? rest : each;
}

// One query. `regions.bounds(level, node, out)` gives lower bounds of the distances to eight children,
// `leaves.distances(panel, out)` the distances to the eight rows of a panel, and `regions.worth(limit)` the largest
// bound at which a branch is looked into. For a count, `regions.farthest(level, node, out)` gives upper bounds.
template <class Regions, class Leaves, class Room>
void walk(const Arrangement& a, const std::int32_t* rows, const Regions& regions, const Leaves& leaves, Room& room,
          std::int32_t own, Size most_leaves) {
    Frame frames[kMostLevels];
    Size level = a.levels - 1, seen = 0;
    const auto scan = [&](Size leaf) {
        double apart[kAbreast];
        for (Size panel = leaf * a.panels, end = panel + a.panels; panel < end; ++panel) {
            leaves.distances(panel, apart);
            const std::int32_t* numbers = rows + panel * kAbreast;
            for (unsigned near = at_most(apart, room.limit()); near != 0; near &= near - 1) {
                const int r = __builtin_ctz(near);
                if (numbers[r] != own && numbers[r] != kNoRow) room.offer(apart[r], numbers[r]);
            }
        }
    };
    const auto open = [&](Size node) {
        Frame& f = frames[level];
        regions.bounds(level, node, f.bounds);
        f.first = node * kAbreast;
        const Size children = a.counts[level - 1] - f.first;
        f.left = children >= kAbreast ? 0xffu : (1u << children) - 1;
        if constexpr (__is_same(Room, Count)) {
            double far[kAbreast];
            regions.farthest(level, node, far);
            const unsigned whole = f.left & at_most(far, room.inside);
            f.left &= ~whole;
            for (unsigned each = whole; each != 0; each &= each - 1)
                room.unseen += rows_below(a, level, f.first + static_cast<unsigned>(__builtin_ctz(each)));
        }
    };
    if (level == 0) {
        scan(0);
        return room.finish();
    }
    open(0);
    for (;;) {
        Frame& f = frames[level];
        f.left &= at_most(f.bounds, regions.worth(room.limit()));
        if (f.left == 0) {
            if (++level == a.levels) break;
            continue;
        }
        unsigned nearest = static_cast<unsigned>(__builtin_ctz(f.left));
        for (unsigned others = f.left & (f.left - 1); others != 0; others &= others - 1) {
            const unsigned other = static_cast<unsigned>(__builtin_ctz(others));
            nearest = f.bounds[other] < f.bounds[nearest] ? other : nearest;
        }
        f.left &= ~(1u << nearest);
        const Size child = f.first + nearest;
        if (level == 1) {
            scan(child);
            if (++seen >= most_leaves && room.full()) break;
        } else {
            --level;
            open(child);
        }
    }
    room.finish();
}

// Down to level `stop`, always into the branch of the least bound: which of its nodes a query belongs to.
template <class Regions>
Size descend(const Arrangement& a, const Regions& regions, Size stop) {
    Size node = 0;
    for (Size level = a.levels - 1; level > stop; --level) {
        double bounds[kAbreast];
        regions.bounds(level, node, bounds);
        const Size first = node * kAbreast, end = a.counts[level - 1] - first;
        Size nearest = 0;
        for (Size r = 1; r < kAbreast && r < end; ++r) nearest = bounds[r] < bounds[nearest] ? r : nearest;
        node = first + nearest;
    }
    return node;
}

}  // namespace
}  // namespace pellucid

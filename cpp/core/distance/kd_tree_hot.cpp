// Compiled once per SIMD level, without contraction (see CMakeLists.txt): where metric_hot.cpp has a fused
// multiply-add, there is one here, and nowhere else, so that distances have its bits.
#include "core/distance/kd_tree_hot.hpp"

#include "core/base/level.hpp"
#include "core/distance/tree_walk.hpp"

extern "C" {
double pow(double, double);
}

namespace pellucid {
namespace {

constexpr Size kLanes = 4;
constexpr Size kWide = PELLUCID_BYTES / sizeof(double);

typedef double V __attribute__((vector_size(PELLUCID_BYTES)));

V load(const double* from) {
    typedef double Loose __attribute__((vector_size(PELLUCID_BYTES), aligned(8), may_alias));
    return *reinterpret_cast<const Loose*>(from);
}
V load(const float* from) {
    typedef float Half __attribute__((vector_size(PELLUCID_BYTES / 2), aligned(4), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(from), V);
}
void store(double* to, V v) { __builtin_memcpy(to, &v, sizeof v); }
V all(double x) { return x - V{}; }
V larger(V a, V b) { return a > b ? a : b; }

V plus_square(V s, V t) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(t, t, s);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(t, t, s);
#elif defined(__ARM_FEATURE_FMA)
    for (Size i = 0; i < kWide; ++i) s[i] = __builtin_fma(t[i], t[i], s[i]);
    return s;
#else
    return s + t * t;
#endif
}

// What a gap adds to a sum, and how sums of two lanes become one.
struct Euclidean {
    static V add(V s, V gap, double) { return plus_square(s, gap); }
    static V join(V a, V b) { return a + b; }
};
struct Manhattan {
    static V add(V s, V gap, double) { return s + gap; }
    static V join(V a, V b) { return a + b; }
};
struct Chebyshev {
    static V add(V s, V gap, double) { return larger(gap, s); }
    static V join(V a, V b) { return larger(a, b); }
};
struct Minkowski {
    static V add(V s, V gap, double p) {
        for (Size i = 0; i < kWide; ++i) s[i] += gap[i] > 0 ? pow(gap[i], p) : 0.0;
        return s;
    }
    static V join(V a, V b) { return a + b; }
};

// Bounds of eight boxes. D is the number of columns, 0 where it is known at run time alone.
template <class M, Size D, class T>
struct Boxes {
    const KdView<T>& tree;
    const double* query;
    double share;

    double worth(double limit) const { return limit * share; }

    void bounds(Size level, Size node, double* out) const { measure<Nearest>(level, node, -kLoose, out); }
    void farthest(Size level, Size node, double* out) const { measure<Farthest>(level, node, kLoose, out); }

  private:
    static constexpr double kLoose = 16 * 2.220446049250313e-16;

    // The gap of a column: to the nearest and to the farthest value of a box.
    struct Nearest {
        static V gap(V low, V high, V x) { return larger(larger(low - x, x - high), V{}); }
    };
    struct Farthest {
        static V gap(V low, V high, V x) { return larger(x - low, high - x); }
    };

    template <class Gap>
    void measure(Size level, Size node, double loose, double* out) const {
        const Size d = D != 0 ? D : tree.at.dims;
        const T* low = tree.boxes + tree.at.offsets[level] + node * 2 * d * kAbreast;
        for (Size r = 0; r < kAbreast; r += kWide) store(out + r, sums<Gap>(low + r, low + d * kAbreast + r, d));
        if constexpr (__is_same(M, Minkowski)) {
            const double scale = 1 + static_cast<double>(d + 1) * loose;
            for (Size r = 0; r < kAbreast; ++r) out[r] *= scale;
        }
    }
    template <class Gap>
    V plus_gap(V s, const T* low, const T* high, Size j) const {
        return M::add(s, Gap::gap(load(low + j * kAbreast), load(high + j * kAbreast), all(query[j])), tree.p);
    }
    template <class Gap>
    V sums(const T* low, const T* high, Size d) const {
        V s[kLanes] = {};
        Size j = 0;
        for (; j + kLanes <= d; j += kLanes)
            for (Size lane = 0; lane < kLanes; ++lane) s[lane] = plus_gap<Gap>(s[lane], low, high, j + lane);
        for (Size lane = 0; lane + 1 < kLanes; ++lane)
            if (j + lane < d) s[lane] = plus_gap<Gap>(s[lane], low, high, j + lane);
        return M::join(M::join(s[0], s[1]), M::join(s[2], s[3]));
    }
};

// Distances of the rows of a panel: by the metric's own function, or written out for a few columns, where the call and
// the loop around it would cost more than the sums.
template <class T>
struct AnyLeaves {
    const KdView<T>& tree;
    const double* query;
    void distances(Size panel, double* out) const {
        const Size d = tree.at.dims;
        tree.functions->panel(query, tree.panels + panel * kAbreast * d, d, tree.p, out);
    }
};

template <Size D, class T>
struct FewColumns {
    const KdView<T>& tree;
    const double* query;
    void distances(Size panel, double* out) const {
        const T* z = tree.panels + panel * kAbreast * D;
        for (Size r = 0; r < kAbreast; r += kWide) {
            V q[kLanes] = {};
            for (Size j = 0; j < D; ++j) {
                const V t = all(query[j]) - load(z + j * kAbreast + r);
                q[j] = t * t;
            }
            store(out + r, (q[0] + q[1]) + (q[2] + q[3]));
        }
    }
};

template <class M, Size D, class T>
struct Search {
    using Regions = Boxes<M, D, T>;
    static auto leaves(const KdView<T>& tree, const double* query) {
        if constexpr (D != 0)
            return FewColumns<D, T>{tree, query};
        else
            return AnyLeaves<T>{tree, query};
    }
    template <class Room>
    static void nearest_in(const KdView<T>& tree, const NearestJob& job) {
        for (Size i = 0; i < job.count; ++i) {
            const double* query = job.queries + i * tree.at.dims;
            Room room{job.reduced + i * job.k, job.rows + i * job.k, job.k};
            room.clear();
            walk(tree.at, tree.rows, Regions{tree, query, job.share}, leaves(tree, query), room,
                 job.own == nullptr ? kNoRow : job.own[i], job.most_leaves);
        }
    }
    static void nearest(const KdView<T>& tree, const NearestJob& job) {
        job.k <= kSortedRoom ? nearest_in<SortedRoom>(tree, job) : nearest_in<HeapRoom>(tree, job);
    }
    static void within(const KdView<T>& tree, const double* query, double reach, Take take, void* to) {
        Gather room(reach, take, to);
        walk(tree.at, tree.rows, Regions{tree, query, 1.0}, leaves(tree, query), room, kNoRow, ~Size{0});
    }
    static Size count(const KdView<T>& tree, const double* query, double reach, double inside, Take take, void* to) {
        Count room(reach, inside, take, to);
        walk(tree.at, tree.rows, Regions{tree, query, 1.0}, leaves(tree, query), room, kNoRow, ~Size{0});
        return room.unseen;
    }
    static void locate(const KdView<T>& tree, const double* queries, Size count, Size stop, std::uint32_t* nodes) {
        for (Size i = 0; i < count; ++i)
            nodes[i] =
                static_cast<std::uint32_t>(descend(tree.at, Regions{tree, queries + i * tree.at.dims, 1.0}, stop));
    }
};

// Calls f with the search that fits the metric and the number of columns.
template <class T, class F>
void with_search(const KdView<T>& tree, const F& f) {
    switch (tree.kind) {
        case MetricKind::manhattan:
            return f(Search<Manhattan, 0, T>{});
        case MetricKind::chebyshev:
            return f(Search<Chebyshev, 0, T>{});
        case MetricKind::minkowski:
            return f(Search<Minkowski, 0, T>{});
        default:
            break;
    }
    switch (tree.at.dims) {
        case 1:
            return f(Search<Euclidean, 1, T>{});
        case 2:
            return f(Search<Euclidean, 2, T>{});
        case 3:
            return f(Search<Euclidean, 3, T>{});
        case 4:
            return f(Search<Euclidean, 4, T>{});
        default:
            return f(Search<Euclidean, 0, T>{});
    }
}

template <class T>
void nearest(const KdView<T>& tree, const NearestJob& job) {
    with_search(tree, [&](auto search) { search.nearest(tree, job); });
}
template <class T>
void within(const KdView<T>& tree, const double* query, double reach, Take take, void* to) {
    with_search(tree, [&](auto search) { search.within(tree, query, reach, take, to); });
}
template <class T>
std::size_t count(const KdView<T>& tree, const double* query, double reach, double inside, Take take, void* to) {
    Size unseen = 0;
    with_search(tree, [&](auto search) { unseen = search.count(tree, query, reach, inside, take, to); });
    return unseen;
}
template <class T>
void locate(const KdView<T>& tree, const double* queries, Size count, Size stop, std::uint32_t* nodes) {
    with_search(tree, [&](auto search) { search.locate(tree, queries, count, stop, nodes); });
}

}  // namespace

extern const KdHot PELLUCID_JOIN(kd_hot_, PELLUCID_LEVEL);
const KdHot PELLUCID_JOIN(kd_hot_, PELLUCID_LEVEL) = {{nearest<double>, within<double>, count<double>, locate<double>},
                                                      {nearest<float>, within<float>, count<float>, locate<float>}};

}  // namespace pellucid

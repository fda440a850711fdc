#include "core/distance/kd_tree.hpp"

#include "core/base/simd.hpp"
#include "core/distance/leaf_tree_build.hpp"
#include "core/distance/tree_queries.hpp"

namespace pellucid {

extern const KdHot kd_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const KdHot kd_hot_v3;
extern const KdHot kd_hot_v4;
#endif

const KdHot& kd_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return kd_hot_v4;
        case Level::v3:
            return kd_hot_v3;
        default:
            return kd_hot_baseline;
    }
#else
    return kd_hot_baseline;
#endif
}

namespace {

constexpr Size kSampled = 256;  // rows that decide which column is widest

// The column in which a sample of rows is spread most; answers false if they are all equal.
template <class T, class At>
bool widest(Size rows, Size dims, std::vector<T>& ends, const At& at, Size& column) {
    const Size step = std::max<Size>(1, rows / kSampled);
    T* low = ends.data();
    T* high = low + dims;
    for (Size j = 0; j < dims; ++j) low[j] = high[j] = at(0, j);
    for (Size i = step; i < rows; i += step)
        for (Size j = 0; j < dims; ++j) {
            const T z = at(i, j);
            low[j] = std::min(low[j], z);
            high[j] = std::max(high[j], z);
        }
    double most = 0;
    for (Size j = 0; j < dims; ++j) {
        const double spread = static_cast<double>(high[j]) - static_cast<double>(low[j]);
        if (spread > most) most = spread, column = j;
    }
    return most > 0;
}

template <class T>
struct TopRule {
    const Dense<T>& x;
    bool operator()(std::span<const std::int32_t> rows, std::span<Keyed<T>> keyed) const {
        std::vector<T> ends(2 * x.cols);
        Size column = 0;
        const auto at = [&](Size i, Size j) { return x.at(static_cast<Size>(rows[i]), j); };
        if (!widest(rows.size(), x.cols, ends, at, column)) return false;
        for (Size i = 0; i < rows.size(); ++i) keyed[i] = {at(i, column), rows[i]};
        return true;
    }
};

// All levels of one subtree, whose rows are copied first: so they stay in the cache.
template <class T>
void order_subtree(const Dense<T>& x, const Arrangement& a, LeafRange whole, std::span<std::int32_t> order) {
    const Size begin = whole.first * a.leaf_rows();
    const Size n = std::min((whole.first + whole.count) * a.leaf_rows(), a.rows) - begin, d = a.dims;
    const auto rows = order.subspan(begin, n);
    std::vector<T> own(n * d), ends(2 * d);
    std::vector<std::int32_t> numbers(rows.begin(), rows.end());
    for (Size i = 0; i < n; ++i) {
        for (Size j = 0; j < d; ++j) own[i * d + j] = x.at(static_cast<Size>(rows[i]), j);
        rows[i] = static_cast<std::int32_t>(i);
    }
    const auto rule = [&](std::span<const std::int32_t> part, std::span<Keyed<T>> keyed) {
        Size column = 0;
        const auto at = [&](Size i, Size j) { return own[static_cast<Size>(part[i]) * d + j]; };
        if (!widest(part.size(), d, ends, at, column)) return false;
        for (Size i = 0; i < part.size(); ++i) keyed[i] = {at(i, column), part[i]};
        return true;
    };
    finish_subtree<T>(a, whole, order, rule);
    for (auto& row : rows) row = numbers[static_cast<Size>(row)];
}

// Boxes of the nodes of one level, from the rows (level 1) or from the boxes below.
template <class T>
void fill_boxes(const Arrangement& a, Size level, std::span<const T> panels, std::span<T> boxes, int threads) {
    constexpr Size kNodesABlock = 64;
    const Size d = a.dims;
    // Child `child` of the level below: rows of a leaf, or boxes of a node.
    const auto measure = [&](Size child, Size j, T& low, T& high) {
        if (level == 1) {
            for (Size panel = child * a.panels; panel < (child + 1) * a.panels; ++panel)
                for (Size r = 0; r < kAbreast; ++r) {
                    const T z = panels[(panel * d + j) * kAbreast + r];
                    low = std::min(low, z);
                    high = std::max(high, z);
                }
            return;
        }
        const T* below = boxes.data() + a.offsets[level - 1] + child * a.node_size();
        const Size count = std::min(kAbreast, a.counts[level - 2] - child * kAbreast);
        for (Size r = 0; r < count; ++r) {
            low = std::min(low, below[j * kAbreast + r]);
            high = std::max(high, below[(d + j) * kAbreast + r]);
        }
    };
    parallel_for(blocks_of(a.counts[level], kNodesABlock), threads, [&](Size block) {
        const Size end = std::min(a.counts[level], (block + 1) * kNodesABlock);
        for (Size node = block * kNodesABlock; node < end; ++node) {
            T* box = boxes.data() + a.offsets[level] + node * a.node_size();
            for (Size r = 0; r < kAbreast; ++r)
                for (Size j = 0; j < d; ++j) {
                    T low = std::numeric_limits<T>::infinity(), high = -low;
                    if (node * kAbreast + r < a.counts[level - 1]) measure(node * kAbreast + r, j, low, high);
                    box[j * kAbreast + r] = low;
                    box[(d + j) * kAbreast + r] = high;
                }
        }
    });
}

template <class T>
struct KdTree : KdView<T> {
    const KdFunctions<T>& hot;
    void nearest(const NearestJob& job) const { hot.nearest(*this, job); }
    void within(const double* query, double reach, Take take, void* to) const {
        hot.within(*this, query, reach, take, to);
    }
    Size count(const double* query, double reach, double inside, Take take, void* to) const {
        return hot.count(*this, query, reach, inside, take, to);
    }
    void locate(const double* queries, Size count, Size stop, std::uint32_t* nodes) const {
        hot.locate(*this, queries, count, stop, nodes);
    }
};

template <class T>
KdTree<T> searchable(const KdView<T>& view) {
    if constexpr (sizeof(T) == sizeof(float))
        return {view, kd_hot().f32};
    else
        return {view, kd_hot().f64};
}

// The share of the k-th distance, reduced, at which (1 + eps) times a branch's distance is no better.
double share_of(const Metric& metric, double eps) {
    if (eps == 0) return 1;
    const double power = metric.kind == MetricKind::euclidean ? 2 : metric.kind == MetricKind::minkowski ? metric.p : 1;
    return std::pow(1 + eps, -power);
}

}  // namespace

Arrangement kd_arrangement(Size rows, Size dims, Size panels) {
    require(rows >= 1 && dims >= 1 && panels >= 1, "a tree has rows, columns and leaves");
    require(rows < std::numeric_limits<std::int32_t>::max(), "rows are numbered by 32 bits");
    return arrange(rows, dims, panels, 2 * dims);
}

template <class T>
void kd_build(const Dense<T>& x, const Arrangement& a, std::span<T> panels, std::span<std::int32_t> numbers,
              std::span<T> boxes, int threads) {
    require(panels.size() == a.slots() * a.dims && numbers.size() == a.slots() && boxes.size() == a.regions,
            "arrays of the arrangement's sizes");
    std::vector<std::int32_t> order(a.rows);
    order_rows<T>(a, order, threads, TopRule<T>{x}, [&](LeafRange whole) { order_subtree<T>(x, a, whole, order); });
    fill_panels<T>(a, order, panels, numbers, threads,
                   [&](Size row) { return [&x, row](Size j) { return x.at(row, j); }; });
    for (Size level = 1; level < a.levels; ++level) fill_boxes<T>(a, level, panels, boxes, threads);
}

template <class T>
KdView<T> kd_view(const Arrangement& a, const T* panels, const std::int32_t* numbers, const T* boxes,
                  const Metric& metric) {
    require(metric.kind == MetricKind::euclidean || metric.kind == MetricKind::manhattan ||
                metric.kind == MetricKind::chebyshev || metric.kind == MetricKind::minkowski,
            "a metric that boxes bound");
    return {a, panels, numbers, boxes, metric.kind, metric.p, &metric.functions<T>()};
}

template <class T>
void kd_nearest(const KdView<T>& tree, const Metric& metric, const Matrix& queries, Size k, const MissBudget& budget,
                std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    tree_nearest(searchable(tree), metric, queries, k, share_of(metric, budget.eps), budget.most_leaves, distances,
                 numbers, threads);
}

template <class T>
void kd_nearest_others(const KdView<T>& tree, const Metric& metric, Size k, const MissBudget& budget,
                       std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    tree_nearest_others(searchable(tree), metric, k, share_of(metric, budget.eps), budget.most_leaves, distances,
                        numbers, threads);
}

template <class T>
Neighborhoods kd_within(const KdView<T>& tree, const Metric& metric, const Matrix& queries,
                        std::span<const double> radii, int threads) {
    return tree_within(searchable(tree), metric, queries, radii, threads);
}

template <class T>
void kd_count(const KdView<T>& tree, const Metric& metric, const Matrix& queries, std::span<const double> radii,
              std::span<std::int64_t> counts, int threads) {
    tree_count(searchable(tree), metric, queries, radii, counts, threads);
}

#define PELLUCID_KD(T)                                                                                                 \
    template void kd_build<T>(const Dense<T>&, const Arrangement&, std::span<T>, std::span<std::int32_t>,              \
                              std::span<T>, int);                                                                      \
    template KdView<T> kd_view<T>(const Arrangement&, const T*, const std::int32_t*, const T*, const Metric&);         \
    template void kd_nearest<T>(const KdView<T>&, const Metric&, const Matrix&, Size, const MissBudget&,               \
                                std::span<double>, std::span<std::int64_t>, int);                                      \
    template void kd_nearest_others<T>(const KdView<T>&, const Metric&, Size, const MissBudget&, std::span<double>,    \
                                       std::span<std::int64_t>, int);                                                  \
    template Neighborhoods kd_within<T>(const KdView<T>&, const Metric&, const Matrix&, std::span<const double>, int); \
    template void kd_count<T>(const KdView<T>&, const Metric&, const Matrix&, std::span<const double>,                 \
                              std::span<std::int64_t>, int);
PELLUCID_KD(double)
PELLUCID_KD(float)
#undef PELLUCID_KD

}  // namespace pellucid

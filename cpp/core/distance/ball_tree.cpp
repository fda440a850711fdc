#include "core/distance/ball_tree.hpp"

#include "core/distance/leaf_tree_build.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/tree_queries.hpp"
#include "core/distance/tree_walk.hpp"

namespace pellucid {
namespace {

constexpr double kUnit = 2.220446049250313e-16;
constexpr double kSumsFit = 4e307;  // of two such numbers
constexpr double kNearlyOpposite = 3;

bool knows_means(const Metric& metric) {
    return metric.kind == MetricKind::euclidean || metric.kind == MetricKind::manhattan ||
           metric.kind == MetricKind::chebyshev || metric.kind == MetricKind::minkowski;
}

double power_of(const Metric& metric) {
    if (metric.kind == MetricKind::euclidean) return 2;
    return metric.kind == MetricKind::minkowski ? metric.p : 1;
}

// Bounds of eight balls, reduced.
template <class T>
struct Balls {
    const BallView<T>& tree;
    const double* query;
    double share;
    double unsure = 0, lost = 0;  // relative and absolute
    bool blind = false;           // bounds say nothing

    Balls(const BallView<T>& t, const double* q, double s) : tree(t), query(q), share(s) {
        const double d = static_cast<double>(t.at.dims), power = power_of(t.metric);
        unsure = 8 * (d + 16) * kUnit;
        lost = power == 1 ? 0.0 : std::pow(d * 1e-320, 1 / power);
        if (t.metric.kind == MetricKind::canberra)
            for (Size j = 0; j < t.at.dims; ++j) blind = blind || std::fabs(q[j]) > kSumsFit;
    }
    double worth(double limit) const { return limit * share; }

    void bounds(Size level, Size node, double* out) const {
        const Size d = tree.at.dims;
        const double* centers = tree.balls + tree.at.offsets[level] + node * tree.at.node_size();
        const double* radii = centers + d * kAbreast;
        tree.metric.template functions<double>().panel(query, centers, d, tree.metric.p, out);
        for (Size r = 0; r < kAbreast; ++r) out[r] = bound(tree.metric.distance(out[r]), radii[r]);
    }
    void farthest(Size level, Size node, double* out) const {
        const Size d = tree.at.dims;
        const double* centers = tree.balls + tree.at.offsets[level] + node * tree.at.node_size();
        const double* radii = centers + d * kAbreast;
        tree.metric.template functions<double>().panel(query, centers, d, tree.metric.p, out);
        for (Size r = 0; r < kAbreast; ++r) out[r] = upper(tree.metric.distance(out[r]), radii[r]);
    }

  private:
    // Of the farthest row; NaN, which is within no radius, where nothing is known.
    double upper(double to_center, double radius) const {
        const double most = (to_center + radius) * (1 + 2 * unsure) + lost;
        if (blind || !std::isfinite(most) || tree.metric.kind == MetricKind::haversine)
            return std::numeric_limits<double>::quiet_NaN();
        switch (tree.metric.kind) {
            case MetricKind::euclidean:
                return most * most * (1 + unsure);
            case MetricKind::minkowski:
                return std::pow(most, tree.metric.p) * (1 + unsure * tree.metric.p);
            default:
                return most;
        }
    }
    double bound(double to_center, double radius) const {
        double least = to_center * (1 - unsure) - radius * (1 + unsure) - lost;
        if (tree.metric.kind == MetricKind::haversine && std::max(to_center, radius) > kNearlyOpposite) least -= 1e-7;
        if (!(least > 0) || blind || !std::isfinite(to_center)) return 0;
        switch (tree.metric.kind) {
            case MetricKind::euclidean:
                return least * least * (1 - unsure);
            case MetricKind::minkowski:
                return std::pow(least, tree.metric.p) * (1 - unsure * tree.metric.p);
            case MetricKind::haversine: {
                const double half = std::sin(std::min(least, 3.141592653589793) / 2);
                return half * half * (1 - unsure);
            }
            default:
                return least;
        }
    }
};

template <class T>
struct PanelLeaves {
    const BallView<T>& tree;
    const double* query;
    void distances(Size panel, double* out) const {
        const Size d = tree.at.dims;
        tree.metric.template functions<T>().panel(query, tree.panels + panel * kAbreast * d, d, tree.metric.p, out);
    }
};

template <class T>
struct BallTree : BallView<T> {
    template <class Room>
    void nearest_in(const NearestJob& job) const {
        for (Size i = 0; i < job.count; ++i) {
            const double* query = job.queries + i * this->at.dims;
            Room room{job.reduced + i * job.k, job.rows + i * job.k, job.k};
            room.clear();
            walk(this->at, this->rows, Balls<T>(*this, query, job.share), PanelLeaves<T>{*this, query}, room,
                 job.own == nullptr ? kNoRow : job.own[i], job.most_leaves);
        }
    }
    void nearest(const NearestJob& job) const {
        job.k <= kSortedRoom ? nearest_in<SortedRoom>(job) : nearest_in<HeapRoom>(job);
    }
    void within(const double* query, double reach, Take take, void* to) const {
        Gather room(reach, take, to);
        walk(this->at, this->rows, Balls<T>(*this, query, 1.0), PanelLeaves<T>{*this, query}, room, kNoRow, ~Size{0});
    }
    Size count(const double* query, double reach, double inside, Take take, void* to) const {
        Count room(reach, inside, take, to);
        walk(this->at, this->rows, Balls<T>(*this, query, 1.0), PanelLeaves<T>{*this, query}, room, kNoRow, ~Size{0});
        return room.unseen;
    }
    void locate(const double* queries, Size count, Size stop, std::uint32_t* nodes) const {
        for (Size i = 0; i < count; ++i)
            nodes[i] =
                static_cast<std::uint32_t>(descend(this->at, Balls<T>(*this, queries + i * this->at.dims, 1.0), stop));
    }
};

// Rows and their distances.
template <class T>
struct Rows {
    const PointedRows<T>& pointed;
    Size dims;
    const Metric& metric;
    const MetricFunctions<T>& functions;

    const T* row(std::int32_t i) const { return pointed.row(static_cast<Size>(i)); }
    double reduced(const double* x, std::int32_t i) const { return functions.pair(x, row(i), dims, metric.p); }
    void read(std::int32_t i, std::vector<double>& out) const { out.assign(row(i), row(i) + dims); }
};

constexpr Size kSampled = 256;  // rows among which far ones are looked for

// Of a sample of rows the one farthest from x.
template <class T>
std::int32_t farthest(const Rows<T>& all, std::span<const std::int32_t> rows, const std::vector<double>& x) {
    std::int32_t found = rows[0];
    double most = -1;
    for (Size i = 0, step = std::max<Size>(1, rows.size() / kSampled); i < rows.size(); i += step) {
        const double far = all.reduced(x.data(), rows[i]);
        if (far > most) most = far, found = rows[i];
    }
    return found;
}

// Rows by how much nearer they are to one of two far rows than to the other.
template <class T>
bool by_far_rows(const Rows<T>& all, std::span<const std::int32_t> rows, std::span<Keyed<double>> keyed) {
    std::vector<double> first, second;
    all.read(rows[0], first);
    const std::int32_t a = farthest(all, rows, first);
    all.read(a, first);
    all.read(farthest(all, rows, first), second);
    bool apart = false;
    for (Size i = 0; i < rows.size(); ++i) {
        const double key = all.reduced(first.data(), rows[i]) - all.reduced(second.data(), rows[i]);
        keyed[i] = {key == key ? key : 0.0, rows[i]};  // the difference of two infinities orders nothing
        apart = apart || keyed[i].key != keyed[0].key;
    }
    return apart;
}

template <class T>
double radius_of(const Rows<T>& all, std::span<const std::int32_t> rows, const double* center) {
    double most = 0;
    for (const auto i : rows) most = std::max(most, all.reduced(center, i));
    return all.metric.distance(most);
}

template <class T>
void mean_of(const Rows<T>& all, std::span<const std::int32_t> rows, std::vector<double>& center) {
    const double share = 1 / static_cast<double>(rows.size());
    center.assign(all.dims, 0.0);
    for (const auto i : rows)
        for (Size j = 0; j < all.dims; ++j) center[j] += share * static_cast<double>(all.row(i)[j]);
}

// Of eight rows the one with the least distance to the farthest of a sample.
template <class T>
void middle_row(const Rows<T>& all, std::span<const std::int32_t> rows, std::vector<double>& center) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> tried;
    for (Size i = 0, step = std::max<Size>(1, rows.size() / 8); i < rows.size(); i += step) {
        all.read(rows[i], tried);
        double most = 0;
        for (Size other = 0, by = std::max<Size>(1, rows.size() / 64); other < rows.size(); other += by)
            most = std::max(most, all.reduced(tried.data(), rows[other]));
        if (i == 0 || most < least) least = most, center = tried;
    }
}

template <class T>
bool sums_fit(const Rows<T>& all, std::span<const std::int32_t> rows) {
    for (const auto i : rows)
        for (Size j = 0; j < all.dims; ++j)
            if (std::fabs(static_cast<double>(all.row(i)[j])) > kSumsFit) return false;
    return true;
}

template <class T>
void fill_balls(const Arrangement& a, Size level, const Rows<T>& all, std::span<const std::int32_t> order,
                std::span<double> balls, int threads) {
    Size below = a.leaf_rows();  // rows of a child
    for (Size l = 1; l < level; ++l) below *= kAbreast;
    parallel_for(a.counts[level], threads, [&](Size node) {
        double* ball = balls.data() + a.offsets[level] + node * a.node_size();
        std::fill_n(ball, a.node_size(), 0.0);
        std::vector<double> center;
        for (Size r = 0; r < kAbreast; ++r) {
            const Size child = node * kAbreast + r;
            if (child >= a.counts[level - 1]) break;
            const auto rows = order.subspan(child * below, std::min(below, a.rows - child * below));
            knows_means(all.metric) ? mean_of(all, rows, center) : middle_row(all, rows, center);
            for (Size j = 0; j < a.dims; ++j) ball[j * kAbreast + r] = center[j];
            const bool measured = all.metric.kind != MetricKind::canberra || sums_fit(all, rows);
            ball[a.dims * kAbreast + r] =
                measured ? radius_of(all, rows, center.data()) : std::numeric_limits<double>::infinity();
        }
    });
}

double share_of(const Metric& metric, double eps) {
    return eps == 0 || metric.kind == MetricKind::haversine ? 1.0 : std::pow(1 + eps, -power_of(metric));
}

}  // namespace

bool has_triangle_inequality(const Metric& metric) {
    switch (metric.kind) {
        case MetricKind::minkowski:
            return metric.p >= 1;
        case MetricKind::euclidean:
        case MetricKind::manhattan:
        case MetricKind::chebyshev:
        case MetricKind::hamming:
        case MetricKind::jaccard:
        case MetricKind::canberra:
        case MetricKind::haversine:
            return true;
        default:
            return false;
    }
}

Arrangement ball_arrangement(Size rows, Size dims, Size panels) {
    require(rows >= 1 && dims >= 1 && panels >= 1, "a tree has rows, columns and leaves");
    require(rows < std::numeric_limits<std::int32_t>::max(), "rows are numbered by 32 bits");
    return arrange(rows, dims, panels, dims + 1);
}

template <class T>
void ball_build(const Dense<T>& x, const Arrangement& a, const Metric& metric, std::span<T> panels,
                std::span<std::int32_t> numbers, std::span<double> balls, int threads) {
    require(has_triangle_inequality(metric), "a metric with the triangle inequality");
    require(metric.kind != MetricKind::haversine || a.dims == 2, "latitude and longitude");
    require(panels.size() == a.slots() * a.dims && numbers.size() == a.slots() && balls.size() == a.regions,
            "arrays of the arrangement's sizes");
    const PointedRows<T> pointed(x);
    const Rows<T> all{pointed, x.cols, metric, metric.functions<T>()};
    std::vector<std::int32_t> order(a.rows);
    const auto rule = [&](std::span<const std::int32_t> rows, std::span<Keyed<double>> keyed) {
        return by_far_rows(all, rows, keyed);
    };
    order_rows<double>(a, order, threads, rule,
                       [&](LeafRange whole) { finish_subtree<double>(a, whole, order, rule); });
    fill_panels<T>(a, order, panels, numbers, threads,
                   [&](Size row) { return [&x, row](Size j) { return x.at(row, j); }; });
    for (Size level = 1; level < a.levels; ++level) fill_balls<T>(a, level, all, order, balls, threads);
}

template <class T>
void ball_nearest(const BallView<T>& tree, const Matrix& queries, Size k, const MissBudget& budget,
                  std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    tree_nearest(BallTree<T>{tree}, tree.metric, queries, k, share_of(tree.metric, budget.eps), budget.most_leaves,
                 distances, numbers, threads);
}

template <class T>
void ball_nearest_others(const BallView<T>& tree, Size k, const MissBudget& budget, std::span<double> distances,
                         std::span<std::int64_t> numbers, int threads) {
    tree_nearest_others(BallTree<T>{tree}, tree.metric, k, share_of(tree.metric, budget.eps), budget.most_leaves,
                        distances, numbers, threads);
}

template <class T>
Neighborhoods ball_within(const BallView<T>& tree, const Matrix& queries, std::span<const double> radii, int threads) {
    return tree_within(BallTree<T>{tree}, tree.metric, queries, radii, threads);
}

template <class T>
void ball_count(const BallView<T>& tree, const Matrix& queries, std::span<const double> radii,
                std::span<std::int64_t> counts, int threads) {
    tree_count(BallTree<T>{tree}, tree.metric, queries, radii, counts, threads);
}

#define PELLUCID_BALL(T)                                                                                             \
    template void ball_build<T>(const Dense<T>&, const Arrangement&, const Metric&, std::span<T>,                    \
                                std::span<std::int32_t>, std::span<double>, int);                                    \
    template void ball_nearest<T>(const BallView<T>&, const Matrix&, Size, const MissBudget&, std::span<double>,     \
                                  std::span<std::int64_t>, int);                                                     \
    template void ball_nearest_others<T>(const BallView<T>&, Size, const MissBudget&, std::span<double>,             \
                                         std::span<std::int64_t>, int);                                              \
    template Neighborhoods ball_within<T>(const BallView<T>&, const Matrix&, std::span<const double>, int);          \
    template void ball_count<T>(const BallView<T>&, const Matrix&, std::span<const double>, std::span<std::int64_t>, \
                                int);
PELLUCID_BALL(double)
PELLUCID_BALL(float)
#undef PELLUCID_BALL

}  // namespace pellucid

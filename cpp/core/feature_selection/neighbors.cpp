#include "core/feature_selection/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Size kLeaf = 12;

// A column in ascending order, and which row stands where.
struct Sorted {
    std::vector<double> value;
    std::vector<std::uint32_t> row;

    explicit Sorted(std::span<const double> column) : value(column.size()), row(column.size()) {
        std::vector<std::pair<double, std::uint32_t>> both(column.size());
        for (Size i = 0; i < column.size(); ++i) both[i] = {column[i], static_cast<std::uint32_t>(i)};
        std::sort(both.begin(), both.end());
        for (Size i = 0; i < both.size(); ++i) value[i] = both[i].first, row[i] = both[i].second;
    }
};

// How many of the sorted values lie within `radius` of the one at place i, itself among them.
Size count_within(const std::vector<double>& sorted, Size i, double radius) {
    const double x = sorted[i];
    const Size n = sorted.size();
    Size near = i, step = 1;  // the last place known to be within, then doubled steps until one is not
    while (near + step < n && sorted[near + step] - x <= radius) near += step, step *= 2;
    Size far = std::min(n, near + step);
    while (far - near > 1) {
        const Size middle = near + (far - near) / 2;
        (sorted[middle] - x <= radius ? near : far) = middle;
    }
    Size first = i;
    for (step = 1; first >= step && x - sorted[first - step] <= radius; step *= 2) first -= step;
    Size gap = std::min(first, step);  // places below `first` that are not known
    while (gap > 0) {
        const Size half = (gap + 1) / 2;
        if (x - sorted[first - half] <= radius)
            first -= half, gap -= half;
        else
            gap = half - 1;
    }
    return near - first + 1;
}

// ------------------------------------------------------------------------------------------------------------- plane

struct Point {
    double x, y;
    std::uint32_t row;
};

// Points in the order of the tree: a node covers [begin, end), its halves meet at the middle; a leaf has few points.
class PlaneTree {
  public:
    PlaneTree(std::span<const double> x, std::span<const double> y) : points_(x.size()) {
        for (Size i = 0; i < x.size(); ++i) points_[i] = {x[i], y[i], static_cast<std::uint32_t>(i)};
        boxes_.reserve(4 * x.size() / kLeaf + 4);
        grow(0, points_.size());
    }
    Size size() const { return points_.size(); }
    const Point& point(Size i) const { return points_[i]; }

    // Distance from point i to its k-th neighbor; nearest: room for k distances.
    double kth(Size i, double* nearest, Size k) const {
        std::fill(nearest, nearest + k, kInfinity);
        search(0, 0, points_.size(), i, nearest, k);
        return nearest[k - 1];
    }

  private:
    struct Box {
        double low_x, high_x, low_y, high_y;
        std::uint32_t right;  // number of the right half's node; 0 for a leaf
    };

    Size grow(Size begin, Size end) {
        Box box{kInfinity, -kInfinity, kInfinity, -kInfinity, 0};
        for (Size i = begin; i < end; ++i) {
            box.low_x = std::min(box.low_x, points_[i].x), box.high_x = std::max(box.high_x, points_[i].x);
            box.low_y = std::min(box.low_y, points_[i].y), box.high_y = std::max(box.high_y, points_[i].y);
        }
        const Size node = boxes_.size();
        boxes_.push_back(box);
        if (end - begin <= kLeaf) return node;
        const Size middle = begin + (end - begin) / 2;
        const auto at = [&](Size i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
        if (box.high_x - box.low_x >= box.high_y - box.low_y)
            std::nth_element(at(begin), at(middle), at(end), [](const Point& a, const Point& b) { return a.x < b.x; });
        else
            std::nth_element(at(begin), at(middle), at(end), [](const Point& a, const Point& b) { return a.y < b.y; });
        grow(begin, middle);
        const Size right = grow(middle, end);
        boxes_[node].right = static_cast<std::uint32_t>(right);
        return node;
    }

    static double outside(const Box& box, const Point& p) {
        return std::max({box.low_x - p.x, p.x - box.high_x, box.low_y - p.y, p.y - box.high_y, 0.0});
    }

    void search(Size node, Size begin, Size end, Size i, double* nearest, Size k) const {
        const Box& box = boxes_[node];
        const Point& p = points_[i];
        if (box.right == 0) {
            for (Size j = begin; j < end; ++j) {
                const double d = std::max(std::abs(points_[j].x - p.x), std::abs(points_[j].y - p.y));
                if (d >= nearest[k - 1] || j == i) continue;
                Size place = k - 1;
                for (; place > 0 && nearest[place - 1] > d; --place) nearest[place] = nearest[place - 1];
                nearest[place] = d;
            }
            return;
        }
        const Size middle = begin + (end - begin) / 2, left = node + 1, right = box.right;
        const double to_left = outside(boxes_[left], p), to_right = outside(boxes_[right], p);
        if (to_left <= to_right) {
            if (to_left < nearest[k - 1]) search(left, begin, middle, i, nearest, k);
            if (to_right < nearest[k - 1]) search(right, middle, end, i, nearest, k);
        } else {
            if (to_right < nearest[k - 1]) search(right, middle, end, i, nearest, k);
            if (to_left < nearest[k - 1]) search(left, begin, middle, i, nearest, k);
        }
    }

    std::vector<Point> points_;
    std::vector<Box> boxes_;
};

std::vector<double> radii(std::span<const double> x, std::span<const double> y, Size k) {
    const PlaneTree tree(x, y);
    std::vector<double> radius(x.size()), nearest(k);
    for (Size i = 0; i < tree.size(); ++i)
        radius[tree.point(i).row] = std::nextafter(tree.kth(i, nearest.data(), k), 0.0);
    return radius;
}

void count_all(const Sorted& sorted, const std::vector<double>& radius, std::int64_t* out) {
    for (Size i = 0; i < sorted.row.size(); ++i) {
        const Size row = sorted.row[i];
        out[row] = static_cast<std::int64_t>(count_within(sorted.value, i, radius[row]));
    }
}

// ------------------------------------------------------------------------------------------------------------- groups

// The k-th nearest of sorted values to the one at place i: of all windows of k + 1 places around i, the narrowest.
double kth_in_line(const double* value, Size n, Size i, Size k) {
    double best = kInfinity;
    const Size first = i > k ? i - k : 0, last = std::min(i, n - 1 - k);
    for (Size start = first; start <= last; ++start)
        best = std::min(best, std::max(value[i] - value[start], value[start + k] - value[i]));
    return best;
}

void count_groups(std::span<const double> x, std::span<const std::int32_t> group, Size groups, Size k,
                  std::int64_t* out) {
    const Size n = x.size();
    const Sorted sorted(x);
    std::vector<Size> begin(groups + 1, 0);
    for (const std::int32_t g : group) ++begin[static_cast<Size>(g) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Size> next(begin.begin(), begin.end() - 1);
    std::vector<double> own(n), radius(n);
    std::vector<std::uint32_t> row(n);
    for (Size i = 0; i < n; ++i) {  // the sorted rows dealt out to their groups stay sorted
        const Size place = next[static_cast<Size>(group[sorted.row[i]])]++;
        own[place] = sorted.value[i], row[place] = sorted.row[i];
    }
    for (Size g = 0; g < groups; ++g) {
        const Size size = begin[g + 1] - begin[g];
        const Size most = std::min(k, size - 1);
        for (Size i = 0; i < size; ++i)
            radius[row[begin[g] + i]] = std::nextafter(kth_in_line(own.data() + begin[g], size, i, most), 0.0);
    }
    count_all(sorted, radius, out);
}

}  // namespace

void plane_neighbors(std::span<const double> table, std::span<const double> y, Size k, std::span<std::int64_t> nx,
                     std::span<std::int64_t> ny, int threads) {
    const Size rows = y.size();
    require(k >= 1 && k < rows && table.size() % rows == 0, "plane_neighbors: k and sizes");
    require(nx.size() == table.size() && ny.size() == table.size(), "plane_neighbors: results");
    const Sorted by_y(y);
    parallel_for(table.size() / rows, threads, [&](Size column) {
        const std::span<const double> x = table.subspan(column * rows, rows);
        const std::vector<double> radius = radii(x, y, k);
        count_all(Sorted(x), radius, nx.data() + column * rows);
        count_all(by_y, radius, ny.data() + column * rows);
    });
}

void group_neighbors(std::span<const double> table, std::span<const std::int32_t> group, Size groups, Size k,
                     std::span<std::int64_t> count, int threads) {
    const Size rows = group.size();
    require(k >= 1 && rows >= 2 && table.size() % rows == 0 && count.size() == table.size(), "group_neighbors: sizes");
    std::vector<Size> size(groups);
    for (const std::int32_t g : group) ++size[static_cast<Size>(g)];
    for (const Size s : size) require(s >= 2, "group_neighbors: a group of one row");
    parallel_for(table.size() / rows, threads, [&](Size column) {
        count_groups(table.subspan(column * rows, rows), group, groups, k, count.data() + column * rows);
    });
}

}  // namespace pellucid

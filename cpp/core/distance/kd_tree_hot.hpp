// Searches of a KD-tree, compiled once per SIMD level.
//
// Bounds. A branch is a box: the least and the largest value of each column among its rows. For a query x and a box
// (l, h) the gap of column j is  g_j = max(l_j - x_j, x_j - h_j, 0),  and the metric of the gaps bounds the distance to
// every row z of the box from below, in floating point too: subtraction, squares and sums round monotonically, and gaps
// are added up in the very order in which metric_hot.cpp adds differences, so |g_j| <= |x_j - z_j| holds and stays.
// Only pow() is not promised to be monotone: Minkowski's bounds are taken 16 units in the last place less a column. In
// the same way  max(x_j - l_j, h_j - x_j)  bounds the distance from above, for counts.
#pragma once

#include "core/distance/leaf_tree.hpp"
#include "core/distance/metric_hot.hpp"
#include "core/distance/tree_search.hpp"

namespace pellucid {

template <class T>
struct KdView {
    Arrangement at;
    const T* panels;           // leaf by leaf, panel by panel: dims x 8
    const std::int32_t* rows;  // of each place, kNoRow where there is none
    const T* boxes;            // root first: of each node dims x 8 least values, dims x 8 largest ones
    MetricKind kind;
    double p;
    const MetricFunctions<T>* functions;
};

template <class T>
struct KdFunctions {
    void (*nearest)(const KdView<T>& tree, const NearestJob& job);
    // Rows whose reduced distance is at most `reach`, in any order.
    void (*within)(const KdView<T>& tree, const double* query, double reach, Take take, void* to);
    // The same for a count: rows of boxes that lie within `inside` as a whole are not handed over but counted; answers
    // how many these are.
    std::size_t (*count)(const KdView<T>& tree, const double* query, double reach, double inside, Take take, void* to);
    // The node of level `stop` that each of count queries belongs to.
    void (*locate)(const KdView<T>& tree, const double* queries, std::size_t count, std::size_t stop,
                   std::uint32_t* nodes);
};

struct KdHot {
    KdFunctions<double> f64;
    KdFunctions<float> f32;
};

const KdHot& kd_hot();  // of the current level

}  // namespace pellucid

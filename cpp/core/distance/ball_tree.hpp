// Ball tree: a branch is a center c and a radius r that all its rows lie within (Omohundro 1989). By the triangle
// inequality no row of it is nearer to a query x than  d(x, c) - r.  So it serves every metric that has the inequality;
// boxes are tighter in few columns, balls in many. How it lies in memory: leaf_tree.hpp.
//
// Rows are parted by two rows far from each other: those nearer to the first go to the left. Centers are means where
// the metric knows means (Euclidean, Manhattan, Chebyshev, Minkowski), else rows.
//
// Rounding. A distance is computed with a relative error below (d + 16) units in the last place, besides what is lost
// where powers of differences underflow; bounds are taken less by eight times the first and by the second. Where a
// distance overflows, or nearly antipodal points make it uncertain (haversine), the bound gives way accordingly. So no
// bound exceeds the distance, as computed, of a row in the ball, and answers are those of brute force.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/kd_tree.hpp"
#include "core/distance/leaf_tree.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

template <class T>
struct BallView {
    Arrangement at;
    const T* panels;           // leaf by leaf, panel by panel: dims x 8
    const std::int32_t* rows;  // of each place, kNoRow where there is none
    const double* balls;       // root first: of each node dims x 8 centers, 8 radii
    Metric metric;
};

bool has_triangle_inequality(const Metric& metric);

Arrangement ball_arrangement(Size rows, Size dims, Size panels);

// Builds the tree into the caller's arrays: panels (slots x dims), numbers (slots), balls (arrangement.regions).
template <class T>
void ball_build(const Dense<T>& x, const Arrangement& a, const Metric& metric, std::span<T> panels,
                std::span<std::int32_t> numbers, std::span<double> balls, int threads);

// As for the KD-tree.
template <class T>
void ball_nearest(const BallView<T>& tree, const Matrix& queries, Size k, const MissBudget& budget,
                  std::span<double> distances, std::span<std::int64_t> numbers, int threads);
template <class T>
void ball_nearest_others(const BallView<T>& tree, Size k, const MissBudget& budget, std::span<double> distances,
                         std::span<std::int64_t> numbers, int threads);
template <class T>
Neighborhoods ball_within(const BallView<T>& tree, const Matrix& queries, std::span<const double> radii, int threads);
template <class T>
void ball_count(const BallView<T>& tree, const Matrix& queries, std::span<const double> radii,
                std::span<std::int64_t> counts, int threads);

}  // namespace pellucid

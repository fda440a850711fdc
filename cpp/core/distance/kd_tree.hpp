// KD-tree: rows cut in two at a middle value of their widest column, again and again; a branch is searched only if its
// box is not beyond the k-th nearest row found so far (Bentley 1975; Friedman, Bentley and Finkel 1977). How it lies in
// memory: leaf_tree.hpp; why its answers are those of brute force: kd_tree_hot.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/kd_tree_hot.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

Arrangement kd_arrangement(Size rows, Size dims, Size panels);

// Builds the tree into the caller's arrays: panels (slots x dims), numbers (slots), boxes (arrangement.regions).
template <class T>
void kd_build(const Dense<T>& x, const Arrangement& a, std::span<T> panels, std::span<std::int32_t> numbers,
              std::span<T> boxes, int threads);

// A built tree as a search sees it.
template <class T>
KdView<T> kd_view(const Arrangement& a, const T* panels, const std::int32_t* numbers, const T* boxes,
                  const Metric& metric);

// How far an approximate search may go wrong. eps: each distance at most 1 + eps times the true one of its place;
// most_leaves: leaves looked at for a query.
struct MissBudget {
    double eps = 0;
    Size most_leaves = ~Size{0};
};

// The k nearest rows of each query. 1 <= k <= rows.
template <class T>
void kd_nearest(const KdView<T>& tree, const Metric& metric, const Matrix& queries, Size k, const MissBudget& budget,
                std::span<double> distances, std::span<std::int64_t> numbers, int threads);

// The k nearest other rows of each row of the tree. 1 <= k < rows.
template <class T>
void kd_nearest_others(const KdView<T>& tree, const Metric& metric, Size k, const MissBudget& budget,
                       std::span<double> distances, std::span<std::int64_t> numbers, int threads);

// All rows within a radius of each query (one radius, or one a query), nearest first.
template <class T>
Neighborhoods kd_within(const KdView<T>& tree, const Metric& metric, const Matrix& queries,
                        std::span<const double> radii, int threads);

// How many rows lie within the radius.
template <class T>
void kd_count(const KdView<T>& tree, const Metric& metric, const Matrix& queries, std::span<const double> radii,
              std::span<std::int64_t> counts, int threads);

}  // namespace pellucid

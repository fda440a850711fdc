// The best split of a node whose leaves answer vectors, by one column of its histogram.
//
// With G_k, H_k the sums of the first and second derivatives by target k over a node's rows,
//
//   w_k = -T(G_k) / (H_k + l2),   worth = sum_k T(G_k)² / (H_k + l2)                   (T: settings.hpp)
//
// and a split gains the worths of its sides less that of the node: the sum of what it gains for each target (as XGBoost
// has it for trees of many outputs). Bins, missing values and cuts are as for one target (search.hpp).
//
// Least weight of a leaf: the mean of H_k over the targets is held to it. It then means for K targets what it means for
// one. XGBoost holds each H_k to it by itself, and where it is too small lets the leaf answer 0 for that target.
//
// Many categories are put in the order of one number each: G_k / (H_k + smooth) of the category along the direction in
// which these vectors, weighted by the mean of H_k, spread most (their first principal axis: Coppersmith, Hong and
// Hosking, 1999). For one target it is the order of search.hpp, which has the best split; for more a good one.
#pragma once

#include "core/boosting/search.hpp"
#include "core/boosting/vector_histograms.hpp"

namespace pellucid::boosting {

struct VectorNode {
    const double* total = nullptr;
    double worth = 0;  // as a leaf
};

struct VectorFound : Found {
    std::vector<double> left;  // sums of the left side
};

// Memory of a search.
struct VectorRoom {
    std::vector<std::uint16_t> held;
    std::vector<double> left, right;  // sums of two sides
    std::vector<double> points, axis, turned;
};

class VectorSearch {
  public:
    VectorSearch(const Settings& settings, const Table& table, const Shape& shape)
        : settings_(settings),
          table_(table),
          shape_(shape),
          plain_(Judge{&settings}.is_plain({})),
          one_(settings, table, {}) {}

    double worth(const double* sums, double l2) const;
    double answer(const double* sums, Size target) const;

    // cells: of this column.
    VectorFound best(const VectorNode& node, Size column, const double* cells, VectorRoom& room) const;

    // For trees with one test a level; cuts are numbered as in Search.
    Size cuts(Size column) const { return one_.cuts(column); }
    void add_worths(const VectorNode& node, Size column, const double* cells, std::span<double> worth,
                    VectorRoom& room) const;
    // The split of a node by cut k, without its gain. cells: null for a node without rows.
    VectorFound split_at(Size column, Size k, const double* cells) const;

  private:
    struct Sweep;
    const Settings& settings_;
    const Table& table_;
    const Shape shape_;
    const bool plain_;  // is every answer -T(G) / (H + l2)?
    const Search one_;  // knows the cuts of a column
};

}  // namespace pellucid::boosting

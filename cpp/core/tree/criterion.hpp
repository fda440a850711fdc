// Criteria: what a tree measures of a set of rows, and how good a split is.
//
// A criterion is an object over numbers of its own kind:
//
//   Row                  what it needs to know of a row (class, target, weight): a few bytes that lie beside each
//                        other for the rows of a node
//   sums                 `width()` doubles that describe a set of rows. Sums of disjoint sets add entry by entry (so a
//                        histogram is an array of them, and siblings are got by subtraction), where kAdditive holds
//   describe(rows, sums) fills the sums of a node's rows and returns its impurity, as exactly as it can
//   unit()               what an impurity is multiplied by to be in the units of the targets
//   pure(sums, impurity) whether the rows differ by no more than rounding
//   weight(sums)         of the rows
//   answer(sums)         the number that monotone constraints compare (share of class 1, mean, median)
//   value(sums, low, high, out)  what a node answers with, `outputs()` doubles, its answer kept in [low, high]
//   prepare(rows)        what all columns of a node share (most: nothing)
//   Sweep                one way through the rows of a node in the order of a column: rows are moved from the right
//                        side to the left side one by one, and every cut is scored
//
// and, where kAdditive, for histograms, categories and random splits:
//
//   add(sums, row)       one row more
//   gain(left, right)    score of a split; kNone where the criterion forbids it
//   orders()             in how many ways categories are ordered (one is enough for two classes and for numbers)
//   order_key(sums, k)   the number by which the k-th way orders
//
// Gradient boosting is one more criterion: Row = (gradient, hessian), sums = their sums, gain = G²/(H + lambda) of both
// sides, answer = -G/(H + lambda).
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/tree/split.hpp"

namespace pellucid::tree {

template <class C>
concept Criterion = requires(const C& c, std::span<const typename C::Row> rows, double* sums, const double* read) {
    { C::kAdditive } -> std::convertible_to<bool>;
    { c.width() } -> std::same_as<Size>;
    { c.outputs() } -> std::same_as<Size>;
    { c.describe(rows, sums) } -> std::same_as<double>;
    { c.unit() } -> std::same_as<double>;
    { c.pure(read, 0.0) } -> std::same_as<bool>;
    { c.weight(read) } -> std::same_as<double>;
    { c.answer(read) } -> std::same_as<double>;
    c.value(read, 0.0, 0.0, sums);
    { c.prepare(rows) } -> std::same_as<typename C::Prepared>;
    { c.order_key(read, Size{0}) } -> std::same_as<double>;
    { c.orders() } -> std::same_as<Size>;
};

// A criterion's view of one node.
template <class C>
struct NodeRows {
    std::span<const typename C::Row> rows;  // of the node, by position
    const double* sums = nullptr;           // of all of them
    const typename C::Prepared* prepared = nullptr;
};

// The sweep of any criterion whose sums are additive: both sides in full, scored by `gain`.
//
//   Sweep(criterion, node)   everything on the right
//   move(i)                  row i of the node to the left
//   score()                  of the split as it is; kNone where a side is empty or the criterion forbids it
//   weight_left(), weight_right(), answer_left(), answer_right()
template <class C>
class SumsSweep {
  public:
    SumsSweep(const C& criterion, const NodeRows<C>& node)
        : c_(criterion), node_(node), left_(c_.width(), 0.0), right_(node.sums, node.sums + c_.width()) {}
    void move(Size i) {
        c_.add(left_.data(), node_.rows[i]);
        c_.remove(right_.data(), node_.rows[i]);
    }
    double score() const { return c_.gain(left_.data(), right_.data()); }
    double weight_left() const { return c_.weight(left_.data()); }
    double weight_right() const { return c_.weight(right_.data()); }
    double answer_left() const { return c_.answer(left_.data()); }
    double answer_right() const { return c_.answer(right_.data()); }

  private:
    const C& c_;
    NodeRows<C> node_;
    std::vector<double> left_, right_;
};

struct Nothing {};

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

}  // namespace pellucid::tree

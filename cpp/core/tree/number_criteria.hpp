// Criteria for numbers. With w the weight of a set of rows, m the mean of y over it:
//
//   squared error   sum_i w_i (y_i - m)² / w           Poisson   sum_i w_i y_i log(y_i / m) / w
#pragma once

#include <algorithm>
#include <cmath>

#include "core/tree/criterion.hpp"

namespace pellucid::tree {

struct NumberRow {
    double y;
    static constexpr double weight() { return 1; }
    static NumberRow of(double y, double) { return {y}; }
};
struct WeightedNumberRow {
    double y, mass;
    double weight() const { return mass; }
    static WeightedNumberRow of(double y, double weight) { return {y, weight}; }
};

// Targets reach a criterion as (y - shift) / scale, scale a power of two: sums of squares neither cancel nor overflow.
struct Scaling {
    double shift = 0, scale = 1;
    double in(double y) const { return (y - shift) / scale; }
    double out(double z) const { return z * scale + shift; }
    // How far numbers near z may lie apart by rounding alone, before they were scaled.
    double rounding(double z) const { return 4 * kEps * std::abs(z + shift / scale); }
};

// Sums: w, sum of w y.
template <class RowType>
class NumberSums {
  public:
    using Row = RowType;
    using Prepared = Nothing;
    static constexpr bool kAdditive = true;

    explicit NumberSums(Scaling scaling) : scaling_(scaling) {}
    const Scaling& scaling() const { return scaling_; }
    Size width() const { return 2; }
    Size outputs() const { return 1; }
    void add(double* sums, const Row& row) const {
        sums[0] += row.weight();
        sums[1] += row.weight() * row.y;
    }
    void remove(double* sums, const Row& row) const {
        sums[0] -= row.weight();
        sums[1] -= row.weight() * row.y;
    }
    double weight(const double* sums) const { return sums[0]; }
    double answer(const double* sums) const { return sums[1] / sums[0]; }
    void value(const double* sums, double low, double high, double* out) const {
        out[0] = scaling_.out(std::min(std::max(answer(sums), low), high));
    }
    Nothing prepare(std::span<const Row>) const { return {}; }
    Size orders() const { return 1; }
    double order_key(const double* sums, Size) const { return answer(sums); }

  protected:
    void sum(std::span<const Row> rows, double* sums) const {
        sums[0] = sums[1] = 0;
        for (const Row& row : rows) add(sums, row);
    }

  private:
    Scaling scaling_;
};

// With s = sum over the left side of w (y - m), m the mean of the node:
//
//   w I - w_L I_L - w_R I_R = s² w / (w_L w_R)
//
// Deviations from the node's own mean: nothing cancels, one division a cut.
template <class RowType>
class SquaredError : public NumberSums<RowType> {
  public:
    using Row = RowType;
    using NumberSums<Row>::NumberSums;

    // The deviations from the mean mend both: the sum, whose rounding they show, and themselves.
    double describe(std::span<const Row> rows, double* sums) const {
        this->sum(rows, sums);
        const double mean = this->answer(sums);
        double first = 0, second = 0;
        for (const Row& row : rows) {
            const double d = row.y - mean;
            first += row.weight() * d;
            second += row.weight() * d * d;
        }
        sums[1] = (mean + first / sums[0]) * sums[0];
        return std::max(second - first * first / sums[0], 0.0) / sums[0];
    }
    double unit() const { return this->scaling().scale * this->scaling().scale; }
    bool pure(const double* sums, double impurity) const {
        const double rounding = this->scaling().rounding(this->answer(sums));
        return impurity <= rounding * rounding;
    }
    double gain(const double* left, const double* right) const {
        const double apart = left[1] * right[0] - right[1] * left[0];
        return apart * (apart / (left[0] * right[0] * (left[0] + right[0])));
    }

    class Sweep {
      public:
        Sweep(const SquaredError& c, const NodeRows<SquaredError>& node)
            : rows_(node.rows.data()), w_(node.sums[0]), mean_(c.answer(node.sums)) {}
        void move(Size i) {
            const double w = rows_[i].weight();
            left_ += w;
            s_ += w * (rows_[i].y - mean_);
        }
        // All rows of which goes_left(i) holds; returns how many. Two sums: one alone would wait for itself.
        template <class Side>
        Size move_all(Size n, Side goes_left) {
            Size rows = 0, i = 0;
            double other = 0;
            const auto add = [&](Size k, double& s) {
                const bool left = goes_left(k);
                const double w = left ? rows_[k].weight() : 0.0;
                rows += left;
                if constexpr (!std::is_same_v<Row, NumberRow>) left_ += w;
                s += w * (rows_[k].y - mean_);
            };
            for (; i + 2 <= n; i += 2) {
                add(i, s_);
                add(i + 1, other);
            }
            if (i < n) add(i, s_);
            s_ += other;
            if constexpr (std::is_same_v<Row, NumberRow>) left_ += static_cast<double>(rows);
            return rows;
        }
        double score() const { return s_ * s_ * w_ / (left_ * (w_ - left_)); }
        double weight_left() const { return left_; }
        double weight_right() const { return w_ - left_; }
        double answer_left() const { return mean_ + s_ / left_; }
        double answer_right() const { return mean_ - s_ / (w_ - left_); }

      private:
        const Row* rows_;
        double w_, mean_, left_ = 0, s_ = 0;
    };
};

// What rounding may leave of a sum of zeros that was got as the whole less the rest.
inline double poisson_least(double whole) { return std::max(10 * kEps, 1e-12 * whole); }

// Score: sum of w y times log(mean) of both sides. A side whose y are all 0 is forbidden: its answer would be 0, for
// which the deviance of any other y is infinite.
template <class RowType>
class PoissonDeviance : public NumberSums<RowType> {
  public:
    using Row = RowType;
    using NumberSums<Row>::NumberSums;

    double describe(std::span<const Row> rows, double* sums) const {
        this->sum(rows, sums);
        if (sums[1] <= poisson_least(0)) return 0;
        const double mean = this->answer(sums);
        double loss = 0;
        for (const Row& row : rows)
            if (row.y > 0) loss += row.weight() * row.y * std::log(row.y / mean);
        return loss / sums[0];
    }
    double unit() const { return 1; }
    bool pure(const double* sums, double impurity) const {
        return impurity <= this->scaling().rounding(this->answer(sums));
    }
    double gain(const double* left, const double* right) const {
        const double least = poisson_least(left[1] + right[1]);
        if (left[1] <= least || right[1] <= least) return kNone;
        return left[1] * std::log(left[1] / left[0]) + right[1] * std::log(right[1] / right[0]);
    }
    using Sweep = SumsSweep<PoissonDeviance>;
};

}  // namespace pellucid::tree

// Criteria for classes. With c_k the weight of class k in a set of rows and w = sum_k c_k:
//
//   Gini      1 - sum_k (c_k / w)²                Entropy   - sum_k c_k / w log2(c_k / w)
//
// A split is scored by what is left of the parent's impurity, without what all splits of the node have in common.
#pragma once

#include <cmath>
#include <memory>

#include "core/tree/criterion.hpp"

namespace pellucid::tree {

// What is known of a row: its class, and its weight where rows have different ones.
struct ClassRow {
    std::uint8_t code;
    static constexpr double weight() { return 1; }
    static ClassRow of(std::uint32_t code, double) { return {static_cast<std::uint8_t>(code)}; }
};
// A row that was drawn several times.
struct CountedClassRow {
    std::uint8_t code, count;
    double weight() const { return count; }
    static CountedClassRow of(std::uint32_t code, double weight) {
        return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(weight)};
    }
};
struct WideClassRow {
    std::uint32_t code;
    static constexpr double weight() { return 1; }
    static WideClassRow of(std::uint32_t code, double) { return {code}; }
};
struct WeightedClassRow {
    double mass;
    std::uint32_t code;
    double weight() const { return mass; }
    static WeightedClassRow of(std::uint32_t code, double weight) { return {weight, code}; }
};

// Two classes of weight w together: keeps the share of class 1 between two bounds.
inline void keep_between(double w, double low, double high, double* classes) {
    const double share = classes[1] / w, kept = std::min(std::max(share, low), high);
    if (kept == share) return;
    classes[1] = kept * w;
    classes[0] = w - classes[1];
}

// x log2 x. Whole numbers below the limit are looked up: counts of rows come again and again.
class XLogX {
  public:
    explicit XLogX(Size limit) : table_(std::min(limit, kMost)) {
        for (Size i = 1; i < table_.size(); ++i) table_[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
    }
    double whole(double x) const {
        const auto i = static_cast<Size>(x);
        return i < table_.size() ? table_[i] : x * std::log2(x);
    }
    static double any(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

  private:
    static constexpr Size kMost = Size{1} << 18;  // two megabytes: beyond that a look-up is slower than a logarithm
    std::vector<double> table_;
};

// Two classes and the Gini index. With s = w1 of the left side less its expected value under the parent's share,
//
//   w I - w_L I_L - w_R I_R = 2 s² w / (w_L w_R),
//
// one division a cut. Without weights all but that division is exact: (w s)² = (w1_L w - w1 w_L)², so that cuts
// that are equally good in theory are so here. Sums: w, w1.
template <class RowType>
class GiniOfTwo {
  public:
    using Row = RowType;
    using Prepared = Nothing;
    static constexpr bool kAdditive = true;

    Size width() const { return 2; }
    Size outputs() const { return 2; }
    void add(double* sums, const Row& row) const {
        sums[0] += row.weight();
        sums[1] += static_cast<double>(row.code) * row.weight();
    }
    double describe(std::span<const Row> rows, double* sums) const {
        sums[0] = sums[1] = 0;
        for (const Row& row : rows) add(sums, row);
        return impurity(sums);
    }
    double impurity(const double* s) const {
        const double zero = s[0] - s[1];
        return 1 - (zero * zero + s[1] * s[1]) / (s[0] * s[0]);
    }
    double unit() const { return 1; }
    bool pure(const double*, double impurity) const { return impurity <= kEps; }
    double weight(const double* sums) const { return sums[0]; }
    double answer(const double* sums) const { return sums[1] / sums[0]; }
    void value(const double* sums, double low, double high, double* out) const {
        out[0] = sums[0] - sums[1];
        out[1] = sums[1];
        keep_between(sums[0], low, high, out);
    }
    double gain(const double* left, const double* right) const {
        const double w = left[0] + right[0], w1 = left[1] + right[1], d = left[1] * w - w1 * left[0];
        return d * d / (left[0] * right[0]);
    }
    Nothing prepare(std::span<const Row>) const { return {}; }
    Size orders() const { return 1; }
    double order_key(const double* sums, Size) const { return answer(sums); }

    class Sweep {
      public:
        Sweep(const GiniOfTwo&, const NodeRows<GiniOfTwo>& node)
            : rows_(node.rows.data()), w_(node.sums[0]), w1_(node.sums[1]) {}
        void move(Size i) {
            left_ += rows_[i].weight();
            left1_ += static_cast<double>(rows_[i].code) * rows_[i].weight();
        }
        // All rows of which goes_left(i) holds; returns how many. Without a branch to be guessed.
        template <class Side>
        Size move_all(Size n, Side goes_left) {
            Size rows = 0;
            if constexpr (std::is_same_v<Row, ClassRow>) {
                Size ones = 0;
                for (Size i = 0; i < n; ++i) {
                    const Size left = goes_left(i);
                    rows += left;
                    ones += left & rows_[i].code;
                }
                left_ += static_cast<double>(rows);
                left1_ += static_cast<double>(ones);
            } else {
                for (Size i = 0; i < n; ++i) {
                    const bool left = goes_left(i);
                    const double w = left ? rows_[i].weight() : 0.0;
                    rows += left;
                    left_ += w;
                    left1_ += static_cast<double>(rows_[i].code) * w;
                }
            }
            return rows;
        }
        double score() const {
            const double d = left1_ * w_ - w1_ * left_;
            return d * d / (left_ * (w_ - left_));
        }
        double weight_left() const { return left_; }
        double weight_right() const { return w_ - left_; }
        double answer_left() const { return left1_ / left_; }
        double answer_right() const { return (w1_ - left1_) / (w_ - left_); }

      private:
        const Row* rows_;
        double w_, w1_, left_ = 0, left1_ = 0;
    };
};

// One output with any number of classes. Sums: c_0 .. c_{K-1}, w.
template <class RowType>
class ClassCounts {
  public:
    using Row = RowType;
    using Prepared = Nothing;
    static constexpr bool kAdditive = true;

    explicit ClassCounts(Size classes) : classes_(classes) {}
    Size classes() const { return classes_; }
    Size width() const { return classes_ + 1; }
    Size outputs() const { return classes_; }
    void add(double* sums, const Row& row) const {
        sums[row.code] += row.weight();
        sums[classes_] += row.weight();
    }
    void remove(double* sums, const Row& row) const {
        sums[row.code] -= row.weight();
        sums[classes_] -= row.weight();
    }
    double unit() const { return 1; }
    bool pure(const double*, double impurity) const { return impurity <= kEps; }
    double weight(const double* sums) const { return sums[classes_]; }
    double answer(const double* sums) const { return sums[1] / sums[classes_]; }
    void value(const double* sums, double low, double high, double* out) const {
        std::copy(sums, sums + classes_, out);
        if (classes_ == 2) keep_between(sums[2], low, high, out);
    }
    Nothing prepare(std::span<const Row>) const { return {}; }
    Size orders() const { return classes_ == 2 ? 1 : classes_; }
    double order_key(const double* sums, Size k) const { return sums[classes_ == 2 ? 1 : k] / sums[classes_]; }

  protected:
    void count(std::span<const Row> rows, double* sums) const {
        std::fill(sums, sums + width(), 0.0);
        for (const Row& row : rows) add(sums, row);
    }

  private:
    Size classes_;
};

// Score: sum_k c_k² / w of both sides. A row changes one term of each sum, so a cut costs the same for any number of
// classes.
template <class RowType>
class Gini : public ClassCounts<RowType> {
  public:
    using Row = RowType;
    using ClassCounts<Row>::ClassCounts;

    double impurity(const double* sums) const {
        const double w = this->weight(sums);
        return 1 - squares(sums) / (w * w);
    }
    double describe(std::span<const Row> rows, double* sums) const {
        this->count(rows, sums);
        return impurity(sums);
    }
    double gain(const double* left, const double* right) const {
        return squares(left) / this->weight(left) + squares(right) / this->weight(right);
    }

    class Sweep {
      public:
        Sweep(const Gini& c, const NodeRows<Gini>& node)
            : rows_(node.rows.data()),
              left_(c.classes(), 0.0),
              right_(node.sums, node.sums + c.classes()),
              weight_right_(c.weight(node.sums)),
              squares_right_(c.squares(node.sums)) {}
        void move(Size i) {
            const Row& row = rows_[i];
            const double w = row.weight();
            double &left = left_[row.code], &right = right_[row.code];
            squares_left_ += w * (2 * left + w);
            squares_right_ -= w * (2 * right - w);
            left += w;
            right -= w;
            weight_left_ += w;
            weight_right_ -= w;
        }
        double score() const { return squares_left_ / weight_left_ + squares_right_ / weight_right_; }
        double weight_left() const { return weight_left_; }
        double weight_right() const { return weight_right_; }
        double answer_left() const { return left_[1] / weight_left_; }
        double answer_right() const { return right_[1] / weight_right_; }

      private:
        const Row* rows_;
        std::vector<double> left_, right_;
        double weight_left_ = 0, weight_right_, squares_left_ = 0, squares_right_;
    };

  private:
    double squares(const double* sums) const {
        double sum = 0;
        for (Size k = 0; k < this->classes(); ++k) sum += sums[k] * sums[k];
        return sum;
    }
};

// Score: sum_k c_k log c_k - w log w of both sides, which is -w times the entropy.
template <class RowType>
class Entropy : public ClassCounts<RowType> {
  public:
    using Row = RowType;
    Entropy(Size classes, Size rows) : ClassCounts<Row>(classes), log_(std::make_shared<XLogX>(rows + 1)) {}

    double impurity(const double* sums) const {
        const double w = this->weight(sums);
        double entropy = 0;
        for (Size k = 0; k < this->classes(); ++k)
            if (sums[k] > 0) entropy -= sums[k] / w * std::log2(sums[k] / w);
        return entropy;
    }
    double describe(std::span<const Row> rows, double* sums) const {
        this->count(rows, sums);
        return impurity(sums);
    }
    double gain(const double* left, const double* right) const { return certainty(left) + certainty(right); }
    using Sweep = SumsSweep<Entropy>;

  private:
    double xlogx(double x) const {
        if constexpr (std::is_same_v<Row, WeightedClassRow>)
            return XLogX::any(x);
        else
            return log_->whole(x);
    }
    double certainty(const double* sums) const {
        double sum = 0;
        for (Size k = 0; k < this->classes(); ++k) sum += xlogx(sums[k]);
        return sum - xlogx(this->weight(sums));
    }
    std::shared_ptr<const XLogX> log_;
};

}  // namespace pellucid::tree

// Criteria for several outputs, and for rules that have no quicker form: what is known of a row is its number, and the
// rest is looked up. The impurity is the mean over the outputs. Which measure it is, and whether the groups of a split
// count by their sizes, is asked at every cut: a class for each would take half a minute more to compile.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/tree/class_criteria.hpp"
#include "core/tree/criterion.hpp"
#include "core/tree/number_criteria.hpp"
#include "core/tree/settings.hpp"

namespace pellucid::tree {

struct RowIndex {
    std::uint32_t row;
};

// Codes of classes of all outputs: y holds, row by row, the place of each output's class in the sums.
struct ClassTable {
    std::vector<std::uint32_t> places;
    std::vector<Size> classes;  // of each output
    std::span<const double> weights;

    double weight(RowIndex i) const { return weights.empty() ? 1.0 : weights[i.row]; }
};

// Targets of all outputs, row by row, scaled.
struct NumberTable {
    std::vector<double> targets;
    std::vector<Scaling> scaling;  // of each output; the scale is the same for all
    Size outputs = 1;
    std::span<const double> weights;

    double weight(RowIndex i) const { return weights.empty() ? 1.0 : weights[i.row]; }
    double y(RowIndex i, Size o) const { return targets[i.row * outputs + o]; }
};

// Sums: the weight of each class of each output, then w.
class ManyClasses {
  public:
    using Row = RowIndex;
    using Prepared = Nothing;
    static constexpr bool kAdditive = true;

    ManyClasses(ClassTable table, Measure measure, Weighting weighting)
        : table_(std::move(table)),
          width_(std::accumulate(table_.classes.begin(), table_.classes.end(), Size{0})),
          entropy_(measure == Measure::entropy),
          by_size_(weighting == Weighting::size) {}
    Size width() const { return width_ + 1; }
    Size outputs() const { return width_; }
    void add(double* sums, const Row& row) const { add(sums, row, table_.weight(row)); }
    void remove(double* sums, const Row& row) const { add(sums, row, -table_.weight(row)); }
    double describe(std::span<const Row> rows, double* sums) const {
        std::fill(sums, sums + width(), 0.0);
        for (const Row& row : rows) add(sums, row);
        return impurity(sums);
    }
    double impurity(const double* sums) const {
        const double w = sums[width_];
        double total = 0;
        Size at = 0;
        for (const Size classes : table_.classes) {
            const std::span<const double> counts(sums + at, classes);
            total += entropy_ ? entropy(counts, w) : gini(counts, w);
            at += classes;
        }
        return total / static_cast<double>(table_.classes.size());
    }
    double unit() const { return 1; }
    bool pure(const double*, double impurity) const { return impurity <= kEps; }
    double weight(const double* sums) const { return sums[width_]; }
    double answer(const double* sums) const { return sums[1] / sums[width_]; }
    void value(const double* sums, double low, double high, double* out) const {
        std::copy(sums, sums + width_, out);
        if (width_ == 2) keep_between(sums[2], low, high, out);
    }
    double gain(const double* left, const double* right) const {
        return by_size_ ? -(weight(left) * impurity(left) + weight(right) * impurity(right))
                        : -(impurity(left) + impurity(right));
    }
    Nothing prepare(std::span<const Row>) const { return {}; }
    Size orders() const { return width_ == 2 ? 1 : width_; }
    double order_key(const double* sums, Size k) const { return sums[width_ == 2 ? 1 : k] / sums[width_]; }
    using Sweep = SumsSweep<ManyClasses>;

  private:
    void add(double* sums, const Row& row, double w) const {
        const Size outputs = table_.classes.size();
        for (Size o = 0; o < outputs; ++o) sums[table_.places[row.row * outputs + o]] += w;
        sums[width_] += w;
    }
    static double gini(std::span<const double> counts, double w) {
        double sum = 0;
        for (const double c : counts) sum += (c / w) * (c / w);
        return 1 - sum;
    }
    static double entropy(std::span<const double> counts, double w) {
        double sum = 0;
        for (const double c : counts)
            if (c > 0) sum += c / w * std::log2(c / w);
        return 0.0 - sum;
    }

    ClassTable table_;
    Size width_;
    bool entropy_, by_size_;
};

// Sums: w, then w y of each output, then w y² of all outputs together.
class ManyNumbers {
  public:
    using Row = RowIndex;
    using Prepared = Nothing;
    static constexpr bool kAdditive = true;

    ManyNumbers(NumberTable table, Measure measure, Weighting weighting)
        : table_(std::move(table)), poisson_(measure == Measure::poisson), by_size_(weighting == Weighting::size) {}
    Size width() const { return table_.outputs + 2; }
    Size outputs() const { return table_.outputs; }
    void add(double* sums, const Row& row) const { add(sums, row, table_.weight(row)); }
    void remove(double* sums, const Row& row) const { add(sums, row, -table_.weight(row)); }
    double describe(std::span<const Row> rows, double* sums) const {
        std::fill(sums, sums + width(), 0.0);
        for (const Row& row : rows) add(sums, row);
        double loss = 0;
        for (Size o = 0; o < outputs(); ++o) {
            const double mean = sums[1 + o] / sums[0];
            for (const Row& row : rows) loss += table_.weight(row) * loss_of(table_.y(row, o), mean);
        }
        return loss / (sums[0] * static_cast<double>(outputs()));
    }
    // Squared error.
    double impurity(const double* sums) const {
        double squares = sums[outputs() + 1] / sums[0];
        for (Size o = 0; o < outputs(); ++o) squares -= (sums[1 + o] / sums[0]) * (sums[1 + o] / sums[0]);
        return squares;
    }
    double unit() const { return poisson_ ? scale() : scale() * scale(); }
    bool pure(const double* sums, double impurity) const {
        double rounding = 0;
        for (Size o = 0; o < outputs(); ++o)
            rounding = std::max(rounding, table_.scaling[o].rounding(sums[1 + o] / sums[0]));
        return impurity <= (poisson_ ? rounding : rounding * rounding);
    }
    double weight(const double* sums) const { return sums[0]; }
    double answer(const double* sums) const { return sums[1] / sums[0]; }
    void value(const double* sums, double low, double high, double* out) const {
        for (Size o = 0; o < outputs(); ++o)
            out[o] = table_.scaling[o].out(std::min(std::max(sums[1 + o] / sums[0], low), high));
    }
    double gain(const double* left, const double* right) const {
        if (!by_size_) return -(impurity(left) + impurity(right));
        double sum = 0;
        for (Size o = 0; o < outputs(); ++o) {
            const double least = poisson_ ? poisson_least(left[1 + o] + right[1 + o]) : 0.0;
            sum += explained(left[1 + o], left[0], least) + explained(right[1 + o], right[0], least);
        }
        return sum;
    }
    Nothing prepare(std::span<const Row>) const { return {}; }
    Size orders() const { return outputs(); }
    double order_key(const double* sums, Size k) const { return sums[1 + k] / sums[0]; }
    using Sweep = SumsSweep<ManyNumbers>;

  private:
    void add(double* sums, const Row& row, double w) const {
        sums[0] += w;
        double squares = 0;
        for (Size o = 0; o < outputs(); ++o) {
            const double y = table_.y(row, o);
            sums[1 + o] += w * y;
            squares += y * y;
        }
        sums[outputs() + 1] += w * squares;
    }
    double scale() const { return table_.scaling[0].scale; }
    double loss_of(double y, double mean) const {
        if (!poisson_) return (y - mean) * (y - mean);
        return y > 0 && mean > 0 ? y * std::log(y / mean) : 0.0;
    }
    // Of a side whose y are all 0 the Poisson deviance would be infinite for any other y.
    double explained(double wy, double w, double least) const {
        if (!poisson_) return wy * wy / w;
        return wy <= least ? kNone : wy * std::log(wy / w);
    }

    NumberTable table_;
    bool poisson_, by_size_;
};

}  // namespace pellucid::tree

// The absolute error, with m_o the weighted median of output o:   sum_i w_i sum_o |y_io - m_o| / (w outputs)
//
// A sweep keeps each side as a Fenwick tree over the ranks of y: a row comes or goes, and the median and the error to
// both sides of it are found, in log(rows) steps. A node costs n log n for a column.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/tree/criterion.hpp"
#include "core/tree/many_outputs.hpp"

namespace pellucid::tree {

// Weights and weighted targets by rank, in prefix sums that can be changed.
class RankTree {
  public:
    struct Median {
        double value, error;  // error: sum of w |y - value|
    };
    explicit RankTree(std::span<const double> values) : values_(values), nodes_(values.size() + 1) {
        while (2 * top_ <= values.size()) top_ *= 2;
    }
    void add(Size rank, double w) {
        const double wy = w * values_[rank];
        total_.w += w;
        total_.wy += wy;
        for (Size i = rank + 1; i < nodes_.size(); i += i & (~i + 1)) {
            nodes_[i].w += w;
            nodes_[i].wy += wy;
        }
    }
    // Half of the weight lies below and half above; between two ranks: halfway.
    Median median() const {
        const double half = total_.w / 2;
        Sum sum{};
        const Size last = values_.size() - 1;
        const Size high = std::min(ranks_before([half](double w) { return w <= half; }, sum), last);
        double value = values_[high];
        if (sum.w == half) {
            Sum unused{};
            value =
                value / 2 + values_[std::min(ranks_before([half](double w) { return w < half; }, unused), last)] / 2;
        }
        return {value, (total_.wy - sum.wy - value * (total_.w - sum.w)) + (value * sum.w - sum.wy)};
    }
    double weight() const { return total_.w; }

  private:
    struct Sum {
        double w = 0, wy = 0;
    };
    // How many of the first ranks together have a weight that is still low enough; their sums.
    template <class Enough>
    Size ranks_before(Enough&& low_enough, Sum& sum) const {
        Size at = 0;
        for (Size step = top_; step > 0; step /= 2) {
            if (at + step >= nodes_.size() || !low_enough(sum.w + nodes_[at + step].w)) continue;
            at += step;
            sum.w += nodes_[at].w;
            sum.wy += nodes_[at].wy;
        }
        return at;
    }

    std::span<const double> values_;
    std::vector<Sum> nodes_;
    Sum total_;
    Size top_ = 1;
};

// Sums: w, then for every output the sum of w y (which adds up) and the median (which does not).
class AbsoluteError {
  public:
    using Row = RowIndex;
    static constexpr bool kAdditive = false;

    // Ranks of y within the node, and the weights of its rows.
    struct Prepared {
        std::vector<double> weight;
        struct Output {
            std::vector<double> values;       // distinct, rising
            std::vector<std::uint32_t> rank;  // of each row of the node
            std::vector<RankTree> all;        // one: with all rows in it
        };
        std::vector<Output> outputs;
    };

    explicit AbsoluteError(NumberTable table) : table_(std::move(table)) {}
    Size width() const { return 1 + 2 * outputs(); }
    Size outputs() const { return table_.outputs; }
    void add(double* sums, const Row& row) const {
        sums[0] += table_.weight(row);
        for (Size o = 0; o < outputs(); ++o) sums[1 + 2 * o] += table_.weight(row) * table_.y(row, o);
    }
    double describe(std::span<const Row> rows, double* sums) const {
        std::fill(sums, sums + width(), 0.0);
        for (const Row& row : rows) add(sums, row);
        std::vector<std::pair<double, double>> sorted(rows.size());  // y, weight
        double error = 0;
        for (Size o = 0; o < outputs(); ++o) {
            for (Size i = 0; i < rows.size(); ++i) sorted[i] = {table_.y(rows[i], o), table_.weight(rows[i])};
            std::sort(sorted.begin(), sorted.end());
            const double median = sums[2 + 2 * o] = weighted_median(sorted, sums[0] / 2);
            for (const auto& [y, w] : sorted) error += w * std::abs(y - median);
        }
        return error / (sums[0] * static_cast<double>(outputs()));
    }
    double unit() const { return table_.scaling[0].scale; }
    bool pure(const double* sums, double impurity) const {
        double rounding = 0;
        for (Size o = 0; o < outputs(); ++o) rounding = std::max(rounding, table_.scaling[o].rounding(sums[2 + 2 * o]));
        return impurity <= rounding;
    }
    double weight(const double* sums) const { return sums[0]; }
    double answer(const double* sums) const { return sums[2]; }
    void value(const double* sums, double low, double high, double* out) const {
        for (Size o = 0; o < outputs(); ++o)
            out[o] = table_.scaling[o].out(std::min(std::max(sums[2 + 2 * o], low), high));
    }
    Size orders() const { return outputs(); }
    double order_key(const double* sums, Size k) const { return sums[1 + 2 * k] / sums[0]; }

    Prepared prepare(std::span<const Row> rows) const {
        Prepared out;
        out.weight.resize(rows.size());
        for (Size i = 0; i < rows.size(); ++i) out.weight[i] = table_.weight(rows[i]);
        std::vector<std::pair<double, std::uint32_t>> sorted(rows.size());
        for (Size o = 0; o < outputs(); ++o) {
            for (Size i = 0; i < rows.size(); ++i) sorted[i] = {table_.y(rows[i], o), static_cast<std::uint32_t>(i)};
            std::sort(sorted.begin(), sorted.end());
            auto& output = out.outputs.emplace_back();
            output.rank.resize(rows.size());
            for (const auto& [y, i] : sorted) {
                if (output.values.empty() || output.values.back() != y) output.values.push_back(y);
                output.rank[i] = static_cast<std::uint32_t>(output.values.size() - 1);
            }
            output.all.emplace_back(output.values);
            for (Size i = 0; i < rows.size(); ++i) output.all[0].add(output.rank[i], out.weight[i]);
        }
        return out;
    }

    class Sweep {
      public:
        Sweep(const AbsoluteError&, const NodeRows<AbsoluteError>& node) : prepared_(*node.prepared) {
            for (const auto& output : prepared_.outputs) {
                left_.emplace_back(output.values);
                right_.push_back(output.all[0]);
            }
        }
        void move(Size i) {
            const double w = prepared_.weight[i];
            for (Size o = 0; o < left_.size(); ++o) {
                left_[o].add(prepared_.outputs[o].rank[i], w);
                right_[o].add(prepared_.outputs[o].rank[i], -w);
            }
        }
        double score() const {
            double error = 0;
            for (Size o = 0; o < left_.size(); ++o) error += left_[o].median().error + right_[o].median().error;
            return -error;
        }
        double weight_left() const { return left_[0].weight(); }
        double weight_right() const { return right_[0].weight(); }
        double answer_left() const { return left_[0].median().value; }
        double answer_right() const { return right_[0].median().value; }

      private:
        const Prepared& prepared_;
        std::vector<RankTree> left_, right_;
    };

  private:
    static double weighted_median(std::span<const std::pair<double, double>> sorted, double half) {
        double sum = 0;
        for (Size i = 0; i < sorted.size(); ++i) {
            sum += sorted[i].second;
            if (sum > half) return sorted[i].first;
            if (sum == half && i + 1 < sorted.size()) return sorted[i].first / 2 + sorted[i + 1].first / 2;
        }
        return sorted.back().first;
    }

    NumberTable table_;
};

}  // namespace pellucid::tree

// The best split of a node by the categories of a column.
//
// Two classes, and numbers under the squared error or the Poisson deviance: ordered by their mean target, the best
// subset is a first part of the order (Breiman et al. 1984, theorem 4.5), so C categories cost one sort and one sweep.
// More classes, or several outputs: every subset is tried for up to kTryAll categories in the node; beyond that the
// categories are ordered by the share of each class (mean of each output) in turn, and the best first part of all these
// orders is taken. The absolute error uses the order by the mean, which need not hold the best subset.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/tree/settings.hpp"
#include "core/tree/sweep.hpp"

namespace pellucid::tree {

inline constexpr Size kTryAll = 10;

template <Criterion C>
class CategorySearch {
  public:
    // Entries of the node in the order of their codes.
    CategorySearch(const C& criterion, const NodeRows<C>& node, const Ordered& in, const Limits& limits, Workspace& ws)
        : c_(criterion), node_(node), in_(in), limits_(limits), ws_(ws), width_(c_.width()) {
        ws_.sums.assign(width_, 0.0);  // of the missing entries, then of each run
        for (const Entry& e : in_.missing) c_.add(ws_.sums.data(), node_.rows[e.place - in_.begin]);
        for (Size i = 0; i < in_.present.size();) {
            const std::uint32_t code = in_.present[i].rank;
            runs_.push_back({code, i, 0});
            ws_.sums.resize(ws_.sums.size() + width_, 0.0);
            double* sums = ws_.sums.data() + runs_.size() * width_;
            for (; i < in_.present.size() && in_.present[i].rank == code; ++i)
                c_.add(sums, node_.rows[in_.present[i].place - in_.begin]);
            runs_.back().count = i - runs_.back().begin;
        }
    }

    Split best(CategorySplit kind) {
        if (kind == CategorySplit::one_versus_rest)
            one_versus_rest();
        else if (C::kAdditive && c_.orders() > 1 && runs_.size() <= kTryAll)
            try_all();
        else
            for (Size k = 0; k < c_.orders(); ++k) try_order(k);
        return std::move(best_);
    }

  private:
    struct Run {  // the rows of a category
        std::uint32_t code;
        Size begin, count;
    };

    const double* sums(Size run) const { return ws_.sums.data() + (run + 1) * width_; }

    template <class Codes>
    void take(double score, bool missing_left, Codes&& codes) {
        best_.score = score;
        best_.missing_left = missing_left;
        std::vector<std::uint32_t> left;
        codes(left);
        std::sort(left.begin(), left.end());
        best_.codes = std::move(left);
    }

    // Runs in an order: entries put in that order are swept as if the categories were numbers.
    void sweep(std::span<const std::uint32_t> order, Size steps) {
        ws_.other.clear();
        for (Size k = 0; k < order.size(); ++k) {
            const Run& run = runs_[order[k]];
            for (Size i = run.begin; i < run.begin + run.count; ++i)
                ws_.other.push_back({static_cast<std::uint32_t>(std::min(k, steps)), in_.present[i].place});
        }
        const Cut cut = best_cut(c_, node_, Ordered{ws_.other, in_.missing, in_.begin}, limits_);
        if (!(cut.score > best_.score)) return;
        take(cut.score, cut.missing_left, [&](std::vector<std::uint32_t>& codes) {
            Size rows = 0;
            for (Size k = 0; rows < cut.after; rows += runs_[order[k++]].count) codes.push_back(runs_[order[k]].code);
        });
    }

    void try_order(Size k) {
        std::vector<std::pair<double, std::uint32_t>> keys(runs_.size());
        for (Size r = 0; r < runs_.size(); ++r) keys[r] = {c_.order_key(sums(r), k), static_cast<std::uint32_t>(r)};
        std::sort(keys.begin(), keys.end());
        ws_.numbers.resize(runs_.size());
        for (Size r = 0; r < runs_.size(); ++r) ws_.numbers[r] = keys[r].second;
        sweep(ws_.numbers, runs_.size());
    }

    // left: sums and rows of some of the present categories; missing rows are tried on both sides.
    template <class Codes>
    void try_left(const double* left, Size left_rows, bool everything, Codes&& codes) {
        if constexpr (C::kAdditive) {
            const Size missing = in_.missing.size();
            for (int side = 0; side < (missing > 0 && !everything ? 2 : 1); ++side) {
                const Size rows = left_rows + (side == 1 ? missing : 0);
                if (rows < limits_.min_rows || in_.rows() - rows < limits_.min_rows) continue;
                pair_.assign(2 * width_, 0.0);
                double *l = pair_.data(), *r = l + width_;
                for (Size i = 0; i < width_; ++i) {
                    l[i] = left[i] + (side == 1 ? ws_.sums[i] : 0.0);
                    r[i] = node_.sums[i] - l[i];
                }
                if (c_.weight(l) < limits_.min_weight || c_.weight(r) < limits_.min_weight) continue;
                const double score = c_.gain(l, r);
                if (score > best_.score && score < -kNone) take(score, side == 1, codes);
            }
        }
    }
    void present_against_missing() {
        if (in_.missing.empty()) return;
        std::vector<double> left(width_);
        for (Size i = 0; i < width_; ++i) left[i] = node_.sums[i] - ws_.sums[i];
        try_left(left.data(), in_.present.size(), true, [&](std::vector<std::uint32_t>& codes) {
            for (const Run& run : runs_) codes.push_back(run.code);
        });
    }

    // Subsets of all runs but the last, as bits of a number; the sums of a subset are those of a smaller one and a run.
    void try_all() {
        const Size subsets = Size{1} << (runs_.size() - 1);
        std::vector<double> table(subsets * width_, 0.0);
        std::vector<Size> rows(subsets, 0);
        for (Size set = 1; set < subsets; ++set) {
            const Size run = static_cast<Size>(std::countr_zero(set)), rest = set & (set - 1);
            for (Size i = 0; i < width_; ++i) table[set * width_ + i] = table[rest * width_ + i] + sums(run)[i];
            rows[set] = rows[rest] + runs_[run].count;
            try_left(table.data() + set * width_, rows[set], false, [&](std::vector<std::uint32_t>& codes) {
                for (Size r = 0; r < runs_.size(); ++r)
                    if (set >> r & 1) codes.push_back(runs_[r].code);
            });
        }
        present_against_missing();
    }

    void one_versus_rest() {
        if constexpr (C::kAdditive) {
            for (Size r = 0; r < runs_.size(); ++r)
                try_left(sums(r), runs_[r].count, runs_.size() == 1,
                         [&](std::vector<std::uint32_t>& codes) { codes.push_back(runs_[r].code); });
            present_against_missing();
        } else {
            std::vector<std::uint32_t> order(runs_.size());
            for (Size r = 0; r < runs_.size(); ++r) {
                std::iota(order.begin(), order.end(), 0u);
                std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(r),
                            order.begin() + static_cast<std::ptrdiff_t>(r) + 1);
                sweep(order, 1);
            }
        }
    }

    const C& c_;
    const NodeRows<C>& node_;
    const Ordered& in_;
    const Limits& limits_;
    Workspace& ws_;
    Size width_;
    std::vector<Run> runs_;
    std::vector<double> pair_;
    Split best_;
};

}  // namespace pellucid::tree

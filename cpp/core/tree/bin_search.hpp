// The best split of a node by one column, from the column's histogram.
//
// The bins of the node that hold rows are put in an order: that of their values; or, for categories, that of their mean
// target (categories.hpp says why that is enough). One way through them moves a bin at a time to the left and scores
// what lies between; missing values are on the right first, then on the left. The same candidates, in the same order,
// as the exact splitter has where every distinct value has a bin.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "core/bins/binned.hpp"
#include "core/tree/bin_sums.hpp"
#include "core/tree/categories.hpp"
#include "core/tree/column_finder.hpp"

namespace pellucid::tree {

// A node's histogram of one column.
template <Criterion C>
struct BinnedNode {
    const double* sums;  // of the node
    Size rows;
    const ColumnBins* bins;
    const typename BinSums<C>::Cell* cells;
};

// Memory of a search; lent out with the histogram's own scratch memory.
struct BinScratch {
    std::vector<std::uint16_t> held, order;  // bins with rows; the same in an order
    std::vector<double> sums, scores;
    std::vector<std::pair<double, std::uint16_t>> keys;
};

// The bins of a column in which some rows lie, rising; without that of missing values. For few rows: most bins are
// empty, and nobody has to look at them. (Measured on forests of full trees, 100,000 x 20, two classes, 4 columns a
// split: growing takes half the time.)
inline constexpr Size kFewRows = 192;
inline void list_bins(const BinnedTable& table, Size column, std::span<const std::uint32_t> rows,
                      std::vector<std::uint16_t>& held) {
    const std::uint8_t* codes = table.group_codes(column / kCodesTogether) + column % kCodesTogether;
    std::array<std::uint64_t, 4> met{};
    static_assert(kMostBins < 64 * 4);
    for (const std::uint32_t row : rows) {
        const std::uint8_t code = codes[Size{row} * kCodesTogether];
        met[code / 64] |= std::uint64_t{1} << (code % 64);
    }
    held.clear();
    for (Size word = 0; word < met.size(); ++word)
        for (std::uint64_t bits = met[word]; bits != 0; bits &= bits - 1)
            held.push_back(static_cast<std::uint16_t>(word * 64 + static_cast<Size>(std::countr_zero(bits))));
    if (!held.empty() && held.back() == table.bins(column).count) held.pop_back();
}

template <Criterion C>
class BinSearch {
  public:
    using Sums = BinSums<C>;

    BinSearch(const C& criterion, const Sums& statistic, const Settings& settings, BinScratch& scratch)
        : c_(criterion), s_(statistic), settings_(settings), scratch_(scratch), width_(c_.width()) {}

    Looked best(const BinnedNode<C>& node, Size column, const Limits& limits) {
        node_ = &node;
        cell_ = s_.width();
        list_held();
        return best_of_held(node, column, limits);
    }

    // Where the memory's list of the bins that hold values is made already.
    Looked best_of_held(const BinnedNode<C>& node, Size column, const Limits& limits) {
        node_ = &node;
        limits_ = &limits;
        cell_ = s_.width();
        missing_ = s_.rows(cells(node.bins->count));
        Looked out;
        out.constant = scratch_.held.empty() || (missing_ == 0 && scratch_.held.size() == 1);
        if (out.constant || node.rows < 2 * limits.min_rows) return out;
        split_ = Split{};
        if (node.bins->is_category())
            by_category();
        else
            by_number();
        if (split_.score == kNone) return out;
        split_.feature = static_cast<std::int32_t>(column);
        split_.has_missing = missing_ > 0;
        out.split = std::move(split_);
        return out;
    }

  private:
    using Cell = typename Sums::Cell;

    struct BinCut {
        double score = kNone;
        Size after = 0;  // so many bins of the order go left
        bool missing_left = false;
    };

    const Cell* cells(Size bin) const { return node_->cells + bin * cell_; }

    // Without a branch to be guessed: most bins of a small node are empty, and which ones nobody knows.
    void list_held() {
        std::vector<std::uint16_t>& held = scratch_.held;
        const Size bins = node_->bins->count;
        held.resize(bins);
        Size n = 0;
        for (Size b = 0; b < bins; ++b) {
            held[n] = static_cast<std::uint16_t>(b);
            n += s_.holds(cells(b));
        }
        held.resize(n);
    }

    bool allowed(const double* left, const double* right) const {
        if (c_.weight(left) < limits_->min_weight || c_.weight(right) < limits_->min_weight) return false;
        return limits_->monotone == 0 || limits_->allow(c_.answer(left), c_.answer(right));
    }

    // The last cut, behind all values, counts where missing ones are left over.
    Size cuts_of(std::span<const std::uint16_t> order, bool with_missing) const {
        return order.size() - (with_missing || missing_ == 0 ? 1 : 0);
    }

    // One way through bins in an order; `with_missing`: the missing rows are on the left from the start.
    void sweep(std::span<const std::uint16_t> order, bool with_missing, BinCut& best) {
        const bool bounded = limits_->min_weight > 0 || limits_->monotone != 0;
        if constexpr (Sums::kSums == 2)
            if (!bounded && (Sums::kCountsRows || limits_->min_rows == 1))
                return sweep_pairs(order, with_missing, best);
        scratch_.sums.assign(2 * width_, 0.0);
        double *left = scratch_.sums.data(), *right = left + width_;
        Size rows = 0;
        if (with_missing) {
            s_.gather(cells(node_->bins->count), left);
            rows = missing_;
        }
        for (Size k = 0; k < cuts_of(order, with_missing); ++k) {
            s_.gather(cells(order[k]), left);
            rows += s_.rows(cells(order[k]));
            if (rows < limits_->min_rows) continue;
            if (node_->rows - rows < limits_->min_rows) break;
            for (Size i = 0; i < width_; ++i) right[i] = node_->sums[i] - left[i];
            const double score = c_.gain(left, right);
            if (score > best.score && score < -kNone && (!bounded || allowed(left, right)))
                best = {score, k + 1, with_missing};
        }
    }

    // The same for two sums that stay in registers. The greatest score is found first and its place afterward: whether
    // a cut is the best so far cannot be guessed, and a wrong guess costs more than the score itself.
    void sweep_pairs(std::span<const std::uint16_t> order, bool with_missing, BinCut& best) {
        const Size cuts = cuts_of(order, with_missing);
        const double n = node_->sums[0], least = Sums::kCountsRows ? static_cast<double>(limits_->min_rows) : kNone;
        const double total[2] = {node_->sums[0], node_->sums[1]};
        double left[2] = {0, 0};
        if (with_missing) s_.gather(cells(node_->bins->count), left);
        scratch_.scores.resize(order.size());
        double* scores = scratch_.scores.data();
        Size k = 0;
        for (; k < cuts; ++k) {
            s_.gather(cells(order[k]), left);
            if (left[0] >= least) break;
        }
        const Size first = k;
        double most = kNone;
        while (k < cuts && n - left[0] >= least) {
            const double right[2] = {total[0] - left[0], total[1] - left[1]};
            const double score = c_.gain(left, right);
            scores[k] = score;
            most = score > most ? score : most;
            if (++k < cuts) s_.gather(cells(order[k]), left);
        }
        if (!(most > best.score && most < -kNone)) return;
        const double* at = std::find(scores + first, scores + k, most);
        best = {most, static_cast<Size>(at - scores) + 1, with_missing};
    }
    BinCut sweep(std::span<const std::uint16_t> order) {
        BinCut best;
        sweep(order, false, best);
        if (missing_ > 0) sweep(order, true, best);
        return best;
    }

    void by_number() {
        const auto& held = scratch_.held;
        const BinCut cut = sweep(held);
        if (cut.score == kNone) return;
        const bool value = settings_.threshold == Threshold::value;
        split_.score = cut.score;
        split_.missing_left = cut.missing_left;
        split_.test = value ? Test::below : Test::at_most;
        split_.cut = held[cut.after - 1];
        if (cut.after == held.size())  // values against missing ones
            split_.threshold = std::numeric_limits<double>::infinity();
        else
            split_.threshold = value ? node_->bins->below(held[cut.after - 1], held[cut.after])
                                     : node_->bins->between(held[cut.after - 1], held[cut.after]);
    }

    // -------------------------------------------------------------------------------------------------- categories

    void by_category() {
        split_.test = Test::subset;
        if (settings_.category_split == CategorySplit::one_versus_rest)
            one_versus_rest();
        else if (c_.orders() > 1 && scratch_.held.size() <= kTryAll)
            try_all();
        else
            for (Size k = 0; k < c_.orders(); ++k) try_order(k);
    }

    // The categories of some bins go left.
    template <class IsIn>
    void take(double score, bool missing_left, IsIn&& is_in) {
        split_.score = score;
        split_.missing_left = missing_left;
        std::vector<std::uint32_t> codes;
        bool in[kMostBins + 1] = {};
        for (Size k = 0; k < scratch_.held.size(); ++k) in[scratch_.held[k]] = is_in(k);
        const auto& bin_of = node_->bins->bin_of_category;
        for (Size code = 0; code < bin_of.size(); ++code)
            if (in[bin_of[code]]) codes.push_back(static_cast<std::uint32_t>(code));
        split_.codes = std::move(codes);
    }

    void sums_of(Size bin, double* sums) const {
        std::fill_n(sums, width_, 0.0);
        s_.gather(cells(bin), sums);
    }

    void try_order(Size key) {
        const auto& held = scratch_.held;
        scratch_.sums.resize(2 * width_);
        scratch_.keys.clear();
        for (const std::uint16_t bin : held) {
            sums_of(bin, scratch_.sums.data());
            scratch_.keys.push_back({c_.order_key(scratch_.sums.data(), key), bin});
        }
        std::sort(scratch_.keys.begin(), scratch_.keys.end());
        scratch_.order.clear();
        for (const auto& [_, bin] : scratch_.keys) scratch_.order.push_back(bin);
        const BinCut cut = sweep(scratch_.order);
        if (!(cut.score > split_.score)) return;
        bool left[kMostBins + 1] = {};
        for (Size k = 0; k < cut.after; ++k) left[scratch_.order[k]] = true;
        take(cut.score, cut.missing_left, [&](Size k) { return left[held[k]]; });
    }

    // left: sums and rows of some of the bins; missing rows are tried on both sides.
    template <class IsIn>
    void try_left(const double* some, Size some_rows, bool everything, IsIn&& is_in) {
        scratch_.sums.resize(2 * width_);
        double *left = scratch_.sums.data(), *right = left + width_;
        for (int side = 0; side < (missing_ > 0 && !everything ? 2 : 1); ++side) {
            const Size rows = some_rows + (side == 1 ? missing_ : 0);
            if (rows < limits_->min_rows || node_->rows - rows < limits_->min_rows) continue;
            std::copy_n(some, width_, left);
            if (side == 1) s_.gather(cells(node_->bins->count), left);
            for (Size i = 0; i < width_; ++i) right[i] = node_->sums[i] - left[i];
            if (!allowed(left, right)) continue;
            const double score = c_.gain(left, right);
            if (score > split_.score && score < -kNone) take(score, side == 1, is_in);
        }
    }
    void present_against_missing() {
        if (missing_ == 0) return;
        std::vector<double> some(width_, 0.0);
        for (const std::uint16_t bin : scratch_.held) s_.gather(cells(bin), some.data());
        try_left(some.data(), node_->rows - missing_, true, [](Size) { return true; });
    }

    // Subsets of all bins but the last, as bits of a number; the sums of a subset are those of a smaller one and a bin.
    void try_all() {
        const auto& held = scratch_.held;
        const Size subsets = Size{1} << (held.size() - 1);
        std::vector<double> table(subsets * width_, 0.0);
        std::vector<Size> rows(subsets, 0);
        for (Size set = 1; set < subsets; ++set) {
            const auto bin = static_cast<Size>(std::countr_zero(set)), rest = set & (set - 1);
            std::copy_n(table.data() + rest * width_, width_, table.data() + set * width_);
            s_.gather(cells(held[bin]), table.data() + set * width_);
            rows[set] = rows[rest] + s_.rows(cells(held[bin]));
            try_left(table.data() + set * width_, rows[set], false, [&](Size k) { return (set >> k & 1) != 0; });
        }
        present_against_missing();
    }

    void one_versus_rest() {
        const auto& held = scratch_.held;
        std::vector<double> one(width_);
        for (Size k = 0; k < held.size(); ++k) {
            sums_of(held[k], one.data());
            try_left(one.data(), s_.rows(cells(held[k])), held.size() == 1, [&](Size other) { return other == k; });
        }
        present_against_missing();
    }

    const C& c_;
    const Sums& s_;
    const Settings& settings_;
    BinScratch& scratch_;
    Size width_, cell_ = 1, missing_ = 0;
    const BinnedNode<C>* node_ = nullptr;
    const Limits* limits_ = nullptr;
    Split split_;
};

}  // namespace pellucid::tree

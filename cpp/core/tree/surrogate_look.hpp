// The exact splitter with surrogate splits (Breiman, Friedman, Olshen, Stone, 1984, section 5.3).
//
// A split of a column is judged by the rows that have a value in it alone:
//
//   w I - w_L I_L - w_R I_R    over those rows,
//
// so a column with many missing values has less to gain. Where the rows without a value go, other columns say: for each
// of them the cut x <= c, or its reverse, that sends the most weight the same way as the split, among rows with values
// in both. It becomes a surrogate if it does better than sending all of them to the larger side; the best come first
// (by the weight sent the same way, as rpart does), and a row takes the first one for which it has a value. A row that
// has none follows the larger side.
#pragma once

#include "core/tree/exact_look.hpp"

namespace pellucid::tree {

template <Criterion C>
class SurrogateLook final : public Look<C> {
  public:
    SurrogateLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces& workspaces)
        : problem_(problem), c_(criterion), rows_(rows), exact_(problem, criterion, rows, workspaces) {}

    Looked look(const Asked<C>& asked, Size column, Workspace& ws) const override {
        const Branch& branch = *asked.branch;
        const Ordered all = exact_.ordered(branch, column, ws);
        Looked out;
        out.constant = all.present.empty() || all.present.front().rank == all.present.back().rank;
        if (out.constant) return out;

        const Present present(c_, rows_, all);
        const NodeRows<C> node = present.node();
        const Limits limits = limits_of(problem_, branch, column);
        const bool category = problem_.columns->is_category(column);
        Split split = category
                          ? CategorySearch<C>(c_, node, present.in(), limits, ws).best(problem_.settings.category_split)
                          : exact_.by_number(best_cut(c_, node, present.in(), limits), present.in(), column);
        if (split.score == kNone) return out;
        if (category) split.test = Test::subset;
        split.feature = static_cast<std::int32_t>(column);
        judge(split, present, problem_.settings.weighting);
        split.has_missing = true;
        out.split = std::move(split);
        return out;
    }

    void follow(std::span<const Division<C>> divisions, int threads, Workspaces& workspaces) override {
        exact_.follow(divisions, threads, workspaces);
    }
    void follow_one(const Division<C>& division, Workspace& ws) override { exact_.follow_one(division, ws); }
    auto sides(const Split& split, const Workspace& ws) const { return exact_.sides(split, ws); }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        part_rows(sides(branch.split, memory.task), branch, rows, memory);
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return sides(split, ws).categories_among(rows);
    }
    // The gains of two columns that part the same rows in the same way differ by the order of their sums.
    double blur(const Branch& branch) const override {
        const double most = problem_.settings.weighting == Weighting::none ? 1 : branch.weight;
        return 64 * kEps * most * branch.impurity;
    }

    // Finds the surrogates of the split of a node.
    bool completes() const override { return true; }
    void complete(Branch& branch, Workspace& ws) const override {
        std::vector<std::int8_t> side(branch.rows(), kUnknown);  // 0 left, 1 right
        const std::uint32_t* ranks = problem_.columns->ranks(static_cast<Size>(branch.split.feature));
        sides(branch.split, ws).with([&](auto&& goes_left) {
            for (Size i = 0; i < branch.rows(); ++i)
                if (const std::uint32_t row = rows_.row[branch.begin + i]; ranks[row] != kMissing)
                    side[i] = goes_left(row) ? 0 : 1;
        });
        std::vector<Surrogate> found;
        for (Size j = 0; j < problem_.cols(); ++j) {
            if (static_cast<std::int32_t>(j) == branch.split.feature || problem_.columns->is_category(j)) continue;
            Surrogate best = stand_in(exact_.ordered(branch, j, ws), side, j);
            if (best.feature >= 0) found.push_back(best);
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const Surrogate& a, const Surrogate& b) { return a.agreed > b.agreed; });
        if (found.size() > problem_.settings.surrogates) found.resize(problem_.settings.surrogates);
        branch.split.surrogates = std::move(found);
    }

  private:
    static constexpr std::int8_t kUnknown = -1;

    // The rows of a node that have a value, side by side in the order of the column.
    class Present {
      public:
        Present(const C& criterion, const RowSet<C>& rows, const Ordered& all)
            : c_(criterion), sums_(criterion.width()) {
            for (const Entry& e : all.present) {
                entries_.push_back({e.rank, static_cast<std::uint32_t>(entries_.size())});
                what_.push_back(rows.what[e.place]);
            }
            in_ = {entries_, {}, 0};
            impurity_ = criterion.describe(what_, sums_.data());
            prepared_ = criterion.prepare(what_);
        }
        Present(const Present&) = delete;
        Present& operator=(const Present&) = delete;
        const Ordered& in() const { return in_; }
        NodeRows<C> node() const { return {what_, sums_.data(), &prepared_}; }
        double impurity() const { return impurity_; }
        const C& criterion() const { return c_; }

      private:
        const C& c_;
        std::vector<Entry> entries_;
        std::vector<typename C::Row> what_;
        std::vector<double> sums_;
        typename C::Prepared prepared_;
        Ordered in_;
        double impurity_ = 0;
    };

    // Puts the gain in place of the criterion's score, which is without what all splits of the same rows have in
    // common.
    void judge(Split& split, const Present& present, Weighting weighting) const {
        std::vector<typename C::Row> left, right;
        for (const Entry& e : present.in().present) {
            const bool goes_left = split.test == Test::subset
                                       ? std::binary_search(split.codes.begin(), split.codes.end(), e.rank)
                                       : e.rank <= split.cut;
            (goes_left ? left : right).push_back(present.node().rows[e.place]);
        }
        std::vector<double> sums(c_.width());
        const double left_impurity = c_.describe(left, sums.data()), left_weight = c_.weight(sums.data());
        const double right_impurity = c_.describe(right, sums.data()), right_weight = c_.weight(sums.data());
        split.score = weighting == Weighting::none ? -(left_impurity + right_impurity)
                                                   : c_.weight(present.node().sums) * present.impurity() -
                                                         left_weight * left_impurity - right_weight * right_impurity;
        split.missing_left = left_weight > right_weight;
    }

    double weight_of(Size place) const { return problem_.weight.empty() ? 1.0 : problem_.weight[rows_.row[place]]; }

    // The cut of a column that agrees best with the sides; feature -1 where none beats the larger side.
    Surrogate stand_in(const Ordered& in, std::span<const std::int8_t> side, Size column) const {
        double all[2] = {0, 0}, below[2] = {0, 0};  // weight of each side, in all and up to a cut
        for (const Entry& e : in.present)
            if (const std::int8_t s = side[e.place - in.begin]; s != kUnknown) all[s] += weight_of(e.place);
        const std::span<const double> values = problem_.columns->values(column);
        const double least = std::max(all[0], all[1]) * (1 + 1e-12);
        Surrogate best;
        best.agreed = least;
        const Entry* last = nullptr;  // before the one at hand, with both values
        for (const Entry& e : in.present) {
            const std::int8_t s = side[e.place - in.begin];
            if (s == kUnknown) continue;
            if (last != nullptr && last->rank != e.rank) {
                const double straight = below[0] + (all[1] - below[1]), reversed = below[1] + (all[0] - below[0]);
                if (std::max(straight, reversed) > best.agreed) {
                    best.feature = static_cast<std::int32_t>(column);
                    best.agreed = std::max(straight, reversed);
                    best.reverse = reversed > straight;
                    best.threshold = midpoint(values[last->rank], values[e.rank]);
                }
            }
            below[s] += weight_of(e.place);
            last = &e;
        }
        // Rows without a value in the split's own column may have values on either side of the threshold.
        best.cut = static_cast<std::uint32_t>(std::upper_bound(values.begin(), values.end(), best.threshold) -
                                              values.begin() - 1);
        return best;
    }

    const Problem& problem_;
    const C& c_;
    const RowSet<C>& rows_;
    ExactLook<C> exact_;
};

}  // namespace pellucid::tree

// The random splitter of extremely randomised trees (Geurts, Ernst, Wehenkel, 2006): one threshold a column, drawn
// uniformly between the least and the greatest value in the node; of categories a random subset; missing values to a
// random side. The best of the columns looked at is taken.
#pragma once

#include "core/tree/column_finder.hpp"
#include "core/tree/sweep.hpp"

namespace pellucid::tree {

template <Criterion C>
class RandomLook {
  public:
    RandomLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces&)
        : problem_(problem), c_(criterion), rows_(rows) {}

    Looked look(const Asked<C, Nothing>& asked, Size column, Workspace& ws) const {
        const Branch& branch = *asked.branch;
        const std::uint32_t* ranks = problem_.columns->ranks(column);
        std::uint32_t least = kMissing, most = 0;
        Size missing = 0;
        ws.numbers.resize(branch.rows());
        for (Size i = 0; i < branch.rows(); ++i) {
            const std::uint32_t rank = ws.numbers[i] = ranks[rows_.row[branch.begin + i]];
            if (rank == kMissing) {
                ++missing;
                continue;
            }
            least = std::min(least, rank);
            most = std::max(most, rank);
        }
        Looked out;
        out.constant = missing == branch.rows() || (missing == 0 && least == most);
        if (out.constant || least == most) return out;

        // Numbers of a stream of their own: the node's column draws use the first ones of its stream.
        const Random random{problem_.seed, branch.key};
        const std::uint64_t at = (std::uint64_t{column} + 1) << 32;
        Split split;
        split.feature = static_cast<std::int32_t>(column);
        split.has_missing = missing > 0;
        split.missing_left = missing > 0 && (random.bits(at) & 1) != 0;
        if (problem_.columns->is_category(column))
            draw_subset(split, random, at + 1, ws);
        else
            draw_threshold(split, random.uniform(at + 1), least, most, column, ws);
        split.score = score(asked, split, limits_of(problem_, branch, column), ws);
        if (split.score > kNone) out.split = std::move(split);
        return out;
    }

    void follow(std::span<const Division<C, Nothing>>, int, Workspaces&) {}
    auto sides(const Split& split) const { return RankSides(*problem_.columns, split); }

  private:
    void draw_threshold(Split& split, double share, std::uint32_t least, std::uint32_t most, Size column,
                        const Workspace& ws) const {
        const std::span<const double> values = problem_.columns->values(column);
        const double low = values[least], high = values[most];
        split.test = Test::at_most;
        split.threshold = low * (1 - share) + high * share;
        if (!(split.threshold >= low && split.threshold < high)) split.threshold = low;
        // Any rank that parts the node's rows as the threshold does will do. The steps of a search in the whole column
        // wait for memory one after the other; the values of a small node are fetched all at once.
        constexpr Size kFewRows = 128;
        if (ws.numbers.size() > kFewRows) {
            const auto above = std::upper_bound(values.begin() + least, values.begin() + most, split.threshold);
            split.cut = static_cast<std::uint32_t>(above - values.begin() - 1);
            return;
        }
        split.cut = least;
        for (const std::uint32_t rank : ws.numbers)
            if (rank != kMissing && values[rank] <= split.threshold) split.cut = std::max(split.cut, rank);
    }

    // Each category of the node by a coin; where all fall alike, the first one changes sides.
    void draw_subset(Split& split, const Random& random, std::uint64_t at, Workspace& ws) const {
        split.test = Test::subset;
        std::vector<std::uint32_t> codes(ws.numbers.begin(), ws.numbers.end());
        std::sort(codes.begin(), codes.end());
        codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
        if (codes.back() == kMissing) codes.pop_back();
        for (const std::uint32_t code : codes)
            if (random.bits(at + code) & 1) split.codes.push_back(code);
        if (split.codes.empty()) split.codes.push_back(codes.front());
        if (split.codes.size() == codes.size()) split.codes.erase(split.codes.begin());
    }

    double score(const Asked<C, Nothing>& asked, const Split& split, const Limits& limits, Workspace& ws) const {
        const NodeRows<C> node = asked.node(rows_);
        const Size left = list_left(split, ws);
        if (left < limits.min_rows || node.rows.size() - left < limits.min_rows) return kNone;
        typename C::Sweep sweep(c_, node);
        for (Size k = 0; k < left; ++k) sweep.move(ws.counts[k]);
        if (!sweeping::Bounded{limits}(sweep)) return kNone;
        const double score = sweep.score();
        return score < -kNone ? score : kNone;  // no infinity, no NaN
    }

    // Those of the node's rows that go left, without a branch to be guessed; returns how many.
    static Size list_left(const Split& split, Workspace& ws) {
        const Size n = ws.numbers.size();
        ws.counts.resize(n + 1);
        std::uint32_t* out = ws.counts.data();
        Size left = 0;
        const auto list = [&](auto&& goes_left) {
            for (Size i = 0; i < n; ++i) {
                const std::uint32_t rank = ws.numbers[i];
                out[left] = static_cast<std::uint32_t>(i);
                left += rank == kMissing ? split.missing_left : goes_left(rank);
            }
        };
        if (split.test == Test::subset)
            list([&](std::uint32_t code) { return std::binary_search(split.codes.begin(), split.codes.end(), code); });
        else
            list([cut = split.cut](std::uint32_t rank) { return rank <= cut; });
        return left;
    }

    const Problem& problem_;
    const C& c_;
    const RowSet<C>& rows_;
};

}  // namespace pellucid::tree

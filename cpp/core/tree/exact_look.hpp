// The exact splitter: every cut between two neighboring values of a column in a node is tried.
//
// The rows of a node in the order of a column come from one of two places:
//
//   presorted  every column is sorted once; when a node is split, the order of every column is parted in two, each side
//              keeping its order. A level of the tree reads and writes 8 bytes for each row and column.
//   sorted     the rows are sorted for each column that is looked at (by counting: ranks are small whole numbers).
//
// The first costs a little for all columns, the second more for those looked at: it wins where few columns are drawn.
// Both give the same entries in the same order, hence the same tree.
#pragma once

#include "core/tree/categories.hpp"
#include "core/tree/column_finder.hpp"
#include "core/tree/sort_entries.hpp"

namespace pellucid::tree {

template <Criterion C>
class ExactLook final : public Look<C> {
  public:
    ExactLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces& workspaces)
        : problem_(problem), c_(criterion), rows_(rows) {
        if (kPartingCost * problem.cols() <=
            kSortingCost * std::min(problem.settings.max_features, problem.candidates()))
            presort(workspaces);
    }

    Looked look(const Asked<C>& asked, Size column, Workspace& ws) const override {
        const Branch& branch = *asked.branch;
        const Ordered in = ordered(branch, column, ws);
        Looked out;
        out.constant = in.present.empty() || (in.missing.empty() && in.present.front().rank == in.present.back().rank);
        if (out.constant) return out;
        const NodeRows<C> node = asked.node(rows_);
        const Limits limits = limits_of(problem_, branch, column);
        out.split = problem_.columns->is_category(column)
                        ? CategorySearch<C>(c_, node, in, limits, ws).best(problem_.settings.category_split)
                        : by_number(best_cut(c_, node, in, limits), in, column);
        if (out.split.score == kNone) return out;
        if (problem_.columns->is_category(column)) out.split.test = Test::subset;
        out.split.feature = static_cast<std::int32_t>(column);
        out.split.has_missing = !in.missing.empty();
        return out;
    }

    void follow(std::span<const Division<C>> divisions, int threads, Workspaces& workspaces) override {
        if (presorted_.empty()) return;
        std::vector<const Branch*> parents;
        Size rows = 0;
        for (const auto& d : divisions) {
            if (d.left_open == nullptr && d.right_open == nullptr) continue;
            parents.push_back(d.parent);
            rows += d.parent->rows();
        }
        const Size cols = problem_.cols();
        for_tasks(parents.size() * cols, rows * cols, threads, workspaces,
                  [&](Size task, Workspace& ws) { part(*parents[task / cols], task % cols, ws); });
    }

    void follow_one(const Division<C>& d, Workspace& ws) override {
        if (presorted_.empty() || (d.left_open == nullptr && d.right_open == nullptr)) return;
        for (Size j = 0; j < problem_.cols(); ++j) part(*d.parent, j, ws);
    }
    // Where nodes are sorted, the ranks of a subtree's rows come from the cache.
    void approach(std::span<std::uint32_t> rows, Workspace& ws) const override {
        if (presorted_.empty() && fetching_pays(problem_.cols(), problem_.settings.max_features))
            ws.near_ranks.fetch(rows, problem_.cols(), [&](Size j) { return problem_.columns->ranks(j); });
    }

    auto sides(const Split& split, const Workspace& ws) const {
        return RankSides(*problem_.columns, split, ranks(static_cast<Size>(split.feature), ws));
    }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        part_rows(sides(branch.split, memory.task), branch, rows, memory);
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return sides(split, ws).categories_among(rows);
    }

    // The rows of a node in the order of a column.
    Ordered ordered(const Branch& branch, Size column, Workspace& ws) const {
        return split_missing(entries(branch, column, ws), branch.begin, kMissing);
    }
    Split by_number(const Cut& cut, const Ordered& in, Size column) const {
        Split out;
        if (!cut) return out;
        const std::span<const double> values = problem_.columns->values(column);
        const bool value = problem_.settings.threshold == Threshold::value;
        out.score = cut.score;
        out.missing_left = cut.missing_left;
        out.test = value ? Test::below : Test::at_most;
        out.cut = in.present[cut.after - 1].rank;
        if (cut.after == in.present.size())  // values against missing ones
            out.threshold = std::numeric_limits<double>::infinity();
        else
            out.threshold = value ? values[in.present[cut.after].rank]
                                  : midpoint(values[out.cut], values[in.present[cut.after].rank]);
        return out;
    }

  private:
    // Per row and column, in nanoseconds on one core of the machine it was measured on.
    static constexpr Size kPartingCost = 2, kSortingCost = 8;

    void presort(Workspaces& workspaces) {
        const Columns& columns = *problem_.columns;
        const Size n = rows_.count(), cols = columns.cols();
        std::vector<std::uint32_t> place(columns.rows(), kMissing);  // of a row that is in use
        for (Size i = 0; i < n; ++i) place[rows_.row[i]] = static_cast<std::uint32_t>(i);
        presorted_.resize(n * cols);
        for_tasks(cols, n * cols, problem_.threads, workspaces, [&](Size j, Workspace&) {
            const std::uint32_t *order = columns.order(j), *ranks = columns.ranks(j);
            Entry* to = presorted_.data() + j * n;
            for (Size k = 0; k < columns.rows(); ++k)
                if (place[order[k]] != kMissing) *to++ = {ranks[order[k]], place[order[k]]};
        });
    }

    std::span<const Entry> entries(const Branch& branch, Size column, Workspace& ws) const {
        if (!presorted_.empty())
            return std::span(presorted_).subspan(column * rows_.count() + branch.begin, branch.rows());
        const std::uint32_t* rank = ranks(column, ws);
        ws.sorted.resize(branch.rows());
        for (Size i = branch.begin; i < branch.end; ++i)
            ws.sorted[i - branch.begin] = {rank[rows_.row[i]], static_cast<std::uint32_t>(i)};
        sort_entries(ws.sorted, ws.other, ws.counts);
        return ws.sorted;
    }

    // By the rows' numbers as they are now.
    const std::uint32_t* ranks(Size column, const Workspace& ws) const {
        return ws.near_ranks.rows > 0 ? ws.near_ranks.column(column) : problem_.columns->ranks(column);
    }

    // Every entry is written to both sides and only one of the two moves on: no branch to be guessed.
    void part(const Branch& parent, Size column, Workspace& ws) {
        Entry* segment = presorted_.data() + column * rows_.count() + parent.begin;
        const std::uint32_t* new_place = rows_.new_place.data();
        const auto middle = static_cast<std::uint32_t>(parent.middle);
        if (ws.other.size() < parent.rows()) ws.other.resize(parent.rows());
        Entry* aside = ws.other.data();
        Size left = 0, right = 0;
        for (Size i = 0; i < parent.rows(); ++i) {
            const Entry e{segment[i].rank, new_place[segment[i].place]};
            segment[left] = e;
            aside[right] = e;
            const bool goes_left = e.place < middle;
            left += goes_left;
            right += !goes_left;
        }
        std::copy_n(aside, right, segment + left);
    }

    const Problem& problem_;
    const C& c_;
    const RowSet<C>& rows_;
    std::vector<Entry> presorted_;  // column by column
};

}  // namespace pellucid::tree

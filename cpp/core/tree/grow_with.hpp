// From a criterion to a tree: the split finder that the settings ask for.
#pragma once

#include "core/base/check.hpp"
#include "core/tree/exact_look.hpp"
#include "core/tree/grow.hpp"
#include "core/tree/histogram_finder.hpp"
#include "core/tree/histogram_look.hpp"
#include "core/tree/random_look.hpp"

namespace pellucid::tree {

template <template <Criterion> class L, Criterion C>
std::unique_ptr<Finder<C>> look_by(const Problem& problem, const C& criterion, const RowSet<C>& rows) {
    return std::make_unique<ColumnFinder<C>>(
        problem, [&](Workspaces& workspaces) { return std::make_unique<L<C>>(problem, criterion, rows, workspaces); });
}

template <Criterion C>
std::unique_ptr<Finder<C>> finder_of(const Problem& problem, const C& criterion, const RowSet<C>& rows) {
    switch (problem.settings.splitter) {
        case Splitter::best:
            return look_by<ExactLook>(problem, criterion, rows);
        case Splitter::random:
            return look_by<RandomLook>(problem, criterion, rows);
        case Splitter::histogram:
            if constexpr (C::kAdditive) {
                if (problem.among.empty() && problem.settings.max_features >= problem.cols())
                    return std::make_unique<HistogramFinder<C>>(problem, criterion, rows);
                return look_by<HistogramLook>(problem, criterion, rows);
            }
    }
    require(false, "grow_tree: no histogram splitter for this criterion");
    return nullptr;
}

// Those of positive weight. make(row of the table, its weight) -> what the criterion knows of the row.
template <Criterion C, class Make>
RowSet<C> rows_in_use(const Problem& problem, Make&& make) {
    RowSet<C> rows;
    rows.row.reserve(problem.rows());
    rows.what.reserve(problem.rows());
    for (Size i = 0; i < problem.rows(); ++i) {
        const double weight = problem.weight.empty() ? 1.0 : problem.weight[i];
        if (weight == 0) continue;
        rows.row.push_back(static_cast<std::uint32_t>(i));
        rows.what.push_back(make(i, weight));
    }
    require(rows.count() > 0, "grow_tree: no row of positive weight");
    return rows;
}

template <Criterion C, class Make>
Nodes grow_with(const Problem& problem, const C& criterion, Make&& make) {
    RowSet<C> rows = rows_in_use<C>(problem, make);
    return Grower<C>(problem, criterion, std::move(rows)).grow(finder_of<C>);
}

// One source for each group of criteria: they compile side by side.
Nodes grow_classes(const Problem& problem);       // one output
Nodes grow_numbers(const Problem& problem);       // one output, squared error or Poisson deviance
Nodes grow_many_outputs(const Problem& problem);  // and rules without a quicker form for one output
Nodes grow_absolute(const Problem& problem);
Nodes grow_with_surrogates(const Problem& problem);

}  // namespace pellucid::tree

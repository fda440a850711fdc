// From a criterion to a tree: the split finder that the settings ask for.
#pragma once

#include "core/base/check.hpp"
#include "core/tree/exact_look.hpp"
#include "core/tree/grow.hpp"
#include "core/tree/histogram_finder.hpp"
#include "core/tree/histogram_look.hpp"
#include "core/tree/random_look.hpp"

namespace pellucid::tree {

template <Criterion C>
Nodes grow_by_histogram(const Problem& problem, const C& criterion, RowSet<C> rows) {
    if constexpr (C::kAdditive) {
        if (problem.among.empty() && problem.settings.max_features >= problem.cols())
            return Grower<C, HistogramFinder<C>>(problem, criterion, std::move(rows)).grow();
        return Grower<C, ColumnFinder<C, HistogramLook<C>>>(problem, criterion, std::move(rows)).grow();
    } else {
        require(false, "grow_tree: no histogram splitter for this criterion");
        return {};
    }
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
    switch (problem.settings.splitter) {
        case Splitter::best:
            return Grower<C, ColumnFinder<C, ExactLook<C>>>(problem, criterion, std::move(rows)).grow();
        case Splitter::random:
            return Grower<C, ColumnFinder<C, RandomLook<C>>>(problem, criterion, std::move(rows)).grow();
        case Splitter::histogram:
            return grow_by_histogram(problem, criterion, std::move(rows));
    }
    return {};
}

// One source for each group of criteria: they compile side by side.
Nodes grow_classes(const Problem& problem);       // one output
Nodes grow_numbers(const Problem& problem);       // one output, squared error or Poisson deviance
Nodes grow_many_outputs(const Problem& problem);  // and rules without a quicker form for one output
Nodes grow_absolute(const Problem& problem);
Nodes grow_with_surrogates(const Problem& problem);

}  // namespace pellucid::tree

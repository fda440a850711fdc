// The histogram splitter where a split looks at some of the columns only: each of them is counted when it is looked at.
#pragma once

#include <algorithm>

#include "core/histogram/build.hpp"
#include "core/tree/bin_search.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::tree {

template <Criterion C>
class HistogramLook {
  public:
    HistogramLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces&)
        : problem_(problem),
          table_(problem.columns->binned(problem.settings.max_bins)),
          c_(criterion),
          sums_(criterion),
          rows_(rows) {}

    Looked look(const Asked<C, Nothing>& asked, Size column, Workspace&) const {
        const auto memory = shelf_.lend();
        const Branch& branch = *asked.branch;
        const ColumnBins& bins = table_.bins(column);
        if (branch.rows() < kFewRows) return look_at_few(asked, column, *memory);
        memory->cells.assign(bins.cells() * sums_.width(), Cell{});
        const HistogramTask<BinSums<C>> task{std::span(rows_.row).subspan(branch.begin, branch.rows()),
                                             rows_.what.data() + branch.begin, memory->cells.data()};
        histogram::add_column(sums_, table_, column, task);
        BinSearch<C> search(c_, sums_, problem_.settings, memory->search);
        return search.best({asked.open->sums.data(), branch.rows(), &bins, memory->cells.data()}, column,
                           limits_of(problem_, branch, column));
    }

    void follow(std::span<const Division<C, Nothing>>, int, Workspaces&) {}
    auto sides(const Split& split, const Workspace&) const { return BinSides(table_, split); }

  private:
    using Cell = typename BinSums<C>::Cell;
    struct Memory {
        std::vector<Cell> cells;
        std::vector<Cell> few;  // all zero between looks
        BinScratch search;
    };
    // Only bins that hold rows are looked at, and cleared again.
    Looked look_at_few(const Asked<C, Nothing>& asked, Size column, Memory& memory) const {
        const Branch& branch = *asked.branch;
        const ColumnBins& bins = table_.bins(column);
        const Size width = sums_.width();
        if (memory.few.empty()) memory.few.assign((kMostBins + 1) * width, Cell{});
        const HistogramTask<BinSums<C>> task{std::span(rows_.row).subspan(branch.begin, branch.rows()),
                                             rows_.what.data() + branch.begin, memory.few.data()};
        histogram::add_column(sums_, table_, column, task);
        list_bins(table_, column, task.rows, memory.search.held);
        BinSearch<C> search(c_, sums_, problem_.settings, memory.search);
        Looked found = search.best_of_held({asked.open->sums.data(), branch.rows(), &bins, memory.few.data()}, column,
                                           limits_of(problem_, branch, column));
        for (const std::uint16_t bin : memory.search.held) std::fill_n(memory.few.data() + bin * width, width, Cell{});
        std::fill_n(memory.few.data() + bins.count * width, width, Cell{});
        return found;
    }

    const Problem& problem_;
    const BinnedTable& table_;
    const C& c_;
    const BinSums<C> sums_;
    const RowSet<C>& rows_;
    mutable Shelf<Memory> shelf_;
};

}  // namespace pellucid::tree

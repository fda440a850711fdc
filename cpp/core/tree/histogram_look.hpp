// The histogram splitter where a split looks at some of the columns only: each of them is counted when it is looked at.
#pragma once

#include <algorithm>

#include "core/histogram/build.hpp"
#include "core/tree/bin_search.hpp"
#include "core/tree/column_finder.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::tree {

template <Criterion C>
class HistogramLook final : public Look<C> {
  public:
    HistogramLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces&)
        : problem_(problem),
          table_(problem.columns->binned(problem.settings.max_bins)),
          c_(criterion),
          sums_(criterion),
          rows_(rows) {}

    Looked look(const Asked<C>& asked, Size column, Workspace&) const override {
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

    auto sides(const Split& split, const Workspace&) const { return BinSides(table_, split); }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        part_rows(sides(branch.split, memory.task), branch, rows, memory);
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return sides(split, ws).categories_among(rows);
    }

  private:
    using Cell = typename BinSums<C>::Cell;
    struct Scratch {
        std::vector<Cell> cells;
        std::vector<Cell> few;  // all zero between looks
        BinScratch search;
    };
    // Only bins that hold rows are looked at, and cleared again.
    Looked look_at_few(const Asked<C>& asked, Size column, Scratch& memory) const {
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
    mutable Shelf<Scratch> shelf_;
};

}  // namespace pellucid::tree

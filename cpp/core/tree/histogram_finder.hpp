// The histogram splitter where every column is looked at.
//
// Of two siblings only the one with fewer rows is counted; the other's histogram is the parent's less that one's. Cells
// that count rows do so exactly, so that an empty bin is known as one. A node with few rows has no histogram of its own
// that is kept: all its columns are counted, a group at a time, in memory that stays in the first-level cache.
//
// A level of the tree costs at most half its rows x (12 + |Row|) / 8 bytes read for each column (histogram/build.hpp).
#pragma once

#include "core/histogram/build.hpp"
#include "core/tree/bin_search.hpp"
#include "core/tree/finder.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::tree {

template <Criterion C>
class HistogramFinder final : public Finder<C> {
  public:
    using Sums = BinSums<C>;
    using Cell = typename Sums::Cell;
    using AskedNode = Asked<C>;
    using Kept = std::unique_ptr<Keepsake>;  // a histogram; null: none

    HistogramFinder(const Problem& problem, const C& criterion, const RowSet<C>& rows)
        : problem_(problem),
          table_(problem.columns->binned(problem.settings.max_bins)),
          c_(criterion),
          sums_(criterion),
          rows_(rows) {}

    void find(std::span<const AskedNode> asked, int threads) override {
        std::vector<Wanted> wanted;
        Size rows = 0;
        for (const AskedNode& a : asked) {
            if (a.open->kept == nullptr && keeps(a.branch->rows(), asked.size()))
                wanted.push_back(want(*a.branch, a.open->kept));
            rows += a.branch->rows();
        }
        if (rows * problem_.cols() < kWorthAThread) threads = 1;
        build(wanted, threads);
        const Size groups = table_.groups();
        std::vector<Split> found(asked.size() * groups);
        const auto look = [&](Size task) { found[task] = look_at(asked[task / groups], task % groups); };
        if (threads == 1)
            for (Size task = 0; task < found.size(); ++task) look(task);
        else
            parallel_for(found.size(), threads, look);
        for (Size task = 0; task < found.size(); ++task)
            keep_better(problem_, *asked[task / groups].branch, asked[task / groups].branch->split,
                        std::move(found[task]));
    }

    // The smaller child is counted, the larger takes over the parent's histogram.
    void follow(std::span<const Division<C>> divisions, int threads) override {
        struct Taken {
            Kept *whole, *part;
            Kept not_kept;
        };
        std::vector<Wanted> wanted;
        std::vector<Taken> taken;
        taken.reserve(divisions.size());
        Size rows = 0;
        for (const Division<C>& d : divisions) {
            if (d.parent_open->kept == nullptr) continue;
            const bool left_is_small = d.left->rows() <= d.right->rows();
            const Branch &small = left_is_small ? *d.left : *d.right, &large = left_is_small ? *d.right : *d.left;
            auto *small_open = left_is_small ? d.left_open : d.right_open,
                 *large_open = left_is_small ? d.right_open : d.left_open;
            const bool keep_small = small_open != nullptr && keeps(small.rows(), divisions.size());
            const bool keep_large = large_open != nullptr && keeps(large.rows(), divisions.size());
            if (keep_large) {
                taken.push_back({&large_open->kept, nullptr, nullptr});
                Taken& t = taken.back();
                t.part = keep_small ? &small_open->kept : &t.not_kept;
                large_open->kept = std::move(d.parent_open->kept);
                wanted.push_back(want(small, *t.part));
                rows += small.rows();
            } else {
                give_back(std::move(d.parent_open->kept));
            }
        }
        if (rows * problem_.cols() < kWorthAThread) threads = 1;
        build(wanted, threads);
        parallel_for(taken.size(), threads, [&](Size i) {
            subtract_histogram<Cell>(cells_of(*taken[i].whole), cells_of(*taken[i].part));
            if (taken[i].not_kept != nullptr) give_back(std::move(taken[i].not_kept));
        });
    }

    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        part_rows(BinSides(table_, branch.split), branch, rows, memory);
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace&) const override {
        return BinSides(table_, split).categories_among(rows);
    }
    void find_one(const AskedNode& asked, Workspace&) override { find({&asked, 1}, 1); }
    void follow_one(const Division<C>& division, Workspace&) override { follow({&division, 1}, 1); }

  private:
    using Wanted = HistogramTask<Sums>;
    struct Histogram : Keepsake {
        std::vector<Cell> cells;  // of all columns, side by side
    };
    struct Scratch {
        std::vector<Cell> cells;
        BinScratch search;
    };

    // Rows from which a histogram pays. One that waits for its turn among many others takes more memory than its rows
    // do; a subtree that is grown in one go has few of them at a time.
    static constexpr Size kAmongMany = 2048, kAlone = 256;
    static constexpr Size kWorthAThread = 20000;  // rows times columns

    bool keeps(Size rows, Size together) const {
        return rows >= (together > 2 || problem_.settings.max_leaves > 0 ? kAmongMany : kAlone);
    }

    Wanted want(const Branch& branch, Kept& kept) {
        kept = shelf_.take();
        cells_of(kept).assign(table_.cells() * sums_.width(), Cell{});
        return {std::span(rows_.row).subspan(branch.begin, branch.rows()), rows_.what.data() + branch.begin,
                cells_of(kept).data()};
    }
    static std::vector<Cell>& cells_of(const Kept& kept) { return static_cast<Histogram&>(*kept).cells; }
    void give_back(Kept kept) { shelf_.take_back(std::unique_ptr<Histogram>(static_cast<Histogram*>(kept.release()))); }
    void build(std::span<const Wanted> wanted, int threads) {
        if (!wanted.empty()) build_histograms<Sums>(sums_, table_, wanted, threads);
    }

    // The best split of a node by the columns of a group.
    Split look_at(const AskedNode& asked, Size group) {
        const auto memory = memory_.lend();
        const Branch& branch = *asked.branch;
        const Size first = group * kCodesTogether, end = std::min(first + kCodesTogether, table_.cols());
        const Size width = sums_.width(), begin_cell = table_.first_cell(first) * width;
        const bool kept = asked.open->kept != nullptr;
        if (!kept) count_group(branch, group, memory->cells);
        const Cell* cells = kept ? cells_of(asked.open->kept).data() + begin_cell : memory->cells.data();
        BinSearch<C> search(c_, sums_, problem_.settings, memory->search);
        Split best;
        for (Size j = first; j < end; ++j) {
            const Size at = table_.first_cell(j) * width - begin_cell;
            const BinnedNode<C> node{asked.open->sums.data(), branch.rows(), &table_.bins(j), cells + at};
            const Limits limits = limits_of(problem_, branch, j);
            if (!kept && branch.rows() < kFewRows) {
                list_bins(table_, j, std::span(rows_.row).subspan(branch.begin, branch.rows()), memory->search.held);
                keep_better(problem_, branch, best, search.best_of_held(node, j, limits).split);
            } else {
                keep_better(problem_, branch, best, search.best(node, j, limits).split);
            }
            if (!kept) sweep_up(memory->cells.data() + at, table_.bins(j).count, memory->search.held);
        }
        return best;
    }

    // Cells are zero between two nodes.
    void count_group(const Branch& branch, Size group, std::vector<Cell>& cells) const {
        const Size first = group * kCodesTogether, end = std::min(first + kCodesTogether, table_.cols());
        const Size needed = (table_.first_cell(end) - table_.first_cell(first)) * sums_.width();
        if (cells.size() < needed) cells.resize(needed, Cell{});
        histogram::add_group(sums_, table_, group,
                             Wanted{std::span(rows_.row).subspan(branch.begin, branch.rows()),
                                    rows_.what.data() + branch.begin, cells.data()});
    }
    void sweep_up(Cell* cells, Size missing, std::span<const std::uint16_t> held) const {
        const Size width = sums_.width();
        for (const std::uint16_t bin : held) std::fill_n(cells + bin * width, width, Cell{});
        std::fill_n(cells + missing * width, width, Cell{});
    }

    const Problem& problem_;
    const BinnedTable& table_;
    const C& c_;
    const Sums sums_;
    const RowSet<C>& rows_;
    Shelf<Histogram> shelf_;
    Shelf<Scratch> memory_;
};

}  // namespace pellucid::tree

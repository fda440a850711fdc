// Memory that a task needs while it runs, lent out and taken back: nothing is allocated for a row or a cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/pool.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::tree {

// A row in the order of a column.
struct Entry {
    std::uint32_t rank;   // of its value; kMissing last
    std::uint32_t place;  // position of the row
};

// What a subtree that is grown in one go reads of the table, column by column: its own rows side by side, so that they
// stay in the cache. The rows are then known by their numbers here.
template <class Cell>
struct Near {
    std::vector<Cell> cells;
    Size rows = 0;  // 0: nothing is near

    const Cell* column(Size j) const { return cells.data() + j * rows; }
    // whole(j): the column of the table.
    template <class Whole>
    void fetch(std::span<std::uint32_t> row, Size cols, Whole&& whole) {
        rows = row.size();
        if (cells.size() < rows * cols) cells.resize(rows * cols);
        for (Size j = 0; j < cols; ++j) {
            const Cell* from = whole(j);
            Cell* to = cells.data() + j * rows;
            for (Size i = 0; i < rows; ++i) to[i] = from[row[i]];
        }
        std::iota(row.begin(), row.end(), 0u);
    }
};

// Copies of the rows of a node and, within them, of nodes below it: each is made from the one around it, whose lines
// lie close together.
template <class Cell>
class Nested {
  public:
    // Rows of the innermost copy; 0: there is none.
    Size rows() const { return depth_ == 0 ? 0 : copies_[depth_ - 1].rows; }
    const Cell* column(Size j) const { return copies_[depth_ - 1].column(j); }
    // Only the copies that hold the rows at these positions stay.
    void leave(Size begin, Size end) {
        while (depth_ > 0 && !(bounds_[depth_ - 1].first <= begin && end <= bounds_[depth_ - 1].second)) --depth_;
    }
    void leave() { depth_ = 0; }
    // One more copy, of the rows at positions from `begin` on. whole(j): the column by the rows' numbers as they are.
    template <class Whole>
    void enter(Size begin, std::span<std::uint32_t> row, Size cols, Whole&& whole) {
        if (copies_.size() == depth_) {
            copies_.emplace_back();
            bounds_.emplace_back();
        }
        copies_[depth_].fetch(row, cols, whole);
        bounds_[depth_] = {begin, begin + row.size()};
        ++depth_;
    }

  private:
    std::vector<Near<Cell>> copies_;
    std::vector<std::pair<Size, Size>> bounds_;
    Size depth_ = 0;
};

// Whether it pays to fetch all columns: a row goes down a dozen levels of a subtree or so, and on each of them some of
// its columns are drawn.
inline bool fetching_pays(Size columns, Size drawn) { return columns <= 12 * std::min(drawn, columns); }

struct Workspace {
    std::vector<Entry> sorted, other;
    std::vector<std::uint32_t> counts, numbers, order;
    std::vector<double> sums, values;
    Near<std::uint32_t> near_ranks;
    Nested<double> near_values;
};
using Workspaces = Shelf<Workspace>;

// f(task, workspace) for every task. Rows that all tasks read together decide whether threads pay: waking one takes
// as long as some ten thousand rows.
template <class F>
void for_tasks(Size tasks, Size rows, int threads, Workspaces& workspaces, F&& f) {
    constexpr Size kWorthAThread = 20000;
    if (threads == 1 || tasks == 1 || rows < kWorthAThread) {
        const auto loan = workspaces.lend();
        for (Size task = 0; task < tasks; ++task) {
            if (rows >= kWorthAThread) check_interrupt();
            f(task, *loan);
        }
        return;
    }
    parallel_for(tasks, threads, [&](Size task) {
        const auto loan = workspaces.lend();
        f(task, *loan);
    });
}

}  // namespace pellucid::tree

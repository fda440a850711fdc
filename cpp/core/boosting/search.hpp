// The best split of a node by one column of its histogram.
//
// Bins in which no row of the node lies are passed over, so that a threshold lies midway between values that are there.
// Missing values are tried on both sides. Categories: where they are few, each against the rest; else in the order of
// g / (h + smooth), from either end (Fisher, 1958: of two groups the best is a run in that order).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/boosting/judge.hpp"
#include "core/boosting/table.hpp"

namespace pellucid::boosting {

// Cell: Word or Sums.
template <class Cell>
struct SearchedNode {
    Cell total{};
    Size rows = 0;
    const Packing* packing = nullptr;
    Bounds bounds;
    double worth = 0;  // of the node as a leaf
};

struct Found {
    double gain = 0;  // above what is asked for; 0: no split
    std::int32_t column = -1;
    std::uint32_t cut = 0;             // numbers: bins up to this one go left
    std::vector<std::uint8_t> subset;  // categories: bins that go left
    double threshold = 0;
    bool missing_left = false, has_missing = false;

    explicit operator bool() const { return column >= 0; }
};
template <class Cell>
struct FoundIn : Found {
    Cell left{};  // sums of the left side
};
// Of equal ones that of the lower column.
bool better(const Found& a, const Found& b);

// Memory of a search.
template <class Cell>
struct SearchRoom {
    std::vector<std::uint16_t> held;  // bins in which rows lie
    std::vector<Cell> held_cells;
    std::vector<Cell> left;
    std::vector<double> scores;
    bool closed = false;     // can the column split neither the node nor any part of it?
    std::vector<Cell> cuts;  // of several columns, and whose they are
    std::vector<std::uint32_t> column_of_cut;
};

class Search {
  public:
    Search(const Settings& settings, const Table& table, std::span<const std::int8_t> monotone);

    // The best of some columns, rising. of_table: the cells of all columns. counts: rows of each cell where the words
    // do not count them; null: not known, and min_rows_leaf is not asked for. Columns that may split a part of the node
    // are added to `open`.
    template <class Cell>
    FoundIn<Cell> best(const SearchedNode<Cell>& node, std::span<const std::uint32_t> columns, const Cell* of_table,
                       const std::uint32_t* counts, SearchRoom<Cell>& room, std::vector<std::uint32_t>& open) const;

    // For trees with one test a level. Every cut of a column has a number: of numbers the bins up to 0, 1, ... go left,
    // missing values right, then the same with missing values left; of categories one bin against the rest. Adds to
    // worth[k] what both sides of cut k are worth together; a side without rows is worth nothing.
    Size cuts(Size column) const;
    template <class Cell>
    void add_worths(const SearchedNode<Cell>& node, Size column, const Cell* cells, std::span<double> worth,
                    SearchRoom<Cell>& room) const;
    // The split of a node by cut k; without its gain.
    template <class Cell>
    FoundIn<Cell> split_at(Size column, Size k, const Cell* cells) const;

  private:
    template <class Cell>
    struct Sweep;
    template <class Cell>
    struct Node;
    // Of one column, if it gains more than `least`; cells and counts are its own. The cut is not settled yet.
    template <class Cell>
    FoundIn<Cell> best(const Node<Cell>& node, Size column, const Cell* cells, const std::uint32_t* counts,
                       SearchRoom<Cell>& room, double least) const;
    template <class Cell>
    void settle(FoundIn<Cell>& split, const Cell* cells, const std::uint32_t* counts) const;
    std::optional<std::uint32_t> best_of_few(const Node<Word>& node, std::span<const std::uint32_t> columns,
                                             const Word* of_table, SearchRoom<Word>& room,
                                             std::vector<std::uint32_t>& others,
                                             std::vector<std::uint32_t>& open) const;

    const Settings& settings_;
    const Table& table_;
    std::span<const std::int8_t> monotone_;
    std::vector<std::uint8_t> few_bins_;  // columns of numbers with few bins and no direction
};

}  // namespace pellucid::boosting

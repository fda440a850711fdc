// Grows a tree on the slopes of a loss over a binned table.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "core/boosting/draft.hpp"
#include "core/boosting/histograms.hpp"

namespace pellucid::boosting {

struct Grown {
    std::vector<Draft> nodes;  // parents before children
    std::span<const std::uint32_t> rows;
};

// What one tree is grown on.
struct Slopes {
    std::span<const Slope> of_row;        // of all rows of the table
    std::span<const std::uint32_t> rows;  // in use, rising; empty: all
    bool constant = false;                // every row in use has the same curvature
    Size round = 0;                       // rounds before this one
};

class Grower {
  public:
    Grower(const Table& table, const Settings& settings, std::span<const std::int8_t> monotone, int threads);

    // tree: its number, which decides (with the seed) what is drawn at random. table: one with the bins of that of the
    // constructor, and its rows.
    Grown grow(const Table& table, const Slopes& slopes, std::uint64_t seed, Size tree);

  private:
    template <class Cell>
    class Nodes;
    template <class Cell>
    class Work;

    // Memory that stays from tree to tree.
    template <class Cell>
    struct Memory {
        Histograms<Cell> histograms;
        tree::Shelf<SearchRoom<Cell>> rooms;
    };

    const Settings settings_;
    const std::span<const std::int8_t> monotone_;
    const int threads_;
    const Search search_;
    Partition partition_;
    Memory<Word> words_;
    Memory<Sums> sums_;  // empty unless sums in floating point are asked for
};

}  // namespace pellucid::boosting

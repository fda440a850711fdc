// Histograms of nodes: for each bin of each column the sums over the rows that lie in it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/boosting/partition.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::boosting {

// The rows of a node and what they add, and where its histogram goes.
template <class Cell>
struct CountTask {
    const std::uint32_t* rows = nullptr;  // null: all rows of the table, in their order
    Size n = 0;
    const Cell* words = nullptr;    // of rows[0], rows[1], ...; null, of records alone: made of the slopes
    const Slope* slopes = nullptr;  // of all rows of the table
    const Packing* packing = nullptr;
    Cell* into = nullptr;  // cells, all 0
    Cell total{};          // of the node
    bool sum_up = false;   // is the total still to be found?
};

template <class Cell>
class Histograms {
  public:
    using Cells = std::vector<Cell>;

    std::unique_ptr<Cells> fresh(Size cells) {
        auto out = shelf_.take();
        out->assign(cells, Cell{});
        return out;
    }
    // With whatever numbers.
    std::unique_ptr<Cells> any(Size cells) {
        auto out = shelf_.take();
        out->resize(cells);
        return out;
    }
    void take_back(std::unique_ptr<Cells> cells) { shelf_.take_back(std::move(cells)); }

    // columns: those that are asked for, rising.
    void count(const Table& table, std::span<CountTask<Cell>> tasks, std::span<const std::uint32_t> columns,
               int threads);
    // Of these columns: a node's less that of one child, which is the other one's.
    static void subtract(const Table& table, Cells& whole, const Cells& part, std::span<const std::uint32_t> columns) {
        const auto some = [&](Size first, Size n) {
            if constexpr (std::is_same_v<Cell, Word>)
                boost_hot().subtract(part.data() + first, n, whole.data() + first);
            else
                for (Size i = first; i < first + n; ++i) whole[i] -= part[i];
        };
        if (2 * columns.size() > table.cols()) return some(0, whole.size());
        for (const std::uint32_t j : columns) some(table.first_cell(j), table.bins(j).cells());
    }

  private:
    // Rows far apart that are fetched for counting: their codes group by group, and their words.
    struct Fetched {
        std::vector<std::uint8_t> codes;
        Cells words;
    };
    void count_bytes(const Table& table, std::span<CountTask<Cell>> tasks, std::span<const std::uint32_t> columns,
                     int threads);
    // Rows begin .. begin + n - 1 of a task and some groups of columns: by add(group, codes, rows, words, n).
    template <class Add>
    void count_near(const Table& table, const CountTask<Cell>& task, Size begin, Size n,
                    std::span<const std::uint32_t> band, const Add& add);
    // The same of records: words are made and rows far apart fetched, some at a time, and then counted group by group.
    template <class Add>
    void count_far(const Table& table, const CountTask<Cell>& task, Size begin, Size n,
                   std::span<const std::uint32_t> band, const Add& add);
    void count_rows(const Table& table, std::span<CountTask<Cell>> tasks, int threads);

    tree::Shelf<Cells> shelf_;
    tree::Shelf<Fetched> fetched_;
};

}  // namespace pellucid::boosting

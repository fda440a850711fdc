#include "core/boosting/histograms.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/pool.hpp"

namespace pellucid::boosting {
namespace {

// Rows first .. first + n - 1 where rows is null.
template <class Cell>
void count_group(const Table& table, Size group, const std::uint32_t* rows, Size first, const Cell* words, Size n,
                 Cell* const* cells, Size columns) {
    const std::uint8_t* codes = table.group_codes(group);
    if constexpr (std::is_same_v<Cell, Word>) {
        boost_hot().count(codes, rows, first, words, n, cells, columns);
    } else {
        for (Size i = 0; i < n; ++i) {
            const std::uint8_t* of_row = codes + (rows == nullptr ? first + i : Size{rows[i]}) * kCodesTogether;
            for (Size k = 0; k < columns; ++k) cells[k][of_row[k]] += words[i];
        }
    }
}

// A part of a task. Parts are counted aside and added up in their order; whole numbers have no order, and their parts
// are as many as threads can use.
template <class Cell>
struct Piece {
    Size task = 0, begin = 0, n = 0;
    Cell* into = nullptr;
};
template <class Cell>
std::vector<Piece<Cell>> pieces_of(std::span<const CountTask<Cell>> tasks, int threads) {
    Size rows = 0;
    for (const CountTask<Cell>& task : tasks) rows += task.n;
    Size size = 4 * kPiece;
    if constexpr (std::is_same_v<Cell, Word>)
        size = threads == 1 ? std::numeric_limits<Size>::max() : std::max(kPiece, rows / 8 + 1);
    std::vector<Piece<Cell>> out;
    for (Size t = 0; t < tasks.size(); ++t)
        for (Size begin = 0; begin < tasks[t].n; begin += std::min(size, tasks[t].n - begin))
            out.push_back({t, begin, std::min(size, tasks[t].n - begin)});
    return out;
}

}  // namespace

template <class Cell>
void Histograms<Cell>::count(const Table& table, std::span<const CountTask<Cell>> tasks,
                             std::span<const std::uint32_t> columns, int threads) {
    if (tasks.empty()) return;
    if (table.is_sparse())
        count_rows(table, tasks, threads);
    else
        count_bytes(table, tasks, columns, threads);
    if (!table.is_sparse() && !table.is_bundled()) return;
    parallel_for(tasks.size(), threads, [&](Size t) {
        for (const std::uint32_t j : columns)
            if (table.is_sparse() || table.place(j).shared) table.fill_usual(j, tasks[t].total, tasks[t].into);
    });
}

template <class Cell>
void Histograms<Cell>::count_bytes(const Table& table, std::span<const CountTask<Cell>> tasks,
                                   std::span<const std::uint32_t> columns, int threads) {
    constexpr Size kValues = 256;  // of a byte
    std::vector<Piece<Cell>> pieces = pieces_of(tasks, threads);
    std::vector<std::unique_ptr<Cells>> aside;
    // Bundles are counted by their bytes, and then taken apart.
    const Size size = table.is_bundled() ? table.stored() * kValues : table.cells();
    for (Piece<Cell>& piece : pieces)
        if (piece.begin > 0 || table.is_bundled()) {
            aside.push_back(fresh(size));
            piece.into = aside.back()->data();
        } else {
            piece.into = tasks[piece.task].into;
        }
    std::vector<std::uint32_t> groups;
    std::vector<std::uint8_t> asked(table.groups(), 0);
    for (const std::uint32_t j : columns) asked[table.place(j).stored / kCodesTogether] = 1;
    for (Size g = 0; g < asked.size(); ++g)
        if (asked[g]) groups.push_back(static_cast<std::uint32_t>(g));
    const auto count = [&](Size i) {
        const Piece<Cell>& piece = pieces[i / groups.size()];
        const CountTask<Cell>& task = tasks[piece.task];
        const Size group = groups[i % groups.size()], first = group * kCodesTogether;
        const Size some = std::min(kCodesTogether, table.stored() - first);
        std::array<Cell*, kCodesTogether> cells{};
        for (Size k = 0; k < some; ++k)
            cells[k] = piece.into + (table.is_bundled() ? (first + k) * kValues : table.first_cell(first + k));
        count_group(table, group, task.rows == nullptr ? nullptr : task.rows + piece.begin, piece.begin,
                    task.words + piece.begin, piece.n, cells.data(), some);
    };
    if (threads == 1)
        for (Size i = 0; i < pieces.size() * groups.size(); ++i) count(i);
    else
        parallel_for(pieces.size() * groups.size(), threads, count);
    for (const Piece<Cell>& piece : pieces) {
        Cell* into = tasks[piece.task].into;
        if (!table.is_bundled()) {
            if (piece.begin > 0)
                for (Size i = 0; i < size; ++i) into[i] += piece.into[i];
            continue;
        }
        for (const std::uint32_t j : columns) {
            const Place& place = table.place(j);
            const Cell* from = piece.into + place.stored * kValues;
            Cell* to = into + table.first_cell(j);
            for (Size b = 0; b < table.bins_in_use(j); ++b)
                if (!place.shared || b != place.usual) to[b] += from[place.value_of(static_cast<std::uint8_t>(b))];
        }
    }
    for (auto& cells : aside) take_back(std::move(cells));
}

template <class Cell>
void Histograms<Cell>::count_rows(const Table& table, std::span<const CountTask<Cell>> tasks, int threads) {
    std::vector<Piece<Cell>> pieces = pieces_of(tasks, threads);
    std::vector<std::unique_ptr<Cells>> aside;
    for (Piece<Cell>& piece : pieces) {
        piece.into = tasks[piece.task].into;
        if (piece.begin == 0) continue;
        aside.push_back(fresh(table.cells()));
        piece.into = aside.back()->data();
    }
    parallel_for(pieces.size(), threads, [&](Size p) {
        const Piece<Cell>& piece = pieces[p];
        const CountTask<Cell>& task = tasks[piece.task];
        for (Size i = piece.begin; i < piece.begin + piece.n; ++i) {
            const Cell word = task.words[i];
            for (const std::uint32_t cell : table.cells_of_row(task.rows == nullptr ? i : task.rows[i]))
                piece.into[cell] += word;
        }
    });
    for (const Piece<Cell>& piece : pieces)
        if (piece.begin > 0)
            for (Size i = 0; i < table.cells(); ++i) tasks[piece.task].into[i] += piece.into[i];
    for (auto& cells : aside) take_back(std::move(cells));
}

template class Histograms<Word>;
template class Histograms<Sums>;

}  // namespace pellucid::boosting

#include "core/boosting/vector_histograms.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/pool.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kValues = 256;       // of a byte
constexpr Size kRun = 4 * kPiece;   // rows that are counted together
constexpr Size kMostUnrolled = 12;  // numbers of a cell
constexpr Size kAhead = 16;         // rows before which codes and vectors are asked for

struct Run {
    Size task = 0, begin = 0, n = 0;
    double* into = nullptr;
};

std::vector<Run> runs_of(std::span<const VectorTask> tasks) {
    std::vector<Run> out;
    for (Size t = 0; t < tasks.size(); ++t)
        for (Size begin = 0; begin < tasks[t].rows.size(); begin += kRun)
            out.push_back({t, begin, std::min(kRun, tasks[t].rows.size() - begin), nullptr});
    return out;
}

void add(double* to, const double* from, Size n) {
    for (Size i = 0; i < n; ++i) to[i] += from[i];
}

// Rows of a group of eight columns of bytes; cells[c]: where the cells of its c-th column begin.
struct Group {
    GroupCodes rows;
    std::array<double*, kCodesTogether> cells;
    Size columns;
};

// W: numbers of a cell; 0: as many as `width` says.
template <Size W>
void add_rows(const Group& group, std::span<const std::uint32_t> rows, const float* vectors, Size width) {
    const Size w = W == 0 ? width : W;
    const Group here = group;  // nothing that is written to could change it
    for (Size r = 0; r < rows.size(); ++r) {
        if (r + kAhead < rows.size()) {
            __builtin_prefetch(here.rows.codes + rows[r + kAhead] * here.rows.stride);
            __builtin_prefetch(vectors + rows[r + kAhead] * w);
        }
        const float* vector = vectors + rows[r] * w;
        std::array<std::uint8_t, kCodesTogether> codes;
        std::memcpy(codes.data(), here.rows.codes + rows[r] * here.rows.stride, kCodesTogether);
        for (Size c = 0; c < here.columns; ++c) {
            double* cell = here.cells[c] + codes[c] * w;
            for (Size i = 0; i < w; ++i) cell[i] += static_cast<double>(vector[i]);
        }
    }
}

using AddRows = void (*)(const Group&, std::span<const std::uint32_t>, const float*, Size);
template <Size... W>
AddRows unrolled(Size width, std::index_sequence<W...>) {
    constexpr std::array<AddRows, sizeof...(W)> all{&add_rows<W>...};
    return all[width < sizeof...(W) ? width : 0];
}

// Of the columns of bytes: those that some asked column is found in, by groups.
std::vector<std::uint32_t> groups_of(const Table& table, std::span<const std::uint32_t> columns) {
    std::vector<std::uint8_t> asked(table.groups(), 0);
    for (const std::uint32_t j : columns) asked[table.place(j).stored / kCodesTogether] = 1;
    std::vector<std::uint32_t> out;
    for (Size g = 0; g < asked.size(); ++g)
        if (asked[g]) out.push_back(static_cast<std::uint32_t>(g));
    return out;
}

void count_bytes(const Table& table, Size width, const float* vectors, std::span<const VectorTask> tasks,
                 std::span<const Run> runs, std::span<const std::uint32_t> columns, int threads) {
    const AddRows add_some = unrolled(width, std::make_index_sequence<kMostUnrolled + 1>());
    const std::vector<std::uint32_t> groups = groups_of(table, columns);
    parallel_for(runs.size() * groups.size(), threads, [&](Size i) {
        const Run& run = runs[i / groups.size()];
        const Size first = groups[i % groups.size()] * kCodesTogether;
        Group group{table.group(groups[i % groups.size()]), {}, std::min(kCodesTogether, table.stored() - first)};
        for (Size c = 0; c < group.columns; ++c)
            group.cells[c] =
                run.into + (table.is_bundled() ? (first + c) * kValues : table.first_cell(first + c)) * width;
        add_some(group, tasks[run.task].rows.subspan(run.begin, run.n), vectors, width);
    });
}

void count_sparse(const Table& table, Size width, const float* vectors, std::span<const VectorTask> tasks,
                  std::span<const Run> runs, int threads) {
    parallel_for(runs.size(), threads, [&](Size r) {
        for (const std::uint32_t row : tasks[runs[r].task].rows.subspan(runs[r].begin, runs[r].n)) {
            const float* vector = vectors + row * width;
            for (const std::uint32_t c : table.cells_of_row(row))
                for (Size i = 0; i < width; ++i) runs[r].into[c * width + i] += static_cast<double>(vector[i]);
        }
    });
}

// Takes the bytes of bundles apart.
void add_bundled(const Table& table, Size width, const double* of_bytes, std::span<const std::uint32_t> columns,
                 double* into) {
    for (const std::uint32_t j : columns) {
        const Place& place = table.place(j);
        const double* from = of_bytes + place.stored * kValues * width;
        double* to = into + table.first_cell(j) * width;
        for (Size b = 0; b < table.bins(j).cells(); ++b)
            if (!place.shared || b != place.usual)
                add(to + b * width, from + place.value_of(static_cast<std::uint8_t>(b)) * width, width);
    }
}

// What a column's usual cell holds is what the others leave of the total.
void fill_usual(const Table& table, Size width, Size j, const VectorTask& task) {
    double* cells = task.into + table.first_cell(j) * width;
    const Size usual = table.is_sparse() ? table.usual(j) : table.place(j).usual;
    std::copy_n(task.total, width, cells + usual * width);
    for (Size b = 0; b < table.bins(j).cells(); ++b)
        if (b != usual)
            for (Size i = 0; i < width; ++i) cells[usual * width + i] -= cells[b * width + i];
}

}  // namespace

void VectorHistograms::count(const Table& table, const Shape& shape, std::span<const float> vectors,
                             std::span<const VectorTask> tasks, std::span<const std::uint32_t> columns, int threads) {
    const Size width = shape.width(), cells = table.is_bundled() ? table.stored() * kValues : table.cells();
    std::vector<Run> runs = runs_of(tasks);
    std::vector<std::unique_ptr<Cells>> aside;
    for (Run& run : runs) {
        run.into = tasks[run.task].into;
        if (run.begin == 0 && !table.is_bundled()) continue;
        aside.push_back(fresh(cells * width));
        run.into = aside.back()->data();
    }
    if (table.is_sparse())
        count_sparse(table, width, vectors.data(), tasks, runs, threads);
    else
        count_bytes(table, width, vectors.data(), tasks, runs, columns, threads);
    for (const Run& run : runs)
        if (table.is_bundled())
            add_bundled(table, width, run.into, columns, tasks[run.task].into);
        else if (run.begin > 0)
            add(tasks[run.task].into, run.into, cells * width);
    for (auto& some : aside) take_back(std::move(some));
    if (!table.is_sparse() && !table.is_bundled()) return;
    parallel_for(tasks.size(), threads, [&](Size t) {
        for (const std::uint32_t j : columns)
            if (table.is_sparse() || table.place(j).shared) fill_usual(table, width, j, tasks[t]);
    });
}

}  // namespace pellucid::boosting

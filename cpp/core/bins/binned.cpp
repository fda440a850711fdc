#include "core/bins/binned.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/bins/sketch.hpp"
#include "core/linalg/sparse.hpp"

namespace pellucid {
namespace {

constexpr Size kTileRows = 256;
constexpr Size kTileCols = 8;         // doubles of a cache line: a table in C order is read once
constexpr Size kBlockRows = 1 << 14;  // of one block of work

// A sample takes rows without regard to their weight: good as long as all have the same.
bool differ(std::span<const double> weight) {
    return std::any_of(weight.begin(), weight.end(), [&](double w) { return w != weight[0]; });
}

double weight_of(std::span<const double> weight, Size row) { return weight.empty() ? 1.0 : weight[row]; }

struct Request {
    std::span<const std::int32_t> n_categories;
    std::span<const double> weight;
    Size most_bins;
    bool sketch;  // long dense columns of numbers are cut from a sketch of all rows, not from a sample
};

// ---------------------------------------------------------------------------------------------------------------- cuts

ColumnBins cut_codes(const Request& request, Size j, std::span<const WeightedValue> rows) {
    std::vector<double> of_code(static_cast<Size>(request.n_categories[j]), 0.0);
    for (const WeightedValue& row : rows)
        if (row.value >= 0 && row.value < static_cast<double>(of_code.size()))
            of_code[static_cast<Size>(row.value)] += row.weight;
    return cut_categories(of_code, request.most_bins);
}

ColumnBins cut_column(const Request& request, Size j, std::span<WeightedValue> rows) {
    return request.n_categories[j] > 0 ? cut_codes(request, j, rows) : cut_numbers(rows, request.most_bins);
}

// `values` of the rows of a sample; changed.
template <class Sample>
ColumnBins cut_sampled(const Request& request, Size j, const Sample& sample, std::span<double> values) {
    if (request.n_categories[j] == 0 && request.weight.empty()) return cut_numbers(values, request.most_bins);
    std::vector<WeightedValue> rows(values.size());
    for (Size i = 0; i < values.size(); ++i) rows[i] = {values[i], weight_of(request.weight, sample(i))};
    return cut_column(request, j, rows);
}

// The rows that cuts are taken from: all of them, or one out of each of `count` equal runs.
struct Sample {
    Size rows, count;

    bool all() const { return count == rows; }
    Size operator()(Size i) const {
        if (all()) return i;
        const Size begin = i * rows / count, end = (i + 1) * rows / count;
        return begin + Random{0, 0}.below(i, end - begin);
    }
};

template <class T>
void cut_columns(const Dense<T>& x, const Request& request, const Sample& sample, std::span<const Size> columns,
                 std::vector<ColumnBins>& bins, int threads) {
    // A table in C order is read a line at a time.
    const Size together = x.col_stride == 1 ? kTileCols : 1;
    parallel_for(blocks_of(columns.size(), together), threads, [&](Size block) {
        const auto some = columns.subspan(block * together, std::min(together, columns.size() - block * together));
        std::vector<double> values(some.size() * sample.count);
        for (Size i = 0; i < sample.count; ++i) {
            const Size row = sample(i);
            for (Size c = 0; c < some.size(); ++c)
                values[c * sample.count + i] = static_cast<double>(x.at(row, some[c]));
        }
        for (Size c = 0; c < some.size(); ++c)
            bins[some[c]] =
                cut_sampled(request, some[c], sample, std::span(values).subspan(c * sample.count, sample.count));
    });
}

// Cuts from sketches of all rows. A column's rows are taken in runs of a power of two of blocks, whose sketches are
// then merged in their order: what one sketch of all rows would hold, however long the runs are.
template <class T>
void cut_sketched(const Dense<T>& x, const Request& request, std::span<const Size> columns,
                  std::vector<ColumnBins>& bins, int threads) {
    constexpr Size kEnoughTasks = 16;
    const Size groups = blocks_of(columns.size(), kTileCols), size = kSketchEntries * request.most_bins;
    Size run_rows = kSketchBlock;
    while (groups * blocks_of(x.rows, run_rows) > std::max(kEnoughTasks, groups)) run_rows *= 2;
    const Size runs = blocks_of(x.rows, run_rows);
    std::vector<QuantileSketch> sketches(columns.size() * runs, QuantileSketch(size));
    parallel_for(groups * runs, threads, [&](Size task) {
        const Size first = task / runs * kTileCols, some = std::min(kTileCols, columns.size() - first);
        const Size begin = task % runs * run_rows, end = std::min(begin + run_rows, x.rows);
        SketchRoom room;
        std::vector<double> values(kSketchBlock * some);
        for (Size row = begin; row < end; row += kSketchBlock) {
            check_interrupt();
            const Size n = std::min(kSketchBlock, end - row);
            for (Size r = 0; r < n; ++r)
                for (Size c = 0; c < some; ++c)
                    values[c * kSketchBlock + r] = static_cast<double>(x.at(row + r, columns[first + c]));
            for (Size c = 0; c < some; ++c)
                sketches[(first + c) * runs + task % runs].add(
                    {values.data() + c * kSketchBlock, n},
                    request.weight.empty() ? request.weight : request.weight.subspan(row, n), room);
        }
    });
    parallel_for(columns.size(), threads, [&](Size c) {
        SketchRoom room;
        QuantileSketch& all = sketches[c * runs];
        for (Size run = 1; run < runs; ++run) all.merge(sketches[c * runs + run], room);
        bins[columns[c]] = cut_summary(all.summary(room), request.most_bins);
    });
}

void cut_columns(const Csc& x, const Request& request, std::vector<ColumnBins>& bins, int threads) {
    double total = 0;
    for (Size r = 0; r < x.rows; ++r) total += weight_of(request.weight, r);
    parallel_for(x.cols, threads, [&](Size j) {
        std::vector<WeightedValue> rows;
        double zeros = total;
        for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) {
            rows.push_back({x.values[k], weight_of(request.weight, x.indices[k])});
            zeros -= rows.back().weight;
        }
        if (x.starts[j + 1] - x.starts[j] < x.rows) rows.push_back({0.0, std::max(zeros, total * 1e-12)});
        bins[j] = cut_column(request, j, rows);
    });
}

// --------------------------------------------------------------------------------------------------------------- codes

void code_run(const ColumnBins& bins, const EdgeSearch& search, const double* x, Size n, std::uint8_t* out) {
    if (!bins.is_category()) return search.codes(x, n, out);
    for (Size i = 0; i < n; ++i) out[i] = bins.code_of(x[i]);
}

// Is a value among x that has no bin of its own, in a column where each should have one?
bool meets_new(const ColumnBins& bins, const double* x, Size n, const std::uint8_t* codes) {
    if (bins.values.empty()) return false;
    bool met = false;
    for (Size i = 0; i < n; ++i) met |= codes[i] < bins.count && bins.values[codes[i]] != x[i];
    return met;
}

std::uint8_t* column_codes(std::uint8_t* codes, Size j, Size rows) {
    return codes + j / kCodesTogether * kCodesTogether * rows + j % kCodesTogether;
}

// Writes the codes of some columns; those in which a value without a bin turned up are marked.
template <class T>
void code_columns(const Dense<T>& x, const std::vector<ColumnBins>& bins, std::span<const Size> columns,
                  std::uint8_t* codes, std::vector<std::atomic<bool>>& met_new, int threads) {
    std::vector<EdgeSearch> search;
    for (const Size j : columns) search.emplace_back(bins[j], x.rows);
    parallel_for(blocks_of(x.rows, kBlockRows), threads, [&](Size block) {
        double room[kTileRows * kTileCols];
        const Size end = std::min((block + 1) * kBlockRows, x.rows);
        for (Size row = block * kBlockRows; row < end; row += kTileRows)
            for (Size first = 0; first < columns.size(); first += kTileCols) {
                const Size n = std::min(kTileRows, end - row), some = std::min(kTileCols, columns.size() - first);
                for (Size r = 0; r < n; ++r)
                    for (Size c = 0; c < some; ++c)
                        room[c * kTileRows + r] = static_cast<double>(x.at(row + r, columns[first + c]));
                for (Size c = 0; c < some; ++c) {
                    const Size j = columns[first + c];
                    std::uint8_t coded[kTileRows], *out = column_codes(codes, j, x.rows) + row * kCodesTogether;
                    code_run(bins[j], search[first + c], room + c * kTileRows, n, coded);
                    if (meets_new(bins[j], room + c * kTileRows, n, coded))
                        met_new[j].store(true, std::memory_order_relaxed);
                    for (Size r = 0; r < n; ++r) out[r * kCodesTogether] = coded[r];
                }
            }
    });
}

void code_columns(const Csc& x, const std::vector<ColumnBins>& bins, std::uint8_t* codes, int threads) {
    parallel_for(x.cols, threads, [&](Size j) {
        std::uint8_t* out = column_codes(codes, j, x.rows);
        const std::uint8_t zero = bins[j].code_of(0.0);
        for (Size r = 0; r < x.rows; ++r) out[r * kCodesTogether] = zero;
        for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k)
            out[x.indices[k] * kCodesTogether] = bins[j].code_of(x.values[k]);
    });
}

template <class T>
void bin_table(const Dense<T>& x, const Request& request, Size most_sampled, std::vector<ColumnBins>& bins,
               std::uint8_t* codes, int threads) {
    std::vector<Size> columns(x.cols);
    for (Size j = 0; j < x.cols; ++j) columns[j] = j;
    const Sample sample{x.rows, std::min(x.rows, std::max<Size>(most_sampled, 1))};
    std::vector<std::atomic<bool>> met_new(x.cols);
    if (request.sketch && !sample.all()) {
        const auto numbers =
            std::stable_partition(columns.begin(), columns.end(), [&](Size j) { return request.n_categories[j] == 0; });
        cut_sketched(x, request, {columns.begin(), numbers}, bins, threads);
        cut_columns(x, request, sample, {numbers, columns.end()}, bins, threads);
    } else {
        cut_columns(x, request, sample, columns, bins, threads);
    }
    code_columns(x, bins, columns, codes, met_new, threads);
    if (sample.all()) return;
    // The sample held few distinct values, the table more: cut again with all rows.
    std::erase_if(columns, [&](Size j) { return !met_new[j].load(); });
    cut_columns(x, request, Sample{x.rows, x.rows}, columns, bins, threads);
    code_columns(x, bins, columns, codes, met_new, threads);
}

template <class Index>
void bin_table(const Csr<Index>& x, const Request& request, Size, std::vector<ColumnBins>& bins, std::uint8_t* codes,
               int threads) {
    const CscMemory memory = columns_of(x, threads);
    const Csc view = memory.view(x.rows);
    cut_columns(view, request, bins, threads);
    code_columns(view, bins, codes, threads);
}

// The codes alone, by bins that are there.
template <class T>
void code_table(const Dense<T>& x, const std::vector<ColumnBins>& bins, std::uint8_t* codes, int threads) {
    std::vector<Size> columns(x.cols);
    for (Size j = 0; j < x.cols; ++j) columns[j] = j;
    std::vector<std::atomic<bool>> met_new(x.cols);
    code_columns(x, bins, columns, codes, met_new, threads);
}
template <class Index>
void code_table(const Csr<Index>& x, const std::vector<ColumnBins>& bins, std::uint8_t* codes, int threads) {
    const CscMemory memory = columns_of(x, threads);
    code_columns(memory.view(x.rows), bins, codes, threads);
}

}  // namespace

std::vector<ColumnBins> cut_sparse(const Csc& x, std::span<const std::int32_t> n_categories,
                                   std::span<const double> weight, const BinSettings& settings, int threads) {
    require(n_categories.size() == x.cols && (weight.empty() || weight.size() == x.rows), "bins: sizes");
    require(x.rows < std::numeric_limits<std::uint32_t>::max(), "bins: fewer than 2^32 rows");
    std::vector<ColumnBins> bins(x.cols);
    cut_columns(x, Request{n_categories, weight, settings.most_bins, false}, bins, threads);
    return bins;
}

BinnedTable::BinnedTable(const Matrix& x, std::span<const std::int32_t> n_categories, std::span<const double> weight,
                         const BinSettings& settings, int threads)
    : rows_(rows_of(x)), bins_(cols_of(x)) {
    require(n_categories.size() == cols() && (weight.empty() || weight.size() == rows_), "bins: sizes");
    make_room();
    const Request request{n_categories, weight, settings.most_bins, settings.sketch || differ(weight)};
    std::visit([&](const auto& view) { bin_table(view, request, settings.sample, bins_, codes_.get(), threads); }, x);
    number_cells();
}

BinnedTable::BinnedTable(const Matrix& x, std::vector<ColumnBins> bins, int threads)
    : rows_(rows_of(x)), bins_(std::move(bins)) {
    require(cols_of(x) == cols(), "bins: columns");
    make_room();
    std::visit([&](const auto& view) { code_table(view, bins_, codes_.get(), threads); }, x);
    number_cells();
}

void BinnedTable::number_cells() {
    first_cell_.assign(cols() + 1, 0);
    for (Size j = 0; j < cols(); ++j) first_cell_[j + 1] = first_cell_[j] + bins_[j].cells();
}

void BinnedTable::make_room() {
    require(rows_ < std::numeric_limits<std::uint32_t>::max(), "bins: fewer than 2^32 rows");
    codes_ = large_bytes<std::uint8_t>(rows_ * groups() * kCodesTogether + kReadBeyond);
    if (cols() % kCodesTogether != 0)
        std::fill_n(codes_.get() + (groups() - 1) * kCodesTogether * rows_, kCodesTogether * rows_, std::uint8_t{0});
}

}  // namespace pellucid

#include "core/boosting/table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::boosting {
namespace {

// A column with a smaller share of its rows in one bin has a byte of its own.
constexpr double kUsualShare = 0.8;
// Adding up a cell of a sparse row takes as long as so many bytes of a dense one.
constexpr double kEntryInBytes = 2.5;

std::uint8_t* byte_column(std::uint8_t* bytes, Size stored, Size rows) {
    return bytes + stored / kCodesTogether * kCodesTogether * rows + stored % kCodesTogether;
}

Entries entries_of(const Csc& x, const std::vector<ColumnBins>& bins, int threads) {
    Entries out;
    out.usual.resize(x.cols);
    out.start.assign(x.cols + 1, 0);
    std::vector<std::uint8_t> codes(x.starts[x.cols]);
    parallel_for(x.cols, threads, [&](Size j) {
        out.usual[j] = bins[j].code_of(0.0);
        for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) {
            codes[k] = bins[j].code_of(x.values[k]);
            out.start[j + 1] += codes[k] != out.usual[j];
        }
    });
    std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
    out.row.resize(out.start.back());
    out.code.resize(out.start.back());
    parallel_for(x.cols, threads, [&](Size j) {
        Size to = out.start[j];
        for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k)
            if (codes[k] != out.usual[j]) {
                out.row[to] = x.indices[k];
                out.code[to++] = codes[k];
            }
    });
    return out;
}

// Of a dense table the columns that may share a byte; the others have no entries, and are not asked for.
Entries entries_of(const BinnedTable& table, std::vector<std::uint8_t>& may_share, int threads) {
    const Size n = table.rows(), cols = table.cols();
    constexpr Size kFirstLook = 1000;
    Entries out;
    out.usual.assign(cols, 0);
    out.start.assign(cols + 1, 0);
    may_share.assign(cols, 0);
    std::vector<std::vector<std::uint32_t>> rows(cols);
    const auto codes_of = [&](Size j) { return table.group_codes(j / kCodesTogether) + j % kCodesTogether; };
    parallel_for(cols, threads, [&](Size j) {
        const std::uint8_t* codes = codes_of(j);
        std::array<Size, 256> met{};
        const auto enough = [&](Size looked) {
            const auto most = std::max_element(met.begin(), met.end());
            out.usual[j] = static_cast<std::uint8_t>(most - met.begin());
            return static_cast<double>(*most) >= kUsualShare * static_cast<double>(looked);
        };
        const Size step = std::max<Size>(n / kFirstLook, 1);
        for (Size r = 0; r < n; r += step) ++met[codes[r * kCodesTogether]];
        if (!enough((n + step - 1) / step)) return;
        met.fill(0);
        for (Size r = 0; r < n; ++r) ++met[codes[r * kCodesTogether]];
        if (!enough(n)) return;
        may_share[j] = 1;
        for (Size r = 0; r < n; ++r)
            if (codes[r * kCodesTogether] != out.usual[j]) rows[j].push_back(static_cast<std::uint32_t>(r));
    });
    for (Size j = 0; j < cols; ++j) {
        for (const std::uint32_t row : rows[j]) out.code.push_back(codes_of(j)[row * kCodesTogether]);
        out.row.insert(out.row.end(), rows[j].begin(), rows[j].end());
        out.start[j + 1] = out.row.size();
        rows[j] = {};
    }
    return out;
}

// Columns by the number of their entries, most first, each into the first bundle with room in which rows with more than
// one value stay within the tolerance, else into a new one (greedy coloring). values: of each column besides the usual
// one. Gives up beyond `most` columns of bytes.
Bundling bundles_of(const Entries& entries, std::span<const Size> values, std::span<const std::uint8_t> may_share,
                    Size rows, Size tolerance, Size most) {
    constexpr Size kMostValues = 255;  // besides 0: all as usual
    struct Bundle {
        std::uint32_t stored;
        Size values = 0, clashes = 0;
        std::vector<std::uint32_t> members;
        std::vector<std::uint64_t> taken;
    };
    Bundling out;
    out.place.resize(values.size());
    std::vector<Bundle> bundles;
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return entries.of(a) > entries.of(b); });
    for (const std::uint32_t j : order) {
        if (out.stored > most) return out;
        if (!may_share[j]) {
            out.place[j] = {static_cast<std::uint32_t>(out.stored++), false, 0, entries.usual[j]};
            continue;
        }
        const auto column = std::span(entries.row).subspan(entries.start[j], entries.of(j));
        const auto fits = [&](const Bundle& b) {
            if (b.values + values[j] > kMostValues) return false;
            Size clashes = b.clashes;
            for (const std::uint32_t row : column)
                if ((b.taken[row / 64] >> (row % 64) & 1) != 0 && ++clashes > tolerance) return false;
            return true;
        };
        auto home = std::find_if(bundles.begin(), bundles.end(), fits);
        if (home == bundles.end()) {
            bundles.push_back({static_cast<std::uint32_t>(out.stored++), 0, 0, {}, {}});
            bundles.back().taken.assign((rows + 63) / 64, 0);
            home = bundles.end() - 1;
        }
        for (const std::uint32_t row : column) {
            std::uint64_t& word = home->taken[row / 64];
            home->clashes += word >> (row % 64) & 1;
            word |= std::uint64_t{1} << (row % 64);
        }
        out.place[j] = {home->stored, true, static_cast<std::uint8_t>(home->values + 1), entries.usual[j]};
        home->values += values[j];
        home->members.push_back(j);
    }
    for (const Bundle& b : bundles) {
        out.shares |= b.members.size() > 1;
        if (b.members.size() == 1) out.place[b.members[0]].shared = false;
    }
    return out;
}

Bundling each_alone(Size cols) {
    Bundling out;
    out.place.resize(cols);
    for (Size j = 0; j < cols; ++j) out.place[j].stored = static_cast<std::uint32_t>(j);
    out.stored = cols;
    return out;
}

// What is made of a sparse table, and of a dense one.
template <class OfSparse, class OfDense>
void by_kind(const Matrix& x, int threads, const OfSparse& of_sparse, const OfDense& of_dense) {
    std::visit(
        [&]<class View>(const View& view) {
            if constexpr (requires { view.indices; })
                of_sparse(columns_of(view, threads));
            else
                of_dense();
        },
        x);
}

}  // namespace

Table::Table(const Matrix& x, std::span<const std::int32_t> n_categories, std::span<const double> weight,
             const TableSettings& settings, int threads)
    : rows_(rows_of(x)) {
    by_kind(
        x, threads,
        [&](const CscMemory& memory) {
            bins_ = cut_sparse(memory.view(rows_), n_categories, weight, settings.bins, threads);
            number_cells();
            store_entries(entries_of(memory.view(rows_), bins_, threads), settings, threads);
        },
        [&] {
            BinnedTable dense(x, n_categories, weight, settings.bins, threads);
            for (Size j = 0; j < dense.cols(); ++j) bins_.push_back(dense.bins(j));
            number_cells();
            find_missing(dense, threads);
            if (!settings.bundle || cols() < 2) return store_dense(std::move(dense));
            std::vector<std::uint8_t> may_share;
            const Entries entries = entries_of(dense, may_share, threads);
            Bundling found = bundles_of(entries, values(), may_share, rows_, settings.tolerated(rows_), cols());
            if (!found.shares) return store_dense(std::move(dense));
            take(std::move(found));
            store_bytes(entries, &dense, threads);
        });
    store_records(threads);
}

Table::Table(const Matrix& x, const Table& like, int threads) : rows_(rows_of(x)), bins_(like.bins_) {
    require(cols_of(x) == cols(), "bins: columns");
    number_cells();
    by_kind(
        x, threads,
        [&](const CscMemory& memory) { store_entries(entries_of(memory.view(rows_), bins_, threads), {}, threads); },
        [&] {
            BinnedTable dense(x, bins_, threads);
            find_missing(dense, threads);
            store_dense(std::move(dense));
        });
}

void Table::number_cells() {
    first_cell_.assign(cols() + 1, 0);
    for (Size j = 0; j < cols(); ++j) first_cell_[j + 1] = first_cell_[j] + bins_[j].cells();
    require(cells() < std::numeric_limits<std::uint32_t>::max(), "bins: fewer than 2^32 cells");
    some_missing_.assign(cols(), 0);
}

std::vector<Size> Table::values() const {
    std::vector<Size> out(cols());
    for (Size j = 0; j < cols(); ++j) out[j] = bins_in_use(j) - 1;
    return out;
}

void Table::take(Bundling found) {
    place_ = std::move(found.place);
    stored_ = found.stored;
    bundled_ = found.shares;
}

void Table::find_missing(const BinnedTable& dense, int threads) {
    parallel_for(dense.groups(), threads, [&](Size g) {
        // Eight rows of the group at once.
        constexpr Size kBytes = 8 * kCodesTogether;
        const Size first = g * kCodesTogether, some = std::min(kCodesTogether, cols() - first);
        std::uint8_t missing[kBytes] = {}, met[kBytes] = {};
        for (Size i = 0; i < kBytes; ++i)
            missing[i] = static_cast<std::uint8_t>(bins_[first + std::min(i % kCodesTogether, some - 1)].count);
        const std::uint8_t* codes = dense.group_codes(g);
        Size at = 0;
        for (const Size end = rows_ * kCodesTogether; at + kBytes <= end; at += kBytes)
            for (Size i = 0; i < kBytes; ++i) met[i] |= codes[at + i] == missing[i];
        for (Size i = 0; at + i < rows_ * kCodesTogether; ++i) met[i] |= codes[at + i] == missing[i];
        for (Size i = 0; i < kBytes; ++i)
            if (i % kCodesTogether < some) some_missing_[first + i % kCodesTogether] |= met[i];
    });
}

void Table::store_dense(BinnedTable dense) {
    take(each_alone(cols()));
    dense_ = std::move(dense);
}

void Table::store_entries(Entries entries, const TableSettings& settings, int threads) {
    parallel_for(cols(), threads, [&](Size j) {
        const auto missing = static_cast<std::uint8_t>(bins_[j].count);
        for (Size k = entries.start[j]; k < entries.start[j + 1]; ++k) some_missing_[j] |= entries.code[k] == missing;
    });
    const double by_rows = kEntryInBytes * static_cast<double>(entries.row.size());
    const auto most = static_cast<Size>(by_rows / static_cast<double>(std::max<Size>(rows_, 1)));
    Bundling found = each_alone(cols());
    if (settings.bundle && cols() > 1) {
        std::vector<std::uint8_t> may_share(cols());
        for (Size j = 0; j < cols(); ++j)
            may_share[j] = static_cast<double>(entries.of(j)) <= (1 - kUsualShare) * static_cast<double>(rows_);
        Bundling sharing =
            bundles_of(entries, values(), may_share, rows_, settings.tolerated(rows_), std::min(most, cols()));
        if (sharing.shares) found = std::move(sharing);
    }
    if (found.stored > most) return store_rows(std::move(entries), threads);
    take(std::move(found));
    store_bytes(entries, nullptr, threads);
}

void Table::store_bytes(const Entries& entries, const BinnedTable* dense, int threads) {
    const Size size = groups() * kCodesTogether * rows_;
    bytes_ = large_bytes<std::uint8_t>(size + kReadBeyond);
    std::fill_n(bytes_.get(), size, std::uint8_t{0});
    std::vector<std::vector<std::uint32_t>> members(stored_);
    for (Size j = 0; j < cols(); ++j) members[place_[j].stored].push_back(static_cast<std::uint32_t>(j));
    parallel_for(stored_, threads, [&](Size s) {
        // In the order in which they joined: of two values in a row the later stays.
        std::sort(members[s].begin(), members[s].end(),
                  [&](std::uint32_t a, std::uint32_t b) { return place_[a].first < place_[b].first; });
        std::uint8_t* out = byte_column(bytes_.get(), s, rows_);
        for (const std::uint32_t j : members[s]) {
            const Place& place = place_[j];
            if (!place.shared && dense != nullptr) {
                for (Size r = 0; r < rows_; ++r) out[r * kCodesTogether] = dense->code(r, j);
                continue;
            }
            if (!place.shared)
                for (Size r = 0; r < rows_; ++r) out[r * kCodesTogether] = entries.usual[j];
            for (Size k = entries.start[j]; k < entries.start[j + 1]; ++k)
                out[Size{entries.row[k]} * kCodesTogether] = place.value_of(entries.code[k]);
        }
    });
}

void Table::store_records(int threads) {
    if (is_sparse() || !Records::are_worth_it(stored_, rows_)) return;
    records_.emplace(group(0).codes, stored_, rows_, threads, [this] {
        dense_.reset();
        bytes_.reset();
    });
}

void Table::store_rows(Entries entries, int threads) {
    row_start_.assign(rows_ + 1, 0);
    for (const std::uint32_t row : entries.row) ++row_start_[row + 1];
    std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
    row_cells_.resize(entries.row.size());
    // Blocks of rows, each by all columns: the cells of a row come in their order.
    const Size blocks = std::min<Size>(static_cast<Size>(std::max(threads, 1)), std::max<Size>(rows_ / 4096, 1));
    parallel_for(blocks, threads, [&](Size b) {
        const Size begin = rows_ * b / blocks, end = rows_ * (b + 1) / blocks;
        std::vector<Size> to(row_start_.begin() + static_cast<std::ptrdiff_t>(begin),
                             row_start_.begin() + static_cast<std::ptrdiff_t>(end));
        for (Size j = 0; j < cols(); ++j) {
            const auto rows = std::span(entries.row).subspan(entries.start[j], entries.of(j));
            const auto from = std::lower_bound(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
            for (Size k = static_cast<Size>(from - rows.begin()); k < rows.size() && rows[k] < end; ++k)
                row_cells_[to[rows[k] - begin]++] =
                    static_cast<std::uint32_t>(first_cell(j) + entries.code[entries.start[j] + k]);
        }
    });
    entries_ = std::move(entries);
}

ColumnCodes Table::codes(Size j, std::vector<std::uint8_t>& room) const {
    ColumnCodes out;
    if (is_sparse()) {
        room.assign(rows_ + kReadBeyond, entries_.usual[j]);
        for (Size k = entries_.start[j]; k < entries_.start[j + 1]; ++k) room[entries_.row[k]] = entries_.code[k];
        out.codes = room.data();
        return out;
    }
    const Place& place = place_[j];
    if (records_) {
        out.codes = records_->column(place.stored);
    } else {
        out.codes = group(place.stored / kCodesTogether).codes + place.stored % kCodesTogether;
        out.stride = kCodesTogether;
    }
    out.shared = place.shared;
    if (place.shared)
        for (Size v = 0; v < out.meaning.size(); ++v) out.meaning[v] = place.bin_of(v, bins_in_use(j));
    return out;
}

std::vector<std::uint8_t> Table::bins_among(std::span<const std::uint32_t> rows, Size j) const {
    std::array<bool, 256> met{};
    std::vector<std::uint8_t> room;
    const ColumnCodes of = codes(j, room);
    for (const std::uint32_t row : rows) met[of.bin(of.stored(row))] = true;
    std::vector<std::uint8_t> out;
    for (Size b = 0; b < bins(j).count; ++b)
        if (met[b]) out.push_back(static_cast<std::uint8_t>(b));
    return out;
}

std::uint8_t Table::code(Size row, Size j) const {
    if (!is_sparse()) {
        const Place& place = place_[j];
        const GroupCodes eight = group(place.stored / kCodesTogether);
        return place.bin_of(eight.codes[row * eight.stride + place.stored % kCodesTogether], bins_in_use(j));
    }
    const std::span<const std::uint32_t> cells = cells_of_row(row);
    const auto at = std::lower_bound(cells.begin(), cells.end(), static_cast<std::uint32_t>(first_cell(j)));
    const bool there = at != cells.end() && *at < first_cell(j + 1);
    return there ? static_cast<std::uint8_t>(*at - first_cell(j)) : entries_.usual[j];
}

std::vector<std::vector<std::uint32_t>> Table::bundles() const {
    std::vector<std::vector<std::uint32_t>> out;
    if (!bundled_) return out;
    out.resize(stored_);
    for (Size j = 0; j < cols(); ++j) out[place_[j].stored].push_back(static_cast<std::uint32_t>(j));
    for (auto& members : out)
        std::sort(members.begin(), members.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return place_[a].first < place_[b].first; });
    return out;
}

}  // namespace pellucid::boosting

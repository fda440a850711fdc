// The table that boosted trees are grown on: the bins of all columns, and where those of each row are found.
//
//   dense     a byte a row and column, eight columns side by side (bins/binned.hpp), or by rows and by columns
//             (records.hpp)
//   bundled   the same, but columns that are rarely away from their usual bin share a byte (exclusive feature bundling:
//             Ke and others, 2017): each has a range of values, and any other value says that it is as usual
//   sparse    of each row the cells that it lies in besides the usual ones, and of each column the rows of those
//
// A histogram has a cell for each bin of each column, whatever the storage.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/bins/binned.hpp"
#include "core/boosting/records.hpp"
#include "core/linalg/sparse.hpp"

namespace pellucid::boosting {

struct TableSettings {
    BinSettings bins;
    bool bundle = false;        // may columns share a byte?
    double most_conflicts = 0;  // share of the rows in which a column of a bundle may meet another one's value

    Size tolerated(Size rows) const { return static_cast<Size>(most_conflicts * static_cast<double>(rows)); }
};

// The codes of one column, row by row.
struct ColumnCodes {
    const std::uint8_t* codes = nullptr;
    Size stride = 1;
    bool shared = false;  // a bundle's: `meaning` gives the column's bin
    std::array<std::uint8_t, 256> meaning{};

    std::uint8_t stored(Size row) const { return codes[row * stride]; }
    std::uint8_t bin(std::uint8_t stored) const { return shared ? meaning[stored] : stored; }
};

// Where a column's bins are found in the bytes that are stored.
struct Place {
    std::uint32_t stored = 0;  // column of bytes
    bool shared = false;
    std::uint8_t first = 0;  // shared: value of its first bin, the usual one left out
    std::uint8_t usual = 0;

    // bins: of the column, with the one of missing values if there are any.
    std::uint8_t bin_of(Size value, Size bins) const {
        if (!shared) return static_cast<std::uint8_t>(value);
        if (value < first || value >= Size{first} + bins - 1) return usual;
        const Size k = value - first;
        return static_cast<std::uint8_t>(k + (k >= usual));
    }
    std::uint8_t value_of(std::uint8_t bin) const {
        return shared ? static_cast<std::uint8_t>(first + bin - (bin > usual)) : bin;
    }
};

// The bins of some columns, by column: rows (rising) that are not in the usual one.
struct Entries {
    std::vector<Size> start;
    std::vector<std::uint32_t> row;
    std::vector<std::uint8_t> code;
    std::vector<std::uint8_t> usual;

    Size of(Size j) const { return start[j + 1] - start[j]; }
};

// Columns of bytes, and where the columns of the table are in them.
struct Bundling {
    std::vector<Place> place;
    Size stored = 0;
    bool shares = false;  // does any byte stand for several columns?
};

class Table {
  public:
    // As for BinnedTable.
    Table(const Matrix& x, std::span<const std::int32_t> n_categories, std::span<const double> weight,
          const TableSettings& settings, int threads);
    // Other rows by the bins of another table.
    Table(const Matrix& x, const Table& like, int threads);

    Size rows() const { return rows_; }
    Size cols() const { return bins_.size(); }
    const ColumnBins& bins(Size j) const { return bins_[j]; }
    // A histogram has the cells of column j at first_cell(j) .. first_cell(j + 1), missing values last.
    Size first_cell(Size j) const { return first_cell_[j]; }
    Size cells() const { return first_cell_.back(); }
    bool some_missing(Size j) const { return some_missing_[j] != 0; }
    // Bins of column j that rows may lie in.
    Size bins_in_use(Size j) const { return bins_[j].count + some_missing_[j]; }

    bool is_sparse() const { return !row_start_.empty(); }
    bool is_bundled() const { return bundled_; }

    // `room`: memory for the codes of a sparse table's column.
    ColumnCodes codes(Size j, std::vector<std::uint8_t>& room) const;
    // Bins of a column in which some rows lie, without the missing ones.
    std::vector<std::uint8_t> bins_among(std::span<const std::uint32_t> rows, Size j) const;
    std::uint8_t code(Size row, Size j) const;

    // Dense and bundled: columns of bytes, and groups of eight of them.
    Size stored() const { return stored_; }
    Size groups() const { return (stored_ + kCodesTogether - 1) / kCodesTogether; }
    // From row `first` on.
    GroupCodes group(Size g, Size first = 0) const {
        if (records_) return records_->group(g, first);
        return {(dense_ ? dense_->group_codes(0) : bytes_.get()) + (g * rows_ + first) * kCodesTogether,
                kCodesTogether};
    }
    // Of a large table that trees are grown on; else null.
    const Records* records() const { return records_ ? &*records_ : nullptr; }
    const Place& place(Size j) const { return place_[j]; }
    // The columns of each bundle, in the order in which they joined; empty: none is shared.
    std::vector<std::vector<std::uint32_t>> bundles() const;

    // Sparse: the cells of a row besides the usual ones, rising.
    std::span<const std::uint32_t> cells_of_row(Size row) const {
        return {row_cells_.data() + row_start_[row], row_start_[row + 1] - row_start_[row]};
    }
    Size entries() const { return row_cells_.size(); }
    std::uint8_t usual(Size j) const { return entries_.usual[j]; }
    // What the cells of usual bins hold is what the others leave of the total.
    template <class Cell>
    void fill_usual(Size j, const Cell& total, Cell* of_table) const {
        Cell* cells = of_table + first_cell(j);
        const Size usual = is_sparse() ? entries_.usual[j] : place_[j].usual;
        Cell rest = total;
        for (Size b = 0; b < bins_[j].cells(); ++b)
            if (b != usual) rest -= cells[b];
        cells[usual] = rest;
    }

  private:
    void number_cells();
    std::vector<Size> values() const;
    void take(Bundling found);
    void find_missing(const BinnedTable& dense, int threads);
    void store_dense(BinnedTable dense);
    void store_entries(Entries entries, const TableSettings& settings, int threads);
    void store_rows(Entries entries, int threads);
    void store_bytes(const Entries& entries, const BinnedTable* dense, int threads);
    void store_records(int threads);

    Size rows_ = 0, stored_ = 0;
    std::vector<ColumnBins> bins_;
    std::vector<Size> first_cell_;
    std::vector<std::uint8_t> some_missing_;
    std::optional<BinnedTable> dense_;
    bool bundled_ = false;
    std::vector<Place> place_;        // dense and bundled
    LargeBytes<std::uint8_t> bytes_;  // of what is not in dense_
    std::optional<Records> records_;
    Entries entries_;  // sparse
    std::vector<Size> row_start_;
    std::vector<std::uint32_t> row_cells_;
};

}  // namespace pellucid::boosting

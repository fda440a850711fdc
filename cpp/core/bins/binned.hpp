// A table of numbers and categories as one byte a cell: the bin of each value.
//
// Codes of eight columns lie side by side, eight bytes a row: whoever looks at a row of a group has all its codes with
// one load, whoever looks at one column reads every eighth byte. Columns that are not there have code 0.
#pragma once

#include "core/base/large.hpp"
#include "core/bins/cuts.hpp"
#include "core/linalg/sparse.hpp"

namespace pellucid {

struct BinSettings {
    Size most_bins = kMostBins;
    // Cuts of a longer dense table are taken from so many of its rows, one drawn from each of as many equal runs. A bin
    // of 255 then has its share of the rows to about 9 %.
    Size sample = Size{1} << 15;
    // Columns of numbers of such a table are cut from a quantile sketch of all its rows instead: a bin has its share to
    // about 2 %, in three times the time. Where weights differ they always are.
    bool sketch = false;
};

inline constexpr Size kCodesTogether = 8;
inline constexpr Size kReadBeyond = 3;  // bytes behind the last code that may be read, whatever they are

// The bins of a sparse table alone; as for BinnedTable.
std::vector<ColumnBins> cut_sparse(const Csc& x, std::span<const std::int32_t> n_categories,
                                   std::span<const double> weight, const BinSettings& settings, int threads);

class BinnedTable {
  public:
    // n_categories[j] = 0: column j holds numbers; else codes 0 .. n_categories[j] - 1 (others are missing). `weight`
    // of the rows moves the cuts and nothing else; empty: 1. Fewer than 2^32 rows.
    BinnedTable(const Matrix& x, std::span<const std::int32_t> n_categories, std::span<const double> weight,
                const BinSettings& settings, int threads);

    // By bins that are there.
    BinnedTable(const Matrix& x, std::vector<ColumnBins> bins, int threads);

    Size rows() const { return rows_; }
    Size cols() const { return bins_.size(); }
    const ColumnBins& bins(Size j) const { return bins_[j]; }
    Size groups() const { return (cols() + kCodesTogether - 1) / kCodesTogether; }
    // Codes of columns 8 g .. 8 g + 7: that of row r in column 8 g + k is at 8 r + k.
    const std::uint8_t* group_codes(Size g) const { return codes_.get() + g * kCodesTogether * rows_; }
    std::uint8_t code(Size row, Size j) const {
        return group_codes(j / kCodesTogether)[row * kCodesTogether + j % kCodesTogether];
    }

    // A histogram of all columns has the cells of column j at first_cell(j) .. first_cell(j + 1), missing values last.
    Size first_cell(Size j) const { return first_cell_[j]; }
    Size cells() const { return first_cell_.back(); }

  private:
    void make_room();
    void number_cells();

    Size rows_ = 0;
    std::vector<ColumnBins> bins_;
    std::vector<Size> first_cell_;
    LargeBytes<std::uint8_t> codes_;
};

}  // namespace pellucid

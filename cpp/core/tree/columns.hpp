// A table prepared for growing trees: every column as whole numbers that keep its order.
//
// A number becomes its rank among the distinct values of the column, a category its code; missing is kMissing. A split
// of a column is then "rank <= cut", whatever the values are, and two doubles are told apart however close they lie.
// For the histogram splitter it becomes bins instead; the random splitter, which needs no order, reads the values as
// they are. Each is made when it is first wanted, and used by as many trees as there are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/bins/binned.hpp"
#include "core/linalg/columns.hpp"

namespace pellucid::tree {

inline constexpr std::uint32_t kMissing = 0xFFFFFFFFu;

class Columns {
  public:
    // n_categories[j] = 0: column j holds numbers; else whole numbers 0 .. n_categories[j] - 1. NaN is missing; so is a
    // category that is out of range. X stays where it is.
    Columns(const Matrix& X, std::span<const std::int32_t> n_categories);

    // Before the first tree that needs them; from any thread.
    void make_ranks(int threads);
    void make_bins(Size most_bins, int threads);
    void make_cells(int threads);
    const BinnedTable& binned(Size most_bins) const;

    Size rows() const { return rows_; }
    Size cols() const { return kinds_.size(); }
    bool is_category(Size j) const { return kinds_[j] > 0; }
    Size categories(Size j) const { return static_cast<Size>(kinds_[j]); }

    // After make_ranks: eight bytes a cell, and a double for each distinct value. Sparse tables take as much as dense
    // ones. Of each row: rank of its value, code of its category, or kMissing.
    const std::uint32_t* ranks(Size j) const { return ranks_.data() + j * rows_; }
    // Distinct values in rising order: values(j)[rank]. Empty for categories.
    std::span<const double> values(Size j) const { return values_[j]; }
    // Rows in the order of their ranks, equal ones in the order of the table, missing ones last.
    const std::uint32_t* order(Size j) const { return order_.data() + j * rows_; }
    Size missing(Size j) const { return missing_[j]; }

    // After make_cells: the values of each row, or codes of its categories; NaN where missing. The table's own where it
    // holds doubles column by column, else a copy.
    const double* cells(Size j) const { return cells_[j]; }
    bool has_missing(Size j) const { return has_missing_[j] != 0; }

  private:
    Size rows_ = 0;
    std::vector<std::int32_t> kinds_;
    std::vector<std::uint32_t> ranks_, order_;
    std::vector<std::vector<double>> values_;
    std::vector<Size> missing_;
    std::vector<const double*> cells_;
    std::vector<double> own_cells_;
    std::vector<std::uint8_t> has_missing_;
    Matrix X_;
    ColumnTable by_column_;
    mutable std::mutex mutex_;
    bool ranked_ = false;
    std::map<Size, std::unique_ptr<const BinnedTable>> bins_;  // by the most bins of a column
};

}  // namespace pellucid::tree

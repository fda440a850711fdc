// The rows nearest to a row with missing values, among those that have what it lacks.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// The rows of a table in blocks of 32 side by side, NaN replaced by 0 and remembered: rows that have every column come
// first, so that most blocks need no look at what is missing.
class Donors {
  public:
    Donors(const Dense<double>& x, int threads);

    Size rows() const { return rows_; }
    Size cols() const { return cols_; }
    Size blocks() const { return (rows_ + 31) / 32; }
    bool complete(Size block) const { return block < complete_; }
    const double* values(Size block) const { return values_.data() + block * cols_ * 32; }
    const double* there(Size block) const { return there_.data() + block * cols_ * 32; }
    std::int64_t row(Size block, Size lane) const { return order_[block * 32 + lane]; }  // -1 past the last row

  private:
    Size rows_, cols_, complete_;  // complete_: blocks whose rows all have every column
    std::vector<double> values_, there_;
    std::vector<std::int64_t> order_;
};

// A cell to be filled: a row of the table of receivers, and a column.
struct Gap {
    std::int64_t row, col;
};

// For every gap its k nearest donors that have the column, nearest first, the earlier row first among equals:
//   d(x, y)^2 = p / m * sum over the m columns that both have of (x_c - y_c)^2,   p columns in all.
// rows[g * k + i], distances[g * k + i]; -1 and NaN where there are fewer than k with a column in common. Gaps stand in
// the order of their rows. A tile of receivers meets one block of donors after the other, which thus stays in cache.
void nearest_donors(const Donors& donors, const Dense<double>& receivers, std::span<const Gap> gaps, Size k,
                    std::span<std::int64_t> rows, std::span<double> distances, int threads);

}  // namespace pellucid

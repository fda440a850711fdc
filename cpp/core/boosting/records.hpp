// The bytes of a large table by rows and by columns, instead of by groups of eight columns.
//
// What growing a tree costs on a large table is the lines of the cache that it asks memory for. Counting wants all
// bytes of a row, and a node's rows lie far apart: in groups a row is on as many lines as there are groups. Here up to
// eight groups make a panel, in which a row's bytes lie side by side, 64 of them at most: one line. Parting wants one
// byte of each row: by columns 64 rows share a line, and a column of a million rows stays in the second cache. Of
// 10,000,000 rows of ten columns a fit takes 6.9 s instead of 9.0 (20 rounds, two threads).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/bins/binned.hpp"

namespace pellucid::boosting {

// The eight bytes that each row has of a group of columns.
struct GroupCodes {
    const std::uint8_t* codes = nullptr;
    Size stride = kCodesTogether;  // from row to row
};

class Records {
  public:
    static constexpr Size kGroups = 8;  // of a panel

    // groups: the bytes of `stored` columns in groups of eight, one group after the other. release: gives them back, as
    // soon as they stand by columns: there are never more than two copies.
    Records(const std::uint8_t* groups, Size stored, Size rows, int threads, const std::function<void()>& release);

    // Is a table too large for the caches, and a row on more than one line?
    static bool are_worth_it(Size stored, Size rows) {
        constexpr Size kCache = Size{1} << 20;
        return stored > kCodesTogether && stored * rows > kCache;
    }

    // Bytes that a row has of the panel of group g.
    Size row_size(Size g) const {
        constexpr Size kColumns = kGroups * kCodesTogether;
        return std::min(kColumns, stored_ - g / kGroups * kColumns);
    }
    const std::uint8_t* panel(Size g) const { return by_row_.get() + g / kGroups * kGroups * kCodesTogether * rows_; }
    GroupCodes group(Size g, Size first = 0) const {
        return {panel(g) + first * row_size(g) + g % kGroups * kCodesTogether, row_size(g)};
    }
    const std::uint8_t* column(Size s) const { return by_column_.get() + s * rows_; }

  private:
    void write_columns(const std::uint8_t* groups, Size begin, Size end);
    void write_rows(Size begin, Size end);

    Size stored_, n_groups_, rows_;
    LargeBytes<std::uint8_t> by_column_, by_row_;
};

}  // namespace pellucid::boosting

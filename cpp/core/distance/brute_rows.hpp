// Rows of a table in any layout, read in groups; and in which order groups are read.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/views.hpp"
#include "core/distance/product_hot.hpp"
#include "core/distance/row_table.hpp"

namespace pellucid {

inline constexpr Size kBlockBytes = Size{1} << 25;  // of rows held in another form at a time, whatever their number

// float for tables of floats, else double.
template <class View>
using CellOf = std::conditional_t<std::is_same_v<View, Dense<float>>, float, double>;

// Can its rows be pointed to as they are?
template <class T>
bool in_place(const Dense<T>& x) {
    return x.rows_contiguous();
}
template <class Index>
bool in_place(const Csr<Index>&) {
    return false;
}
template <class T>
const T* row_of(const Dense<T>& x, Size r) {
    return &x.at(r, 0);
}
template <class Index>
const double* row_of(const Csr<Index>&, Size) {
    return nullptr;
}

// Groups of kGroup rows, dealt to parts. Every part goes through the whole table in long strides, so that a table that
// is sorted by what makes its rows alike still shows near rows early, and the bound is tight for the rest.
class Deal {
  public:
    Deal(Size rows, Size rows_a_part) : rows_(rows) {
        groups_ = blocks_of(rows, kGroup);
        parts_ = std::max<Size>(1, blocks_of(groups_, std::max<Size>(1, rows_a_part / kGroup)));
    }
    Size parts() const { return parts_; }
    // The groups of a part by their first rows.
    std::vector<Size> part(Size which) const {
        const Size count = (groups_ - which + parts_ - 1) / parts_;
        Size step = std::max<Size>(1, static_cast<Size>(0.618 * static_cast<double>(count)));
        while (std::gcd(step, count) != 1) ++step;
        std::vector<Size> first(count);
        for (Size i = 0, at = 0; i < count; ++i, at = (at + step) % count) first[i] = (at * parts_ + which) * kGroup;
        return first;
    }
    Size rows_from(Size first) const { return std::min(kGroup, rows_ - first); }

  private:
    Size rows_, groups_, parts_;
};

}  // namespace pellucid

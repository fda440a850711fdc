// Rows of a table around their middle, one at a time, and centers in panels: what k-means works with.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/cluster/center_hot.hpp"
#include "core/cluster/k_means.hpp"

namespace pellucid {

// Row r as (x - shift) unit; returns the sum of its squares.
inline double framed_row(const Dense<double>& x, Size r, const RowFrame& frame, double* out) {
    if (x.rows_contiguous()) return center_hot().frame_f64(&x.at(r, 0), frame.shift.data(), frame.unit, x.cols, out);
    for (Size c = 0; c < x.cols; ++c) out[c] = x.at(r, c);
    return center_hot().frame_f64(out, frame.shift.data(), frame.unit, x.cols, out);
}
inline double framed_row(const Dense<float>& x, Size r, const RowFrame& frame, double* out) {
    if (x.rows_contiguous()) return center_hot().frame_f32(&x.at(r, 0), frame.shift.data(), frame.unit, x.cols, out);
    for (Size c = 0; c < x.cols; ++c) out[c] = static_cast<double>(x.at(r, c));
    return center_hot().frame_f64(out, frame.shift.data(), frame.unit, x.cols, out);
}
template <class Index>
double framed_row(const Csr<Index>& x, Size r, const RowFrame& frame, double* out) {
    std::fill_n(out, x.cols, 0.0);
    double squares = 0;
    for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) {
        const double v = x.values[e] * frame.unit;
        out[static_cast<Size>(x.indices[e])] = v;
        squares += v * v;
    }
    return squares;
}

// Centers as the hot loops read them.
class CenterPanels {
  public:
    CenterPanels() = default;
    CenterPanels(const double* centers, Size k, Size p)
        : cols_(p),
          count_((k + kCenters - 1) / kCenters),
          panels_(count_ * p * kCenters, 0.0),
          sizes_(count_ * kCenters, std::numeric_limits<double>::infinity()) {
        for (Size c = 0; c < k; ++c) {
            double size = 0;
            for (Size j = 0; j < p; ++j) {
                const double v = centers[c * p + j];
                panels_[(c / kCenters * p + j) * kCenters + c % kCenters] = v;
                size += v * v;
            }
            sizes_[c] = size;
            largest_ = std::max(largest_, size);
        }
    }
    Size count() const { return count_; }
    const double* panel(Size q) const { return panels_.data() + q * cols_ * kCenters; }
    const double* sizes(Size q) const { return sizes_.data() + q * kCenters; }
    double largest() const { return largest_; }  // squared length

  private:
    Size cols_ = 0, count_ = 0;
    std::vector<double> panels_, sizes_;
    double largest_ = 0;
};

inline void sparse_scan(const Csr<std::int32_t>& x, Size r, double unit, const CenterPanels& c, Size first, Size count,
                        Nearest* out) {
    const auto begin = static_cast<Size>(x.starts[r]), end = static_cast<Size>(x.starts[r + 1]);
    center_hot().sparse_nearest_32(x.values + begin, x.indices + begin, end - begin, unit, x.cols, c.panel(first),
                                   c.sizes(first), count, out);
}
inline void sparse_scan(const Csr<std::int64_t>& x, Size r, double unit, const CenterPanels& c, Size first, Size count,
                        Nearest* out) {
    const auto begin = static_cast<Size>(x.starts[r]), end = static_cast<Size>(x.starts[r + 1]);
    center_hot().sparse_nearest_64(x.values + begin, x.indices + begin, end - begin, unit, x.cols, c.panel(first),
                                   c.sizes(first), count, out);
}
inline void sparse_panel_values(const Csr<std::int32_t>& x, Size r, double unit, const CenterPanels& c, double* out) {
    const auto begin = static_cast<Size>(x.starts[r]), end = static_cast<Size>(x.starts[r + 1]);
    center_hot().sparse_values_32(x.values + begin, x.indices + begin, end - begin, unit, c.panel(0), c.sizes(0), out);
}
inline void sparse_panel_values(const Csr<std::int64_t>& x, Size r, double unit, const CenterPanels& c, double* out) {
    const auto begin = static_cast<Size>(x.starts[r]), end = static_cast<Size>(x.starts[r + 1]);
    center_hot().sparse_values_64(x.values + begin, x.indices + begin, end - begin, unit, c.panel(0), c.sizes(0), out);
}

// |x - c|^2 of a row and a center of squared length `size`; row: room for a framed row, which a sparse one does not
// need.
template <class T>
double row_apart(const Dense<T>& x, Size r, const RowFrame& frame, const double* center, double, double* row) {
    framed_row(x, r, frame, row);
    return center_hot().apart(row, center, x.cols);
}
template <class Index>
double row_apart(const Csr<Index>& x, Size r, const RowFrame& frame, const double* center, double size, double*) {
    double sum = size;
    for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) {
        const double v = x.values[e] * frame.unit;
        sum += v * (v - 2 * center[static_cast<Size>(x.indices[e])]);
    }
    return sum > 1e-14 * size ? sum : 0.0;  // what is left of a row at its center is rounding
}

template <class View>
constexpr bool kIsSparse = requires(const View& x) { x.starts; };

// Room for framed copies of rows: none of sparse ones.
template <class View>
std::vector<double> room_for(Size rows, Size p) {
    return std::vector<double>(kIsSparse<View> ? 0 : rows * p);
}

// Rows of a block: a multiple of a tile whose framed copies stay in the second cache.
template <class View>
Size rows_of_block(Size p) {
    if (kIsSparse<View>) return 64 * kRowTile;
    const Size fit = (Size{192} << 10) / (p * sizeof(double) + 1);
    return std::clamp<Size>(fit / kRowTile * kRowTile, 2 * kRowTile, 64 * kRowTile);
}

}  // namespace pellucid

// Rows of a table in any layout: copied, or pointed to.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// Rows [begin, begin + count), one behind the other.
template <class T, class Cell>
void copy_rows(const Dense<T>& x, Size begin, Size count, Cell* out) {
    if (x.rows_contiguous()) {
        for (Size r = 0; r < count; ++r)
            for (Size c = 0; c < x.cols; ++c) out[r * x.cols + c] = static_cast<Cell>((&x.at(begin + r, 0))[c]);
        return;
    }
    constexpr Size wide = 16;  // columns at a time: a cache line of each is used whole, and 16 lines are written
    for (Size first = 0; first < x.cols; first += wide) {
        const Size end = std::min(x.cols, first + wide);
        for (Size r = 0; r < count; ++r)
            for (Size c = first; c < end; ++c) out[r * x.cols + c] = static_cast<Cell>(x.at(begin + r, c));
    }
}
template <class Index, class Cell>
void copy_rows(const Csr<Index>& x, Size begin, Size count, Cell* out) {
    std::fill_n(out, count * x.cols, Cell{0});
    for (Size r = 0; r < count; ++r)
        for (auto k = x.starts[begin + r]; k < x.starts[begin + r + 1]; ++k)
            out[r * x.cols + static_cast<Size>(x.indices[k])] = static_cast<Cell>(x.values[k]);
}

// A dense table whose rows can be pointed to: rows that lie in one piece are read in place, others copied once.
template <class T>
struct PointedRows {
    const T* data = nullptr;
    Size rows = 0, cols = 0;
    std::ptrdiff_t stride = 0;
    std::vector<T> own;

    explicit PointedRows(const Dense<T>& x) : data(x.data), rows(x.rows), cols(x.cols), stride(x.row_stride) {
        if (x.rows_contiguous()) return;
        own.resize(x.rows * x.cols);
        copy_rows(x, 0, x.rows, own.data());
        data = own.data();
        stride = static_cast<std::ptrdiff_t>(x.cols);
    }
    PointedRows(PointedRows&&) = default;  // a vector that moves keeps its memory

    const T* row(Size r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }

    // Row r times a scale, less a center.
    void framed(Size r, const double* center, double scale, double* out) const {
        const T* x = row(r);
        for (Size j = 0; j < cols; ++j) out[j] = static_cast<double>(x[j]) * scale - center[j];
    }
    // The row in double precision.
    void widened(Size r, double* out) const {
        const T* x = row(r);
        for (Size j = 0; j < cols; ++j) out[j] = static_cast<double>(x[j]);
    }
};

// f(rows) of a dense table.
template <class F>
auto with_rows(const Matrix& m, F&& f) {
    if (const auto* wide = std::get_if<Dense<double>>(&m)) return f(PointedRows<double>(*wide));
    require(std::holds_alternative<Dense<float>>(m), "the table must be dense");
    return f(PointedRows<float>(std::get<Dense<float>>(m)));
}

// Neighborhoods of all queries, one after the other.
inline Neighborhoods joined(const std::vector<std::vector<Neighbor>>& found, const Metric& metric) {
    Neighborhoods all;
    all.starts.push_back(0);
    for (const auto& one : found) {
        for (const Neighbor& n : one) {
            all.rows.push_back(n.row);
            all.distances.push_back(metric.distance(n.reduced));
        }
        all.starts.push_back(static_cast<std::int64_t>(all.rows.size()));
    }
    return all;
}

}  // namespace pellucid

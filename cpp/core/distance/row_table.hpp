// A dense table whose rows can be pointed to: rows that lie in one piece are read in place, others copied once.
#pragma once

#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

template <class T>
struct PointedRows {
    const T* data = nullptr;
    Size rows = 0, cols = 0;
    std::ptrdiff_t stride = 0;
    std::vector<T> own;

    explicit PointedRows(const Dense<T>& x) : data(x.data), rows(x.rows), cols(x.cols), stride(x.row_stride) {
        if (x.rows_contiguous()) return;
        own.resize(x.rows * x.cols);
        for (Size r = 0; r < x.rows; ++r)
            for (Size c = 0; c < x.cols; ++c) own[r * x.cols + c] = x.at(r, c);
        data = own.data();
        stride = static_cast<std::ptrdiff_t>(x.cols);
    }
    PointedRows(PointedRows&&) = default;  // a vector that moves keeps its memory

    const T* row(Size r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }

    // Row r times a scale, less a centre.
    void framed(Size r, const double* centre, double scale, double* out) const {
        const T* x = row(r);
        for (Size j = 0; j < cols; ++j) out[j] = static_cast<double>(x[j]) * scale - centre[j];
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

// Neighbourhoods of all queries, one after the other.
inline Neighbourhoods joined(const std::vector<std::vector<Neighbour>>& found, const Metric& metric) {
    Neighbourhoods all;
    all.starts.push_back(0);
    for (const auto& one : found) {
        for (const Neighbour& n : one) {
            all.rows.push_back(n.row);
            all.distances.push_back(metric.distance(n.reduced));
        }
        all.starts.push_back(static_cast<std::int64_t>(all.rows.size()));
    }
    return all;
}

}  // namespace pellucid

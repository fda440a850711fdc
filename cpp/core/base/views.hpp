// Views: pointers and sizes of memory that somebody else owns. Kernels read through these and never allocate or free
// what they point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace pellucid {

using Size = std::size_t;

// Dense matrix with any strides (in elements, may be negative or zero): C order, F order, slices and transposes alike.
template <class T>
struct Dense {
    const T* data = nullptr;
    Size rows = 0;
    Size cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;

    const T& at(Size r, Size c) const {
        return data[static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c) * col_stride];
    }
    bool rows_contiguous() const { return col_stride == 1 || cols == 1; }
};

// Compressed sparse rows: row r holds values[starts[r] .. starts[r+1]) in columns indices[...], no column twice.
template <class Index>
struct Csr {
    const double* values = nullptr;
    const Index* indices = nullptr;
    const Index* starts = nullptr;
    Size rows = 0;
    Size cols = 0;
};

// Every layout in which a table of numbers reaches a kernel.
using Matrix = std::variant<Dense<double>, Dense<float>, Csr<std::int32_t>, Csr<std::int64_t>>;

inline Size rows_of(const Matrix& m) {
    return std::visit([](const auto& v) { return v.rows; }, m);
}
inline Size cols_of(const Matrix& m) {
    return std::visit([](const auto& v) { return v.cols; }, m);
}

}  // namespace pellucid

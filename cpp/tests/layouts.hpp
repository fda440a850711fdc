// One table of numbers in every layout that a kernel may meet.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/views.hpp"

namespace pellucid::test {

// Plain row-major table: what the oracles read.
struct Table {
    Size rows = 0;
    Size cols = 0;
    std::vector<double> cells;

    Table(Size n, Size p) : rows(n), cols(p), cells(n * p, 0.0) {}
    double& at(Size r, Size c) { return cells[r * cols + c]; }
    double at(Size r, Size c) const { return cells[r * cols + c]; }
    Dense<double> view() const {
        return {cells.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), std::ptrdiff_t{1}};
    }
};

inline std::vector<double> random_vector(Size n, std::uint64_t seed, double low = -1, double high = 1) {
    const Random random{seed, 1};
    std::vector<double> out(n);
    for (Size i = 0; i < n; ++i) out[i] = low + (high - low) * random.uniform(i);
    return out;
}

// Whole numbers from -4 to 4, row after row: sums are exact in any order, and ties occur.
inline std::vector<double> whole_numbers(Size rows, Size cols, std::uint64_t seed) {
    const Random chance{seed, 1};
    std::vector<double> out(rows * cols);
    for (Size i = 0; i < out.size(); ++i) out[i] = static_cast<double>(chance.below(i, 9)) - 4;
    return out;
}

inline Matrix in_rows(const std::vector<double>& x, Size cols) {
    return Dense<double>{x.data(), x.size() / cols, cols, static_cast<std::ptrdiff_t>(cols), 1};
}

// |a - b|^2
inline double squares_apart(const double* a, const double* b, Size cols) {
    double sum = 0;
    for (Size j = 0; j < cols; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

// Numbers in [-1, 1) that a float holds exactly, and a share of zeros: the same table in every layout.
inline Table random_table(Size rows, Size cols, std::uint64_t seed, double zeros = 0.3) {
    const Random value{seed, 0}, chance{seed, 1};
    Table t(rows, cols);
    for (Size i = 0; i < t.cells.size(); ++i)
        if (chance.uniform(i) >= zeros) t.cells[i] = static_cast<float>(2 * value.uniform(i) - 1);
    return t;
}

// A view, and the memory behind it.
struct Layout {
    std::string name;
    Matrix view;
    std::shared_ptr<const void> owner;
};

// The memory is exactly as long as the strides need, starts off any vector's alignment, and holds NaN wherever the view
// does not look.
template <class T>
Layout strided(std::string name, const Table& t, std::ptrdiff_t row_stride, std::ptrdiff_t col_stride) {
    const auto last_row = static_cast<std::ptrdiff_t>(t.rows > 0 ? t.rows - 1 : 0);
    const auto last_col = static_cast<std::ptrdiff_t>(t.cols > 0 ? t.cols - 1 : 0);
    const auto span = last_row * std::abs(row_stride) + last_col * std::abs(col_stride) + 1;
    auto memory = std::make_shared<std::vector<T>>(static_cast<Size>(span) + 1, std::numeric_limits<T>::quiet_NaN());
    T* origin = memory->data() + 1;
    if (row_stride < 0) origin -= last_row * row_stride;
    if (col_stride < 0) origin -= last_col * col_stride;
    for (Size r = 0; r < t.rows; ++r)
        for (Size c = 0; c < t.cols; ++c)
            origin[static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c) * col_stride] =
                static_cast<T>(t.at(r, c));
    return {std::move(name), Dense<T>{origin, t.rows, t.cols, row_stride, col_stride}, memory};
}

// Columns of a row run backwards, and every seventh zero is stored: both are allowed.
template <class Index>
Layout csr(std::string name, const Table& t) {
    struct Memory {
        std::vector<double> values;
        std::vector<Index> indices, starts;
    };
    auto memory = std::make_shared<Memory>();
    memory->starts.push_back(0);
    for (Size r = 0; r < t.rows; ++r) {
        for (Size c = t.cols; c-- > 0;) {
            if (t.at(r, c) == 0 && (r + c) % 7 != 0) continue;
            memory->values.push_back(t.at(r, c));
            memory->indices.push_back(static_cast<Index>(c));
        }
        memory->starts.push_back(static_cast<Index>(memory->values.size()));
    }
    memory->values.shrink_to_fit();
    return {std::move(name),
            Csr<Index>{memory->values.data(), memory->indices.data(), memory->starts.data(), t.rows, t.cols}, memory};
}

template <class T>
void add_dense(std::vector<Layout>& all, const std::string& type, const Table& t) {
    const auto n = static_cast<std::ptrdiff_t>(t.rows), p = static_cast<std::ptrdiff_t>(t.cols);
    all.push_back(strided<T>(type + " C", t, p, 1));
    all.push_back(strided<T>(type + " F", t, 1, n));
    all.push_back(strided<T>(type + " C, padded", t, p + 3, 1));
    all.push_back(strided<T>(type + " F, padded", t, 1, n + 3));
    all.push_back(strided<T>(type + " every second row, every third column", t, 6 * p, 3));
    all.push_back(strided<T>(type + " C, rows reversed", t, -p, 1));
    all.push_back(strided<T>(type + " C, columns reversed", t, p, -1));
    all.push_back(strided<T>(type + " F, rows reversed", t, -1, n));
    all.push_back(strided<T>(type + " F, both reversed", t, -1, -n));
}

// Layouts that hold doubles: any table.
inline std::vector<Layout> wide_layouts(const Table& t) {
    std::vector<Layout> all;
    add_dense<double>(all, "float64", t);
    all.push_back(csr<std::int32_t>("CSR int32", t));
    all.push_back(csr<std::int64_t>("CSR int64", t));
    return all;
}

// All layouts: tables whose numbers a float holds.
inline std::vector<Layout> layouts(const Table& t) {
    std::vector<Layout> all = wide_layouts(t);
    add_dense<float>(all, "float32", t);
    return all;
}

}  // namespace pellucid::test

// One column of a table at a time, for solvers that walk along columns:
//
//   dot(X, j, r) = x_j . r         axpy(X, j, a, r): r += a x_j
//
// and the same with a weight d_i for each row i. Dense columns and sparse ones are overloads.
#pragma once

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/base/views.hpp"
#include "core/linalg/column_hot.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/sparse.hpp"

namespace pellucid {

// Columns whose rows lie side by side.
template <class T>
struct DenseColumns {
    const T* data = nullptr;
    Size rows = 0;
    Size cols = 0;
    std::ptrdiff_t stride = 0;

    const T* column(Size j) const { return data + static_cast<std::ptrdiff_t>(j) * stride; }
};

// A view by columns of any table, and the memory behind it where the table had to be turned round.
struct ColumnTable {
    ColumnTable() = default;
    ColumnTable(ColumnTable&&) = default;  // a copy would look at the memory of the first
    ColumnTable& operator=(ColumnTable&&) = default;

    std::variant<DenseColumns<double>, DenseColumns<float>, Csc> view;
    std::vector<double> wide;
    std::vector<float> narrow;
    CscMemory sparse;
};
ColumnTable column_table(const Matrix& X, int threads);

inline double dot(const DenseColumns<double>& x, Size j, const double* r) { return hot().dot(x.column(j), r, x.rows); }
inline double dot(const DenseColumns<float>& x, Size j, const double* r) {
    double sum = 0;
    hot().rows_dot_f32(x.column(j), 0, 1, x.rows, r, &sum);
    return sum;
}
// Four sums: one alone would wait for the sum before it at every step.
inline double dot(const Csc& x, Size j, const double* r) {
    Size k = x.starts[j];
    const Size end = x.starts[j + 1];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; k + 4 <= end; k += 4) {
        s0 += x.values[k] * r[x.indices[k]];
        s1 += x.values[k + 1] * r[x.indices[k + 1]];
        s2 += x.values[k + 2] * r[x.indices[k + 2]];
        s3 += x.values[k + 3] * r[x.indices[k + 3]];
    }
    for (; k < end; ++k) s0 += x.values[k] * r[x.indices[k]];
    return (s0 + s1) + (s2 + s3);
}

inline void axpy(const DenseColumns<double>& x, Size j, double a, double* r) {
    hot().axpy_f64(a, x.column(j), x.rows, r);
}
inline void axpy(const DenseColumns<float>& x, Size j, double a, double* r) {
    hot().axpy_f32(a, x.column(j), x.rows, r);
}
inline void axpy(const Csc& x, Size j, double a, double* r) {
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) r[x.indices[k]] += a * x.values[k];
}

// r += a d x_j, row by row
inline void axpy(const DenseColumns<double>& x, Size j, double a, const double* d, double* r) {
    column_hot().add_f64(a, d, x.column(j), x.rows, r);
}
inline void axpy(const DenseColumns<float>& x, Size j, double a, const double* d, double* r) {
    column_hot().add_f32(a, d, x.column(j), x.rows, r);
}
inline void axpy(const Csc& x, Size j, double a, const double* d, double* r) {
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) r[x.indices[k]] += a * d[x.indices[k]] * x.values[k];
}

// sum_i d_i (unit x_ij) and sum_i d_i (unit x_ij)^2
struct ColumnSums {
    double first = 0, second = 0;
};
inline ColumnSums weigh(const DenseColumns<double>& x, Size j, double unit, const double* d) {
    double sums[2];
    column_hot().weigh_f64(unit, d, x.column(j), x.rows, sums);
    return {sums[0], sums[1]};
}
inline ColumnSums weigh(const DenseColumns<float>& x, Size j, double unit, const double* d) {
    double sums[2];
    column_hot().weigh_f32(unit, d, x.column(j), x.rows, sums);
    return {sums[0], sums[1]};
}
inline ColumnSums weigh(const Csc& x, Size j, double unit, const double* d) {
    ColumnSums sums;
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) {
        const double value = unit * x.values[k], weighted = d[x.indices[k]] * value;
        sums.first += weighted;
        sums.second += weighted * value;
    }
    return sums;
}

// Largest |x_ij| of the column.
template <class T>
double largest(const DenseColumns<T>& x, Size j) {
    const T* column = x.column(j);
    T most = 0;
    for (Size i = 0; i < x.rows; ++i) most = std::max(most, std::abs(column[i]));
    return static_cast<double>(most);
}
inline double largest(const Csc& x, Size j) {
    double most = 0;
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) most = std::max(most, std::abs(x.values[k]));
    return most;
}

// Entries of the column that a product with it reads.
template <class T>
Size entries(const DenseColumns<T>& x, Size) {
    return x.rows;
}
inline Size entries(const Csc& x, Size j) { return x.starts[j + 1] - x.starts[j]; }

}  // namespace pellucid

// The innermost loops over factors, compiled once per SIMD level. Rows of factors have a length that is a multiple of
// kFactorStep, filled up with zeros, so that no loop has a rest.
#pragma once

#include <cstddef>

namespace pellucid {

inline constexpr std::size_t kFactorStep = 16;  // a multiple of every vector width, in elements
inline constexpr std::size_t kSideBySide = 8;   // equations that are solved together

template <class T>
struct FactorHot {
    // a . b, with one order of sums for each level
    T (*dot)(const T* a, const T* b, std::size_t n);
    // out[i] = x . (row i of y)  for rows of length n, one behind the other; the order of sums is that of `dot`
    void (*dots)(const T* x, const T* y, std::size_t rows, std::size_t n, T* out);
    // out = M x + ridge x  for a symmetric matrix M of n x n and each of kSideBySide vectors x, one behind the other:
    // M is read once for all of them
    void (*multiply)(const T* m, const T* x, T ridge, std::size_t n, T* out);
    // out += sum over i of (a_i + w_i (y_i . x)) y_i,  y_i the row of y at rows[i]; a may be nullptr for zeros
    void (*add_rows)(const T* y, const int* rows, const T* a, const T* w, std::size_t count, const T* x, std::size_t n,
                     T* out);
    // y += a x
    void (*axpy)(T a, const T* x, std::size_t n, T* y);
    // p = r + a p
    void (*turn)(const T* r, T a, std::size_t n, T* p);
};

template <class T>
const FactorHot<T>& factor_hot();  // of the current level
template <>
const FactorHot<float>& factor_hot<float>();
template <>
const FactorHot<double>& factor_hot<double>();

}  // namespace pellucid

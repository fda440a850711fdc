// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/recommend/factor_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {

namespace {

typedef float VecF __attribute__((vector_size(PELLUCID_BYTES)));
typedef double VecD __attribute__((vector_size(PELLUCID_BYTES)));
typedef float LooseF __attribute__((vector_size(PELLUCID_BYTES), aligned(4)));  // loads from any address
typedef double LooseD __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));

template <class T>
struct Lane;
template <>
struct Lane<float> {
    typedef VecF Vec;
    typedef LooseF Loose;
};
template <>
struct Lane<double> {
    typedef VecD Vec;
    typedef LooseD Loose;
};

template <class T>
using Vec = typename Lane<T>::Vec;
template <class T>
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(T);

template <class T>
inline Vec<T> load(const T* p) {
    return *reinterpret_cast<const typename Lane<T>::Loose*>(p);
}
template <class T>
inline void store(T* p, Vec<T> v) {
    *reinterpret_cast<typename Lane<T>::Loose*>(p) = v;
}

template <class T, std::size_t Bytes>
struct Part {
    typedef T Type __attribute__((vector_size(Bytes)));
};

// Halves are added until one number is left.
template <class T, std::size_t Bytes = PELLUCID_BYTES>
inline T sum(typename Part<T, Bytes>::Type v) {
    if constexpr (Bytes == 2 * sizeof(T)) {
        return v[0] + v[1];
    } else {
        typename Part<T, Bytes / 2>::Type halves[2];
        __builtin_memcpy(halves, &v, Bytes);
        return sum<T, Bytes / 2>(halves[0] + halves[1]);
    }
}

template <class T>
T dot(const T* a, const T* b, std::size_t n) {
    Vec<T> s{};
    for (std::size_t k = 0; k < n; k += kWidth<T>) s += load(a + k) * load(b + k);
    return sum<T>(s);
}

// Four rows at a time share the loads of x.
template <class T>
inline void four_dots(const T* x, const T* const* y, std::size_t n, T* out) {
    Vec<T> s0{}, s1{}, s2{}, s3{};
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        const Vec<T> v = load(x + k);
        s0 += v * load(y[0] + k);
        s1 += v * load(y[1] + k);
        s2 += v * load(y[2] + k);
        s3 += v * load(y[3] + k);
    }
    out[0] = sum<T>(s0), out[1] = sum<T>(s1), out[2] = sum<T>(s2), out[3] = sum<T>(s3);
}

template <class T>
void dots(const T* x, const T* y, std::size_t rows, std::size_t n, T* out) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T* four[4] = {y + i * n, y + (i + 1) * n, y + (i + 2) * n, y + (i + 3) * n};
        four_dots(x, four, n, out + i);
    }
    for (; i < rows; ++i) out[i] = dot(x, y + i * n, n);
}

// `Many` vectors of each result stay in registers while the rows of M go by.
template <class T, std::size_t Many>
inline void multiply_part(const T* m, const T* x, T ridge, std::size_t n, std::size_t from, T* out) {
    Vec<T> s[kSideBySide][Many];
    for (std::size_t u = 0; u < kSideBySide; ++u)
        for (std::size_t v = 0; v < Many; ++v) s[u][v] = load(x + u * n + from + v * kWidth<T>) * ridge;
    for (std::size_t j = 0; j < n; ++j) {
        Vec<T> row[Many];
        for (std::size_t v = 0; v < Many; ++v) row[v] = load(m + j * n + from + v * kWidth<T>);
        for (std::size_t u = 0; u < kSideBySide; ++u)
            for (std::size_t v = 0; v < Many; ++v) s[u][v] += row[v] * x[u * n + j];
    }
    for (std::size_t u = 0; u < kSideBySide; ++u)
        for (std::size_t v = 0; v < Many; ++v) store(out + u * n + from + v * kWidth<T>, s[u][v]);
}

template <class T>
void multiply(const T* m, const T* x, T ridge, std::size_t n, T* out) {
    constexpr std::size_t kMany = PELLUCID_BYTES == 64 ? 2 : 1;  // 32 registers or 16
    std::size_t k = 0;
    for (; k + kMany * kWidth<T> <= n; k += kMany * kWidth<T>) multiply_part<T, kMany>(m, x, ridge, n, k, out);
    for (; k < n; k += kWidth<T>) multiply_part<T, 1>(m, x, ridge, n, k, out);
}

template <class T>
void axpy(T a, const T* x, std::size_t n, T* y) {
    for (std::size_t k = 0; k < n; k += kWidth<T>) store(y + k, load(y + k) + load(x + k) * a);
}

template <class T>
void add_rows(const T* y, const int* rows, const T* a, const T* w, std::size_t count, const T* x, std::size_t n,
              T* out) {
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const T* four[4];
        for (std::size_t r = 0; r < 4; ++r) four[r] = y + static_cast<std::size_t>(rows[i + r]) * n;
        T by[4];
        four_dots(x, four, n, by);
        for (std::size_t r = 0; r < 4; ++r) by[r] = (a ? a[i + r] : T{0}) + w[i + r] * by[r];
        for (std::size_t k = 0; k < n; k += kWidth<T>) {
            Vec<T> s = load(out + k);
            for (std::size_t r = 0; r < 4; ++r) s += load(four[r] + k) * by[r];
            store(out + k, s);
        }
    }
    for (; i < count; ++i) {
        const T* row = y + static_cast<std::size_t>(rows[i]) * n;
        axpy((a ? a[i] : T{0}) + w[i] * dot(x, row, n), row, n, out);
    }
}

template <class T>
void turn(const T* r, T a, std::size_t n, T* p) {
    for (std::size_t k = 0; k < n; k += kWidth<T>) store(p + k, load(r + k) + load(p + k) * a);
}

}  // namespace

extern const FactorHot<float> PELLUCID_JOIN(factor_f32_, PELLUCID_LEVEL);
const FactorHot<float> PELLUCID_JOIN(factor_f32_, PELLUCID_LEVEL) = {dot<float>,      dots<float>, multiply<float>,
                                                                     add_rows<float>, axpy<float>, turn<float>};
extern const FactorHot<double> PELLUCID_JOIN(factor_f64_, PELLUCID_LEVEL);
const FactorHot<double> PELLUCID_JOIN(factor_f64_, PELLUCID_LEVEL) = {dot<double>,      dots<double>, multiply<double>,
                                                                      add_rows<double>, axpy<double>, turn<double>};

}  // namespace pellucid

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
//
// No product and sum is contracted here but where `fused` says so, and no sum depends on the width of a vector: every
// function except gram_tile gives the same bits at every level (see hot.hpp for the order of sums).
#include "core/linalg/hot.hpp"

#include "core/base/level.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace pellucid {

namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));  // loads from any address
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kVecs = kPanel / kWidth;  // vectors in one row of a panel
// Eight independent sums hide the latency of a fused multiply-add (4 cycles, two a cycle).
constexpr std::size_t kTileRows = 8 / kVecs;

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
inline Vec widen(const double* p) { return load(p); }
typedef float LooseHalf __attribute__((vector_size(PELLUCID_BYTES / 2), aligned(4)));
inline Vec widen(const float* p) { return __builtin_convertvector(*reinterpret_cast<const LooseHalf*>(p), Vec); }

// The first n of a vector's numbers, 0 < n < kWidth, and zeros after them; nothing beyond them is read. Masked loads do
// the same, but slow down short rows.
#if PELLUCID_BYTES == 16
template <class T>
inline Vec first(const T* p, std::size_t) {
    return Vec{static_cast<double>(p[0]), 0};
}
#else
typedef double Four __attribute__((vector_size(32)));
template <class T>
inline Four first_of_four(const T* p, std::size_t n) {
    const auto at = [&](std::size_t i) { return static_cast<double>(p[i]); };
    if (n == 1) return Four{at(0), 0, 0, 0};
    if (n == 2) return Four{at(0), at(1), 0, 0};
    if (n == 3) return Four{at(0), at(1), at(2), 0};
    return n == 0 ? Four{} : Four{at(0), at(1), at(2), at(3)};
}
#if PELLUCID_BYTES == 32
template <class T>
inline Vec first(const T* p, std::size_t n) {
    return first_of_four(p, n);
}
#else
template <class T>
inline Vec first(const T* p, std::size_t n) {
    const Four low = first_of_four(p, n < 4 ? n : 4), high = n > 4 ? first_of_four(p + 4, n - 4) : Four{};
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif
#endif

// s + a b, rounded once where the level has an instruction for it.
inline Vec fused(double a, Vec b, Vec s) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(_mm512_set1_pd(a), b, s);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(_mm256_set1_pd(a), b, s);
#else
    return s + a * b;
#endif
}

template <class T>
void pack(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t panels, const double* offset,
          const double* scale, double* out) {
    for (std::size_t r = 0; r < rows; ++r, x += stride)
        for (std::size_t j = 0; j < panels; ++j) {
            double* to = out + (j * rows + r) * kPanel;
            for (std::size_t v = j * kPanel; v < (j + 1) * kPanel; v += kWidth, to += kWidth)
                store(to, widen(x + v) * load(scale + v) - load(offset + v));
        }
}

template <class T>
void pack_columns(const T* x, std::ptrdiff_t stride, std::size_t rows, const double* offset, const double* scale,
                  double* out) {
    const T* column[kPanel];
    for (std::size_t c = 0; c < kPanel; ++c) column[c] = x + static_cast<std::ptrdiff_t>(c) * stride;
    for (std::size_t r = 0; r < rows; ++r, out += kPanel) {
        double row[kPanel];
        for (std::size_t c = 0; c < kPanel; ++c) row[c] = static_cast<double>(column[c][r]);
        for (std::size_t v = 0; v < kPanel; v += kWidth)
            store(out + v, load(row + v) * load(scale + v) - load(offset + v));
    }
}

void gram_tile(const double* a, const double* b, std::size_t rows, double* c, std::size_t ld) {
    for (std::size_t i = 0; i < kPanel; i += kTileRows) {
        Vec sum[kTileRows][kVecs] = {};
        for (std::size_t r = 0; r < rows; ++r) {
            Vec bv[kVecs];
            for (std::size_t v = 0; v < kVecs; ++v) bv[v] = load(b + r * kPanel + v * kWidth);
            for (std::size_t t = 0; t < kTileRows; ++t) {
                const double left = a[r * kPanel + i + t];
                for (std::size_t v = 0; v < kVecs; ++v) sum[t][v] = fused(left, bv[v], sum[t][v]);
            }
        }
        for (std::size_t t = 0; t < kTileRows; ++t)
            for (std::size_t v = 0; v < kVecs; ++v) {
                double* to = c + (i + t) * ld + v * kWidth;
                store(to, load(to) + sum[t][v]);
            }
    }
}

// Sums of eight lanes, in the order of hot.hpp.
inline double sum_of_lanes(const Vec (&lanes)[kVecs]) {
#if PELLUCID_BYTES == 64
    typedef double Half __attribute__((vector_size(32)));
    const Half four = __builtin_shufflevector(lanes[0], lanes[0], 0, 1, 2, 3) +
                      __builtin_shufflevector(lanes[0], lanes[0], 4, 5, 6, 7);
#elif PELLUCID_BYTES == 32
    const Vec four = lanes[0] + lanes[1];
#endif
#if PELLUCID_BYTES == 16
    const Vec two = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
#else
    typedef double Pair __attribute__((vector_size(16)));
    const Pair two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
#endif
    return two[0] + two[1];
}

// `Rows` dot products with the same b, side by side: they share its loads, and none waits for another.
template <std::size_t Rows, class T>
inline void dots_mixed(const T* a, std::ptrdiff_t stride, const double* b, std::size_t n, double* sums) {
    const T* row[Rows];
    for (std::size_t k = 0; k < Rows; ++k) row[k] = a + static_cast<std::ptrdiff_t>(k) * stride;
    Vec lanes[Rows][kVecs] = {};
    std::size_t i = 0;
    for (; i + kDotRun <= n; i += kDotRun)
        for (std::size_t v = 0; v < kVecs; ++v) {
            const double* w = b + i + v * kWidth;
            const Vec w0 = load(w), w1 = load(w + kDotLanes), w2 = load(w + 2 * kDotLanes),
                      w3 = load(w + 3 * kDotLanes);
            for (std::size_t k = 0; k < Rows; ++k) {
                const T* x = row[k] + i + v * kWidth;
                lanes[k][v] += (widen(x) * w0 + widen(x + kDotLanes) * w1) +
                               (widen(x + 2 * kDotLanes) * w2 + widen(x + 3 * kDotLanes) * w3);
            }
        }
    for (; i + kDotLanes <= n; i += kDotLanes)
        for (std::size_t v = 0; v < kVecs; ++v) {
            const Vec w = load(b + i + v * kWidth);
            for (std::size_t k = 0; k < Rows; ++k) lanes[k][v] += widen(row[k] + i + v * kWidth) * w;
        }
    const std::size_t left = n - i;
    for (std::size_t v = 0; v < kVecs; ++v) {  // no `break`: sums stay in registers where this loop is unrolled
        if (left <= v * kWidth) continue;
        const std::size_t at = i + v * kWidth, some = left - v * kWidth;
        const bool whole = some >= kWidth;
        const Vec w = whole ? load(b + at) : first(b + at, some);
        for (std::size_t k = 0; k < Rows; ++k)
            lanes[k][v] += (whole ? widen(row[k] + at) : first(row[k] + at, some)) * w;
    }
    for (std::size_t k = 0; k < Rows; ++k) sums[k] = sum_of_lanes(lanes[k]);
}

double dot(const double* a, const double* b, std::size_t n) {
    double sum;
    dots_mixed<1>(a, 0, b, n, &sum);
    return sum;
}

template <class T>
void rows_dot(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w, double* out) {
    double sums[2];
    std::size_t r = 0;
    for (; cols < kDotRun && r + 2 <= rows; r += 2, x += 2 * stride) {  // long rows come from memory faster one by one
        dots_mixed<2>(x, stride, w, cols, sums);
        out[r] += sums[0];
        out[r + 1] += sums[1];
    }
    for (; r < rows; ++r, x += stride) {
        dots_mixed<1>(x, stride, w, cols, sums);
        out[r] += sums[0];
    }
}

constexpr std::size_t kColumnRows = 256;  // eight lanes of so many rows stay in the first cache

// The same sums for up to kColumnRows rows that lie side by side in each column.
template <class T>
void add_columns(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w, double* out) {
    double lanes[kDotLanes][kColumnRows] = {};
    std::size_t c = 0;
    for (; c + kDotRun <= cols; c += kDotRun)
        for (std::size_t l = 0; l < kDotLanes; ++l) {
            const std::size_t at[4] = {c + l, c + l + kDotLanes, c + l + 2 * kDotLanes, c + l + 3 * kDotLanes};
            const T *x0 = x + static_cast<std::ptrdiff_t>(at[0]) * stride,
                    *x1 = x + static_cast<std::ptrdiff_t>(at[1]) * stride,
                    *x2 = x + static_cast<std::ptrdiff_t>(at[2]) * stride,
                    *x3 = x + static_cast<std::ptrdiff_t>(at[3]) * stride;
            const double w0 = w[at[0]], w1 = w[at[1]], w2 = w[at[2]], w3 = w[at[3]];
            for (std::size_t r = 0; r < rows; ++r)
                lanes[l][r] += (static_cast<double>(x0[r]) * w0 + static_cast<double>(x1[r]) * w1) +
                               (static_cast<double>(x2[r]) * w2 + static_cast<double>(x3[r]) * w3);
        }
    for (; c < cols; ++c) {
        const T* column = x + static_cast<std::ptrdiff_t>(c) * stride;
        double* lane = lanes[c % kDotLanes];
        for (std::size_t r = 0; r < rows; ++r) lane[r] += static_cast<double>(column[r]) * w[c];
    }
    for (std::size_t r = 0; r < rows; ++r)
        out[r] += ((lanes[0][r] + lanes[4][r]) + (lanes[2][r] + lanes[6][r])) +
                  ((lanes[1][r] + lanes[5][r]) + (lanes[3][r] + lanes[7][r]));
}

template <class T>
void columns_dot(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w, double* out) {
    for (std::size_t r = 0; r < rows; r += kColumnRows)
        add_columns(x + r, stride, rows - r < kColumnRows ? rows - r : kColumnRows, cols, w, out + r);
}

template <class T>
void axpy(double a, const T* x, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] += a * static_cast<double>(x[i]);
}

void rotate(double* a, double* b, double c, double s, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

// 0 * x is 0 for finite x and NaN otherwise, and a NaN stays in the sum.
template <class T>
bool finite(const T* x, std::size_t n) {
    T lanes[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (std::size_t k = 0; k < 16; ++k) lanes[k] += x[i + k] * T(0);
    for (; i < n; ++i) lanes[0] += x[i] * T(0);
    T sum = 0;
    for (std::size_t k = 0; k < 16; ++k) sum += lanes[k];
    return sum == T(0);
}

}  // namespace

extern const Hot PELLUCID_JOIN(hot_, PELLUCID_LEVEL);
const Hot PELLUCID_JOIN(hot_, PELLUCID_LEVEL) = {
    pack<double>,    pack<float>,         pack_columns<double>, pack_columns<float>, gram_tile,   rows_dot<double>,
    rows_dot<float>, columns_dot<double>, columns_dot<float>,   axpy<double>,        axpy<float>, dot,
    rotate,          finite<double>,      finite<float>};

}  // namespace pellucid

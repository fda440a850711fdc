// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/linalg/hot.hpp"

#include "core/base/level.hpp"

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
inline double lane_sum(Vec v) {
    double sum = 0;
    for (std::size_t i = 0; i < kWidth; ++i) sum += v[i];
    return sum;
}

inline Vec widen(const double* p) { return load(p); }
typedef float LooseHalf __attribute__((vector_size(PELLUCID_BYTES / 2), aligned(4)));
inline Vec widen(const float* p) { return __builtin_convertvector(*reinterpret_cast<const LooseHalf*>(p), Vec); }

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
                for (std::size_t v = 0; v < kVecs; ++v) sum[t][v] += left * bv[v];
            }
        }
        for (std::size_t t = 0; t < kTileRows; ++t)
            for (std::size_t v = 0; v < kVecs; ++v) {
                double* to = c + (i + t) * ld + v * kWidth;
                store(to, load(to) + sum[t][v]);
            }
    }
}

template <class T>
inline double dot_mixed(const T* a, const double* b, std::size_t n) {
    Vec s0 = {}, s1 = {}, s2 = {}, s3 = {};
    std::size_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
        s0 += widen(a + i) * load(b + i);
        s1 += widen(a + i + kWidth) * load(b + i + kWidth);
        s2 += widen(a + i + 2 * kWidth) * load(b + i + 2 * kWidth);
        s3 += widen(a + i + 3 * kWidth) * load(b + i + 3 * kWidth);
    }
    for (; i + kWidth <= n; i += kWidth) s0 += widen(a + i) * load(b + i);
    double sum = lane_sum((s0 + s1) + (s2 + s3));
    for (; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

double dot(const double* a, const double* b, std::size_t n) { return dot_mixed(a, b, n); }

template <class T>
void rows_dot(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const double* w, double* out) {
    for (std::size_t r = 0; r < rows; ++r, x += stride) out[r] += dot_mixed(x, w, cols);
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
    pack<double>,     pack<float>,     pack_columns<double>, pack_columns<float>, gram_tile,
    rows_dot<double>, rows_dot<float>, axpy<double>,         axpy<float>,         dot,
    rotate,           finite<double>,  finite<float>};

}  // namespace pellucid

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/base/level.hpp"
#include "core/discriminants/hot.hpp"

namespace pellucid {

namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));
typedef float LooseHalf __attribute__((vector_size(PELLUCID_BYTES / 2), aligned(4)));
constexpr std::size_t kPanel = 8;
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kVecs = kPanel / kWidth;
// Eight independent sums hide the latency of a fused multiply-add.
constexpr std::size_t kTileRows = 8 / kVecs;

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
inline Vec widen(const double* p) { return load(p); }
inline Vec widen(const float* p) { return __builtin_convertvector(*reinterpret_cast<const LooseHalf*>(p), Vec); }

template <class T>
inline const T* row_of(HotRows<T> x, std::size_t r) {
    return x.data + static_cast<std::ptrdiff_t>(r) * x.row_stride;
}

// One row into its panels from column `first` on, number by number.
template <class T>
inline void pack_slowly(const T* x, std::ptrdiff_t stride, std::size_t first, std::size_t cols, std::size_t rows,
                        const double* offset, const double* scale, double root, double* out, double* sums) {
    for (std::size_t c = first; c < cols; ++c) {
        const double value = static_cast<double>(x[static_cast<std::ptrdiff_t>(c) * stride]);
        const double z = (value * scale[c] - offset[c]) * root;
        out[(c / kPanel) * rows * kPanel + c % kPanel] = z;
        sums[c] += z * root;
    }
    for (std::size_t c = cols; c % kPanel != 0; ++c) out[(c / kPanel) * rows * kPanel + c % kPanel] = 0;
}

template <class T>
void pack(HotRows<T> x, HotOrder order, std::size_t cols, const double* offset, const double* scale, double* out,
          double* sums) {
    const std::size_t rows = order.rows, width = (cols + kPanel - 1) / kPanel * kPanel;
    const std::size_t whole = x.col_stride == 1 ? cols / kPanel : 0;
    for (std::size_t r = 0; r < rows; ++r, out += kPanel) {
        const T* from = row_of(x, order.at[r]);
        const std::size_t own = static_cast<std::size_t>(order.group[r]) * width;
        const double root = order.root[r];
        for (std::size_t j = 0; j < whole; ++j)
            for (std::size_t v = j * kPanel; v < (j + 1) * kPanel; v += kWidth) {
                const Vec z = (widen(from + v) * load(scale + v) - load(offset + own + v)) * root;
                store(out + j * rows * kPanel + v % kPanel, z);
                store(sums + own + v, load(sums + own + v) + z * root);
            }
        pack_slowly(from, x.col_stride, whole * kPanel, cols, rows, offset + own, scale, root, out, sums + own);
    }
}

template <class T>
void center(HotRows<T> x, std::size_t rows, std::size_t cols, const double* offset, const double* scale, double* out) {
    for (std::size_t r = 0; r < rows; ++r, out += cols) {
        const T* from = row_of(x, r);
        if (x.col_stride == 1)
            for (std::size_t c = 0; c < cols; ++c) out[c] = static_cast<double>(from[c]) * scale[c] - offset[c];
        else
            for (std::size_t c = 0; c < cols; ++c)
                out[c] =
                    static_cast<double>(from[static_cast<std::ptrdiff_t>(c) * x.col_stride]) * scale[c] - offset[c];
    }
}

template <class T>
void turn(HotRows<T> x, std::size_t rows, std::size_t cols, const double* scale, double* out) {
    for (std::size_t c = 0; c < cols; ++c, out += kPanel) {
        const T* from = x.data + static_cast<std::ptrdiff_t>(c) * x.col_stride;
        for (std::size_t r = 0; r < kPanel; ++r)
            out[r] =
                r < rows ? static_cast<double>(from[static_cast<std::ptrdiff_t>(r) * x.row_stride]) * scale[c] : 0.0;
    }
}

void squared_lengths(const double* x, const double* mean, const double* t, std::size_t p, double* y, double* out) {
    for (std::size_t j = 0; j < p; ++j)
        for (std::size_t v = 0; v < kPanel; v += kWidth) store(y + j * kPanel + v, load(x + j * kPanel + v) - mean[j]);
    Vec total[kVecs] = {};
    for (std::size_t first = 0; first < p; t += (p - first) * kPanel, first += kPanel)
        for (std::size_t i = 0; i < kPanel; i += kTileRows) {
            Vec sum[kTileRows][kVecs] = {};
            const double* left = t + i;
            for (std::size_t j = first; j < p; ++j, left += kPanel) {
                Vec right[kVecs];
                for (std::size_t v = 0; v < kVecs; ++v) right[v] = load(y + j * kPanel + v * kWidth);
                for (std::size_t k = 0; k < kTileRows; ++k)
                    for (std::size_t v = 0; v < kVecs; ++v) sum[k][v] += left[k] * right[v];
            }
            for (std::size_t k = 0; k < kTileRows; ++k)
                for (std::size_t v = 0; v < kVecs; ++v) total[v] += sum[k][v] * sum[k][v];
        }
    for (std::size_t v = 0; v < kVecs; ++v) store(out + v * kWidth, total[v]);
}

}  // namespace

extern const DiscriminantHot PELLUCID_JOIN(discriminant_hot_, PELLUCID_LEVEL);
const DiscriminantHot PELLUCID_JOIN(discriminant_hot_, PELLUCID_LEVEL) = {
    pack<double>, pack<float>, center<double>, center<float>, turn<double>, turn<float>, squared_lengths};

}  // namespace pellucid

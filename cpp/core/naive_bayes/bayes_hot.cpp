// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/naive_bayes/bayes_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {

namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));  // loads from any address
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kGroup = 32 / kWidth < 4 ? 32 / kWidth : 4;  // vectors at a time, for two classes: in registers

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

void gather(const double* x, std::ptrdiff_t stride, const std::int32_t* codes, const double* weight, std::size_t rows,
            std::size_t cols, const double* shift, std::size_t pitch, double* sum, double* square) {
    for (std::size_t r = 0; r < rows; ++r, x += stride) {
        const std::size_t at = static_cast<std::size_t>(codes[r]) * pitch;
        const double w = weight != nullptr ? weight[r] : 1.0;
        std::size_t j = 0;
        for (; j + kWidth <= cols; j += kWidth) {
            const Vec d = load(x + j) - load(shift + at + j), t = w * d;
            store(sum + at + j, load(sum + at + j) + t);
            store(square + at + j, load(square + at + j) + t * d);
        }
        for (; j < cols; ++j) {
            const double d = x[j] - shift[at + j], t = w * d;
            sum[at + j] += t;
            square[at + j] += t * d;
        }
    }
}

void gather_present(const double* x, std::ptrdiff_t stride, const std::int32_t* codes, const double* weight,
                    std::size_t rows, std::size_t cols, const double* shift, std::size_t pitch, double* sum,
                    double* square, double* count) {
    for (std::size_t r = 0; r < rows; ++r, x += stride) {
        const std::size_t at = static_cast<std::size_t>(codes[r]) * pitch;
        const double w = weight != nullptr ? weight[r] : 1.0;
        const Vec zero = {}, all = zero + w;
        std::size_t j = 0;
        for (; j + kWidth <= cols; j += kWidth) {
            const Vec v = load(x + j), has = v == v ? all : zero;
            const Vec d = v == v ? v - load(shift + at + j) : zero, t = has * d;
            store(sum + at + j, load(sum + at + j) + t);
            store(square + at + j, load(square + at + j) + t * d);
            store(count + at + j, load(count + at + j) + has);
        }
        for (; j < cols; ++j) {
            if (x[j] != x[j]) continue;
            const double d = x[j] - shift[at + j], t = w * d;
            sum[at + j] += t;
            square[at + j] += t * d;
            count[at + j] += w;
        }
    }
}

// One class, or two that share the loads of x.
template <std::size_t kClasses>
void squares_of(const double* x, std::size_t cols, const double* mean, const double* half, std::size_t pitch,
                double* out) {
    for (std::size_t r = 0; r < kTileRows; r += kGroup * kWidth) {
        Vec sum[kClasses][kGroup];
        for (std::size_t c = 0; c < kClasses; ++c)
            for (std::size_t v = 0; v < kGroup; ++v) sum[c][v] = load(out + c * kTileRows + r + v * kWidth);
        for (std::size_t j = 0; j < cols; ++j)
            for (std::size_t v = 0; v < kGroup; ++v) {
                const Vec value = load(x + j * kTileRows + r + v * kWidth);
                for (std::size_t c = 0; c < kClasses; ++c) {
                    const Vec d = value - mean[c * pitch + j];
                    sum[c][v] -= (d * d) * half[c * pitch + j];
                }
            }
        for (std::size_t c = 0; c < kClasses; ++c)
            for (std::size_t v = 0; v < kGroup; ++v) store(out + c * kTileRows + r + v * kWidth, sum[c][v]);
    }
}

void squares(const double* x, std::size_t cols, const double* mean, const double* half, std::size_t classes,
             std::size_t pitch, double* out) {
    std::size_t c = 0;
    for (; c + 2 <= classes; c += 2)
        squares_of<2>(x, cols, mean + c * pitch, half + c * pitch, pitch, out + c * kTileRows);
    if (c < classes) squares_of<1>(x, cols, mean + c * pitch, half + c * pitch, pitch, out + c * kTileRows);
}

void squares_present(const double* x, std::size_t cols, const double* mean, const double* half, const double* log,
                     std::size_t classes, std::size_t pitch, double* out) {
    const Vec zero = {};
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t r = 0; r < kTileRows; r += kWidth) {
            Vec sum = load(out + c * kTileRows + r);
            for (std::size_t j = 0; j < cols; ++j) {
                const Vec value = load(x + j * kTileRows + r), d = value - mean[c * pitch + j];
                const Vec term = (d * d) * half[c * pitch + j] + log[c * pitch + j];
                sum -= value == value ? term : zero;
            }
            store(out + c * kTileRows + r, sum);
        }
}

template <std::size_t kClasses>
void linear_of(const double* x, std::size_t cols, const double* table, std::size_t pitch, double* out) {
    for (std::size_t r = 0; r < kTileRows; r += kGroup * kWidth) {
        Vec sum[kClasses][kGroup];
        for (std::size_t c = 0; c < kClasses; ++c)
            for (std::size_t v = 0; v < kGroup; ++v) sum[c][v] = load(out + c * kTileRows + r + v * kWidth);
        for (std::size_t j = 0; j < cols; ++j)
            for (std::size_t v = 0; v < kGroup; ++v) {
                const Vec value = load(x + j * kTileRows + r + v * kWidth);
                for (std::size_t c = 0; c < kClasses; ++c) sum[c][v] += value * table[c * pitch + j];
            }
        for (std::size_t c = 0; c < kClasses; ++c)
            for (std::size_t v = 0; v < kGroup; ++v) store(out + c * kTileRows + r + v * kWidth, sum[c][v]);
    }
}

void linear(const double* x, std::size_t cols, const double* table, std::size_t classes, std::size_t pitch,
            double* out) {
    std::size_t c = 0;
    for (; c + 2 <= classes; c += 2) linear_of<2>(x, cols, table + c * pitch, pitch, out + c * kTileRows);
    if (c < classes) linear_of<1>(x, cols, table + c * pitch, pitch, out + c * kTileRows);
}

// Four classes a vector at every level: a row of the table is short, and fetching it from memory is what takes time.
typedef double Four __attribute__((vector_size(32), aligned(8)));

template <std::size_t kVectors, class Index>
void sparse_of(const double* values, const Index* indices, std::size_t n, const double* table, std::size_t width,
               double* out) {
    Four sum[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] = *reinterpret_cast<const Four*>(out + 4 * v);
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = table + static_cast<std::size_t>(indices[i]) * width;
        for (std::size_t v = 0; v < kVectors; ++v) sum[v] += values[i] * *reinterpret_cast<const Four*>(row + 4 * v);
    }
    for (std::size_t v = 0; v < kVectors; ++v) *reinterpret_cast<Four*>(out + 4 * v) = sum[v];
}

template <class Index>
void sparse(const double* values, const Index* indices, std::size_t n, const double* table, std::size_t width,
            double* out) {
    std::size_t k = 0;
    for (; k + 32 <= width; k += 32) sparse_of<8>(values, indices, n, table + k, width, out + k);
    switch ((width - k) / 4) {
        case 7:
            return sparse_of<7>(values, indices, n, table + k, width, out + k);
        case 6:
            return sparse_of<6>(values, indices, n, table + k, width, out + k);
        case 5:
            return sparse_of<5>(values, indices, n, table + k, width, out + k);
        case 4:
            return sparse_of<4>(values, indices, n, table + k, width, out + k);
        case 3:
            return sparse_of<3>(values, indices, n, table + k, width, out + k);
        case 2:
            return sparse_of<2>(values, indices, n, table + k, width, out + k);
        case 1:
            return sparse_of<1>(values, indices, n, table + k, width, out + k);
        default:
            return;
    }
}

}  // namespace

extern const BayesHot PELLUCID_JOIN(bayes_hot_, PELLUCID_LEVEL);
const BayesHot PELLUCID_JOIN(bayes_hot_, PELLUCID_LEVEL) = {
    gather, gather_present, squares, squares_present, linear, sparse<std::int32_t>, sparse<std::int64_t>};

}  // namespace pellucid

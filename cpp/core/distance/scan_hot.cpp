// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/distance/scan_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

typedef float Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef float LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(4)));
typedef int Mask __attribute__((vector_size(PELLUCID_BYTES)));
typedef long long Wide __attribute__((vector_size(PELLUCID_BYTES)));
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(float);
constexpr std::size_t kVecs = kScanRows / kWidth;  // vectors in one column of a panel
// Queries whose sums are in registers together: with AVX2 six times two vectors, twelve of the sixteen registers.
constexpr std::size_t kTogether = kVecs == 4 ? 3 : 6;

inline Vec load(const float* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
inline bool any(Mask m) {
    const Wide w = (Wide)m;
    long long bits = 0;
    for (std::size_t i = 0; i < PELLUCID_BYTES / sizeof(long long); ++i) bits |= w[i];
    return bits != 0;
}

// value[t][v] = size - 2 sum_j q_j x_j of queries first .. first + kTogether and one panel.
inline void tile(const float* panel, const float* sizes, std::size_t d, const float* queries,
                 Vec (&value)[kTogether][kVecs]) {
    Vec sum[kTogether][kVecs] = {};
    for (std::size_t j = 0; j < d; ++j) {
        Vec x[kVecs];
        for (std::size_t v = 0; v < kVecs; ++v) x[v] = load(panel + j * kScanRows + v * kWidth);
        for (std::size_t t = 0; t < kTogether; ++t)
            for (std::size_t v = 0; v < kVecs; ++v) sum[t][v] += queries[t * d + j] * x[v];
    }
    for (std::size_t t = 0; t < kTogether; ++t)
        for (std::size_t v = 0; v < kVecs; ++v) value[t][v] = load(sizes + v * kWidth) - (sum[t][v] + sum[t][v]);
}

void values(const float* panels, const float* sizes, std::size_t count, std::size_t d, const float* queries, float* out,
            std::size_t stride) {
    for (std::size_t p = 0; p < count; ++p)
        for (std::size_t first = 0; first < kScanQueries; first += kTogether) {
            Vec value[kTogether][kVecs];
            tile(panels + p * d * kScanRows, sizes + p * kScanRows, d, queries + first * d, value);
            for (std::size_t t = 0; t < kTogether; ++t)
                for (std::size_t v = 0; v < kVecs; ++v)
                    store(out + (first + t) * stride + p * kScanRows + v * kWidth, value[t][v]);
        }
}

std::size_t below(const float* panels, const float* sizes, std::size_t count, std::size_t d, const float* queries,
                  const float* limits, std::uint32_t* hits, float* found) {
    std::size_t n = 0;
    for (std::size_t p = 0; p < count; ++p)
        for (std::size_t first = 0; first < kScanQueries; first += kTogether) {
            Vec value[kTogether][kVecs];
            tile(panels + p * d * kScanRows, sizes + p * kScanRows, d, queries + first * d, value);
            for (std::size_t t = 0; t < kTogether; ++t) {
                const float limit = limits[first + t];
                Mask low = {};
                for (std::size_t v = 0; v < kVecs; ++v) low |= value[t][v] <= limit;
                if (!any(low)) continue;
                float row[kScanRows];
                for (std::size_t v = 0; v < kVecs; ++v) store(row + v * kWidth, value[t][v]);
                for (std::size_t r = 0; r < kScanRows; ++r) {
                    hits[n] = static_cast<std::uint32_t>((p * kScanRows + r) * 8 + first + t);
                    found[n] = row[r];
                    n += row[r] <= limit ? 1 : 0;
                }
            }
        }
    return n;
}

void smallest(const float* panels, const float* sizes, std::size_t count, std::size_t d, const float* queries,
              std::uint32_t* rows, float* best_values) {
    Vec best[kScanQueries][kVecs];
    Mask where[kScanQueries][kVecs] = {};
    for (std::size_t t = 0; t < kScanQueries; ++t)
        for (std::size_t v = 0; v < kVecs; ++v) best[t][v] = Vec{} + __builtin_inff();
    for (std::size_t p = 0; p < count; ++p)
        for (std::size_t first = 0; first < kScanQueries; first += kTogether) {
            Vec value[kTogether][kVecs];
            tile(panels + p * d * kScanRows, sizes + p * kScanRows, d, queries + first * d, value);
            const Mask here = Mask{} + static_cast<int>(p);
            for (std::size_t t = 0; t < kTogether; ++t)
                for (std::size_t v = 0; v < kVecs; ++v) {
                    const Mask less = value[t][v] < best[first + t][v];
                    best[first + t][v] = less ? value[t][v] : best[first + t][v];
                    where[first + t][v] = less ? here : where[first + t][v];
                }
        }
    for (std::size_t t = 0; t < kScanQueries; ++t) {
        std::uint32_t row = 0;
        float least = __builtin_inff();
        for (std::size_t v = 0; v < kVecs; ++v)
            for (std::size_t i = 0; i < kWidth; ++i) {
                const float value = best[t][v][i];
                const auto at =
                    static_cast<std::uint32_t>(static_cast<std::size_t>(where[t][v][i]) * kScanRows + v * kWidth + i);
                if (value < least || (value == least && at < row)) {
                    least = value;
                    row = at;
                }
            }
        rows[t] = row;
        best_values[t] = least;
    }
}

double minus(const double* x, const float* c, std::size_t d, float* out) {
    double sum[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (std::size_t i = 0; i < 8; ++i) {
            const double t = x[j + i] - static_cast<double>(c[j + i]);
            out[j + i] = static_cast<float>(t);
            sum[i] += t * t;
        }
    for (; j < d; ++j) {
        const double t = x[j] - static_cast<double>(c[j]);
        out[j] = static_cast<float>(t);
        sum[0] += t * t;
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

inline float apart(const float* a, const float* b, std::size_t d) {
    Vec sum[kVecs] = {};
    for (std::size_t j = 0; j < d; j += kScanRows)
        for (std::size_t v = 0; v < kVecs; ++v) {
            const Vec t = load(a + j + v * kWidth) - load(b + j + v * kWidth);
            sum[v] += t * t;
        }
    Vec all = sum[0];
    for (std::size_t v = 1; v < kVecs; ++v) all += sum[v];
    float whole = 0;
    for (std::size_t i = 0; i < kWidth; ++i) whole += all[i];
    return whole;
}

void apart_from(const float* x, const float* table, std::size_t d, const std::uint32_t* rows, std::size_t count,
                float* out) {
    constexpr std::size_t ahead = 4, line = 16;  // rows, and numbers of a cache line
    for (std::size_t i = 0; i < count; ++i) {
        if (i + ahead < count) {
            const float* later = table + rows[i + ahead] * d;
            for (std::size_t j = 0; j < d; j += line) __builtin_prefetch(later + j);
        }
        out[i] = apart(x, table + rows[i] * d, d);
    }
}

}  // namespace

extern const ScanHot PELLUCID_JOIN(scan_hot_, PELLUCID_LEVEL);
const ScanHot PELLUCID_JOIN(scan_hot_, PELLUCID_LEVEL) = {values, below, smallest, minus, apart, apart_from};

}  // namespace pellucid

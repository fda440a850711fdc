// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/cluster/center_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8), may_alias));
typedef long long Mask __attribute__((vector_size(PELLUCID_BYTES)));
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kVecs = kCenters / kWidth;  // vectors in one column of a panel
// Rows whose sums are in registers together: twelve vectors of sums, or eight where vectors are short.
constexpr std::size_t kTogether = kVecs == 2 ? 6 : kVecs == 4 ? 3 : 1;

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

// value[t][v] of rows first .. first + kTogether and one panel.
inline void tile(const double* const* rows, std::size_t p, const double* panel, const double* sizes,
                 Vec (&value)[kTogether][kVecs]) {
    Vec sum[kTogether][kVecs] = {};
    for (std::size_t j = 0; j < p; ++j) {
        Vec c[kVecs];
        for (std::size_t v = 0; v < kVecs; ++v) c[v] = load(panel + j * kCenters + v * kWidth);
        for (std::size_t t = 0; t < kTogether; ++t)
            for (std::size_t v = 0; v < kVecs; ++v) sum[t][v] += rows[t][j] * c[v];
    }
    for (std::size_t t = 0; t < kTogether; ++t)
        for (std::size_t v = 0; v < kVecs; ++v) value[t][v] = load(sizes + v * kWidth) - (sum[t][v] + sum[t][v]);
}

// The best and second best so far, lane by lane.
struct Lanes {
    Vec best[kVecs], second[kVecs];
    Mask where[kVecs];

    void start() {
        for (std::size_t v = 0; v < kVecs; ++v) {
            best[v] = second[v] = Vec{} + __builtin_inf();
            where[v] = Mask{};
        }
    }
    void meet(const Vec (&value)[kVecs], long long panel) {
        for (std::size_t v = 0; v < kVecs; ++v) {
            const Mask less = value[v] < best[v];
            const Vec more = less ? best[v] : value[v];
            second[v] = more < second[v] ? more : second[v];
            best[v] = less ? value[v] : best[v];
            where[v] = less ? Mask{} + panel : where[v];
        }
    }
    Nearest end() const {
        double least = __builtin_inf(), other = __builtin_inf();
        std::uint32_t center = 0;
        for (std::size_t v = 0; v < kVecs; ++v)
            for (std::size_t i = 0; i < kWidth; ++i) {
                const double value = best[v][i];
                const auto at =
                    static_cast<std::uint32_t>(static_cast<std::size_t>(where[v][i]) * kCenters + v * kWidth + i);
                const bool wins = value < least || (value == least && at < center);
                const double loser = wins ? least : value;
                other = loser < other ? loser : other;
                other = second[v][i] < other ? second[v][i] : other;
                least = wins ? value : least;
                center = wins ? at : center;
            }
        return {least, other, center};
    }
};

void nearest(const double* const* rows, std::size_t p, const double* panels, const double* sizes, std::size_t count,
             Nearest* out) {
    for (std::size_t first = 0; first < kRowTile; first += kTogether) {
        Lanes lanes[kTogether];
        for (std::size_t t = 0; t < kTogether; ++t) lanes[t].start();
        for (std::size_t q = 0; q < count; ++q) {
            Vec value[kTogether][kVecs];
            tile(rows + first, p, panels + q * p * kCenters, sizes + q * kCenters, value);
            for (std::size_t t = 0; t < kTogether; ++t) lanes[t].meet(value[t], static_cast<long long>(q));
        }
        for (std::size_t t = 0; t < kTogether; ++t) out[first + t] = lanes[t].end();
    }
}

void values(const double* const* rows, std::size_t p, const double* panel, const double* sizes, double* out) {
    for (std::size_t first = 0; first < kRowTile; first += kTogether) {
        Vec value[kTogether][kVecs];
        tile(rows + first, p, panel, sizes, value);
        for (std::size_t t = 0; t < kTogether; ++t)
            for (std::size_t v = 0; v < kVecs; ++v) store(out + (first + t) * kCenters + v * kWidth, value[t][v]);
    }
}

template <class Index>
inline void sparse_tile(const double* entries, const Index* columns, std::size_t n, double unit, const double* panel,
                        const double* sizes, Vec (&value)[kVecs]) {
    Vec sum[kVecs] = {};
    for (std::size_t e = 0; e < n; ++e) {
        const double x = entries[e] * unit;
        const double* c = panel + static_cast<std::size_t>(columns[e]) * kCenters;
        for (std::size_t v = 0; v < kVecs; ++v) sum[v] += x * load(c + v * kWidth);
    }
    for (std::size_t v = 0; v < kVecs; ++v) value[v] = load(sizes + v * kWidth) - (sum[v] + sum[v]);
}

template <class Index>
void sparse_nearest(const double* entries, const Index* columns, std::size_t n, double unit, std::size_t p,
                    const double* panels, const double* sizes, std::size_t count, Nearest* out) {
    Lanes lanes;
    lanes.start();
    for (std::size_t q = 0; q < count; ++q) {
        Vec value[kVecs];
        sparse_tile(entries, columns, n, unit, panels + q * p * kCenters, sizes + q * kCenters, value);
        lanes.meet(value, static_cast<long long>(q));
    }
    *out = lanes.end();
}

template <class Index>
void sparse_values(const double* entries, const Index* columns, std::size_t n, double unit, const double* panel,
                   const double* sizes, double* out) {
    Vec value[kVecs];
    sparse_tile(entries, columns, n, unit, panel, sizes, value);
    for (std::size_t v = 0; v < kVecs; ++v) store(out + v * kWidth, value[v]);
}

template <class T>
double frame(const T* x, const double* shift, double unit, std::size_t p, double* out) {
    double sum[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8)
        for (std::size_t i = 0; i < 8; ++i) {
            const double v = (static_cast<double>(x[j + i]) - shift[j + i]) * unit;
            out[j + i] = v;
            sum[i] += v * v;
        }
    for (std::size_t i = 0; j < p; ++j, ++i) {
        const double v = (static_cast<double>(x[j]) - shift[j]) * unit;
        out[j] = v;
        sum[i] += v * v;
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

double apart(const double* x, const double* c, std::size_t p) {
    double sum[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8)
        for (std::size_t i = 0; i < 8; ++i) {
            const double d = x[j + i] - c[j + i];
            sum[i] += d * d;
        }
    for (std::size_t i = 0; j < p; ++j, ++i) {
        const double d = x[j] - c[j];
        sum[i] += d * d;
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void add(double a, const double* x, std::size_t p, double* sum) {
    for (std::size_t j = 0; j < p; ++j) sum[j] += a * x[j];
}

}  // namespace

extern const CenterHot PELLUCID_JOIN(center_hot_, PELLUCID_LEVEL);
const CenterHot PELLUCID_JOIN(center_hot_, PELLUCID_LEVEL) = {
    nearest,
    values,
    sparse_nearest<std::int32_t>,
    sparse_nearest<std::int64_t>,
    sparse_values<std::int32_t>,
    sparse_values<std::int64_t>,
    frame<double>,
    frame<float>,
    apart,
    add,
};

}  // namespace pellucid

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/svm/svm_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8), may_alias));
typedef long long Mask __attribute__((vector_size(PELLUCID_BYTES)));
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kVecs = kSvmPanel / kWidth;
constexpr double kTiny = 1e-12;  // a curvature below this is taken for rounding

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

void squares(const double* panels, std::size_t count, std::size_t p, const double* x, double* out) {
    for (std::size_t q = 0; q < count; ++q, panels += p * kSvmPanel, out += kSvmPanel) {
        Vec sum[kVecs] = {};
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t v = 0; v < kVecs; ++v) {
                const Vec d = x[j] - load(panels + j * kSvmPanel + v * kWidth);
                sum[v] += d * d;
            }
        for (std::size_t v = 0; v < kVecs; ++v) store(out + v * kWidth, sum[v]);
    }
}

void products(const double* panels, std::size_t count, std::size_t p, const double* x, double* out) {
    for (std::size_t q = 0; q < count; ++q, panels += p * kSvmPanel, out += kSvmPanel) {
        Vec sum[kVecs] = {};
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t v = 0; v < kVecs; ++v) sum[v] += x[j] * load(panels + j * kSvmPanel + v * kWidth);
        for (std::size_t v = 0; v < kVecs; ++v) store(out + v * kWidth, sum[v]);
    }
}

// e^x for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, the Taylor polynomial of degree 13 of e^r (its remainder is
// below 5e-18), and 2^k put into the exponent.
inline Vec exponential(Vec x) {
    constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number in the low bits
    constexpr double kPerLog2 = 1.4426950408889634, kHigh = 6.93147180369123816490e-01, kLow = 1.90821492927058770e-10;
    constexpr double c[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
    const Mask gone = x < -708.0;
    x = gone ? Vec{} - 708.0 : x;
    const Vec shifted = x * kPerLog2 + kShift;
    const Vec k = shifted - kShift;
    const Vec r = (x - k * kHigh) - k * kLow;
    Vec e = Vec{} + c[0];
    for (std::size_t t = 1; t < sizeof(c) / sizeof(c[0]); ++t) e = e * r + c[t];
    const Mask bits = reinterpret_cast<Mask>(e) + (reinterpret_cast<Mask>(shifted) << 52);
    return gone ? Vec{} : reinterpret_cast<Vec>(bits);
}

void bells(double gamma, std::size_t n, double* v) {
    for (std::size_t i = 0; i < n; i += kWidth) store(v + i, exponential(-(gamma * load(v + i))));
}

// The largest so far, lane by lane: the first of equals in each.
struct Lanes {
    Vec best = Vec{} - __builtin_inf();
    Mask where = {};

    void meet(Vec value, std::size_t at) {
        const Mask more = value > best;
        best = more ? value : best;
        where = more ? Mask{} + static_cast<long long>(at) : where;
    }
    Peak end() const {
        Peak peak{-__builtin_inf(), 0};
        for (std::size_t i = 0; i < kWidth; ++i) {
            const std::size_t place = static_cast<std::size_t>(where[i]) + i;
            if (best[i] > peak.value || (best[i] == peak.value && place < peak.place)) peak = {best[i], place};
        }
        return peak;
    }
};

void move(double step, const double* ki, const double* kj, const double* up, const double* low, std::size_t n,
          double* f, Peak* highest, Peak* lowest) {
    Lanes high, deep;
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
        const Vec next = load(f + i) + step * (load(ki + i) - load(kj + i));
        store(f + i, next);
        high.meet(load(up + i) - next, i);
        deep.meet(next - load(low + i), i);
    }
    *highest = high.end();
    *lowest = deep.end();
    for (; i < n; ++i) {
        f[i] += step * (ki[i] - kj[i]);
        if (up[i] - f[i] > highest->value) *highest = {up[i] - f[i], i};
        if (f[i] - low[i] > lowest->value) *lowest = {f[i] - low[i], i};
    }
}

Peak partner(double top, double kii, const double* ki, const double* diagonal, const double* low, const double* f,
             std::size_t n) {
    Lanes found;
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
        const Vec g = top - (load(low + i) - load(f + i));
        const Vec own = load(ki + i);
        Vec bend = (kii + load(diagonal + i)) - (own + own);
        bend = bend > kTiny ? bend : Vec{} + kTiny;
        found.meet(g > 0.0 ? g * g / bend : Vec{} - __builtin_inf(), i);
    }
    Peak peak = found.end();
    for (; i < n; ++i) {
        const double g = top - (low[i] - f[i]);
        if (!(g > 0)) continue;
        double bend = (kii + diagonal[i]) - (ki[i] + ki[i]);
        if (!(bend > kTiny)) bend = kTiny;
        if (g * g / bend > peak.value) peak = {g * g / bend, i};
    }
    return peak;
}

}  // namespace

extern const SvmHot PELLUCID_JOIN(svm_hot_, PELLUCID_LEVEL);
const SvmHot PELLUCID_JOIN(svm_hot_, PELLUCID_LEVEL) = {squares, products, bells, move, partner};

}  // namespace pellucid

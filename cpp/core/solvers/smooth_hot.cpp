// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/solvers/smooth_hot.hpp"

#include "core/base/level.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {

namespace {

using std::size_t;

typedef double Wide __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseWide __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));
typedef float Single __attribute__((vector_size(PELLUCID_BYTES)));
typedef float LooseSingle __attribute__((vector_size(PELLUCID_BYTES), aligned(4)));
typedef float LooseHalf __attribute__((vector_size(PELLUCID_BYTES / 2), aligned(4)));
typedef long long WideBits __attribute__((vector_size(PELLUCID_BYTES)));
typedef int SingleBits __attribute__((vector_size(PELLUCID_BYTES)));

// How a number type lies in vectors, and the constants of its exponential.
template <class U>
struct Lanes;
template <>
struct Lanes<double> {
    typedef Wide Vec;
    typedef WideBits Bits;
    static constexpr size_t width = PELLUCID_BYTES / sizeof(double);
    static Vec load(const double* p) { return *reinterpret_cast<const LooseWide*>(p); }
    static Vec load(const float* p) { return __builtin_convertvector(*reinterpret_cast<const LooseHalf*>(p), Vec); }
    static void store(double* p, Vec v) { *reinterpret_cast<LooseWide*>(p) = v; }
    static constexpr double lowest = -708, to_whole = 0x1.8p52, log2e = 0x1.71547652b82fep0;
    static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    static constexpr int exponent_at = 52;
    // 1/13!, 1/12!, ..., 1/2!, 1, 1: the rest is below 4e-18 on [-ln 2 / 2, ln 2 / 2].
    static constexpr double taylor[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
};
template <>
struct Lanes<float> {
    typedef Single Vec;
    typedef SingleBits Bits;
    static constexpr size_t width = PELLUCID_BYTES / sizeof(float);
    static Vec load(const float* p) { return *reinterpret_cast<const LooseSingle*>(p); }
    static void store(float* p, Vec v) { *reinterpret_cast<LooseSingle*>(p) = v; }
    static constexpr float lowest = -87, to_whole = 0x1.8p23f, log2e = 0x1.715476p0f;
    static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
    static constexpr int exponent_at = 23;
    // The rest is below 6e-9 of 1.
    static constexpr float taylor[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1, 1};
};

template <class U>
using VecOf = typename Lanes<U>::Vec;

template <class U>
inline VecOf<U> spread(U x) {
    return x - VecOf<U>{};
}
template <class U>
inline U lane_sum(VecOf<U> v) {
    U sum = 0;
    for (size_t i = 0; i < Lanes<U>::width; ++i) sum += v[i];
    return sum;
}

// e^x for x <= 0:  x = n ln 2 + r,  e^x = 2^n e^r. Below the smallest normal number it is zero.
template <class U>
inline VecOf<U> exp_of(VecOf<U> x) {
    using L = Lanes<U>;
    const auto tiny = x < L::lowest;
    x = tiny ? spread<U>(L::lowest) : x;
    const VecOf<U> shifted = x * L::log2e + L::to_whole, n = shifted - L::to_whole;
    const VecOf<U> r = (x - n * L::ln2_high) - n * L::ln2_low;
    VecOf<U> e = spread<U>(L::taylor[0]);
    for (size_t i = 1; i < sizeof(L::taylor) / sizeof(U); ++i) e = e * r + L::taylor[i];
    const typename L::Bits exponent = reinterpret_cast<typename L::Bits>(shifted) << L::exponent_at;
    e = reinterpret_cast<VecOf<U>>(reinterpret_cast<typename L::Bits>(e) + exponent);
    return tiny ? VecOf<U>{} : e;
}

template <class U>
void exp_all(const U* x, size_t n, U* out) {
    for (size_t i = 0; i < n; i += Lanes<U>::width) Lanes<U>::store(out + i, exp_of<U>(Lanes<U>::load(x + i)));
}

// log(1 + e) for 0 <= e <= 1:  2 atanh(q) = 2 (q + q^3/3 + q^5/5 + ...),  q = e / (2 + e) <= 1/3.
inline Wide log1p_of(Wide e) {
    const Wide q = e / (2 + e), square = q * q;
    Wide sum = spread(1.0 / 33);
    for (int odd = 31; odd > 0; odd -= 2) sum = sum * square + 1.0 / odd;
    return 2 * q * sum;
}

double logistic(const double* y, const double* s, size_t rows, double* f, double* bend, double* least) {
    using L = Lanes<double>;
    Wide sum = {}, lowest = spread(*least);
    for (size_t r = 0; r < rows; r += L::width) {
        const Wide weight = L::load(s + r), score = L::load(f + r), sign = L::load(y + r) > 0 ? Wide{} + 1 : Wide{} - 1;
        const Wide margin = sign * score, size = margin < 0 ? -margin : margin;
        const Wide e = exp_of<double>(-size), share = 1 / (1 + e), small = e * share;
        const Wide wrong = margin < 0 ? share : small;  // the other class's probability
        sum += weight * ((margin < 0 ? size : Wide{}) + log1p_of(e));
        L::store(f + r, -sign * weight * wrong);
        L::store(bend + r, weight * small * share);
        const Wide counted = weight > 0 ? margin : lowest;
        lowest = counted < lowest ? counted : lowest;
    }
    for (size_t i = 0; i < L::width; ++i) *least = lowest[i] < *least ? lowest[i] : *least;
    return lane_sum<double>(sum);
}

template <class U>
void softmax(size_t k, size_t rows, U* f, size_t ld, U* largest, U* sum) {
    using L = Lanes<U>;
    for (size_t r = 0; r < rows; r += L::width) {
        VecOf<U> most = L::load(f + r), total = {};
        for (size_t t = 1; t < k; ++t) {
            const VecOf<U> score = L::load(f + t * ld + r);
            most = most < score ? score : most;
        }
        for (size_t t = 0; t < k; ++t) {
            const VecOf<U> e = exp_of<U>(L::load(f + t * ld + r) - most);
            L::store(f + t * ld + r, e);
            total += e;
        }
        L::store(largest + r, most);
        L::store(sum + r, total);
    }
}

// R rows against K vectors: R x K sums in registers.
template <size_t R, size_t K, class T, class U>
inline void along_tile(const T* x, std::ptrdiff_t stride, size_t cols, const U* w, size_t ldw, U* out, size_t ldo) {
    using L = Lanes<U>;
    VecOf<U> sum[R][K] = {};
    size_t c = 0;
    for (; c + L::width <= cols; c += L::width) {
        VecOf<U> row[R];
        for (size_t i = 0; i < R; ++i) row[i] = L::load(x + static_cast<std::ptrdiff_t>(i) * stride + c);
        for (size_t t = 0; t < K; ++t) {
            const VecOf<U> right = L::load(w + t * ldw + c);
            for (size_t i = 0; i < R; ++i) sum[i][t] += row[i] * right;
        }
    }
    for (size_t i = 0; i < R; ++i)
        for (size_t t = 0; t < K; ++t) {
            U total = lane_sum<U>(sum[i][t]);
            for (size_t last = c; last < cols; ++last)
                total += static_cast<U>(x[static_cast<std::ptrdiff_t>(i) * stride + last]) * w[t * ldw + last];
            out[t * ldo + i] += total;
        }
}

template <size_t K, class T, class U>
void along_some(const T* x, std::ptrdiff_t stride, size_t rows, size_t cols, const U* w, size_t ldw, U* out,
                size_t ldo) {
    constexpr size_t R = K == 5 ? 2 : K == 4 ? 3 : 4;
    size_t r = 0;
    for (; r + R <= rows; r += R, x += static_cast<std::ptrdiff_t>(R) * stride)
        along_tile<R, K>(x, stride, cols, w, ldw, out + r, ldo);
    for (; r < rows; ++r, x += stride) along_tile<1, K>(x, stride, cols, w, ldw, out + r, ldo);
}

// K vectors times the rows, for V vectors of columns: K x V sums in registers.
template <size_t K, size_t V, class T, class U>
inline void across_tile(const T* x, std::ptrdiff_t stride, size_t rows, const U* u, size_t ldu, U* out, size_t ldo) {
    using L = Lanes<U>;
    VecOf<U> sum[K][V] = {};
    for (size_t r = 0; r < rows; ++r, x += stride) {
        VecOf<U> row[V];
        for (size_t v = 0; v < V; ++v) row[v] = L::load(x + v * L::width);
        for (size_t t = 0; t < K; ++t)
            for (size_t v = 0; v < V; ++v) sum[t][v] += u[t * ldu + r] * row[v];
    }
    for (size_t t = 0; t < K; ++t)
        for (size_t v = 0; v < V; ++v) {
            U* to = out + t * ldo + v * L::width;
            L::store(to, L::load(to) + sum[t][v]);
        }
}

template <size_t K, class T, class U>
void across_some(const T* x, std::ptrdiff_t stride, size_t rows, size_t cols, const U* u, size_t ldu, U* out,
                 size_t ldo) {
    using L = Lanes<U>;
    constexpr size_t V = K == 5 ? 2 : K == 4 ? 3 : K == 1 ? 8 : 4;
    size_t c = 0;
    for (; c + V * L::width <= cols; c += V * L::width) across_tile<K, V>(x + c, stride, rows, u, ldu, out + c, ldo);
    for (; c + L::width <= cols; c += L::width) across_tile<K, 1>(x + c, stride, rows, u, ldu, out + c, ldo);
    for (; c < cols; ++c)
        for (size_t t = 0; t < K; ++t) {
            U sum = 0;
            for (size_t r = 0; r < rows; ++r)
                sum += u[t * ldu + r] * static_cast<U>(x[static_cast<std::ptrdiff_t>(r) * stride + c]);
            out[t * ldo + c] += sum;
        }
}

// Groups of at most five vectors, as even as can be: tiles of 2 x 5 to 4 x 3 keep both multipliers at work.
constexpr size_t kMostVectors = 5;
constexpr size_t group_of(size_t left) {
    const size_t groups = (left + kMostVectors - 1) / kMostVectors;
    return (left + groups - 1) / groups;
}

template <class T, class U>
void along(const T* x, std::ptrdiff_t stride, size_t rows, size_t cols, const U* w, size_t ldw, size_t k, U* out,
           size_t ldo) {
    for (size_t t = 0, group; t < k; t += group) {
        group = group_of(k - t);
        const auto some = group == 5   ? along_some<5, T, U>
                          : group == 4 ? along_some<4, T, U>
                          : group == 3 ? along_some<3, T, U>
                          : group == 2 ? along_some<2, T, U>
                                       : along_some<1, T, U>;
        some(x, stride, rows, cols, w + t * ldw, ldw, out + t * ldo, ldo);
    }
}

template <class T, class U>
void across(const T* x, std::ptrdiff_t stride, size_t rows, size_t cols, const U* u, size_t ldu, size_t k, U* out,
            size_t ldo) {
    for (size_t t = 0, group; t < k; t += group) {
        group = group_of(k - t);
        const auto some = group == 5   ? across_some<5, T, U>
                          : group == 4 ? across_some<4, T, U>
                          : group == 3 ? across_some<3, T, U>
                          : group == 2 ? across_some<2, T, U>
                                       : across_some<1, T, U>;
        some(x, stride, rows, cols, u + t * ldu, ldu, out + t * ldo, ldo);
    }
}

constexpr size_t kPanelVecs = kPanel / Lanes<double>::width;

void panel_scores(const double* packed, size_t rows, size_t panels, const double* phi, double* f) {
    using L = Lanes<double>;
    for (size_t r = 0; r < rows; ++r) {
        Wide sum[kPanelVecs] = {};
        for (size_t j = 0; j < panels; ++j)
            for (size_t v = 0; v < kPanelVecs; ++v)
                sum[v] +=
                    L::load(packed + (j * rows + r) * kPanel + v * L::width) * L::load(phi + j * kPanel + v * L::width);
        for (size_t v = 1; v < kPanelVecs; ++v) sum[0] += sum[v];
        f[r] = lane_sum<double>(sum[0]);
    }
}

void panel_slopes(const double* packed, size_t rows, size_t panels, const double* u, const double* bend,
                  double* gradient, double* scaled) {
    using L = Lanes<double>;
    for (size_t j = 0; j < panels; ++j, packed += rows * kPanel, scaled += rows * kPanel) {
        Wide sum[kPanelVecs] = {};
        for (size_t r = 0; r < rows; ++r)
            for (size_t v = 0; v < kPanelVecs; ++v) {
                const Wide x = L::load(packed + r * kPanel + v * L::width);
                sum[v] += u[r] * x;
                L::store(scaled + r * kPanel + v * L::width, bend[r] * x);
            }
        for (size_t v = 0; v < kPanelVecs; ++v) {
            double* to = gradient + j * kPanel + v * L::width;
            L::store(to, L::load(to) + sum[v]);
        }
    }
}

}  // namespace

extern const SmoothHot PELLUCID_JOIN(smooth_hot_, PELLUCID_LEVEL);
const SmoothHot PELLUCID_JOIN(smooth_hot_, PELLUCID_LEVEL) = {{along<double, double>, across<double, double>},
                                                              {along<float, double>, across<float, double>},
                                                              {along<float, float>, across<float, float>},
                                                              logistic,
                                                              softmax<double>,
                                                              softmax<float>,
                                                              panel_scores,
                                                              panel_slopes,
                                                              exp_all<double>,
                                                              exp_all<float>};

}  // namespace pellucid

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/distance/product_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

typedef double Doubles __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseDoubles __attribute__((vector_size(PELLUCID_BYTES), aligned(8), may_alias));
typedef long long DoubleMask __attribute__((vector_size(PELLUCID_BYTES)));
typedef float Floats __attribute__((vector_size(PELLUCID_BYTES)));
typedef float LooseFloats __attribute__((vector_size(PELLUCID_BYTES), aligned(4), may_alias));
typedef int Ints __attribute__((vector_size(PELLUCID_BYTES)));
typedef short Shorts __attribute__((vector_size(PELLUCID_BYTES)));
typedef short LooseShorts __attribute__((vector_size(PELLUCID_BYTES), aligned(2), may_alias));
typedef int LooseInt __attribute__((aligned(2), may_alias));

constexpr std::size_t kInts = PELLUCID_BYTES / 4, kDoubles = PELLUCID_BYTES / 8;
constexpr std::size_t kVectors = 2;  // to a panel

// Products of 16-bit neighbors, added in pairs.
inline Ints multiply_pairs(Shorts x, Shorts z) {
#if defined(__AVX512BW__)
    return (Ints)__builtin_ia32_pmaddwd512_mask(x, z, Ints{}, -1);
#elif defined(__AVX2__)
    return (Ints)__builtin_ia32_pmaddwd256(x, z);
#elif defined(__SSE2__)
    return (Ints)__builtin_ia32_pmaddwd128(x, z);
#else
    // The lower half of each word by shifting it up and down again.
    const Ints u = (Ints)x, v = (Ints)z;
    const Ints low_u = (Ints)((u << 16) >> 16), low_v = (Ints)((v << 16) >> 16);
    return low_u * low_v + (u >> 16) * (v >> 16);
#endif
}

// One bit a lane of a comparison's answer.
#if defined(__AVX512F__)
inline unsigned bits_of(Ints mask) { return __builtin_ia32_cvtd2mask512((__attribute__((vector_size(64))) int)mask); }
inline unsigned bits_of(DoubleMask mask) { return __builtin_ia32_cvtq2mask512(mask); }
#elif defined(__AVX2__)
inline unsigned bits_of(Ints mask) { return static_cast<unsigned>(__builtin_ia32_movmskps256((Floats)mask)); }
inline unsigned bits_of(DoubleMask mask) { return static_cast<unsigned>(__builtin_ia32_movmskpd256((Doubles)mask)); }
#elif defined(__SSE2__)
inline unsigned bits_of(Ints mask) { return static_cast<unsigned>(__builtin_ia32_movmskps((Floats)mask)); }
inline unsigned bits_of(DoubleMask mask) { return static_cast<unsigned>(__builtin_ia32_movmskpd((Doubles)mask)); }
#else
template <class Mask>
inline unsigned bits_of(Mask mask) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < PELLUCID_BYTES / sizeof(mask[0]); ++i) bits |= (mask[i] != 0 ? 1u : 0u) << i;
    return bits;
}
#endif

inline std::size_t take(unsigned bits, std::size_t row, std::size_t query, std::uint32_t* survivors) {
    std::size_t found = 0;
    for (; bits != 0; bits &= bits - 1)
        survivors[found++] = static_cast<std::uint32_t>(8 * (row + static_cast<unsigned>(__builtin_ctz(bits))) + query);
    return found;
}

// A product of integers: sums of one panel, then the comparison.
struct Narrow {
    using Element = std::int16_t;
    using Real = float;
    using Sum = Ints;
    static constexpr std::size_t lanes = kInts, words = 2;
    static void add(Sum& s, const Element* query, Shorts row) {
        const int pair = *reinterpret_cast<const LooseInt*>(query);
        s += multiply_pairs((Shorts)(Ints{} + pair), row);
    }
    static Shorts load(const Element* p) { return *reinterpret_cast<const LooseShorts*>(p); }
    static unsigned survive(Sum s, const Real* a, const Real* b, Real alpha, Real beta, Real slack) {
        const Floats limit = alpha * *reinterpret_cast<const LooseFloats*>(a) +
                             (beta * *reinterpret_cast<const LooseFloats*>(b) - slack);
        return bits_of((Ints)(__builtin_convertvector(s, Floats) < limit)) ^ ((1u << lanes) - 1);
    }
};
struct Wide {
    using Element = double;
    using Real = double;
    using Sum = Doubles;
    static constexpr std::size_t lanes = kDoubles, words = 1;
    static void add(Sum& s, const Element* query, Doubles row) { s += *query * row; }
    static Doubles load(const Element* p) { return *reinterpret_cast<const LooseDoubles*>(p); }
    static unsigned survive(Sum s, const Real* a, const Real* b, Real alpha, Real beta, Real slack) {
        const Doubles limit = alpha * *reinterpret_cast<const LooseDoubles*>(a) +
                              (beta * *reinterpret_cast<const LooseDoubles*>(b) - slack);
        return bits_of((DoubleMask)(s < limit)) ^ ((1u << lanes) - 1);
    }
};

template <class Kind>
std::size_t filter(const ProductTile<typename Kind::Element, typename Kind::Real>& tile, std::uint32_t* survivors) {
    constexpr std::size_t panel = kVectors * Kind::lanes;
    std::size_t found = 0;
    const typename Kind::Element* rows = tile.rows;
    for (std::size_t first = 0; first < kGroup; first += panel) {
        typename Kind::Sum sum[kTile][kVectors] = {};
        const typename Kind::Element* queries = tile.queries;
        for (std::size_t step = 0; step < tile.steps; ++step) {
            const auto left = Kind::load(rows), right = Kind::load(rows + Kind::lanes * Kind::words);
            for (std::size_t q = 0; q < kTile; ++q) {
                Kind::add(sum[q][0], queries + q * Kind::words, left);
                Kind::add(sum[q][1], queries + q * Kind::words, right);
            }
            rows += panel * Kind::words;
            queries += kTile * Kind::words;
        }
        for (std::size_t q = 0; q < kTile; ++q)
            for (std::size_t v = 0; v < kVectors; ++v) {
                const std::size_t row = first + v * Kind::lanes;
                const unsigned bits =
                    Kind::survive(sum[q][v], tile.a + row, tile.b + row, tile.alpha[q], tile.beta[q], tile.slack);
                if (bits != 0) [[unlikely]]
                    found += take(bits, row, q, survivors + found);
            }
    }
    return found;
}

std::int32_t narrow_dot(const std::int16_t* x, const std::int16_t* z, std::size_t n) {
    Ints s[4] = {};
    constexpr std::size_t width = PELLUCID_BYTES / 2;
    std::size_t j = 0;
    for (; j + 4 * width <= n; j += 4 * width)
        for (std::size_t k = 0; k < 4; ++k)
            s[k] += multiply_pairs(Narrow::load(x + j + k * width), Narrow::load(z + j + k * width));
    for (; j < n; j += width) s[0] += multiply_pairs(Narrow::load(x + j), Narrow::load(z + j));
    const Ints all = (s[0] + s[1]) + (s[2] + s[3]);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kInts; ++i) sum += all[i];
    return sum;
}

template <class T>
void center(const T* x, const double* shift, double unit, std::size_t n, double* out, double* squares,
            double* largest) {
    constexpr std::size_t lanes = 16;
    double sum[lanes] = {}, most[lanes] = {};
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes)
        for (std::size_t k = 0; k < lanes; ++k) {
            const double v = (static_cast<double>(x[j + k]) - shift[j + k]) * unit, size = __builtin_fabs(v);
            out[j + k] = v;
            sum[k] += v * v;
            most[k] = size > most[k] ? size : most[k];
        }
    for (std::size_t k = 0; j < n; ++j, ++k) {
        const double v = (static_cast<double>(x[j]) - shift[j]) * unit, size = __builtin_fabs(v);
        out[j] = v;
        sum[k] += v * v;
        most[k] = size > most[k] ? size : most[k];
    }
    *squares = 0;
    *largest = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
        *squares += sum[k];
        *largest = most[k] > *largest ? most[k] : *largest;
    }
}

void narrow_down(const double* v, double a, std::size_t n, std::int16_t* out) {
    for (std::size_t j = 0; j < n; ++j) {
        const double t = a * v[j];
        out[j] = static_cast<std::int16_t>(static_cast<int>(t + (t < 0 ? -0.5 : 0.5)));
    }
}

inline double lane_sum(Doubles v) {
    double sum = 0;
    for (std::size_t i = 0; i < kDoubles; ++i) sum += v[i];
    return sum;
}

void turn(const double* v, const double* axes, std::size_t count, std::size_t n, double* out) {
    for (std::size_t t = 0; t < count; t += 3) {
        Doubles sum[4][3] = {};
        std::size_t j = 0;
        for (; j + kDoubles <= n; j += kDoubles) {
            Doubles axis[3];
            for (std::size_t c = 0; c < 3; ++c) axis[c] = Wide::load(axes + (t + c) * n + j);
            for (std::size_t r = 0; r < 4; ++r) {
                const Doubles x = Wide::load(v + r * n + j);
                for (std::size_t c = 0; c < 3; ++c) sum[r][c] += x * axis[c];
            }
        }
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t c = 0; c < 3; ++c) {
                double whole = lane_sum(sum[r][c]);
                for (std::size_t i = j; i < n; ++i) whole += v[r * n + i] * axes[(t + c) * n + i];
                out[r * count + t + c] = whole;
            }
    }
}

template <class Index>
void sparse(const double* values, const Index* columns, std::size_t n, const double* panel, double* sums,
            double* squares) {
    constexpr std::size_t vectors = kSparsePanel / kDoubles;
    Doubles sum[vectors] = {};
    double square = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double* x = panel + static_cast<std::size_t>(columns[k]) * kSparsePanel;
        for (std::size_t v = 0; v < vectors; ++v) sum[v] += values[k] * Wide::load(x + v * kDoubles);
        square += values[k] * values[k];
    }
    for (std::size_t v = 0; v < vectors; ++v)
        for (std::size_t i = 0; i < kDoubles; ++i) sums[v * kDoubles + i] += sum[v][i];
    *squares += square;
}

std::size_t at_most(const double* values, std::size_t n, double bound, std::uint32_t* out) {
    std::size_t found = 0, i = 0;
    for (; i + kDoubles <= n; i += kDoubles) {
        unsigned bits = bits_of((DoubleMask)(Wide::load(values + i) > bound)) ^ ((1u << kDoubles) - 1);
        for (; bits != 0; bits &= bits - 1)
            out[found++] = static_cast<std::uint32_t>(i + static_cast<unsigned>(__builtin_ctz(bits)));
    }
    for (; i < n; ++i)
        if (!(values[i] > bound)) out[found++] = static_cast<std::uint32_t>(i);
    return found;
}

}  // namespace

extern const ProductHot PELLUCID_JOIN(product_hot_, PELLUCID_LEVEL);
const ProductHot PELLUCID_JOIN(product_hot_, PELLUCID_LEVEL) = {
    kVectors * kInts, kVectors * kDoubles, filter<Narrow>, filter<Wide>,         narrow_dot,           center<double>,
    center<float>,    narrow_down,         turn,           sparse<std::int32_t>, sparse<std::int64_t>, at_most};

}  // namespace pellucid

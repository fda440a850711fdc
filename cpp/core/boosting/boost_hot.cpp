// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/boosting/boost_hot.hpp"

#include "core/base/level.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace pellucid::boosting {

namespace {

constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));
typedef std::uint64_t Bits __attribute__((vector_size(PELLUCID_BYTES)));
typedef std::uint64_t LooseBits __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));

constexpr double kTwo52 = 0x1p52, kLarge = 0x1.8p52;
constexpr std::uint64_t kTwo52Bits = std::uint64_t{0x433} << 52, kLargeBits = kTwo52Bits | std::uint64_t{1} << 51;

// ------------------------------------------------------------------------------------------------------------- packing

// Bits of (key, row) that look random (the finalizer of MurmurHash3).
inline std::uint32_t mixed(std::uint32_t key, std::uint32_t row) {
    std::uint32_t z = row * 0x9E3779B9u + key;
    z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
    z = (z ^ (z >> 13)) * 0xC2B2AE35u;
    return z ^ (z >> 16);
}

// A number so large that nothing is left behind the point takes x in: the nearest whole number of x is in its bits.
inline std::uint64_t whole(double x) {
    const double large = x + kLarge;
    std::uint64_t bits;
    __builtin_memcpy(&bits, &large, sizeof bits);
    return bits - kLargeBits;
}

inline std::uint64_t word(const Slope& s, std::uint32_t random, double per_gradient, double per_curvature,
                          int gradient_shift, int curvature_shift, std::uint64_t add) {
    // Uniform on [-1/2, 1/2): the nearest whole number of x + u is above x with the probability of what x has behind
    // the point.
    const double u = static_cast<double>(static_cast<std::int32_t>(random & 0xFFFF) - 0x8000) * 0x1p-16;
    const double v = static_cast<double>(static_cast<std::int32_t>(random >> 16) - 0x8000) * 0x1p-16;
    const std::uint64_t g = whole(static_cast<double>(s.gradient) * per_gradient + u);
    const std::uint64_t h = whole(static_cast<double>(s.curvature) * per_curvature + v);
    return (g << gradient_shift) + (h << curvature_shift) + add;
}

void pack(const Slope* slopes, const std::uint32_t* rows, std::size_t first, std::size_t n, double per_gradient,
          double per_curvature, const Fields* fields, std::uint32_t key, std::uint64_t add, std::uint64_t* words) {
    const int g_shift = fields->gradient_shift, h_shift = fields->curvature_shift;
    if (rows == nullptr)
        for (std::size_t i = 0; i < n; ++i)
            words[i] = word(slopes[i], mixed(key, static_cast<std::uint32_t>(first + i)), per_gradient, per_curvature,
                            g_shift, h_shift, add);
    else
        for (std::size_t i = 0; i < n; ++i)
            words[i] = word(slopes[i], mixed(key, rows[i]), per_gradient, per_curvature, g_shift, h_shift, add);
}

// Rows of a list, or one after the other.
struct Listed {
    const std::uint32_t* from;
    std::size_t operator()(std::size_t i) const { return from[i]; }
#ifdef __AVX512BW__
    __m512i sixteen(std::size_t i) const { return _mm512_loadu_si512(from + i); }
#endif
};
struct Following {
    std::size_t first;
    std::size_t operator()(std::size_t i) const { return first + i; }
#ifdef __AVX512BW__
    __m512i sixteen(std::size_t i) const {
        const __m512i steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        return _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first + i)), steps);
    }
#endif
};

// ------------------------------------------------------------------------------------------------------------ counting

// meanwhile(i): what is asked of memory while row i is counted.
template <std::size_t N, class Row, class Meanwhile>
void count_of(const std::uint8_t* codes, std::size_t stride, Row row, const std::uint64_t* words, std::size_t n,
              std::uint64_t* const* cells, Meanwhile meanwhile) {
    std::uint64_t* base[N];
    for (std::size_t k = 0; k < N; ++k) base[k] = cells[k];
    for (std::size_t i = 0; i < n; ++i) {
        meanwhile(i);
        std::uint64_t eight;
        __builtin_memcpy(&eight, codes + row(i) * stride, 8);
        const std::uint64_t word = words[i];
#pragma GCC unroll 8
        for (std::size_t k = 0; k < N; ++k) base[k][static_cast<std::uint8_t>(eight >> (8 * k))] += word;
    }
}

template <std::size_t N>
void count_some(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows, const std::uint64_t* words,
                std::size_t n, std::uint64_t* const* cells, std::size_t columns, const Ahead& ahead) {
    if (columns != N) {
        if constexpr (N > 1) count_some<N - 1>(codes, stride, rows, words, n, cells, columns, ahead);
        return;
    }
    if (rows != nullptr) {
        // The codes of a small node lie far apart.
        constexpr std::size_t kRowsAhead = 24;
        return count_of<N>(codes, stride, Listed{rows}, words, n, cells, [=](std::size_t i) {
            __builtin_prefetch(codes + rows[i + kRowsAhead < n ? i + kRowsAhead : i] * stride);
        });
    }
    const std::size_t asking = ahead.n < n ? ahead.n : n;
    // Into the second cache: it is needed some thousand rows later.
    count_of<N>(codes, stride, Following{0}, words, asking, cells, [=](std::size_t i) {
        __builtin_prefetch(static_cast<const char*>(ahead.base) + ahead.rows[i] * ahead.stride, 0, 2);
    });
    count_of<N>(codes, stride, Following{asking}, words + asking, n - asking, cells, [](std::size_t) {});
}

void count(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows, const std::uint64_t* words,
           std::size_t n, std::uint64_t* const* cells, std::size_t columns, const Ahead* ahead) {
    count_some<8>(codes, stride, rows, words, n, cells, columns, *ahead);
}

// ------------------------------------------------------------------------------------------------------------ parting

#ifdef __AVX512BW__
// Bytes of sixteen rows that lie kScale bytes apart.
template <int kScale>
inline __m512i codes_of(const Listed&, std::size_t, __m512i rows, const std::uint8_t* codes) {
    return _mm512_and_si512(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xFFFF, rows, codes, kScale),
                            _mm512_set1_epi32(0xFF));
}
template <int kScale>
inline __m512i codes_of(const Following& row, std::size_t i, __m512i rows, const std::uint8_t* codes) {
    if constexpr (kScale != 1) return codes_of<kScale>(Listed{}, i, rows, codes);
    const auto* bytes = reinterpret_cast<const __m128i*>(codes + row(i));
    return _mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_loadu_si128(bytes));
}

// Sixteen rows at once: 2.5 times as fast as one by one. kScale: bytes from row to row.
template <int kScale, class Row>
std::size_t part_sixteens(Row row, std::size_t n, const std::uint8_t* codes, const bool* sides, std::uint32_t* to,
                          std::size_t& to_left, std::uint32_t*& right) {
    constexpr __mmask16 kAll = 0xFFFF;
    alignas(64) std::uint32_t set[16] = {};  // bit c: is byte c of the left side?
    for (std::size_t i = 0; i < 4; ++i) {
        const __m512i some = _mm512_loadu_si512(sides + 64 * i);
        const std::uint64_t bits = _mm512_test_epi8_mask(some, some);
        __builtin_memcpy(set + 2 * i, &bits, sizeof bits);
    }
    const __m512i left_set = _mm512_load_si512(set), one = _mm512_set1_epi32(1);
    const __m512i backwards = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    std::size_t i = 0;
    // Whole vectors are written at both ends of what is free of `to`: enough must be free for both.
    for (; i + 32 <= n; i += 16) {
        const __m512i rows = row.sixteen(i), code = codes_of<kScale>(row, i, rows, codes);
        const __m512i bits = _mm512_maskz_permutexvar_epi32(kAll, _mm512_maskz_srli_epi32(kAll, code, 5), left_set);
        const __mmask16 left = _mm512_test_epi32_mask(
            _mm512_maskz_srlv_epi32(kAll, bits, _mm512_and_si512(code, _mm512_set1_epi32(31))), one);
        const auto lefts = static_cast<std::size_t>(__builtin_popcount(left));
        _mm512_storeu_si512(to + to_left, _mm512_maskz_compress_epi32(left, rows));
        const __m512i others = _mm512_maskz_compress_epi32(static_cast<__mmask16>(~left), rows);
        _mm512_storeu_si512(right - 16, _mm512_maskz_permutexvar_epi32(kAll, backwards, others));
        to_left += lefts;
        right -= 16 - lefts;
    }
    return i;
}
#endif

template <class Row>
std::size_t part_of(Row row, std::size_t n, const std::uint8_t* codes, std::size_t stride, const bool* sides,
                    std::uint32_t* to) {
    std::size_t to_left = 0, i = 0;
    std::uint32_t* right = to + n;
#ifdef __AVX512BW__
    if (stride == 1)
        i = part_sixteens<1>(row, n, codes, sides, to, to_left, right);
    else if (stride == 8)
        i = part_sixteens<8>(row, n, codes, sides, to, to_left, right);
#endif
    // Every row is written at both places: the wrong one is free and is written again, or it is the last one free for
    // both.
    for (; i < n; ++i) {
        __builtin_prefetch(codes + row(i + 32 < n ? i + 32 : i) * stride);
        const bool side = sides[codes[row(i) * stride]];
        to[to_left] = static_cast<std::uint32_t>(row(i));
        right[-1] = static_cast<std::uint32_t>(row(i));
        to_left += side;
        right -= !side;
    }
    return to_left;
}

std::size_t part(const std::uint32_t* from, std::size_t first, std::size_t n, const std::uint8_t* codes,
                 std::size_t stride, const bool* sides, std::uint32_t* to) {
    if (from == nullptr) return part_of(Following{first}, n, codes, stride, sides, to);
    return part_of(Listed{from}, n, codes, stride, sides, to);
}

// ---------------------------------------------------------------------------------------------------------- compacting

// Without a branch to be guessed: most bins of a small node are empty, and which ones nobody knows.
std::size_t compact(const std::uint64_t* cells, std::size_t n, std::uint64_t* words) {
    std::size_t found = 0, b = 0;
#ifdef __AVX512F__
    // Eight cells at once; a plain loop takes three times as long.
    for (; b + 8 <= n; b += 8) {
        const __m512i eight = _mm512_loadu_si512(cells + b);
        const __mmask8 some = _mm512_test_epi64_mask(eight, eight);
        _mm512_storeu_si512(words + found, _mm512_maskz_compress_epi64(some, eight));
        found += static_cast<std::size_t>(__builtin_popcount(some));
    }
#endif
    for (; b < n; ++b) {
        words[found] = cells[b];
        found += cells[b] != 0;
    }
    return found;
}

// ------------------------------------------------------------------------------------------------------------- adding

void add(const std::uint64_t* from, std::size_t n, std::uint64_t* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
}
void subtract(const std::uint64_t* from, std::size_t n, std::uint64_t* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] -= from[i];
}

// ------------------------------------------------------------------------------------------------------------- judging

inline Vec number(Bits bits) { return reinterpret_cast<Vec>(bits | kTwo52Bits) - kTwo52; }
inline Vec magnitude_beyond(Vec g, double l1) {  // T(g)², without its sign
    const Vec size = (g < 0 ? -g : g) - l1;
    return size > 0 ? size : Vec{};
}

template <bool kL1, bool kCounts>
double judge_of(const std::uint64_t* left, std::size_t cuts, const Judging& by, double* scores) {
    const Fields& f = by.fields;
    const double none = -__builtin_inf();
    const auto gradient_of = [&](Bits w) {
        return reinterpret_cast<Vec>(((w >> f.gradient_shift) ^ f.gradient_sign) | kTwo52Bits) - f.gradient_offset;
    };
    const auto curvature_of = [&](Bits w) { return number(w >> f.curvature_shift & f.curvature_mask); };
    const Bits total = Bits{} + by.total;
    const Vec g = gradient_of(total), h = curvature_of(total), n = number(total & f.count_mask);
    Vec best = Vec{} + none;
    for (std::size_t k = 0; k < cuts; k += kWidth) {
        const Bits w = *reinterpret_cast<const LooseBits*>(left + k);
        const Vec gl = gradient_of(w), hl = curvature_of(w), gr = g - gl, hr = h - hl;
        const Vec tl = kL1 ? magnitude_beyond(gl, by.l1) : gl, tr = kL1 ? magnitude_beyond(gr, by.l1) : gr;
        const Vec dl = hl + by.l2, dr = hr + by.l2;
        Vec score = (tl * tl * dr + tr * tr * dl) / (dl * dr);
        auto fits = (hl >= by.min_curvature) & (hr >= by.min_curvature);
        if constexpr (kCounts) {
            const Vec nl = number(w & f.count_mask);
            fits &= (nl >= by.min_rows) & (n - nl >= by.min_rows);
        }
        score = fits ? score : Vec{} + none;
        *reinterpret_cast<LooseVec*>(scores + k) = score;
        if (k + kWidth <= cuts) best = score > best ? score : best;
    }
    double most = none;
    for (std::size_t i = 0; i < kWidth; ++i) most = best[i] > most ? best[i] : most;
    for (std::size_t k = cuts - cuts % kWidth; k < cuts; ++k) most = scores[k] > most ? scores[k] : most;
    return most;
}

double judge(const std::uint64_t* left, std::size_t cuts, const Judging* by, double* scores) {
    const bool counts = by->fields.count_mask != 0;
    if (by->l1 > 0)
        return counts ? judge_of<true, true>(left, cuts, *by, scores) : judge_of<true, false>(left, cuts, *by, scores);
    return counts ? judge_of<false, true>(left, cuts, *by, scores) : judge_of<false, false>(left, cuts, *by, scores);
}

}  // namespace

extern const BoostHot PELLUCID_JOIN(boost_hot_, PELLUCID_LEVEL);
const BoostHot PELLUCID_JOIN(boost_hot_, PELLUCID_LEVEL) = {pack, count, part, compact, add, subtract, judge};

}  // namespace pellucid::boosting

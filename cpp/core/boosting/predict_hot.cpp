// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/boosting/predict_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid::boosting {

namespace {

constexpr std::size_t kBytes = PELLUCID_BYTES, kVectors = kLane / kBytes, kInLine = kLine / kBytes;
typedef std::uint8_t Bytes __attribute__((vector_size(PELLUCID_BYTES)));
typedef float Singles __attribute__((vector_size(PELLUCID_BYTES)));
typedef std::int32_t SinglePlaces __attribute__((vector_size(PELLUCID_BYTES)));
typedef std::uint8_t SingleCodes __attribute__((vector_size(PELLUCID_BYTES / 4)));
typedef double Doubles __attribute__((vector_size(PELLUCID_BYTES)));
typedef std::int64_t DoublePlaces __attribute__((vector_size(PELLUCID_BYTES)));
typedef std::uint8_t DoubleCodes __attribute__((vector_size(PELLUCID_BYTES / 8)));

// Can a vector be looked up in another one? Clang has no such function for places that are known only when it runs.
#if defined(__clang__)
constexpr bool kShuffles = false;
#else
constexpr bool kShuffles = true;
#endif

template <class V>
inline V load(const void* from) {
    V out;
    __builtin_memcpy(&out, from, sizeof out);
    return out;
}
template <class V>
inline void store(void* to, V v) {
    __builtin_memcpy(to, &v, sizeof v);
}

// table[at] of each place, 0 <= at < N, with the table in registers.
template <std::size_t N, class V, class P, class T>
inline V lookup(const T* table, P at) {
    constexpr std::size_t kWidth = sizeof(V) / sizeof(T);
    if constexpr (N <= kWidth) {
        return __builtin_shuffle(load<V>(table), at);
    } else if constexpr (N == 2 * kWidth) {
        return __builtin_shuffle(load<V>(table), load<V>(table + kWidth), at);
    } else {
        const V low = lookup<N / 2, V>(table, at), high = lookup<N / 2, V>(table + N / 2, at);
        return (at & (P{} + static_cast<int>(N / 2))) != 0 ? high : low;
    }
}

// ------------------------------------------------------------------------------------------------------------- coding

// One more level: place 2k + (x > the edge at place k of the level). Level l has 2^l edges, from place 2^l - 1 on; a
// vector may read beyond them.
template <int kLevels, class V, class P, class T>
inline P search(V x, const T* edges) {
    if constexpr (kLevels == 0) {
        return P{};
    } else {
        constexpr std::size_t kSize = std::size_t{1} << (kLevels - 1);
        const P at = search<kLevels - 1, V, P>(x, edges);
        return at + at - (x > lookup<kSize, V>(edges + kSize - 1, at));
    }
}

template <int kLevels, class V, class P, class C, class T>
bool code_by_vectors(const T* x, const T* edges, std::uint8_t* low, std::uint8_t* high) {
    constexpr std::size_t kWidth = sizeof(V) / sizeof(T);
    P some{};
    for (std::size_t r = 0; r < kLane; r += kWidth) {
        const V v = load<V>(x + r);
        const P at = search<kLevels, V, P>(v, edges), missing = v != v;
        store(low + r, __builtin_convertvector(at, C));
        store(high + r, __builtin_convertvector(at | missing, C));
        some |= missing;
    }
    bool any = false;
    for (std::size_t i = 0; i < kWidth; ++i) any |= some[i] != 0;
    return any;
}

template <int kLevels, class T>
bool code_one_by_one(const T* x, const T* edges, std::uint8_t* low, std::uint8_t* high) {
    bool any = false;
    for (std::size_t r = 0; r < kLane; ++r) {
        std::size_t at = 0;
#pragma GCC unroll 8
        for (int level = 0; level < kLevels; ++level) at = 2 * at + (x[r] > edges[(std::size_t{1} << level) - 1 + at]);
        const bool missing = x[r] != x[r];
        low[r] = static_cast<std::uint8_t>(at);
        high[r] = static_cast<std::uint8_t>(missing ? 255 : at);
        any |= missing;
    }
    return any;
}

template <int kLevels, class V, class P, class C, class T>
bool code(const T* x, const T* edges, int levels, std::uint8_t* low, std::uint8_t* high) {
    if constexpr (kLevels > 1)
        if (levels < kLevels) return code<kLevels - 1, V, P, C>(x, edges, levels, low, high);
    if constexpr (kShuffles && kBytes / sizeof(T) >= 8)  // shorter vectors look up too little at once
        return code_by_vectors<kLevels, V, P, C>(x, edges, low, high);
    else
        return code_one_by_one<kLevels>(x, edges, low, high);
}

bool code_singles(const float* x, const float* edges, int levels, std::uint8_t* low, std::uint8_t* high) {
    return code<8, Singles, SinglePlaces, SingleCodes>(x, edges, levels, low, high);
}
bool code_doubles(const double* x, const double* edges, int levels, std::uint8_t* low, std::uint8_t* high) {
    return code<8, Doubles, DoublePlaces, DoubleCodes>(x, edges, levels, low, high);
}

// ------------------------------------------------------------------------------------------------------------ choosing

inline Bytes spread(std::uint8_t byte) { return Bytes{} + byte; }

void choose(const Choice* choices, std::size_t n, const std::uint8_t* lanes, std::uint8_t* desk) {
    for (std::size_t i = 0; i < n; ++i) {
        const Choice c = choices[i];
        const std::uint8_t* codes = lanes + c.lane * kLine;
        const std::uint8_t *left = desk + c.left * kLine, *right = desk + c.right * kLine;
        std::uint8_t* into = desk + c.into * kLine;
        const Bytes bits = spread(c.bits), cut = spread(c.cut);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kVectors; ++v) {
            const std::size_t part = v % kInLine * kBytes, line = v / kInLine * kLine;
            const Bytes code = load<Bytes>(codes + v * kBytes) & bits;
            const Bytes chosen = code > cut ? load<Bytes>(right + line * c.right_step + part)
                                            : load<Bytes>(left + line * c.left_step + part);
            store(into + line + part, chosen);
        }
    }
}

void collect(const Choice* choices, std::size_t n, const std::uint8_t* lanes, std::uint8_t* answer) {
    for (std::size_t v = 0; v < kVectors; ++v) {
        Bytes found{};
        for (std::size_t i = 0; i < n; ++i) {
            const Choice& c = choices[i];
            const Bytes code = load<Bytes>(lanes + c.lane * kLine + v * kBytes) & spread(c.bits);
            found = found + found;
            found = code > spread(c.cut) ? found + 1 : found;
        }
        store(answer + v * kBytes, found);
    }
}

// -------------------------------------------------------------------------------------------------------------- adding

template <std::size_t kRoom>
void add_by_vectors(const std::uint8_t* answer, const double* values, double* scores) {
    constexpr std::size_t kWidth = kBytes / sizeof(double);
    for (std::size_t r = 0; r < kLane; r += kWidth) {
        const DoublePlaces at = __builtin_convertvector(load<DoubleCodes>(answer + r), DoublePlaces);
        store(scores + r, load<Doubles>(scores + r) + lookup<kRoom, Doubles>(values, at));
    }
}

void add(const std::uint8_t* answer, const double* values, std::size_t room, double* scores) {
    if constexpr (kShuffles && kBytes == 64) {
        if (room == 8) return add_by_vectors<8>(answer, values, scores);
        if (room == 16) return add_by_vectors<16>(answer, values, scores);
        if (room == 32) return add_by_vectors<32>(answer, values, scores);
        if (room == 64) return add_by_vectors<64>(answer, values, scores);
    }
    for (std::size_t r = 0; r < kLane; ++r) scores[r] += values[answer[r]];
}

}  // namespace

extern const PredictHot PELLUCID_JOIN(predict_hot_, PELLUCID_LEVEL);
const PredictHot PELLUCID_JOIN(predict_hot_, PELLUCID_LEVEL) = {code_singles, code_doubles, choose, collect, add};

}  // namespace pellucid::boosting

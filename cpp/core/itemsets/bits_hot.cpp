// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops here, and no header with inline functions: a
// function shared with another translation unit could be linked from the wrong level.
#include "core/base/level.hpp"
#include "core/itemsets/bits.hpp"

namespace pellucid::itemsets {

namespace {

#define PELLUCID_INSIDE static inline __attribute__((always_inline))

// Ones of a & b, written to out. The compiler makes vectors of it where the machine counts bits in vectors.
PELLUCID_INSIDE std::uint32_t meet_row(const std::uint64_t* __restrict a, const std::uint64_t* __restrict b,
                                       std::size_t words, std::uint64_t* __restrict out) {
    std::uint64_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t both = a[w] & b[w];
        out[w] = both;
        count += static_cast<std::uint64_t>(__builtin_popcountll(both));
    }
    return static_cast<std::uint32_t>(count);
}

PELLUCID_INSIDE std::size_t meet_rows(const std::uint64_t* with, const std::uint64_t* rows, std::size_t n,
                                      std::size_t words, std::uint32_t least, std::uint64_t* out, std::uint32_t* counts,
                                      std::uint32_t* kept) {
    std::size_t found = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const std::uint32_t count = meet_row(with, rows + r * words, words, out + found * words);
        counts[found] = count;
        kept[found] = static_cast<std::uint32_t>(r);
        found += count >= least;
    }
    return found;
}

PELLUCID_INSIDE std::size_t meet_any(const std::uint64_t* with, const std::uint64_t* rows, std::size_t n,
                                     std::size_t words, std::uint32_t least, std::uint64_t* out, std::uint32_t* counts,
                                     std::uint32_t* kept) {
    switch (words) {  // short rows: loops of known length
        case 1:
            return meet_rows(with, rows, n, 1, least, out, counts, kept);
        case 2:
            return meet_rows(with, rows, n, 2, least, out, counts, kept);
        case 3:
            return meet_rows(with, rows, n, 3, least, out, counts, kept);
        case 4:
            return meet_rows(with, rows, n, 4, least, out, counts, kept);
        case 8:
            return meet_rows(with, rows, n, 8, least, out, counts, kept);
        default:
            return meet_rows(with, rows, n, words, least, out, counts, kept);
    }
}

PELLUCID_INSIDE std::uint32_t shared_any(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t w = 0; w < words; ++w) count += static_cast<std::uint64_t>(__builtin_popcountll(a[w] & b[w]));
    return static_cast<std::uint32_t>(count);
}

std::size_t meet(const std::uint64_t* with, const std::uint64_t* rows, std::size_t n, std::size_t words,
                 std::uint32_t least, std::uint64_t* out, std::uint32_t* counts, std::uint32_t* kept) {
    return meet_any(with, rows, n, words, least, out, counts, kept);
}

std::uint32_t shared(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    return shared_any(a, b, words);
}

#if defined(__AVX512F__)

// Most machines of the level count bits in vectors of 512 too, but the level does not promise it.
#define PELLUCID_COUNTS_VECTORS __attribute__((target("avx512vpopcntdq")))

PELLUCID_COUNTS_VECTORS std::size_t meet_counting(const std::uint64_t* with, const std::uint64_t* rows, std::size_t n,
                                                  std::size_t words, std::uint32_t least, std::uint64_t* out,
                                                  std::uint32_t* counts, std::uint32_t* kept) {
    return meet_any(with, rows, n, words, least, out, counts, kept);
}

PELLUCID_COUNTS_VECTORS std::uint32_t shared_counting(const std::uint64_t* a, const std::uint64_t* b,
                                                      std::size_t words) {
    return shared_any(a, b, words);
}

const BitRows chosen() {
    if (__builtin_cpu_supports("avx512vpopcntdq")) return {meet_counting, shared_counting};
    return {meet, shared};
}

#else

const BitRows chosen() { return {meet, shared}; }

#endif

}  // namespace

const BitRows& PELLUCID_JOIN(bit_rows_, PELLUCID_LEVEL)();
const BitRows& PELLUCID_JOIN(bit_rows_, PELLUCID_LEVEL)() {
    static const BitRows found = chosen();
    return found;
}

}  // namespace pellucid::itemsets

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/distance/edit_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {

namespace {

template <class Word>
struct Lanes {
    typedef Word Vec __attribute__((vector_size(PELLUCID_BYTES), may_alias));
    typedef std::int8_t Narrow __attribute__((vector_size(PELLUCID_BYTES / sizeof(Word)), aligned(1), may_alias));
    typedef std::uint64_t Wide __attribute__((vector_size(PELLUCID_BYTES), may_alias));
};

template <class Word>
typename Lanes<Word>::Vec load(const unsigned char* p) {
    return *reinterpret_cast<const typename Lanes<Word>::Vec*>(p);
}

template <class Word>
void store(unsigned char* p, typename Lanes<Word>::Vec v) {
    *reinterpret_cast<typename Lanes<Word>::Vec*>(p) = v;
}

// Bits of each lane: pairs, fours, bytes, then bytes of a lane added up.
template <class Word>
typename Lanes<Word>::Vec count_bits(typename Lanes<Word>::Vec v) {
    using Wide = typename Lanes<Word>::Wide;
    Wide x = reinterpret_cast<Wide>(v);
    x = x - ((x >> 1) & 0x5555555555555555);
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    if constexpr (sizeof(Word) >= 2) x = (x + (x >> 8)) & 0x00ff00ff00ff00ff;
    if constexpr (sizeof(Word) >= 4) x = (x + (x >> 16)) & 0x000000ff000000ff;
    if constexpr (sizeof(Word) >= 8) x = (x + (x >> 32)) & 0xff;
    return reinterpret_cast<typename Lanes<Word>::Vec>(x);
}

// Two vectors a group: a step is a chain of ten operations, and two chains side by side hide half of its latency.
constexpr std::size_t kVectors = 2;
constexpr std::size_t kBytes = kVectors * PELLUCID_BYTES;

template <class Word>
struct Levenshtein {
    using Vec = typename Lanes<Word>::Vec;
    Vec vp[kVectors], vn[kVectors];

    void start() {
        for (std::size_t k = 0; k < kVectors; ++k) {
            vp[k] = ~Vec{};
            vn[k] = Vec{};
        }
    }
    void step(const unsigned char* masks) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            const Vec m = load<Word>(masks + k * PELLUCID_BYTES);
            const Vec d0 = (((m & vp[k]) + vp[k]) ^ vp[k]) | m | vn[k];
            const Vec hp_row = vn[k] | ~(d0 | vp[k]), hn_row = d0 & vp[k];
            const Vec hp = (hp_row + hp_row) | 1, hn = hn_row + hn_row;
            vp[k] = hn | ~(d0 | hp);
            vn[k] = hp & d0;
        }
    }
    void save(unsigned char* to) const {
        for (std::size_t k = 0; k < kVectors; ++k) {
            store<Word>(to + k * PELLUCID_BYTES, vp[k]);
            store<Word>(to + kBytes + k * PELLUCID_BYTES, vn[k]);
        }
    }
    void take(const unsigned char* from) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            vp[k] = load<Word>(from + k * PELLUCID_BYTES);
            vn[k] = load<Word>(from + kBytes + k * PELLUCID_BYTES);
        }
    }
    Vec result(std::size_t k, Vec places) const {
        return count_bits<Word>(vp[k] & places) - count_bits<Word>(vn[k] & places);
    }
};

template <class Word>
struct Indel {
    using Vec = typename Lanes<Word>::Vec;
    Vec v[kVectors];

    void start() {
        for (std::size_t k = 0; k < kVectors; ++k) v[k] = ~Vec{};
    }
    void step(const unsigned char* masks) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            const Vec u = v[k] & load<Word>(masks + k * PELLUCID_BYTES);
            v[k] = (v[k] + u) | (v[k] - u);
        }
    }
    void save(unsigned char* to) const {
        for (std::size_t k = 0; k < kVectors; ++k) store<Word>(to + k * PELLUCID_BYTES, v[k]);
    }
    void take(const unsigned char* from) {
        for (std::size_t k = 0; k < kVectors; ++k) v[k] = load<Word>(from + k * PELLUCID_BYTES);
    }
    Vec result(std::size_t k, Vec places) const { return count_bits<Word>(~v[k] & places); }
};

template <template <class> class Kind, class Word>
void run(const SortedTexts& texts, const PatternGroup& group, unsigned char* scratch, std::int8_t* out,
         std::size_t stride) {
    using Narrow = typename Lanes<Word>::Narrow;
    Kind<Word> column;
    column.start();
    column.save(scratch);
    const auto masks = [&](std::uint32_t letter) { return group.masks + std::size_t{group.row_of[letter]} * kBytes; };
    for (std::size_t t = 0; t < texts.count; ++t, out += stride) {
        const std::uint32_t* letters = texts.letters[t];
        const std::size_t n = texts.lengths[t], kept = n < kSharedDepth ? n : kSharedDepth;
        std::size_t i = texts.shared[t];
        column.take(scratch + 2 * i * kBytes);
        for (; i < kept; ++i) {
            column.step(masks(letters[i]));
            column.save(scratch + 2 * (i + 1) * kBytes);
        }
        for (; i < n; ++i) column.step(masks(letters[i]));
        for (std::size_t k = 0; k < kVectors; ++k) {
            const auto found = column.result(k, load<Word>(group.places + k * PELLUCID_BYTES));
            *reinterpret_cast<Narrow*>(out + k * PELLUCID_BYTES / sizeof(Word)) =
                __builtin_convertvector(found, Narrow);
        }
    }
}

}  // namespace

extern const EditHot PELLUCID_JOIN(edit_hot_, PELLUCID_LEVEL);
const EditHot PELLUCID_JOIN(edit_hot_, PELLUCID_LEVEL) = {
    kBytes,
    {run<Levenshtein, std::uint8_t>, run<Levenshtein, std::uint16_t>, run<Levenshtein, std::uint32_t>,
     run<Levenshtein, std::uint64_t>},
    {run<Indel, std::uint8_t>, run<Indel, std::uint16_t>, run<Indel, std::uint32_t>, run<Indel, std::uint64_t>}};

}  // namespace pellucid

// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, 2011).
//
// A number is a pure function of (seed, stream, index): any thread can draw any of them in any order, and the result of
// a computation does not depend on how the work was divided.
#pragma once

#include <array>
#include <cstdint>

namespace pellucid {

using Philox4 = std::array<std::uint32_t, 4>;

inline Philox4 philox(Philox4 counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

struct Random {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;

    std::uint64_t bits(std::uint64_t index) const {
        const Philox4 r = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                  static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        return (std::uint64_t{r[1]} << 32) | r[0];
    }

    // Uniform on [0, 1) with 53 random bits.
    double uniform(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1.0p-53; }

    // Uniform on 0 .. n-1; the bias of the multiply-shift is below n / 2^64.
    std::uint64_t below(std::uint64_t index, std::uint64_t n) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index)) * n) >> 64);
    }
};

}  // namespace pellucid

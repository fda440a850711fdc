// MurmurHash3 of 32 bits with seed 0 (Austin Appleby, public domain), as feature hashing uses it: words that hash to h
// go to column |h| mod n, with the sign of h.
#pragma once

#include <bit>
#include <cstring>
#include <string_view>

#include "core/base/views.hpp"

namespace pellucid::text {

inline std::int32_t murmur3(std::string_view key) {
    constexpr std::uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    const char* at = key.data();
    const Size blocks = key.size() / 4;
    std::uint32_t h = 0;
    for (Size b = 0; b < blocks; ++b) {
        std::uint32_t k = 0;
        std::memcpy(&k, at + 4 * b, 4);
        h = std::rotl(h ^ (std::rotl(k * c1, 15) * c2), 13) * 5 + 0xe6546b64;
    }
    const Size rest = key.size() % 4;
    if (rest > 0) {
        std::uint32_t k = 0;
        for (Size i = rest; i-- > 0;) k = k << 8 | static_cast<unsigned char>(at[4 * blocks + i]);
        h ^= std::rotl(k * c1, 15) * c2;
    }
    h ^= static_cast<std::uint32_t>(key.size());
    h = (h ^ (h >> 16)) * 0x85ebca6b;
    h = (h ^ (h >> 13)) * 0xc2b2ae35;
    return static_cast<std::int32_t>(h ^ (h >> 16));
}

}  // namespace pellucid::text

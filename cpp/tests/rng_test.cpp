#include "core/base/rng.hpp"

#include <algorithm>
#include <vector>

#include "tests/harness.hpp"

namespace pellucid::test {

// Known answers of the Random123 distribution (kat_vectors, philox4x32, 10 rounds).
TEST(philox_known_answers) {
    constexpr std::uint32_t ones = 0xffffffffu;
    CHECK((philox({0, 0, 0, 0}, {0, 0}) == Philox4{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
    CHECK((philox({ones, ones, ones, ones}, {ones, ones}) ==
           Philox4{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
    CHECK((philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}) ==
           Philox4{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(random_bits_are_two_words_of_philox) {
    CHECK((Random{0, 0}.bits(0) == 0xe169c58d6627e8d5u));
    const Random random{0x299f31d0a4093822u, 0x0370734413198a2eu};
    CHECK(random.bits(0x85a308d3243f6a88u) == 0x94fdccebd16cfe09u);
}

TEST(random_uniform_has_the_moments_of_a_uniform) {
    constexpr int n = 100000;
    const Random random{42, 7};
    double sum = 0, square = 0, lowest = 1, highest = 0;
    for (int i = 0; i < n; ++i) {
        const double u = random.uniform(static_cast<std::uint64_t>(i));
        sum += u;
        square += (u - 0.5) * (u - 0.5);
        lowest = std::min(lowest, u);
        highest = std::max(highest, u);
    }
    CHECK(lowest >= 0 && highest < 1);
    CHECK(lowest < 1e-3 && highest > 0.999);
    // Five standard errors: sqrt(1/12 / n) for the mean, sqrt((1/80 - 1/144) / n) for the variance.
    CHECK_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
    CHECK_NEAR(square / n, 1.0 / 12, 5 * std::sqrt((1.0 / 80 - 1.0 / 144) / n));
}

TEST(random_numbers_depend_on_every_part_of_the_address) {
    constexpr std::uint64_t high = std::uint64_t{1} << 32;
    std::vector<std::uint64_t> drawn;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, high})
        for (const std::uint64_t stream : {std::uint64_t{0}, std::uint64_t{1}, high})
            for (std::uint64_t i = 0; i < 200; ++i) {
                drawn.push_back(Random{seed, stream}.bits(i));
                drawn.push_back(Random{seed, stream}.bits(i + high));
            }
    std::sort(drawn.begin(), drawn.end());
    CHECK(std::adjacent_find(drawn.begin(), drawn.end()) == drawn.end());
}

TEST(random_streams_are_uncorrelated) {
    constexpr int n = 20000;
    const Random a{3, 0}, b{3, 1};
    double product = 0;
    for (std::uint64_t i = 0; i < n; ++i) product += (a.uniform(i) - 0.5) * (b.uniform(i) - 0.5);
    CHECK_NEAR(product / n * 12, 0, 5 / std::sqrt(n));
}

TEST(random_below_is_in_range_and_even) {
    const Random random{11, 0};
    constexpr int n = 7, draws = 70000;
    std::vector<int> count(n, 0);
    for (std::uint64_t i = 0; i < draws; ++i) {
        const std::uint64_t k = random.below(i, n);
        CHECK(k < n);
        if (k < n) ++count[k];
    }
    for (const int c : count) CHECK_NEAR(c, draws / n, 5 * std::sqrt(draws / n * (1 - 1.0 / n)));
    constexpr std::uint64_t largest = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < 1000; ++i) {
        CHECK(random.below(i, 1) == 0);
        CHECK(random.below(i, largest) < largest);
    }
}

}  // namespace pellucid::test

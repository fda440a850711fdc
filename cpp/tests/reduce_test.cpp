#include "core/linalg/reduce.hpp"

#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {

// Terms of very different size: any other order of the sum has other bits.
TEST(ordered_sum_has_equal_bits_on_any_number_of_threads) {
    constexpr Size blocks = 37, width = 5, rows = 20;
    std::vector<double> terms = random_vector(blocks * rows * width, 1);
    for (Size i = 0; i < terms.size(); ++i) terms[i] *= std::pow(10.0, static_cast<double>(i % 11) - 5);
    const auto part = [&](Size b, double* into) {
        for (Size i = 0; i < rows * width; ++i) into[i % width] += terms[b * rows * width + i];
    };
    std::vector<double> want(width, 0.0), backwards(width, 0.0);
    for (Size b = 0; b < blocks; ++b) {
        std::vector<double> one(width, 0.0), other(width, 0.0);
        part(b, one.data());
        part(blocks - 1 - b, other.data());
        for (Size i = 0; i < width; ++i) want[i] += one[i], backwards[i] += other[i];
    }
    CHECK(!same_bits(want, backwards));
    for (const int threads : {1, 2, 3, 7})
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::vector<double> got(width, 99.0);
            ordered_sum(blocks, width, threads, got.data(), part);
            CHECK(same_bits(got, want));
        }
}

TEST(ordered_sum_of_nothing_is_zero) {
    std::vector<double> got(3, 99.0);
    ordered_sum(0, 3, 2, got.data(), [](Size, double*) {});
    CHECK((got == std::vector<double>{0, 0, 0}));
    ordered_sum(4, 0, 2, got.data(), [](Size, double*) {});
    CHECK((got == std::vector<double>{0, 0, 0}));
}

}  // namespace pellucid::test

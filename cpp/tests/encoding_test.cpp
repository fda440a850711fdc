// Distinct keys, codes and the columns of ones against plain maps and loops, on any number of threads.
#include "core/preprocessing/encoding.hpp"

#include <map>

#include "core/base/check.hpp"
#include "core/base/rng.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

// Keys with few and many levels; `spread` moves what differs into the upper bits, where floats have it.
std::vector<std::int64_t> keys_of(Size n, Size levels, int spread) {
    const Random chance{n, levels};
    std::vector<std::int64_t> keys(n);
    for (Size r = 0; r < n; ++r) keys[r] = static_cast<std::int64_t>((chance.bits(r) % levels) << spread) - 5;
    return keys;
}

}  // namespace

TEST(keys_are_counted_and_encoded_as_a_map_does) {
    for (const Size n : {Size{0}, Size{1}, Size{65'536}, Size{150'001}})
        for (const Size levels : {Size{1}, Size{7}, Size{90'000}})
            for (const int spread : {0, 44})
                for (const int threads : {1, 3}) {
                    const std::vector<std::int64_t> held = keys_of(2 * n, levels, spread);
                    const Keys keys{held.data(), n, 2};
                    std::map<std::int64_t, std::int64_t> want, place;
                    for (Size r = 0; r < n; ++r) {
                        ++want[keys[r]];
                        place.emplace(keys[r], static_cast<std::int64_t>(place.size()));
                    }
                    const CountedKeys found = count_keys(keys, threads);
                    CHECK(found.keys.size() == want.size() && found.counts.size() == want.size());
                    for (Size i = 0; i < found.keys.size(); ++i) {
                        CHECK(want[found.keys[i]] == found.counts[i]);
                        CHECK(place[found.keys[i]] == static_cast<std::int64_t>(i));
                    }
                    const std::span<const std::int64_t> known{found.keys.data(), found.keys.size() / 2};
                    std::vector<std::int32_t> codes(n);
                    encode_keys(keys, known, codes, threads);
                    for (Size r = 0; r < n; ++r) {
                        const std::int64_t at = place[keys[r]];
                        CHECK(codes[r] == (at < static_cast<std::int64_t>(known.size()) ? at : -1));
                    }
                }
}

TEST(ones_stand_where_the_places_say) {
    const Size n = 10'000, cols = 3;
    const std::vector<std::int64_t> first{0, 4, 6};
    const std::vector<std::int32_t> places{-1, 0, -1, 1, 3, 2, -1, 4, 5};  // columns of 3, 1 and 2 categories
    const std::vector<int> levels{4, 2, 3};                                // with the code -1
    const Random chance{1, 2};
    std::vector<std::int32_t> codes(n * cols);
    for (Size j = 0; j < cols; ++j)
        for (Size r = 0; r < n; ++r)
            codes[j * n + r] = static_cast<std::int32_t>(chance.bits(j * n + r) % static_cast<Size>(levels[j])) - 1;
    const OneHotPlan plan{codes, first, places, n};
    std::vector<std::int32_t> want;
    std::vector<std::int64_t> starts{0};
    for (Size r = 0; r < n; ++r) {
        for (Size j = 0; j < cols; ++j)
            if (const std::int32_t place = places[static_cast<Size>(first[j] + codes[j * n + r] + 1)]; place >= 0)
                want.push_back(place);
        starts.push_back(static_cast<std::int64_t>(want.size()));
    }
    for (const int threads : {1, 3}) {
        std::vector<std::int64_t> lengths(n);
        one_hot_lengths(plan, lengths, threads);
        for (Size r = 0; r < n; ++r) CHECK(lengths[r] == starts[r + 1] - starts[r]);
        std::vector<std::int32_t> narrow(want.size());
        std::vector<std::int64_t> wide(want.size());
        one_hot<std::int32_t>(plan, starts, narrow, threads);
        one_hot<std::int64_t>(plan, starts, wide, threads);
        CHECK(narrow == want);
        CHECK(std::equal(wide.begin(), wide.end(), want.begin(), want.end()));
    }
}

}  // namespace pellucid::test

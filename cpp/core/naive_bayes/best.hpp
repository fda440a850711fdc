// From joint logarithms  s_c = ln P(c) + ln P(x | c)  to the best class and to  P(c | x) = e^s_c / sum_k e^s_k.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/views.hpp"

namespace pellucid {

// Place of the largest of n scores, `stride` apart, the first of equals; -1 where none is finite, or one is NaN.
inline std::int32_t best_of(const double* s, Size n, Size stride) {
    double best = -std::numeric_limits<double>::infinity();
    std::int32_t place = -1;
    for (Size c = 0; c < n; ++c) {
        if (std::isnan(s[c * stride])) return -1;
        if (s[c * stride] > best) best = s[c * stride], place = static_cast<std::int32_t>(c);
    }
    return place;
}

inline constexpr Size kBestRows = 4096;

inline void best_classes(std::span<const double> scores, Size classes, std::span<std::int32_t> out, int threads) {
    require(scores.size() == out.size() * classes, "best_classes: scores are rows x classes");
    parallel_for(blocks_of(out.size(), kBestRows), threads, [&](Size b) {
        const Size end = std::min(out.size(), (b + 1) * kBestRows);
        for (Size r = b * kBestRows; r < end; ++r) out[r] = best_of(scores.data() + r * classes, classes, 1);
    });
}

// ln P(c | x) in place of the scores, or P(c | x) itself, with the largest score taken out of the sum. Rows without a
// finite score stay as they are; the answer is how many there are.
inline Size posterior(std::span<double> scores, Size classes, bool logarithm, int threads) {
    const Size rows = classes == 0 ? 0 : scores.size() / classes;
    std::atomic<Size> undecided = 0;
    parallel_for(blocks_of(rows, kBestRows), threads, [&](Size b) {
        const Size end = std::min(rows, (b + 1) * kBestRows);
        for (Size r = b * kBestRows; r < end; ++r) {
            double* s = scores.data() + r * classes;
            const std::int32_t best = best_of(s, classes, 1);
            if (best < 0) {
                ++undecided;
                continue;
            }
            const double top = s[best];
            double sum = 0;
            for (Size c = 0; c < classes; ++c) {
                s[c] -= top;
                const double share = std::exp(s[c]);
                sum += share;
                if (!logarithm) s[c] = share;
            }
            const double log_sum = std::log(sum);
            for (Size c = 0; c < classes; ++c) s[c] = logarithm ? s[c] - log_sum : s[c] / sum;
        }
    });
    return undecided;
}

}  // namespace pellucid

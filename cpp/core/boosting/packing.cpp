#include "core/boosting/packing.hpp"

#include <algorithm>
#include <array>

namespace pellucid::boosting {

void write_words(const Packing& packing, const Slope* of_row, const std::uint32_t* rows, Size first, Size n, Word* to) {
    const double per_gradient = 1 / packing.gradient_step;
    const double per_curvature = packing.constant ? 0 : 1 / packing.curvature_step;
    const auto pack = [&](const Slope* slopes, const std::uint32_t* of, Size from, Size some, Word* words) {
        boost_hot().pack(slopes, of, from, some, per_gradient, per_curvature, &packing.fields, packing.key,
                         packing.counts(), words);
    };
    if (rows == nullptr) return pack(of_row + first, nullptr, first, n, to);
    // Slopes far apart are asked for in time and laid side by side.
    constexpr Size kTogether = 512, kAhead = 32;
    std::array<Slope, kTogether> slopes;
    for (Size begin = 0; begin < n; begin += kTogether) {
        const Size end = std::min(begin + kTogether, n);
        for (Size i = begin; i < end; ++i) {
            __builtin_prefetch(of_row + rows[i + kAhead < n ? i + kAhead : i]);
            slopes[i - begin] = of_row[rows[i]];
        }
        pack(slopes.data(), rows + begin, 0, end - begin, to + begin);
    }
}

void write_words(const Packing&, const Slope* of_row, const std::uint32_t* rows, Size first, Size n, Sums* to) {
    for (Size i = 0; i < n; ++i) {
        const Slope& s = of_row[rows == nullptr ? first + i : Size{rows[i]}];
        to[i] = {static_cast<double>(s.gradient), static_cast<double>(s.curvature), 1};
    }
}

}  // namespace pellucid::boosting

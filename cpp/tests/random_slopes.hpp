// Slopes of rows for tests of boosting.
#pragma once

#include <vector>

#include "core/base/rng.hpp"
#include "core/boosting/packing.hpp"

namespace pellucid::test {

// Gradients from -extent to extent and curvatures from 0 to extent, each of which some row reaches.
inline std::vector<boosting::Slope> random_slopes(Size n, std::uint64_t seed, float gradient = 1,
                                                  float curvature = 0.25F) {
    const Random random{seed, 0};
    std::vector<boosting::Slope> out(n);
    for (Size i = 0; i < n; ++i)
        out[i] = {static_cast<float>((2 * random.uniform(2 * i) - 1) * gradient),
                  static_cast<float>(random.uniform(2 * i + 1) * curvature)};
    out[0] = {gradient, curvature};
    return out;
}

}  // namespace pellucid::test

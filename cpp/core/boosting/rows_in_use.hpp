// The rows that are learned from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid::boosting {

// Of positive weight and not held out, rising; empty: all. At least one.
inline std::vector<std::uint32_t> rows_in_use(Size rows, std::span<const double> weight,
                                              std::span<const std::uint8_t> held) {
    const auto used = [&](Size i) { return (weight.empty() || weight[i] > 0) && (held.empty() || !held[i]); };
    Size count = 0;
    for (Size i = 0; i < rows; ++i) count += used(i);
    require(count > 0, "boosting: no row of positive weight");
    std::vector<std::uint32_t> out;
    if (count == rows) return out;
    out.reserve(count);
    for (Size i = 0; i < rows; ++i)
        if (used(i)) out.push_back(static_cast<std::uint32_t>(i));
    return out;
}

}  // namespace pellucid::boosting

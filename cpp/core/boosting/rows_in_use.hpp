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
    std::vector<std::uint32_t> out;
    for (Size i = 0; i < rows; ++i)
        if ((weight.empty() || weight[i] > 0) && (held.empty() || !held[i]))
            out.push_back(static_cast<std::uint32_t>(i));
    require(!out.empty(), "boosting: no row of positive weight");
    if (out.size() == rows) out.clear();
    return out;
}

}  // namespace pellucid::boosting

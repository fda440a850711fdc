#include "core/boosting/records.hpp"

#include <cstring>

#include "core/base/pool.hpp"

namespace pellucid::boosting {

Records::Records(const std::uint8_t* groups, Size stored, Size rows, int threads)
    : stored_(stored),
      n_groups_((stored + kCodesTogether - 1) / kCodesTogether),
      rows_(rows),
      by_row_(
          large_bytes<std::uint8_t>((n_groups_ <= 2 ? stored : n_groups_ * kCodesTogether) * rows + kCodesTogether)),
      by_column_(large_bytes<std::uint8_t>(stored * rows + kReadBeyond)) {
    constexpr Size kBlock = 1024;
    parallel_for(blocks_of(rows, kBlock), threads,
                 [&](Size b) { write(groups, b * kBlock, std::min((b + 1) * kBlock, rows)); });
}

void Records::write(const std::uint8_t* groups, Size begin, Size end) {
    for (Size g = 0; g < n_groups_; ++g) {
        const std::uint8_t* from = groups + g * kCodesTogether * rows_;
        const GroupCodes to = group(g);
        auto* by_row = const_cast<std::uint8_t*>(to.codes);
        const Size some = std::min(kCodesTogether, to.stride - g % kGroups * kCodesTogether);
        for (Size r = begin; r < end; ++r) std::memcpy(by_row + r * to.stride, from + r * kCodesTogether, some);
        for (Size s = g * kCodesTogether; s < std::min((g + 1) * kCodesTogether, stored_); ++s) {
            std::uint8_t* by_column = by_column_.get() + s * rows_;
            for (Size r = begin; r < end; ++r) by_column[r] = from[r * kCodesTogether + s % kCodesTogether];
        }
    }
}

}  // namespace pellucid::boosting

#include "core/boosting/records.hpp"

#include <cstring>

#include "core/base/pool.hpp"

namespace pellucid::boosting {

Records::Records(const std::uint8_t* groups, Size stored, Size rows, int threads, const std::function<void()>& release)
    : stored_(stored),
      n_groups_((stored + kCodesTogether - 1) / kCodesTogether),
      rows_(rows),
      by_column_(large_bytes<std::uint8_t>(stored * rows + kReadBeyond)) {
    constexpr Size kBlock = 1024;
    const auto blocks = [&](const auto& body) {
        parallel_for(blocks_of(rows, kBlock), threads,
                     [&](Size b) { body(b * kBlock, std::min((b + 1) * kBlock, rows)); });
    };
    blocks([&](Size begin, Size end) { write_columns(groups, begin, end); });
    release();
    by_row_ = large_bytes<std::uint8_t>(stored * rows + kCodesTogether);
    blocks([&](Size begin, Size end) { write_rows(begin, end); });
}

void Records::write_columns(const std::uint8_t* groups, Size begin, Size end) {
    for (Size s = 0; s < stored_; ++s) {
        const std::uint8_t* from = groups + s / kCodesTogether * kCodesTogether * rows_ + s % kCodesTogether;
        std::uint8_t* to = by_column_.get() + s * rows_;
        for (Size r = begin; r < end; ++r) to[r] = from[r * kCodesTogether];
    }
}

void Records::write_rows(Size begin, Size end) {
    for (Size g = 0; g < n_groups_; ++g) {
        const GroupCodes of = group(g);
        auto* to = const_cast<std::uint8_t*>(of.codes);
        const Size first = g * kCodesTogether, some = std::min(kCodesTogether, stored_ - first);
        const Size filled = std::min(kCodesTogether, of.stride - g % kGroups * kCodesTogether);
        for (Size r = begin; r < end; ++r) {
            std::uint8_t eight[kCodesTogether] = {};
            for (Size k = 0; k < some; ++k) eight[k] = column(first + k)[r];
            std::memcpy(to + r * of.stride, eight, filled);
        }
    }
}

}  // namespace pellucid::boosting

#include "core/forest/sample.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::forest {

std::uint64_t seed_of_tree(std::uint64_t forest_seed, Size tree) { return Random{forest_seed, 0}.bits(tree); }

std::vector<std::uint32_t> draw_distinct(Size n, Size count, Random random) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    for (Size k = 0; k < count; ++k) std::swap(all[k], all[k + random.below(k, n - k)]);
    all.resize(count);
    return all;
}

Sampler::Sampler(Size rows, Draw how, Size draws, std::span<const double> weight, std::uint64_t seed)
    : rows_(rows), how_(how), draws_(draws), seed_(seed) {
    require(weight.empty() || weight.size() == rows, "forest sample: weights");
    require(rows > 0 && (how == Draw::all || draws > 0), "forest sample: rows");
    if (weight.empty() || how == Draw::all) return;
    if (how == Draw::replace) {
        upto_.resize(rows);
        std::partial_sum(weight.begin(), weight.end(), upto_.begin());
        require(upto_.back() > 0, "forest sample: no row of positive weight");
        return;
    }
    for (Size i = 0; i < rows; ++i)
        if (weight[i] > 0) usable_.push_back(static_cast<std::uint32_t>(i));
    require(draws <= usable_.size(), "forest sample: draws");
}

void Sampler::draw(Size tree, std::span<std::uint32_t> counts) const {
    require(counts.size() == rows_, "forest sample: counts");
    if (how_ == Draw::all) return std::fill(counts.begin(), counts.end(), 1u);
    std::fill(counts.begin(), counts.end(), 0u);
    const Random random{seed_of_tree(seed_, tree), kSampleStream};
    if (how_ == Draw::distinct) {
        const Size n = usable_.empty() ? rows_ : usable_.size();
        for (const std::uint32_t i : draw_distinct(n, draws_, random)) counts[usable_.empty() ? i : usable_[i]] = 1;
    } else if (upto_.empty()) {
        for (Size k = 0; k < draws_; ++k) ++counts[random.below(k, rows_)];
    } else {
        // The last row of positive weight is the first one whose sum is the whole: rounding leads no further.
        const auto end = std::lower_bound(upto_.begin(), upto_.end(), upto_.back());
        for (Size k = 0; k < draws_; ++k)
            ++counts[static_cast<Size>(std::upper_bound(upto_.begin(), end, random.uniform(k) * upto_.back()) -
                                       upto_.begin())];
    }
}

void Sampler::mark(Size first, Size count, std::span<std::uint64_t> seen, int threads) const {
    require(seen.size() == rows_ && count <= 64, "forest sample: marks");
    std::fill(seen.begin(), seen.end(), 0);
    // Eight trees at a time, one after the other: no two threads write a word at once.
    constexpr Size kTogether = 8;
    std::vector<std::vector<std::uint32_t>> counts(std::min(kTogether, count), std::vector<std::uint32_t>(rows_));
    for (Size from = 0; from < count; from += kTogether) {
        const Size now = std::min(kTogether, count - from);
        parallel_for(now, threads, [&](Size t) { draw(first + from + t, counts[t]); });
        for (Size t = 0; t < now; ++t)
            for (Size i = 0; i < rows_; ++i) seen[i] |= std::uint64_t{counts[t][i] > 0} << (from + t);
    }
}

}  // namespace pellucid::forest

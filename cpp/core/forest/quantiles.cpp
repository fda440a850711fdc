#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/forest/rows.hpp"
#include "core/forest/walk.hpp"

namespace pellucid::forest {
namespace {

// Weights of targets that add up while trees are gone through; only what was touched is swept up again.
class Mixture {
  public:
    explicit Mixture(Size n) : weight_(n, 0.0) {}

    void add(std::span<const std::int32_t> places, std::span<const double> weight) {
        double total = 0;
        for (const std::int32_t k : places) total += weight.empty() ? 1.0 : weight[static_cast<Size>(k)];
        for (const std::int32_t k : places) {
            double& sum = weight_[static_cast<Size>(k)];
            if (sum == 0) touched_.push_back(k);
            sum += (weight.empty() ? 1.0 : weight[static_cast<Size>(k)]) / total;
        }
    }

    // A share is reached where only rounding is missing.
    void answer(std::span<const double> targets, std::span<const double> q, double* out) {
        constexpr double kRounding = 1e-12;
        std::sort(touched_.begin(), touched_.end());
        upto_.clear();
        double sum = 0;
        for (const std::int32_t k : touched_) {
            sum += std::exchange(weight_[static_cast<Size>(k)], 0.0);
            upto_.push_back(sum);
        }
        for (Size i = 0; i < q.size(); ++i) {
            const auto at = std::lower_bound(upto_.begin(), upto_.end() - 1, q[i] * sum * (1 - kRounding));
            out[i] = targets[static_cast<Size>(touched_[static_cast<Size>(at - upto_.begin())])];
        }
        touched_.clear();
    }

  private:
    std::vector<double> weight_, upto_;
    std::vector<std::int32_t> touched_;
};

}  // namespace

LeafTargets leaf_targets(const ForestView& forest, const Matrix& X, std::span<const std::int32_t> order,
                         const Sampler& sampler, int threads) {
    const Size n = rows_of(X), cols = cols_of(X), size = rows_of_block(n, cols);
    require(cols == forest.cols && order.size() == n && sampler.rows() == n, "forest targets: sizes");
    const Walker walker(forest);
    std::vector<std::vector<std::int32_t>> places(forest.trees());
    LeafTargets out;
    out.start.assign(static_cast<Size>(forest.leaf_start.back()) + 1, 0);
    parallel_for(forest.trees(), threads, [&](Size t) {
        std::vector<std::uint32_t> counts(n), leaf(n);
        sampler.draw(t, counts);
        Tile tile(cols);
        for (Size begin = 0; begin < n; begin += size) {
            const Size rows = std::min(size, n - begin);
            tile.load(X, begin, rows);
            walker.each(t, tile, up_to(rows), [&](std::uint32_t r, std::int32_t, Size number) {
                leaf[begin + r] = static_cast<std::uint32_t>(number);
            });
        }
        // Sizes of the leaves of this tree, then where each begins within it.
        const Size leaves = static_cast<Size>(forest.leaf_start[t + 1] - forest.leaf_start[t]);
        std::vector<std::int64_t> next(leaves + 1, 0);
        for (Size i = 0; i < n; ++i) next[leaf[i] + 1] += counts[i];
        for (Size k = 0; k < leaves; ++k) out.start[static_cast<Size>(forest.leaf_start[t]) + k + 1] = next[k + 1];
        for (Size k = 0; k < leaves; ++k) next[k + 1] += next[k];
        places[t].resize(static_cast<Size>(next[leaves]));
        for (Size k = 0; k < n; ++k) {
            const auto row = static_cast<Size>(order[k]);
            for (std::uint32_t c = 0; c < counts[row]; ++c)
                places[t][static_cast<Size>(next[leaf[row]]++)] = static_cast<std::int32_t>(k);
        }
    });
    for (Size k = 1; k < out.start.size(); ++k) out.start[k] += out.start[k - 1];
    out.place.reserve(static_cast<Size>(out.start.back()));
    for (auto& own : places) {
        out.place.insert(out.place.end(), own.begin(), own.end());
        own = {};
    }
    return out;
}

void quantiles(const ForestView& forest, const Matrix& X, std::span<const std::int64_t> start,
               std::span<const std::int32_t> place, std::span<const double> targets, std::span<const double> weight,
               std::span<const double> q, std::span<double> out, int threads) {
    const Size n = rows_of(X), trees = forest.trees();
    require(cols_of(X) == forest.cols && out.size() == n * q.size(), "forest quantiles: sizes");
    require(start.size() == static_cast<Size>(forest.leaf_start.back()) + 1 && start.front() == 0 &&
                start.back() == static_cast<std::int64_t>(place.size()) && std::is_sorted(start.begin(), start.end()) &&
                (weight.empty() || weight.size() == targets.size()),
            "forest quantiles: targets");
    require(std::all_of(place.begin(), place.end(),
                        [&](std::int32_t k) { return k >= 0 && static_cast<Size>(k) < targets.size(); }),
            "forest quantiles: places");
    constexpr Size kRows = 512;
    parallel_for(blocks_of(n, kRows), threads, [&](Size b) {
        const Size begin = b * kRows, rows = std::min(kRows, n - begin);
        std::vector<Size> at(rows * trees);
        Tile tile(forest.cols);
        tile.load(X, begin, rows);
        const Walker walker(forest);
        for (Size t = 0; t < trees; ++t)
            walker.each(t, tile, up_to(rows),
                        [&](std::uint32_t r, std::int32_t, Size leaf) { at[r * trees + t] = leaf; });
        Mixture mixture(targets.size());
        for (Size r = 0; r < rows; ++r) {
            for (Size t = 0; t < trees; ++t) {
                const Size leaf = static_cast<Size>(forest.leaf_start[t]) + at[r * trees + t];
                mixture.add(
                    place.subspan(static_cast<Size>(start[leaf]), static_cast<Size>(start[leaf + 1] - start[leaf])),
                    weight);
            }
            mixture.answer(targets, q, out.data() + (begin + r) * q.size());
        }
    });
}

}  // namespace pellucid::forest

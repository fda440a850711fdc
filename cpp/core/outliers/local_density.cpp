#include "core/outliers/local_density.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsABlock = 2048;

// out[a] = f(a, mean over the neighbors of part(place))
template <class Part, class Finish>
void means(const NeighborLists& lists, std::span<double> out, int threads, const Part& part, const Finish& finish) {
    const Size n = lists.count();
    require(out.size() == n, "local density: sizes");
    parallel_for(blocks_of(n, kRowsABlock), threads, [&](Size block) {
        for (Size a = block * kRowsABlock; a < std::min(n, (block + 1) * kRowsABlock); ++a) {
            const auto begin = static_cast<Size>(lists.starts[a]), end = static_cast<Size>(lists.starts[a + 1]);
            double sum = 0;
            for (Size at = begin; at < end; ++at) sum += part(at);
            out[a] = finish(a, sum / static_cast<double>(end - begin));
        }
    });
}

}  // namespace

void local_densities(const NeighborLists& lists, std::span<const double> k_distance, double least,
                     std::span<double> out, int threads) {
    means(
        lists, out, threads,
        [&](Size at) { return std::max(k_distance[static_cast<Size>(lists.rows[at])], lists.distances[at]); },
        [&](Size, double mean) { return 1.0 / std::max(mean, least); });
}

void outlier_factors(const NeighborLists& lists, std::span<const double> own, std::span<const double> fitted,
                     std::span<double> out, int threads) {
    means(
        lists, out, threads, [&](Size at) { return fitted[static_cast<Size>(lists.rows[at])]; },
        [&](Size a, double mean) { return mean / own[a]; });
}

}  // namespace pellucid

#include "core/boosting/predict.hpp"

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/forest/rows.hpp"

namespace pellucid::boosting {

void add_scores(const forest::ForestView& forest, Size outputs, Size first, Size last, const Matrix& X,
                std::span<double> out, int threads) {
    const Size n = rows_of(X), cols = cols_of(X), width = forest.width;
    require(out.size() == n * outputs && cols == forest.cols && last <= forest.trees(), "boosted trees: sizes");
    require(width == 1 || width == outputs, "boosted trees: outputs");
    const forest::Walker walker(forest);
    const Size size = forest::rows_of_block(n, cols);
    parallel_for(blocks_of(n, size), threads, [&](Size b) {
        const Size begin = b * size, count = std::min(size, n - begin);
        forest::Tile tile(cols);
        tile.load(X, begin, count);
        const std::vector<std::uint32_t> which = forest::up_to(count);
        for (Size t = first; t < last; ++t) {
            const double* answers = forest.answers(t);
            double* to = out.data() + begin * outputs + (width == 1 ? t % outputs : 0);
            if (width == 1)
                walker.each(t, tile, which,
                            [&](std::uint32_t r, std::int32_t, Size leaf) { to[r * outputs] += answers[leaf]; });
            else
                walker.each(t, tile, which, [&](std::uint32_t r, std::int32_t, Size leaf) {
                    for (Size k = 0; k < width; ++k) to[r * outputs + k] += answers[leaf * width + k];
                });
            check_interrupt();
        }
    });
}

}  // namespace pellucid::boosting

#include "core/forest/walk.hpp"

#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/forest/answers.hpp"
#include "core/forest/rows.hpp"

namespace pellucid::forest {
namespace {

// f(begin, tile, which) for blocks of rows.
template <class F>
void for_blocks(const Matrix& X, int threads, const F& f) {
    const Size n = rows_of(X), cols = cols_of(X), size = rows_of_block(n, cols);
    parallel_for(blocks_of(n, size), threads, [&](Size b) {
        const Size begin = b * size, count = std::min(size, n - begin);
        Tile tile(cols);
        tile.load(X, begin, count);
        const std::vector<std::uint32_t> which = up_to(count);
        f(begin, tile, std::span<const std::uint32_t>(which));
    });
}

template <class Answer>
void add_up(const ForestView& forest, const Matrix& X, const Answer& answer, std::span<double> out, int threads) {
    const Walker walker(forest);
    for_blocks(X, threads, [&](Size begin, const Tile& tile, std::span<const std::uint32_t> which) {
        double* block = out.data() + begin * forest.width;
        std::fill_n(block, which.size() * forest.width, 0.0);
        for (Size t = 0; t < forest.trees(); ++t) {
            const double* answers = forest.answers(t);
            walker.each(t, tile, which, [&](std::uint32_t r, std::int32_t, Size leaf) {
                answer.add(answers + leaf * forest.width, block + r * forest.width);
            });
            check_interrupt();
        }
        const auto trees = static_cast<double>(forest.trees());
        for (Size i = 0; i < which.size() * forest.width; ++i) block[i] /= trees;
    });
}

}  // namespace

void predict(const ForestView& forest, const Matrix& X, std::span<const std::int32_t> n_classes, std::span<double> out,
             int threads) {
    require(out.size() == rows_of(X) * forest.width && cols_of(X) == forest.cols, "forest predict: sizes");
    with_answers(n_classes, forest.width, [&](const auto& answer) { add_up(forest, X, answer, out, threads); });
}

void apply(const ForestView& forest, const Matrix& X, std::span<std::int32_t> out, int threads) {
    const Size trees = forest.trees();
    require(out.size() == rows_of(X) * trees && cols_of(X) == forest.cols, "forest apply: sizes");
    const Walker walker(forest);
    for_blocks(X, threads, [&](Size begin, const Tile& tile, std::span<const std::uint32_t> which) {
        for (Size t = 0; t < trees; ++t)
            walker.each(t, tile, which,
                        [&](std::uint32_t r, std::int32_t at, Size) { out[(begin + r) * trees + t] = at; });
    });
}

}  // namespace pellucid::forest

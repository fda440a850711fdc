#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/forest/answers.hpp"
#include "core/forest/rows.hpp"
#include "core/forest/walk.hpp"

namespace pellucid::forest {
namespace {

constexpr Size kBatch = 64;  // trees whose samples are known at a time: a bit a row each

double weight_of(const Seen& seen, Size row) { return seen.weight.empty() ? 1.0 : seen.weight[row]; }

void check(const ForestView& forest, const Seen& seen, const Sampler& sampler) {
    const Size n = rows_of(*seen.X);
    require(cols_of(*seen.X) == forest.cols && sampler.rows() == n, "forest: rows or columns");
    require(seen.y.size() == n * seen.outputs && (seen.weight.empty() || seen.weight.size() == n), "forest: targets");
    require(seen.n_classes.empty() ? seen.outputs == forest.width : seen.outputs == seen.n_classes.size(),
            "forest: outputs");
}

// Sums over trees as they are added, of one block of rows.
template <class Answer>
struct Running {
    const ForestView& forest;
    const Seen& seen;
    const Answer& answer;
    Size begin;
    double* sums;           // of the block
    std::int64_t* answers;  // of the block
    std::vector<double> losses;

    // Those rows of the block that tree t has not seen.
    void add(const Walker& walker, Size t, const Tile& tile, std::span<const std::uint32_t> which) {
        const double* leaves = forest.answers(t);
        walker.each(t, tile, which, [&](std::uint32_t r, std::int32_t, Size leaf) {
            double* own = sums + r * forest.width;
            answer.add(leaves + leaf * forest.width, own);
            ++answers[r];
            losses[r] = answer.loss(own, static_cast<double>(answers[r]), seen.y.data() + (begin + r) * seen.outputs);
        });
    }
    void total(double& loss, double& weight) const {
        for (Size r = 0; r < losses.size(); ++r) {
            if (answers[r] == 0) continue;
            loss += losses[r] * weight_of(seen, begin + r);
            weight += weight_of(seen, begin + r);
        }
    }
};

template <class Answer>
void run(const ForestView& forest, const Seen& seen, const Sampler& sampler, const Answer& answer, OutOfBag& out,
         int threads) {
    const Size n = rows_of(*seen.X), cols = forest.cols, trees = forest.trees(), size = rows_of_block(n, cols);
    const Size blocks = blocks_of(n, size);
    std::vector<std::uint64_t> marks(n);
    std::vector<double> losses(n, 0.0), block_loss(blocks * trees, 0.0), block_weight(blocks * trees, 0.0);
    const Walker walker(forest);
    for (Size first = 0; first < trees; first += kBatch) {
        const Size count = std::min(kBatch, trees - first);
        sampler.mark(first, count, marks, threads);
        parallel_for(blocks, threads, [&](Size b) {
            const Size begin = b * size, rows = std::min(size, n - begin);
            Tile tile(cols);
            tile.load(*seen.X, begin, rows);
            Running<Answer> running{
                forest, seen, answer, begin, out.mean.data() + begin * forest.width, out.answers.data() + begin, {}};
            running.losses.assign(losses.begin() + static_cast<std::ptrdiff_t>(begin),
                                  losses.begin() + static_cast<std::ptrdiff_t>(begin + rows));
            std::vector<std::uint32_t> which;
            for (Size t = 0; t < count; ++t) {
                which.clear();
                for (Size r = 0; r < rows; ++r)
                    if ((marks[begin + r] >> t & 1) == 0) which.push_back(static_cast<std::uint32_t>(r));
                running.add(walker, first + t, tile, which);
                running.total(block_loss[b * trees + first + t], block_weight[b * trees + first + t]);
                check_interrupt();
            }
            std::copy(running.losses.begin(), running.losses.end(),
                      losses.begin() + static_cast<std::ptrdiff_t>(begin));
        });
    }
    for (Size b = 0; b < blocks; ++b)
        for (Size t = 0; t < trees; ++t) {
            out.loss[t] += block_loss[b * trees + t];
            out.weight[t] += block_weight[b * trees + t];
        }
}

// ----------------------------------------------------------------------------------------------------------- shuffled

template <class Answer>
class Shuffling {
  public:
    Shuffling(const ForestView& forest, const Seen& seen, const Answer& answer)
        : forest_(forest), seen_(seen), answer_(answer), walker_(forest) {}

    void tree(Size t, std::span<const std::uint32_t> rows, const Random& random, double* out) const {
        Tile tile(forest_.cols);
        tile.load(*seen_.X, rows);
        const std::vector<std::uint32_t> which = up_to(rows.size());
        const double before = loss(t, tile, rows, which);
        std::vector<double> column(rows.size());
        for (const Size j : asked(t)) {
            check_interrupt();
            for (Size r = 0; r < rows.size(); ++r) column[r] = tile.row(r)[j];
            std::vector<double> shuffled = column;
            for (Size k = rows.size(); k > 1; --k)
                std::swap(shuffled[k - 1], shuffled[random.below((std::uint64_t{j} << 32) + k, k)]);
            for (Size r = 0; r < rows.size(); ++r) tile.set(r, j, shuffled[r]);
            out[j] = loss(t, tile, rows, which) - before;
            for (Size r = 0; r < rows.size(); ++r) tile.set(r, j, column[r]);
        }
    }

  private:
    std::vector<Size> asked(Size t) const {
        std::vector<bool> met(forest_.cols);
        std::vector<Size> out;
        for (Size i = 0; i < forest_.count(t); ++i) {
            const Node& node = forest_.tree(t)[i];
            if (node.first == static_cast<std::int32_t>(i) || met[node.asked()]) continue;
            met[node.asked()] = true;
            out.push_back(node.asked());
        }
        return out;
    }
    double loss(Size t, const Tile& tile, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> which) const {
        const double* leaves = forest_.answers(t);
        std::vector<double> sums(forest_.width);
        double loss = 0, weight = 0;
        walker_.each(t, tile, which, [&](std::uint32_t r, std::int32_t, Size leaf) {
            std::fill(sums.begin(), sums.end(), 0.0);
            answer_.add(leaves + leaf * forest_.width, sums.data());
            const double w = weight_of(seen_, rows[r]);
            loss += w * answer_.loss(sums.data(), 1.0, seen_.y.data() + Size{rows[r]} * seen_.outputs);
            weight += w;
        });
        return weight > 0 ? loss / weight : 0.0;
    }

    const ForestView& forest_;
    const Seen& seen_;
    const Answer& answer_;
    Walker walker_;
};

}  // namespace

OutOfBag out_of_bag(const ForestView& forest, const Seen& seen, const Sampler& sampler, int threads) {
    check(forest, seen, sampler);
    const Size n = rows_of(*seen.X);
    OutOfBag out;
    out.mean.assign(n * forest.width, 0.0);
    out.answers.assign(n, 0);
    out.loss.assign(forest.trees(), 0.0);
    out.weight.assign(forest.trees(), 0.0);
    with_answers(seen.n_classes, forest.width,
                 [&](const auto& answer) { run(forest, seen, sampler, answer, out, threads); });
    for (Size r = 0; r < n; ++r)
        for (Size c = 0; c < forest.width; ++c)
            out.mean[r * forest.width + c] = out.answers[r] > 0
                                                 ? out.mean[r * forest.width + c] / static_cast<double>(out.answers[r])
                                                 : std::numeric_limits<double>::quiet_NaN();
    return out;
}

std::vector<double> shuffled_losses(const ForestView& forest, const Seen& seen, const Sampler& sampler,
                                    std::uint64_t seed, int threads) {
    check(forest, seen, sampler);
    const Size n = rows_of(*seen.X);
    std::vector<double> out(forest.trees() * forest.cols, 0.0);
    with_answers(seen.n_classes, forest.width, [&](const auto& answer) {
        const Shuffling shuffling(forest, seen, answer);
        parallel_for(forest.trees(), threads, [&](Size t) {
            std::vector<std::uint32_t> counts(n), rows;
            sampler.draw(t, counts);
            for (Size i = 0; i < n; ++i)
                if (counts[i] == 0 && weight_of(seen, i) > 0) rows.push_back(static_cast<std::uint32_t>(i));
            if (!rows.empty()) shuffling.tree(t, rows, Random{seed, t}, out.data() + t * forest.cols);
        });
    });
    return out;
}

}  // namespace pellucid::forest

// Forests: samples are pure functions of the seed, packed trees are the trees that were grown, and every way to walk
// them agrees with a plain loop.
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/forest/grow.hpp"
#include "core/forest/walk.hpp"
#include "core/tree/predict.hpp"
#include "core/tree/view.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::forest;

constexpr Size kRows = 700, kCols = 5, kTrees = 9;

struct Problem {
    std::vector<double> X, y;
    std::vector<std::int32_t> kinds = {0, 0, 0, 4, 0}, classes = {3};
    std::unique_ptr<tree::Columns> columns;
    Growing growing;

    explicit Problem(double scale, bool missing, bool numbers = false) : X(kRows * kCols), y(kRows) {
        const Random random{7, 1};
        for (Size i = 0; i < X.size(); ++i) X[i] = (1 + std::floor(40 * random.uniform(i)) * 0x1p-30) * scale;
        for (Size i = 0; i < kRows; ++i) {
            X[i * kCols + 3] = std::floor(4 * random.uniform(10000 + i));
            if (missing && i % 11 == 0) X[i * kCols + i % kCols] = std::numeric_limits<double>::quiet_NaN();
            const double score = X[i * kCols] / scale - 1 + 0x1p-26 * X[i * kCols + 3] * random.uniform(20000 + i);
            y[i] = numbers ? score * 0x1p30 : std::min(2.0, std::floor(score * 0x1p30 / 15));
        }
        columns = std::make_unique<tree::Columns>(matrix(), kinds);
        columns->make_ranks(1);
        growing.problem.columns = columns.get();
        growing.problem.y = y;
        if (!numbers) growing.problem.n_classes = classes;
        growing.problem.settings.criterion = numbers ? tree::Measure::squared_error : tree::Measure::gini;
        growing.problem.settings.max_features = 2;
        growing.problem.seed = 3;
        growing.draws = kRows;
        growing.count = kTrees;
    }
    Matrix matrix() const { return Dense<double>{X.data(), kRows, kCols, kCols, 1}; }
};

std::vector<std::uint32_t> counts_of(const Sampler& sampler, Size tree) {
    std::vector<std::uint32_t> counts(sampler.rows());
    sampler.draw(tree, counts);
    return counts;
}

}  // namespace

TEST(samples_hang_on_seed_and_tree_alone) {
    const Sampler sampler(1000, Draw::replace, 1000, {}, 5), same(1000, Draw::replace, 1000, {}, 5);
    const auto counts = counts_of(sampler, 4);
    CHECK(counts == counts_of(same, 4));
    CHECK(counts != counts_of(same, 5));
    CHECK(std::accumulate(counts.begin(), counts.end(), 0u) == 1000);
    std::vector<std::uint64_t> seen(1000);
    for (const int threads : {1, 3}) {
        sampler.mark(2, 20, seen, threads);
        for (Size t = 0; t < 20; ++t) {
            const auto own = counts_of(sampler, 2 + t);
            for (Size i = 0; i < 1000; ++i) CHECK((seen[i] >> t & 1) == (own[i] > 0));
        }
    }
}

TEST(rows_without_weight_are_never_drawn) {
    std::vector<double> weight(100, 1e-300);
    for (Size i = 0; i < 100; i += 3) weight[i] = 0;
    for (const Draw how : {Draw::replace, Draw::distinct}) {
        const Sampler sampler(100, how, 60, weight, 1);
        for (Size t = 0; t < 50; ++t) {
            const auto counts = counts_of(sampler, t);
            CHECK(std::accumulate(counts.begin(), counts.end(), 0u) == 60);
            for (Size i = 0; i < 100; i += 3) CHECK(counts[i] == 0);
            if (how == Draw::distinct) CHECK(*std::max_element(counts.begin(), counts.end()) == 1);
        }
    }
}

TEST(packed_trees_answer_as_the_trees_that_were_grown) {
    for (const double scale : {1.0, 1e200, 1e-200, -1.0})
        for (const bool missing : {false, true})
            for (const bool numbers : {false, true}) {
                where = std::to_string(scale) + (missing ? " missing" : "") + (numbers ? " numbers" : "");
                Problem p(scale, missing, numbers);
                Forest grown = grow_forest(p.growing);
                ForestView view = view_of(grown, kCols);
                CHECK(fault_of(view) == nullptr);
                Kind kind;
                kind.n_classes = p.growing.problem.n_classes;
                kind.criterion = p.growing.problem.settings.criterion;
                std::vector<double> sum(kRows * view.width, 0.0), one(kRows * view.width), found(sum.size());
                const std::vector<std::int64_t> sizes(kind.n_classes.begin(), kind.n_classes.end());
                for (Size t = 0; t < kTrees; ++t) {
                    const tree::Nodes nodes = unpack(view, view_of(grown.figures), kind, t);
                    CHECK(tree::fault_of(tree::view_of(nodes), kCols) == nullptr);
                    tree::answer(tree::view_of(nodes), p.matrix(), sizes, one, 1);
                    for (Size i = 0; i < sum.size(); ++i) sum[i] += one[i];
                }
                for (double& s : sum) s /= kTrees;
                const auto quick = quicken(view, 1);
                for (const bool quickly : {false, true}) {
                    view.quick = quickly ? std::span<const QuickNode>(quick) : std::span<const QuickNode>{};
                    for (const int threads : {1, 3}) {
                        predict(view, p.matrix(), kind.n_classes, found, threads);
                        CHECK(same_bits(found, sum));
                    }
                }
            }
    where.clear();
}

TEST(numbers_only_forests_are_walked_in_eight_bytes_a_node) {
    for (const double scale : {1.0, 1e300, -1e-300})
        for (const bool missing : {false, true}) {
            Problem p(scale, missing);
            p.kinds = {0, 0, 0, 0, 0};
            p.columns = std::make_unique<tree::Columns>(p.matrix(), p.kinds);
            p.columns->make_ranks(1);
            p.growing.problem.columns = p.columns.get();
            const Forest grown = grow_forest(p.growing);
            ForestView view = view_of(grown, kCols);
            const auto quick = quicken(view, 2);
            CHECK(quick.size() == view.nodes.size());
            std::vector<double> plain(kRows * 3), found(kRows * 3);
            predict(view, p.matrix(), p.classes, plain, 1);
            view.quick = quick;
            predict(view, p.matrix(), p.classes, found, 2);
            CHECK(same_bits(plain, found));
        }
}

TEST(singles_rounded_down_are_not_above) {
    const double values[] = {0.0,   -0.0,   1.0,        0.1,        -0.1,
                             1e300, -1e300, 1e-310,     -1e-310,    3.4028234663852886e38,
                             1e38,  -1e38,  16777217.0, -16777217.0};
    for (const double x : values) {
        const float low = rounded_down(x);
        CHECK(static_cast<double>(low) <= x);
        if (std::abs(x) < 3e38) CHECK(static_cast<double>(std::nextafter(low, HUGE_VALF)) > x);
    }
    CHECK(std::isnan(rounded_down(std::numeric_limits<double>::quiet_NaN())));
}

TEST(the_same_forest_on_any_number_of_threads) {
    Problem p(1.0, true);
    const Forest one = grow_forest(p.growing);
    p.growing.problem.threads = 3;
    const Forest three = grow_forest(p.growing);
    CHECK(one.tree_start == three.tree_start);
    CHECK(same_bits(one.leaf_value, three.leaf_value));
    CHECK(one.words == three.words);
    p.growing.first = 4;
    p.growing.count = 2;
    const Forest part = grow_forest(p.growing);
    CHECK(part.tree_start.back() == one.tree_start[6] - one.tree_start[4]);
}

}  // namespace pellucid::test

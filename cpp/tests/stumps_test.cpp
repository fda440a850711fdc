#include "core/ensemble/stumps.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/rng.hpp"
#include "core/tree/problem.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using ensemble::Ending;
using ensemble::StumpProblem;
using ensemble::Stumps;

constexpr Size kRows = 700, kCols = 5;

// Numbers with ties, one column of codes 0 .. 3, gaps in column 2 where asked for.
struct Data {
    std::vector<double> x, weight;
    std::vector<std::int32_t> codes, n_categories;
    Size classes;

    Data(Size classes, bool gaps) : classes(classes) {
        const Random chance{7, classes};
        n_categories = {0, 0, 0, 4, 0};
        for (Size i = 0; i < kRows; ++i) {
            for (Size j = 0; j < kCols; ++j) {
                const Size at = i * kCols + j;
                double value = j == 1 ? static_cast<double>(chance.below(at, 9)) : chance.uniform(at);
                if (j == 3) value = static_cast<double>(chance.below(at, 4));
                if (gaps && j == 2 && chance.below(90000 + at, 5) == 0)
                    value = std::numeric_limits<double>::quiet_NaN();
                x.push_back(value);
            }
            const bool clear = chance.below(200000 + i, 3) > 0;
            codes.push_back(
                static_cast<std::int32_t>(clear ? static_cast<Size>(x[i * kCols] * static_cast<double>(classes))
                                                : chance.below(300000 + i, classes)));
            weight.push_back(i % 50 == 3 ? 0.0 : 0.5 + chance.uniform(400000 + i));
        }
    }
    Matrix matrix() const { return Dense<double>{x.data(), kRows, kCols, kCols, 1}; }
    StumpProblem problem(Size rounds, int threads) const {
        StumpProblem p;
        p.X = matrix();
        p.n_categories = n_categories;
        p.codes = codes;
        p.classes = classes;
        p.weight = weight;
        p.rounds = rounds;
        p.record = true;
        p.threads = threads;
        return p;
    }
};

// The tree engine's own stump under the weights of a round.
tree::Nodes stump_of(const Data& data, tree::Columns& columns, const double* weight) {
    const std::vector<double> y(data.codes.begin(), data.codes.end());
    const std::vector<std::int32_t> n_classes{static_cast<std::int32_t>(data.classes)};
    tree::Problem problem;
    problem.columns = &columns;
    problem.y = y;
    problem.n_classes = n_classes;
    problem.weight = {weight, kRows};
    problem.settings.max_depth = 1;
    return tree::grow_tree(problem);
}

TEST(stumps_are_those_of_the_tree_engine_and_weights_follow_the_formulas) {
    for (const Size classes : {Size{2}, Size{3}})
        for (const bool gaps : {false, true}) {
            const Data data(classes, gaps);
            const Stumps found = ensemble::boost_stumps(data.problem(6, 1));
            CHECK(found.count() == 6 && found.ending == Ending::rounds);
            tree::Columns columns(data.matrix(), data.n_categories);
            columns.make_ranks(1);
            for (Size t = 0; t < found.count(); ++t) {
                const double* weight = found.row_weight.data() + t * kRows;
                const tree::Nodes nodes = stump_of(data, columns, weight);
                CHECK(nodes.feature[0] == found.feature[t]);
                CHECK(nodes.test[0] == found.test[t]);
                CHECK(nodes.threshold[0] == found.threshold[t] || std::isnan(found.threshold[t]));
                for (Size node = 0; node < 3; ++node) {
                    CHECK(nodes.n_rows[node] == found.n_rows[3 * t + node]);
                    CHECK(nodes.impurity[node] == found.impurity[3 * t + node]);
                    for (Size k = 0; k < classes; ++k)
                        CHECK(nodes.value[node * classes + k] == found.value[(3 * t + node) * classes + k]);
                }
            }
        }
}

TEST(stump_weights_follow_the_formulas) {
    Data data(2, false);
    data.n_categories[3] = 0;  // its codes as numbers: every test is a cut
    const Stumps found = ensemble::boost_stumps(data.problem(5, 1));
    for (Size t = 0; t < found.count(); ++t) {
        const double *weight = found.row_weight.data() + t * kRows, *value = found.value.data() + 6 * t;
        std::vector<double> next(kRows);
        double wrong = 0, sum = 0, total = 0;
        for (Size i = 0; i < kRows; ++i) {
            const bool left = data.x[i * kCols + static_cast<Size>(found.feature[t])] <= found.threshold[t];
            const double* leaf = value + (left ? 2 : 4);
            const bool is_wrong = (leaf[1] > leaf[0] ? 1 : 0) != data.codes[i];
            sum += weight[i];
            wrong += is_wrong ? weight[i] : 0;
            next[i] = weight[i] * (is_wrong ? std::exp(found.stage[t]) : 1);
            total += next[i];
        }
        CHECK(std::abs(found.error[t] - wrong / sum) < 1e-14);
        CHECK(std::abs(found.stage[t] - std::log((sum - wrong) / wrong)) < 1e-12);
        for (Size i = 0; i < kRows && t + 1 < found.count(); ++i)
            CHECK(std::abs(next[i] / total - weight[kRows + i]) < 1e-14);
    }
}

TEST(stumps_are_the_same_on_any_number_of_threads) {
    const Data data(2, true);
    const Stumps one = ensemble::boost_stumps(data.problem(8, 1));
    for (const int threads : {2, 3}) {
        const Stumps other = ensemble::boost_stumps(data.problem(8, threads));
        CHECK(one.feature == other.feature && one.error == other.error && one.value == other.value);
        CHECK(one.row_weight == other.row_weight);
    }
}

TEST(stumps_end_where_one_is_perfect_or_none_is_better_than_chance) {
    const std::vector<double> x{1, 2, 3, 4}, flat{5, 5, 5, 5}, weight{1, 1, 1, 1};
    const std::vector<std::int32_t> numbers{0}, parted{0, 0, 1, 1}, mixed{0, 1, 0, 1};
    StumpProblem p;
    p.X = Dense<double>{x.data(), 4, 1, 1, 1};
    p.n_categories = numbers;
    p.codes = parted;
    p.weight = weight;
    const Stumps perfect = ensemble::boost_stumps(p);
    CHECK(perfect.ending == Ending::perfect && perfect.count() == 1 && perfect.error[0] == 0);
    CHECK(perfect.threshold[0] == 2.5);
    p.X = Dense<double>{flat.data(), 4, 1, 1, 1};
    p.codes = mixed;
    const Stumps none = ensemble::boost_stumps(p);
    CHECK(none.ending == Ending::chance && none.count() == 0 && none.error[0] == 0.5);
}

TEST(stump_votes_are_a_plain_sum) {
    const Data data(3, true);
    const std::vector<std::int32_t> feature{0, 2, 2, -1}, left{0, 1, 2, 1}, right{2, 0, 2, 0};
    const std::vector<double> threshold{0.4, 0.5, 0.1, 0.0}, stage{0.3, 1.7, 0.9, 0.2};
    const std::vector<std::uint8_t> missing_left{0, 1, 0, 0};
    const ensemble::StumpVotes stumps{feature, threshold, missing_left, left, right, stage};
    for (const int threads : {1, 2}) {
        std::vector<double> votes(3 * kRows, 0.0);
        ensemble::add_stump_votes(data.matrix(), stumps, votes, threads);
        for (Size i = 0; i < kRows; ++i) {
            std::vector<double> wanted(3, 0.0);
            for (Size t = 0; t < 4; ++t) {
                const double value = feature[t] < 0 ? 0 : data.x[i * kCols + static_cast<Size>(feature[t])];
                const bool goes_left =
                    feature[t] < 0 || (std::isnan(value) ? missing_left[t] != 0 : value <= threshold[t]);
                wanted[static_cast<Size>(goes_left ? left[t] : right[t])] += stage[t];
            }
            for (Size k = 0; k < 3; ++k) CHECK(votes[k * kRows + i] == wanted[k]);
        }
    }
}

}  // namespace
}  // namespace pellucid::test

// Surrogate splits against plain loops: the split judged by rows with a value, the stand-ins, and where rows go.
#include <algorithm>
#include <cmath>

#include "core/base/rng.hpp"
#include "core/tree/problem.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace tree;

struct Data {
    Size n = 60, p = 4;
    std::vector<double> x, y, weight;  // x row by row
    Settings settings;

    explicit Data(std::uint64_t seed, bool weighted) {
        const Random chance{seed, 1};
        for (Size i = 0; i < n; ++i) {
            const double base = static_cast<double>(chance.below(i, 12));
            for (Size j = 0; j < p; ++j) {
                const double noise = static_cast<double>(chance.below(1000 + i * p + j, 5));
                const double value = j == 0 ? base : j == 1 ? 20 - base + noise : j == 2 ? base + noise : noise;
                x.push_back(chance.below(9000 + i * p + j, 5) == 0 ? std::nan("") : value);
            }
            y.push_back(base > 5 ? 3 + static_cast<double>(chance.below(5000 + i, 3)) : static_cast<double>(i % 3));
            if (weighted) weight.push_back(static_cast<double>(1 + chance.below(7000 + i, 3)));
        }
        settings.criterion = Measure::squared_error;
        settings.surrogates = 2;
        settings.min_rows_leaf = 3;
    }
    double at(Size i, Size j) const { return x[i * p + j]; }
    double w(Size i) const { return weight.empty() ? 1.0 : weight[i]; }
    Nodes grow(int threads) const {
        const std::vector<std::int32_t> numbers(p, 0);
        Columns columns(Matrix(Dense<double>{x.data(), n, p, static_cast<std::ptrdiff_t>(p), 1}), numbers);
        columns.make_ranks(threads);
        Problem problem;
        problem.columns = &columns;
        problem.y = y;
        problem.weight = weight;
        problem.settings = settings;
        problem.threads = threads;
        return grow_tree(problem);
    }
};

using Set = std::vector<Size>;

double scatter(const Data& d, const Set& rows) {
    double w = 0, sum = 0, out = 0;
    for (const Size i : rows) w += d.w(i), sum += d.w(i) * d.y[i];
    for (const Size i : rows) out += d.w(i) * (d.y[i] - sum / w) * (d.y[i] - sum / w);
    return out;
}

double gain(const Data& d, const Set& rows, Size column, double threshold) {
    Set all, left, right;
    for (const Size i : rows) {
        if (std::isnan(d.at(i, column))) continue;
        all.push_back(i);
        (d.at(i, column) <= threshold ? left : right).push_back(i);
    }
    if (left.size() < d.settings.min_rows_leaf || right.size() < d.settings.min_rows_leaf) return -1;
    return scatter(d, all) - scatter(d, left) - scatter(d, right);
}

double best_gain(const Data& d, const Set& rows) {
    double best = -1;
    for (Size j = 0; j < d.p; ++j)
        for (const Size i : rows)
            if (!std::isnan(d.at(i, j))) best = std::max(best, gain(d, rows, j, d.at(i, j)));
    return best;
}

// Weight sent the same way by x <= threshold (reversed: by its contrary) as by the split; and by the larger side.
struct Agreement {
    double agreed = 0, majority = 0;
};
Agreement agreement(const Data& d, const Set& rows, Size own, double cut, Size column, double threshold, bool reverse) {
    double left = 0, right = 0, agreed = 0;
    for (const Size i : rows) {
        if (std::isnan(d.at(i, own)) || std::isnan(d.at(i, column))) continue;
        const bool goes_left = d.at(i, own) <= cut;
        (goes_left ? left : right) += d.w(i);
        if (((d.at(i, column) <= threshold) != reverse) == goes_left) agreed += d.w(i);
    }
    return {agreed, std::max(left, right)};
}

TEST(tree_surrogates) {
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
        where = "seed " + std::to_string(seed);
        const Data d(seed, seed % 2 == 0);
        const Nodes t = d.grow(1);
        const Nodes other = d.grow(3);
        CHECK(same_bits(t.threshold, other.threshold) && same_bits(t.surrogate_threshold, other.surrogate_threshold));
        CHECK(t.count() > 3 && t.surrogate_start.size() == t.count() + 1);
        std::vector<Set> rows(t.count());
        for (Size i = 0; i < d.n; ++i) rows[0].push_back(i);
        Size found = 0;
        for (Size node = 0; node < t.count(); ++node) {
            CHECK(t.n_rows[node] == static_cast<std::int64_t>(rows[node].size()));
            if (t.first_child[node] < 0) continue;
            const auto own = static_cast<Size>(t.feature[node]), first = static_cast<Size>(t.first_child[node]);
            const double cut = t.threshold[node];
            CHECK_NEAR(gain(d, rows[node], own, cut), best_gain(d, rows[node]), 1e-9);

            double before = 1e300;
            const auto begin = static_cast<Size>(t.surrogate_start[node]),
                       end = static_cast<Size>(t.surrogate_start[node + 1]);
            CHECK(end - begin <= 2);
            for (Size k = begin; k < end; ++k, ++found) {
                const auto column = static_cast<Size>(t.surrogate_feature[k]);
                CHECK(column != own);
                const Agreement a =
                    agreement(d, rows[node], own, cut, column, t.surrogate_threshold[k], t.surrogate_reverse[k]);
                CHECK(a.agreed > a.majority && a.agreed <= before);
                before = a.agreed;
                for (const Size i : rows[node])
                    if (!std::isnan(d.at(i, column)))
                        for (const bool reverse : {false, true})
                            CHECK(agreement(d, rows[node], own, cut, column, d.at(i, column), reverse).agreed <=
                                  a.agreed);
            }
            double left = 0, right = 0;
            for (const Size i : rows[node])
                if (!std::isnan(d.at(i, own))) (d.at(i, own) <= cut ? left : right) += d.w(i);
            CHECK(t.missing_child[node] == (left > right ? 0 : 1));
            for (const Size i : rows[node]) {
                int side = t.missing_child[node];
                if (!std::isnan(d.at(i, own))) {
                    side = d.at(i, own) <= cut ? 0 : 1;
                } else {
                    for (Size k = begin; k < end; ++k) {
                        const double x = d.at(i, static_cast<Size>(t.surrogate_feature[k]));
                        if (std::isnan(x)) continue;
                        side = (x <= t.surrogate_threshold[k]) != (t.surrogate_reverse[k] == 1) ? 0 : 1;
                        break;
                    }
                }
                rows[first + static_cast<Size>(side)].push_back(i);
            }
        }
        CHECK(found > 2);
    }
    where.clear();
}

// A column and its negative part the rows in the same ways, and sum them up in opposite orders: the first one wins.
TEST(tree_surrogate_ties) {
    Data d(5, false);
    d.p = 2;
    d.n = 400;
    d.x.clear();
    d.y.clear();
    const Random chance{6, 1};
    for (Size i = 0; i < d.n; ++i) {
        const double x = chance.uniform(i);
        d.x.insert(d.x.end(), {x, -x});
        d.y.push_back(std::sin(7 * x) + chance.uniform(10000 + i));
    }
    const Nodes t = d.grow(1);
    CHECK(t.count() > 21);
    for (Size node = 0; node < t.count(); ++node) CHECK(t.feature[node] <= 0);
}

}  // namespace
}  // namespace pellucid::test

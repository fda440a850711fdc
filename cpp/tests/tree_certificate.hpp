// What a grown tree must be, worked out with plain loops over all splits: every node's figures, every split the best
// there is, every leaf with a reason; and small random problems with ties everywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/tree/problem.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {

using namespace tree;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

struct TreeTable {
    Size n = 0, p = 0, outputs = 1;
    std::vector<double> x;  // row by row
    std::vector<std::int32_t> categories, n_classes;
    std::vector<double> y, weight;
    std::vector<std::int8_t> monotone;
    Settings settings;
    std::uint64_t seed = 1;

    double w(Size i) const { return weight.empty() ? 1.0 : weight[i]; }
    Nodes grow(int threads = 1) const {
        const Matrix X = Dense<double>{x.data(), n, p, static_cast<std::ptrdiff_t>(p), 1};
        Columns columns(X, categories);
        columns.make_ranks(threads);
        columns.make_cells(threads);
        Problem problem;
        problem.columns = &columns;
        problem.y = y;
        problem.n_classes = n_classes;
        problem.outputs = outputs;
        problem.weight = weight;
        problem.monotone = monotone;
        problem.settings = settings;
        problem.seed = seed;
        problem.threads = threads;
        return grow_tree(problem);
    }
};

using Set = std::vector<Size>;  // rows

// ------------------------------------------------------------------------------------------- figures by definition

inline double weight_of(const TreeTable& t, const Set& rows) {
    double sum = 0;
    for (const Size i : rows) sum += t.w(i);
    return sum;
}

inline double median_of(const TreeTable& t, const Set& rows, Size o) {
    std::vector<std::pair<double, double>> sorted;
    for (const Size i : rows) sorted.push_back({t.y[i * t.outputs + o], t.w(i)});
    std::sort(sorted.begin(), sorted.end());
    const double half = weight_of(t, rows) / 2;
    double sum = 0;
    for (Size k = 0; k < sorted.size(); ++k) {
        sum += sorted[k].second;
        if (std::abs(sum - half) < 1e-12 * half && k + 1 < sorted.size())
            return (sorted[k].first + sorted[k + 1].first) / 2;
        if (sum > half) return sorted[k].first;
    }
    return sorted.back().first;
}

inline double mean_of(const TreeTable& t, const Set& rows, Size o) {
    double sum = 0;
    for (const Size i : rows) sum += t.w(i) * t.y[i * t.outputs + o];
    return sum / weight_of(t, rows);
}

inline double share_of(const TreeTable& t, const Set& rows, Size o, double k) {
    double sum = 0;
    for (const Size i : rows)
        if (t.y[i * t.outputs + o] == k) sum += t.w(i);
    return sum / weight_of(t, rows);
}

inline double impurity_of(const TreeTable& t, const Set& rows) {
    const double w = weight_of(t, rows);
    double total = 0;
    for (Size o = 0; o < t.outputs; ++o) {
        if (!t.n_classes.empty()) {
            double sum = t.settings.criterion == Measure::gini ? 1 : 0;
            for (int k = 0; k < t.n_classes[o]; ++k) {
                const double share = share_of(t, rows, o, k);
                if (t.settings.criterion == Measure::gini)
                    sum -= share * share;
                else if (share > 0)
                    sum -= share * std::log2(share);
            }
            total += sum;
            continue;
        }
        const double mean = mean_of(t, rows, o), median = median_of(t, rows, o);
        double sum = 0;
        for (const Size i : rows) {
            const double y = t.y[i * t.outputs + o];
            if (t.settings.criterion == Measure::absolute_error)
                sum += t.w(i) * std::abs(y - median);
            else if (t.settings.criterion == Measure::poisson)
                sum += y > 0 ? t.w(i) * y * std::log(y / mean) : 0.0;
            else
                sum += t.w(i) * (y - mean) * (y - mean);
        }
        total += sum / w;
    }
    return total / static_cast<double>(t.outputs);
}

inline double answer_of(const TreeTable& t, const Set& rows) {
    if (!t.n_classes.empty()) return share_of(t, rows, 0, 1);
    return t.settings.criterion == Measure::absolute_error ? median_of(t, rows, 0) : mean_of(t, rows, 0);
}

// What a split leaves: lower is better.
inline double left_over(const TreeTable& t, const Set& left, const Set& right) {
    if (t.settings.weighting == Weighting::none) return impurity_of(t, left) + impurity_of(t, right);
    return weight_of(t, left) * impurity_of(t, left) + weight_of(t, right) * impurity_of(t, right);
}

inline bool allowed(const TreeTable& t, const Set& left, const Set& right, Size column, double lower, double upper) {
    const Settings& s = t.settings;
    if (left.empty() || right.empty()) return false;
    if (left.size() < s.min_rows_leaf || right.size() < s.min_rows_leaf) return false;
    if (weight_of(t, left) < s.min_weight_leaf || weight_of(t, right) < s.min_weight_leaf) return false;
    if (s.criterion == Measure::poisson)
        for (Size o = 0; o < t.outputs; ++o)
            if (mean_of(t, left, o) <= 0 || mean_of(t, right, o) <= 0) return false;
    const int sign = t.monotone.empty() ? 0 : t.monotone[column];
    if (sign == 0) return true;
    const double a = answer_of(t, left), b = answer_of(t, right);
    return a >= lower && b >= lower && a <= upper && b <= upper && (a - b) * sign <= 0;
}

// The least that any split of a column leaves; infinity where none is allowed.
inline double best_by_loops(const TreeTable& t, const Set& rows, Size column, double lower, double upper) {
    Set missing;
    std::vector<double> values;
    for (const Size i : rows) {
        const double x = t.x[i * t.p + column];
        if (std::isnan(x))
            missing.push_back(i);
        else
            values.push_back(x);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    double best = kInf;
    const auto consider = [&](const std::function<bool(double)>& goes_left) {
        for (int side = 0; side < (missing.empty() ? 1 : 2); ++side) {
            Set left, right;
            for (const Size i : rows) {
                const double x = t.x[i * t.p + column];
                const bool to_left = std::isnan(x) ? side == 1 : goes_left(x);
                (to_left ? left : right).push_back(i);
            }
            if (allowed(t, left, right, column, lower, upper)) best = std::min(best, left_over(t, left, right));
        }
    };
    if (t.categories[column] == 0) {
        for (const double cut : values) consider([&](double x) { return x <= cut; });
    } else if (t.settings.category_split == CategorySplit::one_versus_rest) {
        for (const double code : values) consider([&](double x) { return x == code; });
        if (!missing.empty()) consider([](double) { return true; });
    } else {
        for (Size set = 1; set < Size{1} << values.size(); ++set)
            consider([&](double x) {
                const auto at = std::lower_bound(values.begin(), values.end(), x) - values.begin();
                return (set >> at & 1) != 0;
            });
    }
    return best;
}

// ----------------------------------------------------------------------------------------------------- certificate

inline int side_of(const Nodes& nodes, Size node, double x) {
    if (std::isnan(x)) return nodes.missing_child[node];
    switch (static_cast<Test>(nodes.test[node])) {
        case Test::at_most:
            return x <= nodes.threshold[node] ? 0 : 1;
        case Test::below:
            return x < nodes.threshold[node] ? 0 : 1;
        default: {
            const auto code = static_cast<Size>(x), begin = static_cast<Size>(nodes.table_start[node]),
                       end = static_cast<Size>(nodes.table_start[node + 1]);
            if (code / 32 >= end - begin) return 1;
            return static_cast<std::uint32_t>(nodes.table[begin + code / 32]) >> (code % 32) & 1 ? 0 : 1;
        }
    }
}

// What the tree must be, whichever of equally good splits it took.
struct Certificate {
    const TreeTable& t;
    const Nodes& nodes;
    bool every_split_is_best = true;
    double total = 0;

    void check() {
        Set all;
        for (Size i = 0; i < t.n; ++i)
            if (t.w(i) > 0) all.push_back(i);
        total = weight_of(t, all);
        std::vector<Set> rows(nodes.count());
        std::vector<double> lower(nodes.count(), -kInf), upper(nodes.count(), kInf);
        std::vector<Size> depth(nodes.count(), 0);
        rows[0] = all;
        for (Size node = 0; node < nodes.count(); ++node) {
            figures(node, rows[node], lower[node], upper[node]);
            if (nodes.first_child[node] < 0) {
                CHECK(nodes.test[node] == 0 && nodes.feature[node] == -1);
                leaf(rows[node], depth[node], lower[node], upper[node]);
                continue;
            }
            const auto first = static_cast<Size>(nodes.first_child[node]);
            const auto column = static_cast<Size>(nodes.feature[node]);
            CHECK(nodes.n_children[node] == 2 && first > node && first + 1 < nodes.count());
            CHECK(nodes.parent[first] == static_cast<int>(node) && nodes.parent[first + 1] == static_cast<int>(node));
            bool any_missing = false;
            for (const Size i : rows[node]) {
                const double x = t.x[i * t.p + column];
                any_missing = any_missing || std::isnan(x);
                rows[first + static_cast<Size>(side_of(nodes, node, x))].push_back(i);
            }
            const Set &left = rows[first], &right = rows[first + 1];
            CHECK(allowed(t, left, right, column, lower[node], upper[node]));
            if (!any_missing) CHECK(nodes.missing_child[node] == (left.size() > right.size() ? 0 : 1));
            if (every_split_is_best) {
                double best = kInf;
                for (Size j = 0; j < t.p; ++j)
                    best = std::min(best, best_by_loops(t, rows[node], j, lower[node], upper[node]));
                CHECK_NEAR(left_over(t, left, right), best, 1e-9 * (1 + std::abs(best)));
            }
            depth[first] = depth[first + 1] = depth[node] + 1;
            lower[first] = lower[first + 1] = lower[node];
            upper[first] = upper[first + 1] = upper[node];
            if (const int sign = t.monotone.empty() ? 0 : t.monotone[column]; sign != 0) {
                const double middle = (answer_of(t, left) + answer_of(t, right)) / 2;
                upper[sign > 0 ? first : first + 1] = middle;
                lower[sign > 0 ? first + 1 : first] = middle;
            }
        }
    }

  private:
    void figures(Size node, const Set& rows, double lower, double upper) {
        const double w = weight_of(t, rows);
        CHECK(nodes.n_rows[node] == static_cast<std::int64_t>(rows.size()));
        CHECK_NEAR(nodes.weight[node], w, 1e-9 * w);
        CHECK_NEAR(nodes.impurity[node], impurity_of(t, rows), 1e-9 * (1 + impurity_of(t, rows)));
        const double* value = nodes.value.data() + node * nodes.width;
        if (t.n_classes.empty()) {
            for (Size o = 0; o < t.outputs; ++o) {
                const double want =
                    t.settings.criterion == Measure::absolute_error ? median_of(t, rows, o) : mean_of(t, rows, o);
                CHECK_NEAR(value[o], std::min(std::max(want, lower), upper), 1e-9 * (1 + std::abs(want)));
            }
            return;
        }
        for (Size o = 0, at = 0; o < t.outputs; at += static_cast<Size>(t.n_classes[o++]))
            for (int k = 0; k < t.n_classes[o]; ++k) {
                double share = share_of(t, rows, o, k);
                if (!t.monotone.empty() && k == 1) share = std::min(std::max(share, lower), upper);
                if (!t.monotone.empty() && k == 0) share = 1 - std::min(std::max(1 - share, lower), upper);
                CHECK_NEAR(value[at + static_cast<Size>(k)], share * w, 1e-9 * w);
            }
    }
    void leaf(const Set& rows, Size depth, double lower, double upper) {
        const Settings& s = t.settings;
        if (depth >= s.max_depth || rows.size() < s.min_rows_split || rows.size() < 2 * s.min_rows_leaf) return;
        if (weight_of(t, rows) < 2 * s.min_weight_leaf || impurity_of(t, rows) < 1e-12 || !every_split_is_best) return;
        double best = kInf;
        for (Size j = 0; j < t.p; ++j) best = std::min(best, best_by_loops(t, rows, j, lower, upper));
        const double gained = (weight_of(t, rows) * impurity_of(t, rows) - best) / total;
        CHECK(best == kInf || gained < s.min_decrease);
    }
};

// --------------------------------------------------------------------------------------------------------- problems

// Few distinct values, so that ties are everywhere.
inline TreeTable random_table(std::uint64_t seed, Size n, Size p, Measure measure, Size classes, Size outputs = 1) {
    const Random chance{seed, 7};
    std::uint64_t at = 0;
    const auto below = [&](std::uint64_t k) { return static_cast<double>(chance.below(at++, k)); };
    TreeTable t;
    t.n = n;
    t.p = p;
    t.outputs = outputs;
    t.settings.criterion = measure;
    for (Size i = 0; i < n * p; ++i) t.x.push_back(below(6) - 2);
    t.categories.assign(p, 0);
    const bool by_class = measure == Measure::gini || measure == Measure::entropy;
    if (by_class) t.n_classes.assign(outputs, static_cast<std::int32_t>(classes));
    for (Size i = 0; i < n; ++i)
        for (Size o = 0; o < outputs; ++o) {
            const double signal = t.x[i * p + o % p] > 0 ? 1 : 0;
            t.y.push_back(by_class ? std::min(below(classes) * (below(3) > 0 ? 1.0 : 0.0) + signal, double(classes) - 1)
                                   : below(7) / 2 + 3 * signal);
        }
    return t;
}
inline void make_missing(TreeTable& t, std::uint64_t seed) {
    const Random chance{seed, 8};
    for (Size i = 0; i < t.x.size(); ++i)
        if (chance.below(i, 6) == 0) t.x[i] = kNaN;
}
inline void make_category(TreeTable& t, Size column, Size categories) {
    t.categories[column] = static_cast<std::int32_t>(categories);
    for (Size i = 0; i < t.n; ++i) t.x[i * t.p + column] += 2;
}
inline void make_weights(TreeTable& t, std::uint64_t seed) {
    const Random chance{seed, 9};
    for (Size i = 0; i < t.n; ++i) t.weight.push_back(static_cast<double>(chance.below(i, 5)) * 0.5);
    t.weight[0] = 1;
}
inline void certify(const TreeTable& t, bool best = true) {
    const Nodes nodes = t.grow();
    Certificate{t, nodes, best}.check();
}

inline bool same(const Nodes& a, const Nodes& b) {
    return a.parent == b.parent && a.first_child == b.first_child && a.feature == b.feature && a.test == b.test &&
           a.missing_child == b.missing_child && a.n_rows == b.n_rows && a.table == b.table &&
           a.table_start == b.table_start && same_bits(a.threshold, b.threshold) && same_bits(a.weight, b.weight) &&
           same_bits(a.impurity, b.impurity) && same_bits(a.value, b.value);
}

}  // namespace pellucid::test

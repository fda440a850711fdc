// Walks through random trees with every kind of test against a plain recursive walk, and trees that are none.
#include <algorithm>
#include <functional>

#include "core/tree/predict.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::tree;

constexpr Size kCols = 5;

// A tree with its surrogates, which Nodes may not have.
struct Grown {
    Nodes nodes;
    std::vector<std::int64_t> surrogate_start;
    std::vector<std::int32_t> surrogate_feature;
    std::vector<double> surrogate_threshold;
    std::vector<std::uint8_t> surrogate_reverse;

    NodesView view() const {
        NodesView v = view_of(nodes);
        v.surrogate_start = surrogate_start;
        v.surrogate_feature = surrogate_feature;
        v.surrogate_threshold = surrogate_threshold;
        v.surrogate_reverse = surrogate_reverse;
        return v;
    }
};

struct Draw {
    Random random;
    std::uint64_t index = 0;

    double number() { return random.uniform(index++); }
    std::int32_t below(std::int32_t n) {
        return static_cast<std::int32_t>(random.below(index++, static_cast<std::uint64_t>(n)));
    }
    double value() { return static_cast<float>(2 * number() - 1); }
};

void add_node(Nodes& t, std::int32_t parent, Draw& draw) {
    t.parent.push_back(parent);
    t.first_child.push_back(-1);
    t.n_children.push_back(0);
    t.feature.push_back(-1);
    t.test.push_back(0);
    t.missing_child.push_back(kStop);
    t.threshold.push_back(NAN);
    t.n_rows.push_back(1);
    t.weight.push_back(static_cast<double>(draw.below(4)));
    t.impurity.push_back(0);
    for (Size c = 0; c < t.width; ++c) t.value.push_back(draw.number());
}

// Turns node i into one with a test. Columns 3 and 4 hold categories 0 .. 39.
void split(Nodes& t, Size i, bool only_thresholds, Draw& draw) {
    const std::int32_t kind = only_thresholds ? 1 + draw.below(2) : 1 + draw.below(5);
    const bool named = kind == 3 || kind == 4;
    const std::int32_t branches = kind <= 3 ? 2 : 2 + draw.below(3);
    t.test[i] = static_cast<std::uint8_t>(kind);
    t.feature[i] = named ? 3 + draw.below(2) : draw.below(3);
    t.first_child[i] = static_cast<std::int32_t>(t.count());
    t.n_children[i] = branches;
    t.missing_child[i] = draw.below(branches + 2) - 2;
    if (kind <= 2) t.threshold[i] = draw.value();
    for (std::int32_t b = 0; b < branches; ++b) add_node(t, static_cast<std::int32_t>(i), draw);
}

Grown random_tree(Size inner, bool only_thresholds, std::uint64_t seed) {
    Draw draw{{seed, 3}};
    Grown g;
    Nodes& t = g.nodes;
    t.width = 3;
    add_node(t, -1, draw);
    for (Size i = 0; i < inner; ++i) split(t, i, only_thresholds, draw);
    for (Size i = 0; i < t.count(); ++i) {
        t.table_start.push_back(static_cast<std::int64_t>(t.table.size()));
        t.cuts_start.push_back(static_cast<std::int64_t>(t.cuts.size()));
        g.surrogate_start.push_back(static_cast<std::int64_t>(g.surrogate_feature.size()));
        if (t.test[i] == 3) t.table.push_back(static_cast<std::int32_t>(draw.random.bits(draw.index++)));
        if (t.test[i] == 4)
            for (int c = 0; c < 30; ++c) t.table.push_back(draw.below(t.n_children[i] + 1) - 1);
        if (t.test[i] == 5) {
            std::vector<double> cuts(static_cast<Size>(t.n_children[i] - 1));
            std::generate(cuts.begin(), cuts.end(), [&] { return draw.value(); });
            std::sort(cuts.begin(), cuts.end());
            t.cuts.insert(t.cuts.end(), cuts.begin(), cuts.end());
        }
        for (std::int32_t s = t.n_children[i] == 2 ? draw.below(3) : 0; s > 0; --s) {
            g.surrogate_feature.push_back(draw.below(3));
            g.surrogate_threshold.push_back(draw.value());
            g.surrogate_reverse.push_back(static_cast<std::uint8_t>(draw.below(2)));
        }
    }
    t.table_start.push_back(static_cast<std::int64_t>(t.table.size()));
    t.cuts_start.push_back(static_cast<std::int64_t>(t.cuts.size()));
    g.surrogate_start.push_back(static_cast<std::int64_t>(g.surrogate_feature.size()));
    return g;
}

Table random_rows(Size n, double missing, std::uint64_t seed) {
    Draw draw{{seed, 4}};
    Table x(n, kCols);
    for (Size r = 0; r < n; ++r)
        for (Size c = 0; c < kCols; ++c) {
            x.at(r, c) = c < 3 ? draw.value() : draw.below(40);
            if (draw.number() < 0.1) x.at(r, c) = 0;
            if (c >= 3 && draw.number() < 0.05) x.at(r, c) = draw.below(2) ? -1 : 2.5;
            if (draw.number() < missing) x.at(r, c) = NAN;
        }
    return x;
}

// ------------------------------------------------------------------------------------------------------ the plain walk

std::int32_t plain_branch(const Grown& g, Size i, const Table& x, Size r) {
    const Nodes& t = g.nodes;
    const double v = x.at(r, static_cast<Size>(t.feature[i]));
    if (!std::isnan(v)) {
        if (t.test[i] == 1) return v <= t.threshold[i] ? 0 : 1;
        if (t.test[i] == 2) return v < t.threshold[i] ? 0 : 1;
        if (t.test[i] == 5) {
            std::int32_t branch = 0;
            for (auto k = t.cuts_start[i]; k < t.cuts_start[i + 1]; ++k) branch += v > t.cuts[static_cast<Size>(k)];
            return branch;
        }
        const auto entries = static_cast<double>(t.table_start[i + 1] - t.table_start[i]);
        if (v >= 0 && v == std::floor(v) && v < (t.test[i] == 3 ? 32 * entries : entries)) {
            const auto code = static_cast<Size>(v), begin = static_cast<Size>(t.table_start[i]);
            if (t.test[i] == 3)
                return (static_cast<std::uint32_t>(t.table[begin + code / 32]) >> (code % 32)) % 2 == 1 ? 0 : 1;
            if (t.table[begin + code] >= 0) return t.table[begin + code];
        }
    }
    for (auto k = static_cast<Size>(g.surrogate_start[i]); k < static_cast<Size>(g.surrogate_start[i + 1]); ++k) {
        const double s = x.at(r, static_cast<Size>(g.surrogate_feature[k]));
        if (std::isnan(s)) continue;
        const std::int32_t branch = s <= g.surrogate_threshold[k] ? 0 : 1;
        return g.surrogate_reverse[k] ? 1 - branch : branch;
    }
    return t.missing_child[i];
}

// Shares of all nodes in row r's answer, and which nodes it passes.
struct PlainWalk {
    std::vector<double> share;
    std::vector<bool> passed;
};

PlainWalk plain_walk(const Grown& g, const Table& x, Size r) {
    const Nodes& t = g.nodes;
    PlainWalk w{std::vector<double>(t.count(), 0.0), std::vector<bool>(t.count(), false)};
    const std::function<void(Size, double)> go = [&](Size i, double share) {
        w.passed[i] = true;
        const std::int32_t branch = t.n_children[i] > 0 ? plain_branch(g, i, x, r) : kStop;
        const auto first = static_cast<Size>(t.first_child[i]), count = static_cast<Size>(t.n_children[i]);
        if (branch == kStop) {
            w.share[i] += share;
        } else if (branch >= 0) {
            go(first + static_cast<Size>(branch), share);
        } else {
            double total = 0;
            for (Size c = 0; c < count; ++c) total += t.weight[first + c];
            for (Size c = 0; c < count; ++c) {
                const double part = total > 0 ? t.weight[first + c] / total : 1.0 / static_cast<double>(count);
                if (part > 0) go(first + c, share * part);
            }
        }
    };
    go(0, 1.0);
    return w;
}

void check_walks(const Grown& g, const Table& x) {
    const NodesView t = g.view();
    CHECK(fault_of(t, kCols) == nullptr);
    const Size n = x.rows, m = t.count();
    std::vector<PlainWalk> walks;
    for (Size r = 0; r < n; ++r) walks.push_back(plain_walk(g, x, r));
    const std::vector<std::int64_t> classes{1, 2};
    for (const Layout& layout : layouts(x)) {
        where = layout.name;
        std::vector<std::int32_t> at(n);
        std::vector<double> raw(n * 3), shares(n * 3);
        apply(t, layout.view, at, 3);
        answer(t, layout.view, {}, raw, 2);
        answer(t, layout.view, classes, shares, 1);
        const NodeLists path = paths(t, layout.view, 0, n, 2), leaves = answering(t, layout.view, 0, n, 2);
        for (Size r = 0; r < n; ++r) {
            const PlainWalk& w = walks[r];
            CHECK_NEAR(w.share[static_cast<Size>(at[r])], *std::max_element(w.share.begin(), w.share.end()), 1e-15);
            for (Size c = 0; c < 3; ++c) {
                double want = 0, want_share = 0;
                for (Size i = 0; i < m; ++i) {
                    const double* v = t.value.data() + 3 * i;
                    want += w.share[i] * v[c];
                    want_share += w.share[i] * (c == 0 ? 1.0 : v[c] / (v[1] + v[2]));
                }
                CHECK_NEAR(raw[3 * r + c], want, 1e-12);
                CHECK_NEAR(shares[3 * r + c], want_share, 1e-12);
            }
            std::vector<std::int32_t> passed, reached;
            for (Size i = 0; i < m; ++i) {
                if (w.passed[i]) passed.push_back(static_cast<std::int32_t>(i));
                if (w.share[i] > 0) reached.push_back(static_cast<std::int32_t>(i));
            }
            const auto run = [&](const NodeLists& lists) {
                return std::vector(lists.node.begin() + lists.start[r], lists.node.begin() + lists.start[r + 1]);
            };
            CHECK(run(path) == passed);
            CHECK(run(leaves) == reached);
            for (auto k = static_cast<Size>(leaves.start[r]); k < static_cast<Size>(leaves.start[r + 1]); ++k)
                CHECK_NEAR(leaves.share[k], w.share[static_cast<Size>(leaves.node[k])], 1e-15);
        }
    }
    where.clear();
}

}  // namespace

TEST(tree_walks_equal_plain_walks) {
    for (const Size inner : {0u, 1u, 3u, 40u, 300u})
        for (const bool only_thresholds : {true, false})
            for (const double missing : {0.0, 0.2})
                for (const Size n : {0u, 1u, 70u})
                    check_walks(random_tree(inner, only_thresholds, inner + 7), random_rows(n, missing, inner + n));
}

TEST(tree_walks_of_many_rows_equal_those_of_few) {
    const Grown g = random_tree(500, false, 11);
    const Table x = random_rows(5000, 0.1, 12);
    std::vector<std::int32_t> all(x.rows), one(1);
    apply(g.view(), x.view(), all, 3);
    for (Size r = 0; r < x.rows; r += 37) {
        const Dense<double> row{&x.cells[r * kCols], 1, kCols, kCols, 1};
        apply(g.view(), row, one, 1);
        CHECK(one[0] == all[r]);
    }
}

TEST(a_chain_of_many_tests_is_walked) {
    constexpr std::int32_t depth = 100000;
    Draw draw{{1, 1}};
    Grown g;
    g.nodes.width = 1;
    add_node(g.nodes, -1, draw);
    for (std::int32_t d = 0; d < depth; ++d) {
        const Size i = static_cast<Size>(2 * d);
        g.nodes.test[i] = 1;
        g.nodes.feature[i] = 0;
        g.nodes.threshold[i] = d;
        g.nodes.first_child[i] = 2 * d + 1;
        g.nodes.n_children[i] = 2;
        g.nodes.missing_child[i] = d == 5 ? kShare : 1;
        add_node(g.nodes, static_cast<std::int32_t>(i), draw);
        add_node(g.nodes, static_cast<std::int32_t>(i), draw);
        g.nodes.weight[i + 1] = g.nodes.weight[i + 2] = 1;
    }
    Table x(3, 1);
    x.at(0, 0) = depth;
    x.at(1, 0) = 5;
    x.at(2, 0) = NAN;  // half of it ends at node 11, half at the bottom
    CHECK(fault_of(g.view(), 1) == nullptr);
    std::vector<std::int32_t> at(3);
    apply(g.view(), x.view(), at, 1);
    CHECK(at[0] == 2 * depth && at[1] == 11 && at[2] == 11);
    CHECK(paths(g.view(), x.view(), 2, 3, 1).node.size() == static_cast<Size>(depth) + 2);
}

TEST(trees_that_are_none_are_found) {
    const auto spoiled = [](auto&& spoil) {
        Grown g = random_tree(60, false, 5);
        spoil(g, g.nodes);
        return fault_of(g.view(), kCols) != nullptr;
    };
    const auto first = [](const Nodes& t, int kind) {
        return static_cast<Size>(std::find(t.test.begin(), t.test.end(), kind) - t.test.begin());
    };
    CHECK(!spoiled([](Grown&, Nodes&) {}));
    CHECK(fault_of(NodesView{}, kCols) != nullptr);
    CHECK(fault_of(random_tree(60, false, 5).view(), 2) != nullptr);
    CHECK(spoiled([](Grown&, Nodes& t) { t.first_child[0] = 0; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.first_child[3] = 1 << 30; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.n_children[2] = 2147483647; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.n_children[0] = -2; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.feature[1] = 5; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.feature[1] = -1; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.test[1] = 6; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.test[1] = 0; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.missing_child[1] = 9; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.missing_child[1] = -3; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.parent[4] = 4; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.parent[0] = 0; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.threshold.pop_back(); }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.value.pop_back(); }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.table_start[7] = -1; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.table_start.back() += 1; }));
    CHECK(spoiled([](Grown&, Nodes& t) { t.cuts.pop_back(); }));
    CHECK(spoiled([&](Grown&, Nodes& t) { t.threshold[first(t, 1)] = NAN; }));
    CHECK(spoiled([&](Grown&, Nodes& t) { t.table[static_cast<Size>(t.table_start[first(t, 4)])] = 99; }));
    CHECK(spoiled([&](Grown&, Nodes& t) { t.cuts[static_cast<Size>(t.cuts_start[first(t, 5)])] = NAN; }));
    CHECK(spoiled([](Grown& g, Nodes&) { g.surrogate_feature[0] = 5; }));
    CHECK(spoiled([](Grown& g, Nodes&) { g.surrogate_reverse.pop_back(); }));
}

}  // namespace pellucid::test

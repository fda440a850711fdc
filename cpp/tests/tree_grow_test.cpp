// Grown trees against plain loops (tree_certificate.hpp), and against each other.
#include "core/tree/sort_entries.hpp"
#include "tests/tree_certificate.hpp"

namespace pellucid::test {
namespace {

constexpr Measure kMeasures[] = {Measure::gini, Measure::entropy, Measure::squared_error, Measure::absolute_error,
                                 Measure::poisson};

TEST(tree_best_splits_of_every_criterion) {
    std::uint64_t seed = 1;
    for (const Measure measure : kMeasures)
        for (const Size classes : {2, 4})
            for (const Size outputs : {1, 2})
                for (int kind = 0; kind < 4; ++kind) {
                    TreeTable t = random_table(++seed, 26, 3, measure, classes, outputs);
                    where = "measure " + std::to_string(int(measure)) + " classes " + std::to_string(classes) +
                            " outputs " + std::to_string(outputs) + " kind " + std::to_string(kind);
                    if (kind & 1) make_missing(t, seed);
                    if (kind & 2) make_weights(t, seed);
                    certify(t);
                }
    where.clear();
}

TEST(tree_best_splits_of_categories) {
    std::uint64_t seed = 100;
    for (const Measure measure : {Measure::gini, Measure::entropy, Measure::squared_error, Measure::poisson})
        for (const Size classes : {2, 3})
            for (const CategorySplit kind : {CategorySplit::ordered, CategorySplit::one_versus_rest})
                for (int more = 0; more < 4; ++more) {
                    TreeTable t = random_table(++seed, 24, 2, measure, classes);
                    where = "measure " + std::to_string(int(measure)) + " classes " + std::to_string(classes) +
                            " kind " + std::to_string(int(kind)) + " more " + std::to_string(more);
                    make_category(t, 0, 6);
                    t.settings.category_split = kind;
                    if (more & 1) make_missing(t, seed);
                    if (more & 2) make_weights(t, seed);
                    // With values missing, the best subset is a first part of the order of the others: the theorem
                    // asks for all rows, so the missing ones are on one side as a block of their own.
                    certify(t, !(more & 1) || classes > 2 || kind == CategorySplit::one_versus_rest);
                }
    where.clear();
}

TEST(tree_limits_and_plain_sums) {
    std::uint64_t seed = 200;
    for (const Measure measure : {Measure::gini, Measure::entropy, Measure::squared_error})
        for (int kind = 0; kind < 5; ++kind) {
            TreeTable t = random_table(++seed, 30, 3, measure, 3);
            where = "measure " + std::to_string(int(measure)) + " kind " + std::to_string(kind);
            if (kind == 0) t.settings.min_rows_leaf = 4;
            if (kind == 1) t.settings.min_weight_leaf = 3.25;
            if (kind == 2) t.settings.min_decrease = 0.03;
            if (kind == 3) t.settings.max_depth = 2;
            if (kind == 4) t.settings.weighting = Weighting::none;
            make_missing(t, seed);
            make_weights(t, seed);
            certify(t);
        }
    where.clear();
}

TEST(tree_monotone) {
    std::uint64_t seed = 300;
    for (const Measure measure : {Measure::gini, Measure::entropy, Measure::squared_error, Measure::absolute_error})
        for (int kind = 0; kind < 4; ++kind) {
            TreeTable t = random_table(++seed, 40, 3, measure, 2);
            where = "measure " + std::to_string(int(measure)) + " kind " + std::to_string(kind);
            t.monotone = {1, -1, 0};
            if (kind & 1) make_weights(t, seed);
            if (kind & 2) t.settings.min_rows_leaf = 2;
            certify(t);
        }
    where.clear();
}

TEST(tree_random_splits_keep_the_figures) {
    std::uint64_t seed = 400;
    for (const Measure measure : kMeasures)
        for (int kind = 0; kind < 4; ++kind) {
            TreeTable t = random_table(++seed, 60, 4, measure, 3);
            where = "measure " + std::to_string(int(measure)) + " kind " + std::to_string(kind);
            make_category(t, 1, 6);
            t.settings.splitter = Splitter::random;
            t.settings.max_features = 2;
            if (kind & 1) make_missing(t, seed);
            if (kind & 2) make_weights(t, seed);
            certify(t, false);
        }
    where.clear();
}

TEST(tree_ties_go_to_the_lowest_column_and_cut) {
    TreeTable t;
    t.n = 6;
    t.p = 3;
    t.categories.assign(3, 0);
    t.n_classes = {2};
    // Columns 1 and 2 part the classes equally well, and cuts 1.5 and 4.5 of column 1 are equally good.
    for (const double v : {1, 2, 3, 4, 5, 6}) t.x.insert(t.x.end(), {7.0, v, -v});
    t.y = {1, 0, 0, 0, 0, 1};
    t.settings.max_depth = 1;
    const Nodes nodes = t.grow();
    CHECK(nodes.feature[0] == 1);
    CHECK(nodes.threshold[0] == 1.5);
    t.settings.threshold = Threshold::value;
    const Nodes by_value = t.grow();
    CHECK(by_value.threshold[0] == 2 && by_value.test[0] == static_cast<std::uint8_t>(Test::below));
}

TEST(tree_best_first_takes_the_greatest_improvement) {
    for (std::uint64_t seed = 500; seed < 510; ++seed) {
        TreeTable t = random_table(seed, 80, 3, seed % 2 ? Measure::gini : Measure::squared_error, 3);
        t.settings.max_leaves = 80;
        const Nodes all = t.grow();
        t.settings.max_leaves = 0;
        CHECK(same(all, t.grow()));  // no limit is reached: the order does not matter
        t.settings.max_leaves = 6;
        const Nodes few = t.grow();
        CHECK(few.count() == 11);
        const auto improvement = [](const Nodes& nodes, Size i) {
            const auto first = static_cast<Size>(nodes.first_child[i]);
            return nodes.weight[i] * nodes.impurity[i] - nodes.weight[first] * nodes.impurity[first] -
                   nodes.weight[first + 1] * nodes.impurity[first + 1];
        };
        // The same five splits taken from the whole tree, always the one that improves most.
        std::vector<Size> waiting{0};
        std::vector<bool> split(all.count(), false);
        for (int k = 0; k < 5; ++k) {
            const auto best = std::max_element(waiting.begin(), waiting.end(), [&](Size a, Size b) {
                return improvement(all, a) < improvement(all, b) - 1e-9;
            });
            const Size node = *best;
            waiting.erase(best);
            split[node] = true;
            for (const Size child :
                 {static_cast<Size>(all.first_child[node]), static_cast<Size>(all.first_child[node]) + 1})
                if (all.first_child[child] >= 0) waiting.push_back(child);
        }
        double got = 0, want = 0;  // of equally good splits either may be taken
        for (Size node = 0; node < all.count(); ++node) want += split[node] ? improvement(all, node) : 0;
        for (Size node = 0; node < few.count(); ++node) got += few.first_child[node] >= 0 ? improvement(few, node) : 0;
        CHECK_NEAR(got, want, 1e-9 * want);
        Certificate{t, few, false}.check();
    }
}

TEST(tree_same_bits_on_any_threads) {
    std::uint64_t seed = 600;
    for (const Measure measure : kMeasures)
        for (const Splitter splitter : {Splitter::best, Splitter::random})
            for (const Size drawn : {kNoLimit, Size{1}}) {
                TreeTable t = random_table(++seed, measure == Measure::absolute_error ? 2000 : 9000, 5, measure, 3);
                const Random chance{seed, 3};
                for (Size i = 0; i < t.x.size(); ++i) t.x[i] += i % 5 < 2 ? chance.uniform(i) : 0;
                make_category(t, 4, 6);
                make_missing(t, seed);
                if (seed % 2) make_weights(t, seed);
                t.settings.splitter = splitter;
                t.settings.max_features = drawn;
                t.settings.min_rows_leaf = 3;
                const Nodes one = t.grow(1);
                CHECK(one.count() > 20);
                CHECK(same(one, t.grow(2)) && same(one, t.grow(3)));
                t.settings.max_leaves = 20;
                CHECK(same(t.grow(1), t.grow(3)));
            }
}

// Drawing every column, one by one, must give the tree of all columns: the rows are then sorted in each node instead of
// being kept sorted. (One column fewer than all is drawn; the one that is left out is constant.)
TEST(tree_sorted_and_presorted_agree) {
    for (std::uint64_t seed = 700; seed < 708; ++seed) {
        TreeTable t = random_table(seed, 3000, 9, seed % 2 ? Measure::gini : Measure::squared_error, 3);
        const Random chance{seed, 3};
        for (Size i = 0; i < t.x.size(); ++i) {
            if (i % 9 < 2) t.x[i] += chance.uniform(i);
            if (i % 9 >= 2) t.x[i] = 1;
        }
        make_missing(t, seed);
        for (Size i = 0; i < t.x.size(); ++i)
            if (i % 9 >= 2) t.x[i] = 1;
        t.settings.min_rows_leaf = 2;
        const Nodes all = t.grow();
        t.settings.max_features = 2;
        CHECK(same(all, t.grow()));
    }
}

TEST(tree_small_and_degenerate) {
    TreeTable t;
    t.n = 1;
    t.p = 2;
    t.x = {1, kNaN};
    t.categories = {0, 0};
    t.y = {3};
    t.settings.criterion = Measure::squared_error;
    const Nodes one = t.grow();
    CHECK(one.count() == 1 && one.value[0] == 3 && one.impurity[0] == 0);

    TreeTable flat = random_table(1, 50, 2, Measure::gini, 2);
    std::fill(flat.x.begin(), flat.x.end(), 4.0);
    CHECK(flat.grow().count() == 1);
    std::fill(flat.x.begin(), flat.x.end(), kNaN);
    CHECK(flat.grow().count() == 1);
    for (Size i = 0; i < flat.n; ++i) flat.x[i * 2] = i % 2 ? kNaN : 1.0;
    certify(flat);

    // Values that are one in single precision, values whose midpoint rounds, and extreme ones.
    for (const auto& [a, b] : std::vector<std::pair<double, double>>{
             {1, 1 + 1e-15}, {0x1p53, 0x1p53 + 2}, {-1e308, 1e308}, {0, 5e-324}, {5e-324, 1e-323}}) {
        TreeTable two;
        two.n = 2;
        two.p = 1;
        two.x = {b, a};
        two.categories = {0};
        two.y = {1, 0};
        two.n_classes = {2};
        const Nodes nodes = two.grow();
        CHECK(nodes.count() == 3);
        CHECK(a <= nodes.threshold[0] && nodes.threshold[0] < b);
    }

    // Huge and tiny targets: no sum of squares overflows or vanishes, and a leaf of one row answers with its y.
    for (const double unit : {1e-200, 1.0, 1e200}) {
        TreeTable y = random_table(3, 40, 1, Measure::squared_error, 2);
        for (Size i = 0; i < y.n; ++i) {
            y.x[i] = static_cast<double>(i);
            y.y[i] = unit * (static_cast<double>(i * i % 17) + 0.1);
        }
        const Nodes nodes = y.grow();
        Size exact = 0;
        for (Size i = 0; i < nodes.count(); ++i)
            if (nodes.n_rows[i] == 1)
                for (const double v : y.y) exact += v == nodes.value[i];
        CHECK(exact >= 30);
    }
}

TEST(tree_deep_chain) {
    // Classes that alternate: the best cut is always at an end.
    TreeTable t;
    t.n = 10001;
    t.p = 1;
    t.categories = {0};
    t.n_classes = {2};
    for (Size i = 0; i < t.n; ++i) {
        t.x.push_back(static_cast<double>(i));
        t.y.push_back(static_cast<double>(i % 2));
    }
    const Nodes nodes = t.grow();
    std::vector<Size> depth(nodes.count(), 0);
    for (Size i = 1; i < nodes.count(); ++i) depth[i] = depth[static_cast<Size>(nodes.parent[i])] + 1;
    CHECK(nodes.count() == 2 * t.n - 1);
    CHECK(*std::max_element(depth.begin(), depth.end()) > 5000);

    // Powers of two: the squared error keeps cutting the last row off, over 180 orders of magnitude of squares.
    TreeTable chain;
    chain.n = 300;
    chain.p = 1;
    chain.categories = {0};
    chain.settings.criterion = Measure::squared_error;
    for (const Size leaves : {Size{0}, chain.n}) {
        chain.settings.max_leaves = leaves;
        chain.x.clear();
        chain.y.clear();
        for (Size i = 0; i < chain.n; ++i) {
            chain.x.push_back(static_cast<double>(i));
            chain.y.push_back(std::ldexp(1.0, static_cast<int>(i)));
        }
        CHECK(chain.grow().count() == 2 * chain.n - 1);
    }
}

TEST(tree_many_categories) {
    TreeTable t;
    t.n = 30000;
    t.p = 1;
    t.categories = {100000};
    t.settings.criterion = Measure::squared_error;
    t.settings.max_depth = 3;
    const Random chance{1, 1};
    for (Size i = 0; i < t.n; ++i) {
        const auto code = chance.below(i, 100000);
        t.x.push_back(static_cast<double>(code));
        t.y.push_back(static_cast<double>(code % 8));
    }
    const Nodes nodes = t.grow();
    CHECK(nodes.count() == 15);  // 8 levels of y: three levels of tests tell them apart
    double left = 0;
    for (Size i = 0; i < nodes.count(); ++i)
        if (nodes.first_child[i] < 0) left += nodes.impurity[i];
    CHECK_NEAR(left, 0, 1e-12);
}

// Ranks spread evenly, crowded together and with gaps, some missing: sorted as a stable sort does.
TEST(tree_sort_entries) {
    const Random chance{3, 1};
    std::vector<Entry> other;
    std::vector<std::uint32_t> counts;
    std::uint64_t at = 0;
    for (const Size n : {1, 2, 19, 20, 21, 100, 399, 1000, 4096, 4097, 20000})
        for (int kind = 0; kind < 4; ++kind) {
            std::vector<Entry> entries(n);
            for (Size i = 0; i < n; ++i) {
                std::uint32_t rank = static_cast<std::uint32_t>(chance.below(at++, 100000));
                if (kind == 1) rank = rank < 99000 ? rank % 50 : rank;
                if (kind == 2) rank %= 7;
                if (kind == 3 && rank % 10 == 0) rank = kMissing;
                entries[i] = {rank, static_cast<std::uint32_t>(i)};
            }
            std::vector<Entry> right = entries;
            std::stable_sort(right.begin(), right.end(),
                             [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
            sort_entries(entries, other, counts);
            bool same = true;
            for (Size i = 0; i < n; ++i)
                same = same && entries[i].rank == right[i].rank && entries[i].place == right[i].place;
            CHECK(same);
        }
}

}  // namespace
}  // namespace pellucid::test

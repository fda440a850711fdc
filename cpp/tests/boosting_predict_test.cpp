// Scores of boosted trees by bytes and choices against a row's plain way down each tree: the same bits for any trees,
// any table, at every SIMD level of this machine and with any number of threads.
#include <functional>
#include <limits>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/boosting/predict.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using namespace boosting;
using forest::Forest;
using forest::Node;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void at_every_level(const std::function<void()>& body) {
    const Level before = current_level();
    const std::string place = where;
    for (const Level level : {Level::baseline, Level::v3, Level::v4}) {
        if (level > best_level()) continue;
        CHECK(set_level(level_name(level)));
        where = place + ", " + std::string(level_name(level));
        body();
    }
    set_level(level_name(before));
    where = place;
}

// ----------------------------------------------------------------------------------------------------------- forests

struct Wanted {
    Size trees = 5, leaves = 31, cols = 4, width = 1;
    double sets = 0;        // share of the tests that are by a set of categories
    double thresholds = 0;  // that the tests of a column choose from; 0: any
    bool infinite = false;  // thresholds may be
    bool levelled = false;  // a test a level; leaves: a power of two
    bool same_missing = true;
};

// Random numbers one after the other.
struct Dice {
    Random random;
    std::uint64_t next = 0;

    explicit Dice(std::uint64_t seed) : random{seed, 7} {}
    double uniform() { return random.uniform(next++); }
    Size below(Size n) { return static_cast<Size>(uniform() * static_cast<double>(n)); }
};

class Growing {
  public:
    Growing(const Wanted& wanted, std::uint64_t seed) : wanted_(wanted), dice_(seed) { forest.width = wanted.width; }

    Forest forest;

    void grow_all() {
        for (Size t = 0; t < wanted_.trees; ++t) {
            wanted_.levelled ? grow_levels() : grow_any();
            close();
        }
    }

  private:
    // Leaves become tests until there are enough of them; with several parts of the tree of very different depth.
    void grow_any() {
        nodes_.assign(1, Node{0, 0, 0});
        std::vector<Size> open{0};
        while (open.size() < wanted_.leaves) {
            const Size k = dice_.uniform() < 0.5 ? open.size() - 1 : dice_.below(open.size());
            const Size i = open[k];
            split(i, random_test());
            open[k] = static_cast<Size>(nodes_[i].first);
            open.push_back(open[k] + 1);
        }
    }
    void grow_levels() {
        nodes_.assign(1, Node{0, 0, 0});
        std::vector<Size> level{0};
        while (level.size() < wanted_.leaves) {
            const Node test = random_test();
            std::vector<Size> next;
            for (const Size i : level) {
                Node own = test;
                if (!wanted_.same_missing && dice_.uniform() < 0.5) own.column ^= Node::kMissingRight;
                split(i, own);
                next.insert(next.end(), {static_cast<Size>(nodes_[i].first), static_cast<Size>(nodes_[i].first) + 1});
            }
            level = next;
        }
    }
    void split(Size i, const Node& test) {
        nodes_[i] = test;
        nodes_[i].first = static_cast<std::int32_t>(nodes_.size());
        nodes_.resize(nodes_.size() + 2);
        for (const Size k : {nodes_.size() - 2, nodes_.size() - 1})
            nodes_[k] = Node{0, 0, static_cast<std::int32_t>(k)};
    }
    Node random_test() {
        Node test{0, static_cast<std::uint32_t>(dice_.below(wanted_.cols)), 0};
        if (dice_.uniform() < 0.5) test.column |= Node::kMissingRight;
        if (dice_.uniform() < wanted_.sets) {
            if (forest.set_start.empty()) forest.set_start.push_back(0);
            test.column |= Node::kSet;
            test.threshold = Node::numbered(forest.set_start.size() - 1);
            for (Size k = dice_.below(3) + 1; k-- > 0;)
                forest.words.push_back(static_cast<std::uint32_t>(dice_.uniform() * 0x1p32));
            forest.set_start.push_back(static_cast<std::int64_t>(forest.words.size()));
        } else if (wanted_.infinite && dice_.uniform() < 0.2) {
            test.threshold = dice_.uniform() < 0.7 ? kInfinity : -kInfinity;
        } else if (wanted_.thresholds > 0) {
            test.threshold = std::floor(dice_.uniform() * wanted_.thresholds) / wanted_.thresholds * 2 - 1;
        } else {
            test.threshold = 2 * dice_.uniform() - 1;
        }
        return test;
    }
    // Leaves get their numbers, in no order of the nodes, and their answers.
    void close() {
        std::vector<Size> leaves;
        for (Size i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].first == static_cast<std::int32_t>(i)) leaves.push_back(i);
        for (Size k = leaves.size(); k > 1; --k) std::swap(leaves[k - 1], leaves[dice_.below(k)]);
        for (Size k = 0; k < leaves.size(); ++k) nodes_[leaves[k]].threshold = Node::numbered(k);
        for (Size k = 0; k < leaves.size() * wanted_.width; ++k) forest.leaf_value.push_back(dice_.uniform() - 0.5);
        forest.nodes.insert(forest.nodes.end(), nodes_.begin(), nodes_.end());
        forest.tree_start.push_back(static_cast<std::int64_t>(forest.nodes.size()));
        forest.leaf_start.push_back(forest.leaf_start.back() + static_cast<std::int64_t>(leaves.size()));
    }

    Wanted wanted_;
    Dice dice_;
    std::vector<Node> nodes_;
};

Forest random_forest(const Wanted& wanted, std::uint64_t seed) {
    Growing growing(wanted, seed);
    growing.grow_all();
    return std::move(growing.forest);
}

// ------------------------------------------------------------------------------------------------------------ tables

// Singles, of which some are thresholds, categories, numbers that are none, infinite or missing.
Table mixed_table(Size rows, Size cols, std::uint64_t seed, double missing) {
    Table t = random_table(rows, cols, seed, 0.2);
    Dice dice(seed + 100);
    for (double& x : t.cells) {
        const double u = dice.uniform();
        if (u < missing)
            x = kNan;
        else if (u < missing + 0.05)
            x = dice.uniform() < 0.5 ? kInfinity : -kInfinity;
        else if (u < missing + 0.3)
            x = static_cast<double>(dice.below(110));
        else if (u < missing + 0.35)
            x = static_cast<double>(dice.below(60)) + 0.5;
        else if (u < missing + 0.45)
            x = static_cast<double>(dice.below(8)) / 4 - 1;
    }
    return t;
}

// ------------------------------------------------------------------------------------------------------------- plainly

bool goes_right(const Forest& f, const Node& node, double x) {
    const bool missing_right = (node.column & Node::kMissingRight) != 0;
    if ((node.column & Node::kSet) == 0) return std::isnan(x) ? missing_right : x > node.threshold;
    const std::int64_t begin = f.set_start[node.number()], end = f.set_start[node.number() + 1];
    for (std::int64_t code = 0; code < 32 * (end - begin); ++code)
        if (x == static_cast<double>(code))
            return (f.words[static_cast<Size>(begin + code / 32)] >> (code % 32)) % 2 == 0;
    return missing_right;
}

std::vector<double> plain_scores(const Forest& f, Size outputs, Size first, Size last, const Table& t,
                                 std::vector<double> scores) {
    for (Size r = 0; r < t.rows; ++r)
        for (Size k = first; k < last; ++k) {
            const Node* tree = f.nodes.data() + f.tree_start[k];
            Size at = 0;
            while (tree[at].first != static_cast<std::int32_t>(at))
                at = static_cast<Size>(tree[at].first) + goes_right(f, tree[at], t.at(r, tree[at].asked()));
            const Size leaf = static_cast<Size>(f.leaf_start[k]) + tree[at].number();
            if (f.width == 1)
                scores[r * outputs + k % outputs] += f.leaf_value[leaf];
            else
                for (Size o = 0; o < outputs; ++o) scores[r * outputs + o] += f.leaf_value[leaf * f.width + o];
        }
    return scores;
}

// All ways to the scores of trees first .. last - 1, in all layouts of the table, on 1, 2 and 3 threads.
void check_scores(const Forest& f, Size outputs, Size first, Size last, const Table& t) {
    const forest::ForestView view = forest::view_of(f, t.cols);
    CHECK(forest::fault_of(view) == nullptr);
    std::vector<double> start(t.rows * outputs);
    for (Size i = 0; i < start.size(); ++i) start[i] = 0.1 * static_cast<double>(i % 7);
    const std::vector<double> want = plain_scores(f, outputs, first, last, t, start);
    const auto layout = layout_of(view, first, last);
    CHECK(layout.has_value());
    if (!layout) return;
    const std::string place = where;
    for (const Layout& table : layouts(t))
        at_every_level([&] {
            where += ", " + table.name;
            for (const int threads : {1, 2, 3}) {
                std::vector<double> by_choice = start, by_either = start;
                add_by_choice(*layout, f.width, outputs, first, table.view, by_choice, threads);
                add_scores(view, outputs, first, last, table.view, by_either, threads);
                CHECK(same_bits(by_choice, want));
                CHECK(same_bits(by_either, want));
            }
            std::vector<double> by_walk = start;
            add_by_walk(view, outputs, first, last, table.view, by_walk, 1);
            CHECK(same_bits(by_walk, want));
        });
    where = place;
}

void check_scores(const Wanted& wanted, Size outputs, Size rows, double missing, std::uint64_t seed) {
    const Forest f = random_forest(wanted, seed);
    check_scores(f, outputs, 0, f.trees(), mixed_table(rows, wanted.cols, seed + 1, missing));
}

// --------------------------------------------------------------------------------------------------------------- tests

TEST(boosted_scores_of_any_trees) {
    for (const Size leaves : {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 200, 256})
        for (const double missing : {0.0, 0.1}) {
            where = std::to_string(leaves) + " leaves, missing " + std::to_string(missing);
            check_scores({.trees = 4, .leaves = leaves}, 1, 300, missing, leaves);
        }
    where.clear();
}

TEST(boosted_scores_of_any_number_of_rows) {
    for (const Size rows : {1, 2, 63, 64, 65, 255, 256, 257, 513, 5000}) {
        where = std::to_string(rows) + " rows";
        check_scores({.trees = 3, .leaves = 9}, 1, rows, 0.05, rows);
    }
    where.clear();
}

TEST(boosted_scores_of_levelled_trees) {
    for (const Size leaves : {2, 4, 8, 16, 32, 64, 128, 256})
        for (const bool same : {false, true})
            for (const double missing : {0.0, 0.1}) {
                where = std::to_string(leaves) + " leaves, missing " + std::to_string(missing);
                const Wanted wanted{.trees = 4, .leaves = leaves, .levelled = true, .same_missing = same};
                check_scores(wanted, 1, 300, missing, leaves);
                const Forest f = random_forest(wanted, leaves);
                const auto layout = layout_of(forest::view_of(f, wanted.cols), 0, f.trees());
                for (const LaidTree& tree : layout->trees) {
                    CHECK(tree.levelled && Size{1} << tree.levels == leaves);
                    if (same) CHECK(tree.levelled_missing && tree.choices == 0);
                }
            }
    where.clear();
}

TEST(boosted_scores_by_sets_of_categories) {
    for (const double sets : {0.3, 1.0}) {
        where = "share of sets " + std::to_string(sets);
        check_scores({.trees = 10, .leaves = 31, .cols = 3, .sets = sets}, 1, 300, 0.1, 3);
        check_scores({.trees = 4, .leaves = 8, .cols = 3, .sets = sets, .levelled = true}, 1, 300, 0.1, 4);
    }
    where.clear();
}

TEST(boosted_scores_with_thresholds_at_infinity) {
    check_scores({.trees = 10, .infinite = true}, 1, 300, 0.0, 5);
    check_scores({.trees = 10, .infinite = true}, 1, 300, 0.2, 6);
    check_scores({.trees = 10, .thresholds = 8, .infinite = true}, 1, 300, 0.2, 7);
}

TEST(boosted_scores_of_any_number_of_edges) {
    for (const Size leaves : {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 255, 256}) {  // one column, one tree
        where = std::to_string(leaves - 1) + " edges";
        check_scores({.trees = 1, .leaves = leaves, .cols = 1}, 1, 300, 0.05, leaves);
    }
    where = "more edges than a byte counts";
    const Forest f = random_forest({.trees = 12, .leaves = 100, .cols = 2}, 8);
    check_scores(f, 1, 0, f.trees(), mixed_table(400, 2, 9, 0.05));
    const auto layout = layout_of(forest::view_of(f, 2), 0, f.trees());
    CHECK(layout->searches.size() >= 6);
    where.clear();
}

// Doubles between which no single lies.
TEST(boosted_scores_of_doubles_close_to_thresholds) {
    const Forest f = random_forest({.trees = 6, .leaves = 40, .cols = 2}, 10);
    Table t(2000, 2);
    Dice dice(11);
    for (double& x : t.cells) {
        const Node* node = nullptr;
        do node = &f.nodes[dice.below(f.nodes.size())];
        while (std::isnan(node->threshold));
        const Size which = dice.below(3);
        x = which == 0 ? node->threshold : std::nextafter(node->threshold, which == 1 ? kInfinity : -kInfinity);
    }
    const forest::ForestView view = forest::view_of(f, 2);
    const std::vector<double> start(t.rows), want = plain_scores(f, 1, 0, f.trees(), t, start);
    for (const Layout& table : wide_layouts(t))
        at_every_level([&] {
            where += table.name;
            std::vector<double> got = start;
            add_scores(view, 1, 0, f.trees(), table.view, got, 2);
            CHECK(same_bits(got, want));
        });
    where.clear();
}

TEST(boosted_scores_of_several_outputs) {
    const Forest f = random_forest({.trees = 12, .leaves = 20}, 12);
    const Table t = mixed_table(300, 4, 13, 0.1);
    check_scores(f, 3, 0, 12, t);
    check_scores(f, 3, 4, 11, t);  // in the middle of a round
    check_scores(f, 3, 5, 6, t);
    check_scores(f, 20, 0, 12, t);  // more than there are trees
    check_scores({.trees = 5, .leaves = 20, .width = 3}, 3, 300, 0.1, 14);
    check_scores({.trees = 5, .leaves = 16, .width = 2, .levelled = true, .same_missing = false}, 2, 300, 0.1, 15);
}

TEST(boosted_scores_without_trees) {
    const Forest f = random_forest({.trees = 3}, 16);
    const Table t = mixed_table(300, 4, 17, 0.1);
    check_scores(f, 1, 0, 0, t);
    check_scores(f, 1, 2, 2, t);
    check_scores(f, 1, 1, 3, Table(0, 4));
}

// A byte cannot name their leaves, or nodes have several parents: rows walk.
TEST(boosted_scores_of_trees_without_a_layout) {
    const Table t = mixed_table(3000, 4, 18, 0.1);
    Forest f = random_forest({.trees = 2, .leaves = 257}, 19);
    CHECK(!layout_of(forest::view_of(f, 4), 0, 2));
    std::vector<double> got(t.rows);
    add_scores(forest::view_of(f, 4), 1, 0, 2, t.view(), got, 2);
    CHECK(same_bits(got, plain_scores(f, 1, 0, 2, t, std::vector<double>(t.rows))));

    Forest chain;  // every node has the next but one as both its children
    const std::int32_t inner = 300;
    for (std::int32_t i = 0; i < inner; ++i) chain.nodes.push_back({0.0, static_cast<std::uint32_t>(i % 4), i + 1});
    for (std::int32_t i = inner; i < inner + 2; ++i)
        chain.nodes.push_back({Node::numbered(static_cast<std::uint64_t>(i - inner)), 0, i});
    chain.tree_start.push_back(inner + 2);
    chain.leaf_start.push_back(2);
    chain.leaf_value = {1.0, 2.0};
    CHECK(forest::fault_of(forest::view_of(chain, 4)) == nullptr);
    CHECK(!layout_of(forest::view_of(chain, 4), 0, 1));
    add_scores(forest::view_of(chain, 4), 1, 0, 1, t.view(), got = std::vector<double>(t.rows), 2);
    CHECK(same_bits(got, plain_scores(chain, 1, 0, 1, t, std::vector<double>(t.rows))));
}

}  // namespace
}  // namespace pellucid::test

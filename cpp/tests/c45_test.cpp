// Multiway trees: the root's split against a plain loop, threads, and chains.
#include "core/tree/c45.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "core/base/rng.hpp"
#include "core/tree/c45_prune.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace tree;

// Column 0 holds numbers (eighths), column 1 categories; some values are missing.
struct Table {
    Size rows;
    std::vector<double> x;  // column after column
    std::vector<std::int32_t> label, levels{0, 5};
    std::vector<double> weight;

    MultiwayProblem problem() const {
        return {Dense<double>{x.data(), rows, 2, 1, static_cast<std::ptrdiff_t>(rows)}, label, 3, weight, {}, levels};
    }
};

Table table_of(Size rows, std::uint64_t seed) {
    const Random chance{seed, 0};
    Table t{rows, std::vector<double>(2 * rows), std::vector<std::int32_t>(rows), {0, 5}, std::vector<double>(rows)};
    for (Size r = 0; r < rows; ++r) {
        t.x[r] = static_cast<double>(chance.below(4 * r, 64)) / 8;
        t.x[rows + r] = static_cast<double>(chance.below(4 * r + 1, 5));
        if (chance.below(4 * r + 2, 10) == 0) t.x[r] = std::numeric_limits<double>::quiet_NaN();
        if (chance.below(4 * r + 2, 10) == 1) t.x[rows + r] = std::numeric_limits<double>::quiet_NaN();
        t.label[r] = t.x[r] > 4 ? 1 : t.x[rows + r] > 2 ? 2 : 0;
        if (chance.below(4 * r + 3, 4) == 0) t.label[r] = 1;
        t.weight[r] = 1 + static_cast<double>(r % 3) / 4;
    }
    return t;
}

double entropy_sum(const std::map<int, double>& classes) {
    double whole = 0, sum = 0;
    for (const auto& [c, w] : classes) whole += w;
    for (const auto& [c, w] : classes) sum -= w * std::log2(w / whole);
    return sum;
}

// Gain of the split that sends row r to branch(r), -1 for a missing value, by the definition.
template <class Branch>
double gain_by_loop(const Table& t, const Branch& branch) {
    std::map<int, std::map<int, double>> parts;
    std::map<int, double> known;
    double all = 0;
    for (Size r = 0; r < t.rows; ++r) {
        all += t.weight[r];
        const int b = branch(r);
        if (b < 0) continue;
        parts[b][t.label[r]] += t.weight[r];
        known[t.label[r]] += t.weight[r];
    }
    double sum = entropy_sum(known);
    for (const auto& [b, classes] : parts) sum -= entropy_sum(classes);
    return sum / all;
}

bool same_tree(const MultiwayTree& a, const MultiwayTree& b) {
    return a.nodes.parent == b.nodes.parent && a.nodes.feature == b.nodes.feature && a.nodes.table == b.nodes.table &&
           same_bits(a.nodes.value, b.nodes.value) && same_bits(a.nodes.weight, b.nodes.weight);
}

}  // namespace

TEST(the_root_of_a_multiway_tree_has_the_largest_gain_by_a_plain_loop) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Table t = table_of(200, seed);
        MultiwayRules rules;
        rules.merit = Merit::gain;
        rules.mean_gain = rules.mdl = rules.collapse = false;
        rules.pruning = Pruning::none;
        rules.min_leaf = 1;
        rules.min_cut_share = 0;
        const MultiwayTree grown = grow_multiway(t.problem(), rules, 1);
        double best = gain_by_loop(
            t, [&](Size r) { return std::isnan(t.x[t.rows + r]) ? -1 : static_cast<int>(t.x[t.rows + r]); });
        for (int cut = 0; cut < 64; ++cut)
            best = std::fmax(best, gain_by_loop(t, [&](Size r) {
                                 return std::isnan(t.x[r]) ? -1 : t.x[r] <= cut / 8.0 ? 0 : 1;
                             }));
        CHECK_NEAR(grown.gain[0], best, 1e-9);
    }
}

TEST(a_multiway_tree_has_the_same_bits_on_any_number_of_threads) {
    const Table t = table_of(20'000, 7);
    MultiwayRules rules;
    for (const double confidence : {0.25, 0.45}) {
        rules.confidence = confidence;
        rules.normal = confidence == 0.25 ? 0.6744897501960817 : 0.12566134685507402;
        const MultiwayTree one = grow_multiway(t.problem(), rules, 1);
        CHECK(one.nodes.count() > 1);
        CHECK(same_tree(one, grow_multiway(t.problem(), rules, 2)));
        CHECK(same_tree(one, grow_multiway(t.problem(), rules, 3)));
    }
}

TEST(the_weights_of_a_case_in_parts_add_up) {
    const Table t = table_of(500, 3);
    MultiwayRules rules;
    rules.min_case = 0;
    const MultiwayTree grown = grow_multiway(t.problem(), rules, 1);
    const Nodes& n = grown.nodes;
    for (Size i = 0; i < n.count(); ++i) {
        double below = 0;
        for (std::int32_t b = 0; b < n.n_children[i]; ++b) below += n.weight[static_cast<Size>(n.first_child[i] + b)];
        if (n.n_children[i] > 0) CHECK_NEAR(below, n.weight[i], 1e-9);
    }
}

TEST(a_chain_of_nodes_is_grown_and_pruned) {
    const Size rows = 1500;
    Table t{rows,
            std::vector<double>(2 * rows, 0.0),
            std::vector<std::int32_t>(rows),
            {0, 5},
            std::vector<double>(rows, 1.0)};
    for (Size r = 0; r < rows; ++r) {
        t.x[r] = static_cast<double>(r);
        t.label[r] = static_cast<std::int32_t>(r % 2);
    }
    MultiwayRules rules;
    rules.min_leaf = 1;
    rules.min_cut_share = 0;
    rules.mdl = rules.collapse = false;
    rules.pruning = Pruning::none;
    CHECK(grow_multiway(t.problem(), rules, 1).nodes.count() == 2 * rows - 1);
    rules.pruning = Pruning::error;
    CHECK(grow_multiway(t.problem(), rules, 1).nodes.count() < 2 * rows - 1);
}

TEST(expected_errors_are_those_of_the_book) {
    const double z = 0.6744897501960817;  // Quinlan 1993, p. 41: U(0, 6), U(0, 9), U(0, 1) at 25 %
    CHECK_NEAR(c45::expected_errors(6, 0, 0.25, z) / 6, 0.206, 5e-4);
    CHECK_NEAR(c45::expected_errors(9, 0, 0.25, z) / 9, 0.143, 5e-4);
    CHECK_NEAR(c45::expected_errors(1, 0, 0.25, z), 0.750, 5e-4);
    CHECK_NEAR(c45::expected_errors(16, 1, 0.25, z) / 16, 0.157, 5e-3);  // which he has from a finer approximation
    CHECK_NEAR(c45::expected_errors(3, 3, 0.25, z), 3, 0);
}

}  // namespace pellucid::test

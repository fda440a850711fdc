#include "core/tree/chaid.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/rng.hpp"
#include "core/tree/chaid_tails.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::tree;

// P(chi² >= x) of an even df: e^{-x/2} sum over k < df/2 of (x/2)^k / k!
long double even_tail(long double x, int df) {
    long double term = 1, sum = 1;
    for (int k = 1; k < df / 2; ++k) sum += term *= x / 2 / k;
    return std::log(sum) - x / 2;
}

// Codes, labels and weights of a small table drawn at random.
struct Table {
    Size n, p;
    std::vector<std::uint32_t> codes;
    std::vector<std::int32_t> label;
    std::vector<double> number, weight, edges;
    ChaidProblem problem;

    Table(Size rows, Size cols, std::uint32_t levels, std::uint64_t seed) : n(rows), p(cols) {
        const Random chance{seed, 1};
        codes.resize(n * p);
        for (Size i = 0; i < n * p; ++i) codes[i] = static_cast<std::uint32_t>(chance.bits(i) % (levels + 1));
        for (Size i = 0; i < n; ++i) {
            const auto noise = chance.bits(n * p + i);
            label.push_back(static_cast<std::int32_t>((codes[i] + noise % 3) % 3));
            number.push_back(codes[i] + static_cast<double>(noise % 1000) / 500);
            weight.push_back(1 + static_cast<double>(noise % 7));
        }
        for (std::uint32_t i = 0; i + 1 < levels; ++i) edges.push_back(i + 0.5);
        problem.rows = n;
        for (Size j = 0; j < p; ++j) {
            problem.columns.push_back(
                {&codes[j * n], levels, j % 2 == 1, j % 2 == 1 ? edges : std::span<const double>{}, j % 2 == 1});
        }
        problem.merge.log_alpha_merge = std::log(0.3);
        problem.log_alpha_split = std::log(0.5);
    }
};

// The branch that a row takes at a node.
std::int32_t branch_of(const Nodes& t, const ChaidProblem& p, Size node, Size row) {
    const CodedColumn& column = p.columns[static_cast<Size>(t.feature[node])];
    const std::uint32_t code = column.codes[row];
    if (code == column.count) return t.missing_child[node];
    if (!column.numeric) return t.table[static_cast<Size>(t.table_start[node]) + code];
    std::int32_t branch = 0;
    for (auto k = t.cuts_start[node]; k < t.cuts_start[node + 1]; ++k) branch += code > t.cuts[static_cast<Size>(k)];
    return branch;
}

}  // namespace

TEST(tails_of_even_degrees_are_sums) {
    for (const int df : {2, 4, 10, 40, 400}) {
        for (const double x : {1e-8, 0.5, 3.0, 12.0, 90.0, 700.0, 5000.0}) {
            const long double want = even_tail(x, df);
            if (std::isfinite(static_cast<double>(want)))
                CHECK_NEAR(log_chi_squared_tail(x, df), want, 1e-12L * std::max(1.0L, -want));
        }
    }
    CHECK(log_chi_squared_tail(0, 3) == 0 && log_chi_squared_tail(4, 0) == 0);
}

TEST(tails_of_one_degree_are_those_of_the_normal_distribution) {
    for (const double x : {0.01, 1.0, 3.841458820694124, 30.0, 600.0}) {
        CHECK_NEAR(log_chi_squared_tail(x, 1), std::log(std::erfc(std::sqrt(static_cast<long double>(x) / 2))),
                   1e-12 * (1 + x));
    }
}

TEST(f_of_two_degrees_above_has_a_closed_form) {
    // P(F >= f) = (1 + 2 f / d)^(-d/2) for (2, d) degrees of freedom
    for (const double d : {1.0, 2.0, 7.5, 50.0, 1e6}) {
        for (const double f : {1e-6, 0.3, 1.0, 4.0, 250.0, 1e9}) {
            const long double want = -d / 2 * std::log1p(2.0L * f / d);
            CHECK_NEAR(log_f_tail(f, 2, d), want, 1e-11L * std::max(1.0L, -want));
        }
    }
    CHECK(log_f_tail(3, 1, 0) == 0 && std::isinf(log_f_tail(HUGE_VAL, 1, 4)));
}

TEST(ways_to_merge_are_counted_as_in_the_triangle) {
    std::vector<std::vector<double>> s{{1}};
    for (Size n = 1; n <= 25; ++n) {
        s.emplace_back(n + 1, 0.0);
        for (Size k = 1; k <= n; ++k) s[n][k] = (k < n ? static_cast<double>(k) * s[n - 1][k] : 0) + s[n - 1][k - 1];
        for (Size k = 1; k <= n; ++k)
            CHECK_NEAR(log_stirling(n, k), std::log(s[n][k]), 1e-12 * (1 + std::log(s[n][k])));
    }
    // S(n, 2) = 2^(n-1) - 1, S(n, n - 1) = n (n - 1) / 2
    CHECK_NEAR(log_stirling(2000, 2), 1999 * std::log(2.0), 1e-9);
    CHECK_NEAR(log_stirling(9000, 8999), std::log(9000 * 8999 / 2.0), 1e-5);
    CHECK_NEAR(log_stirling(300, 299), std::log(300 * 299 / 2.0), 1e-10);
    CHECK_NEAR(log_ways(5, 3, true, true, false), std::log(3 + 3 * 3.0), 1e-12);
    CHECK_NEAR(log_ways(6, 2, false, false, true), std::log(35.0), 1e-12);
}

TEST(nodes_hold_the_rows_that_their_tests_send_there) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Table table(200, 4, 5, seed);
        for (const bool numbers : {false, true}) {
            ChaidProblem p = table.problem;
            p.weight = table.weight;
            p.classes = numbers ? 0 : 3;
            if (numbers) {
                p.numbers = table.number;
            } else {
                p.labels = table.label;
            }
            p.merge.least_rows = 1 + seed % 7;
            p.merge.exhaustive = seed % 3 == 1;
            p.merge.resplit = seed % 3 == 2;
            p.merge.log_alpha_resplit = std::log(0.2);
            const ChaidTree grown = grow_chaid(p);
            const Nodes& t = grown.nodes;
            std::vector<std::int64_t> rows(t.count(), 0);
            std::vector<double> weight(t.count(), 0.0);
            for (Size row = 0; row < table.n; ++row) {
                Size node = 0;
                while (true) {
                    ++rows[node];
                    weight[node] += table.weight[row];
                    if (t.n_children[node] == 0) break;
                    const std::int32_t branch = branch_of(t, p, node, row);
                    CHECK(branch >= 0 && branch < t.n_children[node]);
                    if (branch < 0) break;
                    node = static_cast<Size>(t.first_child[node] + branch);
                }
            }
            for (Size i = 0; i < t.count(); ++i) {
                CHECK(rows[i] == t.n_rows[i] && rows[i] >= static_cast<std::int64_t>(i == 0 ? 1 : p.merge.least_rows));
                CHECK_NEAR(weight[i], t.weight[i], 1e-9);
                CHECK(t.n_children[i] == 0 || grown.log_adjusted[i] <= p.log_alpha_split);
            }
        }
    }
}

TEST(two_threads_grow_the_same_tree_of_significance) {
    Table table(6'000, 6, 9, 5);
    ChaidProblem p = table.problem;
    p.weight = table.weight;
    p.numbers = table.number;
    const ChaidTree one = grow_chaid(p);
    p.threads = 2;
    const ChaidTree two = grow_chaid(p);
    CHECK(same_bits(one.statistic, two.statistic) && same_bits(one.nodes.value, two.nodes.value));
    CHECK(one.nodes.feature == two.nodes.feature && one.nodes.table == two.nodes.table);
}

}  // namespace pellucid::test

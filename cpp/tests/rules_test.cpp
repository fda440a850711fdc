#include <cmath>
#include <limits>
#include <vector>

#include "core/base/rng.hpp"
#include "core/rules/match.hpp"
#include "core/rules/one_r.hpp"
#include "core/rules/prism.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::rules;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rows with two numbers and a code, some missing; six tests of every kind; rules of every step.
struct Problem {
    Size rows;
    std::vector<double> x;
    std::vector<float> single;
    std::vector<std::int32_t> feature{0, 0, 1, 2, 2, 1};
    std::vector<double> low{-1, 0.25, -HUGE_VAL, 0, 0, HUGE_VAL};
    std::vector<double> high{0.5, HUGE_VAL, 0, 0, 0, -HUGE_VAL};
    std::vector<std::uint8_t> flags{0, kMissing, kExcluded, 0, kExcluded | kMissing, kMissing};
    std::vector<std::int64_t> table_start{0, 0, 0, 0, 1, 3, 3};
    std::vector<std::uint32_t> table{0b1010, 0b1, 0b10};  // codes 1 and 3; 0 and 33
    std::vector<std::int32_t> steps{0, 1, 2, kAnd, 3, 4, kOr, 5, kAnd, kAlways, kNever, 0, 1, 2, 3, kAnd, kAnd, kOr};
    std::vector<std::int64_t> starts{0, 1, 4, 9, 10, 11, 18};

    explicit Problem(Size n) : rows(n) {
        const Random chance{7, n};
        for (Size i = 0; i < 3 * n; ++i) {
            const double value = i % 3 == 2 ? static_cast<double>(chance.below(i, 40))
                                            : static_cast<double>(chance.below(i, 9)) / 4.0 - 1.0;
            x.push_back(chance.below(1000000 + i, 6) == 0 ? kNan : value);
        }
        single.assign(x.begin(), x.end());
    }
    Program program() const { return {feature, low, high, flags, table_start, table, steps, starts}; }
    Matrix wide() const { return Dense<double>{x.data(), rows, 3, 3, 1}; }
    Matrix narrow() const { return Dense<float>{single.data(), rows, 3, 3, 1}; }

    bool test(Size t, Size r) const {
        const double v = x[r * 3 + static_cast<Size>(feature[t])];
        if (std::isnan(v)) return (flags[t] & kMissing) != 0;
        bool in = v >= low[t] && v <= high[t];
        if (t == 3) in = v == 1 || v == 3;
        if (t == 4) in = v == 0 || v == 33;
        return in != ((flags[t] & kExcluded) != 0);
    }
    bool rule(Size k, Size r) const {
        switch (k) {
            case 0:
                return test(0, r);
            case 1:
                return test(1, r) && test(2, r);
            case 2:
                return (test(3, r) || test(4, r)) && test(5, r);
            case 3:
                return true;
            case 4:
                return false;
            default:
                return test(0, r) || (test(1, r) && test(2, r) && test(3, r));
        }
    }
};

TEST(rules_fire_as_a_plain_loop_says) {
    for (const Size n : {1, 63, 64, 65, 5000}) {
        const Problem p(n);
        const Size words = words_of(n), rules = p.program().rules();
        for (const Matrix& x : {p.wide(), p.narrow()}) {
            const auto bits = rule_bits(x, p.program(), 2);
            const auto first = first_rule(x, p.program(), {}, 2);
            const std::vector<std::int32_t> labels{0, 1, 0, 2, 1, 1};
            const std::vector<double> weight{1, 2, 0.5, 1, 1, 4};
            const auto votes = rule_votes(x, p.program(), labels, weight, 3, 2);
            for (Size r = 0; r < n; ++r) {
                std::int32_t wanted = -1;
                double sums[3] = {0, 0, 0};
                for (Size k = 0; k < rules; ++k) {
                    const bool fires = p.rule(k, r);
                    CHECK(((bits[k * words + r / 64] >> (r % 64)) & 1) == static_cast<std::uint64_t>(fires));
                    if (fires && wanted < 0) wanted = static_cast<std::int32_t>(k);
                    if (fires) sums[labels[k]] += weight[k];
                }
                CHECK(first[r] == wanted);
                for (Size c = 0; c < 3; ++c) CHECK(votes[r * 3 + c] == sums[c]);
            }
            if (n % 64 != 0)
                for (Size k = 0; k < rules; ++k) CHECK(bits[k * words + words - 1] >> (n % 64) == 0);
        }
    }
}

// Hundreds of rules  a = 3 AND c = 17 AND ...  that begin alike, with more values than rows have.
TEST(rules_that_begin_alike_fire_as_a_plain_loop_says) {
    const Size n = 300, rules = 400;
    const Random chance{5, 6};
    std::vector<double> x;
    for (Size i = 0; i < 3 * n; ++i)
        x.push_back(chance.below(i, 9) == 0 ? kNan : static_cast<double>(chance.below(5000 + i, i % 3 == 0 ? 4 : 90)));
    Problem p(1);
    p.feature.clear(), p.low.clear(), p.high.clear(), p.flags.clear(), p.table_start = {0};
    for (Size t = 0; t < 210; ++t) {  // the last ones are intervals, and points that stand twice
        const double low = static_cast<double>(t < 200 ? t / 3 : t % 4);
        p.feature.push_back(static_cast<std::int32_t>(t % 3));
        p.low.push_back(low);
        p.high.push_back(t % 7 == 0 ? low + 2 : low);
        p.flags.push_back(t % 11 == 0 ? kExcluded : 0);
        p.table_start.push_back(0);
    }
    p.steps.clear(), p.starts = {0}, p.table.clear();
    for (Size k = 0; k < rules; ++k) {
        const Size length = 1 + chance.below(20000 + k, 3);
        for (Size i = 0; i < length; ++i) {
            p.steps.push_back(static_cast<std::int32_t>(3 * chance.below(30000 + 3 * k + i, i == 0 ? 4 : 70) + i));
            if (i > 0) p.steps.push_back(k % 40 == 0 ? kOr : kAnd);
        }
        p.starts.push_back(static_cast<std::int64_t>(p.steps.size()));
    }
    const Program program = p.program();
    const Matrix table = Dense<double>{x.data(), n, 3, 3, 1};
    const auto fires = [&](Size k, Size r) {
        bool all = true, any = false;
        for (auto s = program.starts[k]; s < program.starts[k + 1]; ++s) {
            if (program.steps[static_cast<Size>(s)] < 0) continue;
            const auto t = static_cast<Size>(program.steps[static_cast<Size>(s)]);
            const double v = x[r * 3 + static_cast<Size>(p.feature[t])];
            const bool in = v >= p.low[t] && v <= p.high[t];
            const bool holds = !std::isnan(v) && in != (p.flags[t] == kExcluded);
            all = all && holds, any = any || holds;
        }
        return k % 40 == 0 ? any : all;
    };
    const auto bits = rule_bits(table, program, 2);
    const Fired fired = fired_rules(table, program, 2);
    Size at = 0;
    for (Size r = 0; r < n; ++r) {
        CHECK(fired.starts[r] == static_cast<std::int64_t>(at));
        for (Size k = 0; k < rules; ++k) {
            CHECK(((bits[k * words_of(n) + r / 64] >> (r % 64)) & 1) == static_cast<std::uint64_t>(fires(k, r)));
            if (fires(k, r)) CHECK(at < fired.rules.size() && fired.rules[at++] == static_cast<std::int32_t>(k));
        }
    }
    CHECK(at == fired.rules.size());
}

TEST(rules_count_and_clash_as_a_plain_loop_says) {
    const Problem p(777);
    const auto bits = rule_bits(p.wide(), p.program(), 1);
    std::vector<std::int32_t> codes;
    std::vector<double> weight;
    const Random chance{3, 4};
    for (Size r = 0; r < p.rows; ++r) {
        codes.push_back(static_cast<std::int32_t>(chance.below(r, 4)) - 1);  // -1 is left out
        weight.push_back(static_cast<double>(chance.below(10000 + r, 5)));
    }
    const auto counts = rule_counts(bits, codes, weight, 3, 2);
    const std::vector<std::int32_t> labels{0, 1, 0, 2, 1, 1};
    const auto clashes = rule_conflicts(bits, words_of(p.rows), labels, 2);
    Size at = 0;
    for (Size a = 0; a < 6; ++a) {
        std::vector<double> wanted(3);
        for (Size r = 0; r < p.rows; ++r)
            if (p.rule(a, r) && codes[r] >= 0) wanted[static_cast<Size>(codes[r])] += weight[r];
        for (Size c = 0; c < 3; ++c) CHECK(counts[a * 3 + c] == wanted[c]);
        for (Size b = a + 1; b < 6; ++b) {
            std::int64_t rows = 0;
            for (Size r = 0; r < p.rows; ++r) rows += p.rule(a, r) && p.rule(b, r);
            if (labels[a] == labels[b] || rows == 0) continue;
            CHECK(at < clashes.size());
            if (at >= clashes.size()) return;
            CHECK(clashes[at].rule == static_cast<std::int32_t>(a) &&
                  clashes[at].other == static_cast<std::int32_t>(b));
            CHECK(clashes[at++].rows == rows);
        }
    }
    CHECK(at == clashes.size());
}

TEST(programs_that_cannot_run_are_found) {
    Problem p(10);
    CHECK(is_valid(p.program(), 3));
    CHECK(!is_valid(p.program(), 2));
    p.steps[1] = kAnd;
    CHECK(!is_valid(p.program(), 3));
    p.steps[1] = 99;
    CHECK(!is_valid(p.program(), 3));
    Problem q(10);
    q.starts.back() = 17;
    CHECK(!is_valid(q.program(), 3));
}

TEST(one_r_cuts_where_the_book_does) {
    // Humidity of fourteen days, and whether a game was played; three of a class at least.
    const std::vector<double> humidity{85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91, kNan};
    const std::vector<std::int32_t> play{0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0};
    const std::vector<std::int32_t> columns{0};
    const Matrix x = Dense<double>{humidity.data(), 15, 1, 1, 1};
    const auto found = one_r_buckets(x, columns, {play, {}, 2}, 3, 2);
    CHECK(found.size() == 1 && found[0].cuts == std::vector<double>({82.5, 95.5}));
    CHECK(found[0].counts == std::vector<double>({1, 6, 4, 2, 0, 1}));
    const std::vector<double> weight{1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};  // without the day at 96
    const auto less = one_r_buckets(x, columns, {play, weight, 2}, 3, 1);
    CHECK(less[0].cuts == std::vector<double>({82.5}));
    const auto none =
        one_r_buckets(Dense<double>{humidity.data() + 14, 1, 1, 1, 1}, columns, {{play.data(), 1}, {}, 2}, 3, 1);
    CHECK(none[0].cuts.empty() && none[0].counts.empty());
}

TEST(prism_learns_what_can_be_checked_by_hand) {
    // Two columns of two values: class 0 is 1 in the first, or 1 in the second.
    const std::vector<std::int32_t> codes{0, 0, 1, 1, -1, 0, 1, 1, 0, -1};
    const std::vector<std::int64_t> sizes{2, 2}, weight{1, 1, 1, 1, 1};
    const std::vector<std::int32_t> labels{1, 0, 0, 0, 1};
    const PrismRules found = prism({codes, sizes, labels, weight, 2}, {}, 2);
    CHECK(found.label == std::vector<std::int32_t>({0, 0, 1}));
    CHECK(found.starts == std::vector<std::int64_t>({0, 1, 2, 4}));
    CHECK(found.feature == std::vector<std::int32_t>({0, 1, 0, 1}));
    CHECK(found.code == std::vector<std::int32_t>({1, 1, 0, 0}));
    CHECK(found.right == std::vector<std::int64_t>({2, 1, 1, 1}));
    CHECK(found.covered == std::vector<std::int64_t>({2, 1, 2, 1}));
}

}  // namespace
}  // namespace pellucid::test

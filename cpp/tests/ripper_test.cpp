// RIPPER's parts against plain loops: ranks and equal rows, gains, lengths, sets of rules; the same on more threads.
#include "core/rules/ripper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.hpp"
#include "core/rules/ripper_set.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::rules;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Sample {
    std::vector<double> cells;  // column after column
    std::vector<std::int32_t> place;
    std::vector<double> weight;
    std::vector<std::uint8_t> is_category;
    Size rows = 0, cols = 0;

    Dense<double> view() const { return {cells.data(), rows, cols, 1, static_cast<std::ptrdiff_t>(rows)}; }
    CodedTable coded(int threads = 1) const { return code_table(view(), is_category, place, weight, 3, threads); }
};

// Columns of few values, of thirds, of many values, and of categories; some are missing.
Sample sample(Size rows, std::uint64_t seed) {
    const Random chance{seed, 0};
    Sample out{{}, {}, {}, {0, 0, 0, 1}, rows, 4};
    for (Size c = 0; c < 4; ++c)
        for (Size r = 0; r < rows; ++r) {
            const std::uint64_t draw = chance.bits(c * rows + r);
            const double value = c == 2   ? chance.uniform(c * rows + r + 7777)
                                 : c == 1 ? static_cast<double>(draw % 9) / 3 - 1
                                          : static_cast<double>(draw % 5);
            out.cells.push_back(draw % 11 == 0 ? kMissing : value);
        }
    for (Size r = 0; r < rows; ++r) {
        const bool first = out.cells[r] >= 3 && !(out.cells[2 * rows + r] > 0.6);
        const std::uint64_t draw = chance.bits(99999 + r);
        out.place.push_back(draw % 10 == 0 ? static_cast<std::int32_t>(draw % 3) : first ? 0 : 1 + (draw % 4 == 0));
        out.weight.push_back(static_cast<double>(draw % 7 == 0 ? 0 : 1 + draw % 3) / 2);
    }
    return out;
}

ClassRows whole(const CodedTable& table, const std::vector<std::int32_t>& sizes,
                const std::vector<std::uint8_t>& missing) {
    ClassRows out;
    out.rows = table.rows;
    out.cols = table.cols;
    out.codes = table.codes;
    out.weight = table.weight;
    out.hash = table.hash;
    out.positives =
        static_cast<Size>(std::ranges::count(table.place, 0));  // rows of the first class stand first in the table
    out.sizes = sizes;
    out.categories = table.is_category;
    out.missing = missing;
    return out;
}

double foil(double p, double n, double P, double N) {
    return p > 0 ? p * (std::log2(p / (p + n)) - std::log2(P / (P + N))) : 0.0;
}

}  // namespace

TEST(equal_rows_of_a_class_are_added_up) {
    Sample one = sample(300, 1);
    const CodedTable a = one.coded();
    Sample twice = one;
    twice.rows = 2 * one.rows;
    twice.cells.clear();
    for (Size c = 0; c < one.cols; ++c)
        for (int copy = 0; copy < 2; ++copy)
            twice.cells.insert(twice.cells.end(), one.cells.begin() + static_cast<std::ptrdiff_t>(c * one.rows),
                               one.cells.begin() + static_cast<std::ptrdiff_t>((c + 1) * one.rows));
    twice.place.insert(twice.place.end(), one.place.begin(), one.place.end());
    twice.weight.insert(twice.weight.end(), one.weight.begin(), one.weight.end());
    const CodedTable b = twice.coded(3);
    CHECK(a.codes == b.codes && a.place == b.place && a.hash == b.hash && a.values == b.values);
    for (Size r = 0; r < a.rows; ++r) CHECK(b.weight[r] == 2 * a.weight[r]);
    CHECK(std::ranges::is_sorted(a.place));
}

TEST(the_best_condition_of_a_column_has_the_largest_gain) {
    for (const Size rows : {Size{40}, Size{900}}) {
        const CodedTable table = sample(rows, rows).coded();
        std::vector<std::int32_t> sizes;
        for (const auto& values : table.values) sizes.push_back(static_cast<std::int32_t>(values.size()));
        const std::vector<std::uint8_t> missing(table.cols, 1), used(table.cols, 0);
        const ClassRows all = whole(table, sizes, missing);
        for (const Size step : {Size{1}, Size{3}, Size{40}}) {  // few rows of many values are sorted, many counted
            Part part;
            for (Size r = 0; r < all.rows; r += step) {
                part.rows.push_back(static_cast<std::uint32_t>(r));
                part.weight.push_back(all.weight[r]);
                part.positives += r < all.positives ? 1 : 0;
            }
            const Coverage covered = part.coverage();
            if (part.positives == 0 || part.positives == part.rows.size()) continue;
            Lender lender;
            std::vector<Candidate> best;
            best_conditions(all, part, used, 2, lender, best);
            for (Size c = 0; c < all.cols; ++c) {
                double largest = 0.0;
                for (std::int32_t v = 0; v < sizes[c]; ++v)
                    for (const Sign sign : {Sign::at_most, Sign::at_least, Sign::is}) {
                        if ((sign == Sign::is) != (table.is_category[c] != 0)) continue;
                        Part kept = part;
                        kept.keep(all, {static_cast<std::int32_t>(c), sign, v});
                        const Coverage now = kept.coverage();
                        largest =
                            std::max(largest, foil(now.positive, now.negative, covered.positive, covered.negative));
                    }
                CHECK_NEAR(best[c].found() ? best[c].gain : 0.0, largest, 1e-9 * (1 + largest));
            }
        }
    }
}

TEST(a_set_of_rules_is_described_as_if_worked_out_afresh) {
    const CodedTable table = sample(500, 5).coded();
    std::vector<std::int32_t> sizes;
    for (const auto& values : table.values) sizes.push_back(static_cast<std::int32_t>(values.size()));
    const std::vector<std::uint8_t> missing(table.cols, 1);
    const ClassRows all = whole(table, sizes, missing);
    const LengthFrame frame{RowBits(all.rows, true).weight(all), 0.3, table.possible_conditions()};
    std::vector<SetRule> rules;
    for (const Tests& tests : {Tests{{0, Sign::at_least, 3}}, Tests{{3, Sign::is, 1}, {1, Sign::at_most, 4}},
                               Tests{{2, Sign::at_most, 50}, {0, Sign::at_least, 2}, {3, Sign::is, 2}}, Tests{}})
        rules.push_back({tests, RowBits::covered_by(all, tests)});
    Described set(all, frame, rules);
    for (const Size out : {Size{3}, Size{1}, Size{0}}) {
        const Length without = set.length_without(out);
        std::vector<SetRule> rest;
        for (Size k = 0; k < rules.size(); ++k)
            if (set.is_in(k) && k != out) rest.push_back(rules[k]);
        const Length afresh = Described(all, frame, rest).length();
        CHECK_NEAR(without.total(), afresh.total(), 1e-9);
        Coverage covered;
        for (Size r = 0; r < all.rows; ++r)
            if (std::ranges::any_of(rest, [&](const SetRule& rule) { return rule.covered.has(r); }))
                (r < all.positives ? covered.positive : covered.negative) += all.weight[r];
        CHECK(afresh.covered.positive == covered.positive && afresh.covered.negative == covered.negative);
        set.remove(out);
    }
}

TEST(lengths_of_messages_by_hand) {
    CHECK(theory_bits(0, 10) == 0.0);
    CHECK_NEAR(theory_bits(1, 2), 1.0, 1e-12);            // which one of two: S(2, 1, 1/2) = 2 bits, halved
    CHECK_NEAR(theory_bits(2, 4), 0.5 * (1 + 4), 1e-12);  // log2 2 + 2 log2 1 + S(4, 2, 1/2)
    CHECK_NEAR(subset_bits(8, 2, 0.25), 2 * 2 + 6 * std::log2(4.0 / 3), 1e-12);
    // Nothing covered, 4 of 15 missed, half expected: log2 16 + S(15, 4, 1/2 x 4 / 15).
    CHECK_NEAR(data_bits({4, 11}, {0, 0}, 0.5), 4 + subset_bits(15, 4, 2.0 / 15), 1e-12);
    CHECK_NEAR(data_bits({4, 11}, {4, 0}, 0.5), 4.0, 1e-7);  // nothing to correct
}

TEST(rules_do_not_depend_on_the_number_of_threads) {
    const Sample data = sample(6000, 9);
    RipperSettings settings;
    settings.seed = 3;
    NoTrace none;
    const RipperRules first = ripper(data.coded(), settings, none);
    CHECK(!first.rules.empty());
    for (const int threads : {2, 3}) {
        settings.threads = threads;
        Record record;
        const RipperRules again = ripper(data.coded(threads), settings, record);
        CHECK(again.rules.size() == first.rules.size() && same_bits(again.left, first.left));
        for (Size k = 0; k < std::min(first.rules.size(), again.rules.size()); ++k) {
            CHECK(again.rules[k].tests == first.rules[k].tests);
            CHECK(same_bits(again.rules[k].counts, first.rules[k].counts));
        }
        CHECK(!record.tables().empty());
    }
}

}  // namespace pellucid::test

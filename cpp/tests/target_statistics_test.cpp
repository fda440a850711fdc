// Moments of the target by category, columns made of them and the ordered statistic against plain loops.
#include "core/preprocessing/target_statistics.hpp"

#include <cmath>

#include "core/base/rng.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

struct Rows {
    std::vector<std::int32_t> codes, parts;
    std::vector<double> target;
};

// Codes from -1 on, so that some rows have no category, and parts 0 .. n_parts-1.
Rows rows_of(Size n, Size categories, Size n_parts) {
    const Random chance{n, categories};
    Rows rows{std::vector<std::int32_t>(n), std::vector<std::int32_t>(n), std::vector<double>(n)};
    for (Size r = 0; r < n; ++r) {
        rows.codes[r] = static_cast<std::int32_t>(chance.below(3 * r, categories + 1)) - 1;
        rows.parts[r] = static_cast<std::int32_t>(chance.below(3 * r + 1, n_parts));
        rows.target[r] = 100 + chance.uniform(3 * r + 2);
    }
    return rows;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

}  // namespace

TEST(moments_of_the_target_are_those_of_a_loop_on_any_number_of_threads) {
    for (const Size n : {Size{0}, Size{1}, Size{65'536}, Size{200'001}})
        for (const Size categories : {Size{1}, Size{7}, Size{40'000}})
            for (const Size n_parts : {Size{1}, Size{3}}) {
                const Rows rows = rows_of(n, categories, n_parts);
                const std::span<const std::int32_t> parts = n_parts == 1 ? std::span<const std::int32_t>{} : rows.parts;
                const Size entries = categories * n_parts;
                std::vector<double> count(entries), sum(entries), square(entries);
                const auto at = [&](Size r) {
                    return static_cast<Size>(rows.codes[r]) +
                           (n_parts == 1 ? 0 : static_cast<Size>(rows.parts[r]) * categories);
                };
                for (Size r = 0; r < n; ++r)
                    if (rows.codes[r] >= 0) {
                        count[at(r)] += 1;
                        sum[at(r)] += rows.target[r];
                    }
                for (Size r = 0; r < n; ++r)
                    if (rows.codes[r] >= 0) square[at(r)] += std::pow(rows.target[r] - sum[at(r)] / count[at(r)], 2);
                const TargetColumn column{rows.codes, categories, parts, n_parts, rows.target};
                const CategoryMoments one = category_moments(column, true, 1),
                                      three = category_moments(column, true, 3);
                for (Size i = 0; i < entries; ++i) {
                    CHECK(one.count[i] == count[i]);
                    CHECK(near(one.mean[i], count[i] > 0 ? sum[i] / count[i] : 0));
                    CHECK(near(one.square[i], square[i]));
                }
                CHECK(one.mean == three.mean && one.square == three.square && one.count == three.count);
                CHECK(category_moments(column, false, 1).square.empty());
            }
}

TEST(encodings_are_taken_from_the_table_of_the_row) {
    const Size n = 10'000, columns = 2, targets = 2, n_parts = 3;
    const Rows a = rows_of(n, 4, n_parts), b = rows_of(n, 2, n_parts);
    std::vector<std::int32_t> codes = a.codes;
    for (const std::int32_t code : b.codes) codes.push_back(std::min(code, 1));
    const std::vector<std::int64_t> widths{5, 5, 3, 3}, first{0, 15, 30, 39};
    std::vector<double> tables(48);
    for (Size i = 0; i < tables.size(); ++i) tables[i] = static_cast<double>(i) / 8;
    for (const bool parted : {false, true})
        for (const int threads : {1, 3}) {
            std::vector<double> out(n * columns * targets);
            const std::span<const std::int32_t> parts = parted ? a.parts : std::span<const std::int32_t>{};
            write_encodings({codes, parts, first, widths, tables, targets, n}, out, threads);
            for (Size r = 0; r < n; ++r)
                for (Size o = 0; o < 4; ++o) {
                    const std::int64_t part = parted ? a.parts[r] : 0;
                    const std::int64_t place = first[o] + part * widths[o] + codes[o / targets * n + r] + 1;
                    CHECK(out[r * 4 + o] == tables[static_cast<Size>(place)]);
                }
        }
}

TEST(the_ordered_statistic_looks_at_earlier_rows_alone) {
    const Size n = 300;
    const Rows a = rows_of(n, 5, 1), b = rows_of(n, 1, 1);
    std::vector<std::int32_t> codes = a.codes;
    codes.insert(codes.end(), b.codes.begin(), b.codes.end());
    std::vector<double> target = a.target;
    for (Size r = 0; r < n; ++r) target.push_back(std::floor(2 * b.target[r]) - 200);
    const std::vector<std::int64_t> categories{5, 1};
    const std::vector<double> priors{3.0, 0.5};
    const Random chance{7, 7};
    std::vector<std::int64_t> orders(2 * n);
    for (Size k = 0; k < 2; ++k)
        for (Size i = 0; i < n; ++i) {
            orders[k * n + i] = static_cast<std::int64_t>(i);
            std::swap(orders[k * n + i], orders[k * n + chance.below(k * n + i, i + 1)]);
        }
    for (const Size n_orders : {Size{0}, Size{1}, Size{2}})
        for (const int threads : {1, 3}) {
            std::vector<double> out(n * 4, -1);
            ordered_statistics({codes, categories, target, priors, {orders.data(), n_orders * n}, 2.5, n}, out,
                               threads);
            for (Size o = 0; o < 4; ++o)
                for (Size r = 0; r < n; ++r) {
                    const std::int32_t* code = codes.data() + o / 2 * n;
                    double want = 0;
                    for (Size k = 0; k < std::max(n_orders, Size{1}); ++k) {
                        double sum = 2.5 * priors[o % 2], count = 2.5;
                        for (Size i = 0; i < n; ++i) {
                            const Size row = n_orders == 0 ? i : static_cast<Size>(orders[k * n + i]);
                            if (row == r) break;
                            if (code[row] != code[r] || code[r] < 0) continue;
                            sum += target[o % 2 * n + row];
                            count += 1;
                        }
                        want += sum / count;
                    }
                    CHECK(near(out[r * 4 + o], want / static_cast<double>(std::max(n_orders, Size{1}))));
                }
        }
}

}  // namespace pellucid::test

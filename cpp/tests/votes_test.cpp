#include "core/neighbors/votes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

constexpr Size kRows = 200, kQueries = 1500, kEach = 12, kClasses = 4;

struct Problem {
    std::vector<std::int64_t> rows;
    std::vector<double> distances, values, own;
    std::vector<std::int32_t> codes;

    explicit Problem(bool exact_hits) {
        const Random chance{5, 1};
        for (Size r = 0; r < kRows; ++r) {
            codes.push_back(static_cast<std::int32_t>(chance.below(r, kClasses)));
            values.push_back(static_cast<double>(chance.below(1000 + r, 50)));
            own.push_back(static_cast<double>(chance.below(2000 + r, 3)));
        }
        for (Size i = 0; i < kQueries; ++i) {
            std::vector<double> apart;
            for (Size j = 0; j < kEach; ++j)
                apart.push_back(static_cast<double>(chance.below(5000 + i * kEach + j, 6) + (exact_hits ? 0 : 1)));
            std::sort(apart.begin(), apart.end());
            for (Size j = 0; j < kEach; ++j) {
                distances.push_back(apart[j]);
                rows.push_back(static_cast<std::int64_t>(chance.below(90000 + i * kEach + j, kRows)));
            }
        }
    }
    Asked asked(Weighting kind, std::span<const std::int64_t> stations) const {
        return {{rows, distances, {}, kQueries, kEach}, {kind, {}, own}, stations};
    }
    double weight(Weighting kind, Size i, Size j) const {
        const double d = distances[i * kEach + j], power = kind == Weighting::inverse ? 1 : 2;
        const double row = own[static_cast<Size>(rows[i * kEach + j])];
        if (kind == Weighting::uniform) return row;
        for (Size m = 0; m < kEach; ++m)  // a row of weight 0 is as if it were not there
            if (distances[i * kEach + m] == 0 && own[static_cast<Size>(rows[i * kEach + m])] > 0)
                return d == 0 ? row : 0;
        if (d == 0) return 0;
        return row / std::pow(d, power);
    }
};

TEST(votes_and_means_are_plain_sums) {
    const std::vector<std::int64_t> stations{1, 3, 4, 12};
    for (const bool exact_hits : {false, true})
        for (const Weighting kind : {Weighting::uniform, Weighting::inverse, Weighting::inverse_square}) {
            const Problem p(exact_hits);
            const Asked asked = p.asked(kind, stations);
            std::vector<double> sums(4 * kQueries * kClasses), means(4 * kQueries);
            std::vector<std::int32_t> winners(4 * kQueries);
            class_votes(asked, p.codes, kClasses, sums, 2);
            class_winners(asked, p.codes, kClasses, Ties::first, winners, 2);
            neighbor_averages(asked, p.values, 1, Average::mean, means, 2);
            for (Size a = 0; a < 4; ++a)
                for (Size i = 0; i < kQueries; ++i) {
                    std::vector<double> votes(kClasses);
                    double sum = 0, whole = 0;
                    for (Size j = 0; j < static_cast<Size>(stations[a]); ++j) {
                        const auto row = static_cast<Size>(p.rows[i * kEach + j]);
                        votes[static_cast<Size>(p.codes[row])] += p.weight(kind, i, j);
                        sum += p.weight(kind, i, j) * p.values[row];
                        whole += p.weight(kind, i, j);
                    }
                    const Size at = a * kQueries + i;
                    for (Size c = 0; c < kClasses; ++c) CHECK_NEAR(sums[at * kClasses + c], votes[c], 1e-12);
                    if (whole == 0) {
                        CHECK(winners[at] == -1 && std::isnan(means[at]));
                        continue;
                    }
                    CHECK_NEAR(means[at], sum / whole, 1e-12);
                    const double most = *std::max_element(votes.begin(), votes.end());
                    CHECK_NEAR(votes[static_cast<Size>(winners[at])], most, 1e-12);
                }
        }
}

TEST(half_of_the_weight_lies_on_either_side_of_the_median) {
    const Problem p(false);
    const Asked asked = p.asked(Weighting::inverse, {});
    std::vector<double> medians(kQueries);
    neighbor_averages(asked, p.values, 1, Average::median, medians, 2);
    for (Size i = 0; i < kQueries; ++i) {
        double below = 0, above = 0, whole = 0;
        for (Size j = 0; j < kEach; ++j) {
            const double y = p.values[static_cast<Size>(p.rows[i * kEach + j])], w = p.weight(Weighting::inverse, i, j);
            below += y < medians[i] ? w : 0;
            above += y > medians[i] ? w : 0;
            whole += w;
        }
        CHECK(below <= whole / 2 + 1e-12 && above <= whole / 2 + 1e-12);
    }
}

TEST(the_smallest_of_a_row_come_in_order) {
    const Random chance{9, 2};
    constexpr Size n = 300, k = 40;
    std::vector<double> table(17 * n), values(17 * k);
    std::vector<std::int64_t> columns(17 * k);
    for (Size i = 0; i < table.size(); ++i) table[i] = static_cast<double>(chance.below(i, 50));
    smallest_in_rows({table.data(), 17, n, n, 1}, k, values, columns, 2);
    for (Size r = 0; r < 17; ++r) {
        std::vector<std::pair<double, std::int64_t>> sorted;
        for (Size c = 0; c < n; ++c) sorted.emplace_back(table[r * n + c], static_cast<std::int64_t>(c));
        std::sort(sorted.begin(), sorted.end());
        for (Size j = 0; j < k; ++j)
            CHECK(values[r * k + j] == sorted[j].first && columns[r * k + j] == sorted[j].second);
    }
}

}  // namespace
}  // namespace pellucid::test

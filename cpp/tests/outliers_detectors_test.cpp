// Local densities and isolation trees against plain loops.
#include <algorithm>

#include "core/base/rng.hpp"
#include "core/outliers/isolation.hpp"
#include "core/outliers/local_density.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {

TEST(densities_and_factors_of_four_rows_by_hand) {
    // 0, 1, 2 and 10 on a line, two neighbors each
    const std::vector<std::int64_t> starts{0, 2, 4, 6, 8}, rows{1, 2, 0, 2, 1, 0, 2, 1};
    const std::vector<double> distances{1, 2, 1, 1, 1, 2, 8, 9}, k_distance{2, 1, 2, 9};
    std::vector<double> density(4), factor(4);
    local_densities({starts, distances, rows}, k_distance, 0.0, density, 2);
    const double wanted[] = {1 / 1.5, 1 / 2.0, 1 / 1.5, 1 / 8.5};
    for (Size i = 0; i < 4; ++i) CHECK_NEAR(density[i], wanted[i], 1e-15);
    outlier_factors({starts, distances, rows}, density, density, factor, 2);
    const double factors[] = {0.875, 4.0 / 3, 0.875, (1 / 1.5 + 0.5) / 2 * 8.5};
    for (Size i = 0; i < 4; ++i) CHECK_NEAR(factor[i], factors[i], 1e-14);
    local_densities({starts, distances, rows}, k_distance, 4.0, density, 1);
    CHECK(density[0] == 0.25);
}

TEST(average_paths) {
    CHECK(average_path(1) == 0);
    CHECK(average_path(2) == 1);
    CHECK_NEAR(average_path(256), 10.244770920119917, 1e-12);  // 2 (ln 255 + 0.5772...) - 2 255/256
}

TEST(isolation_trees_part_their_sample_and_do_not_depend_on_threads) {
    const Size n = 400, p = 3;
    const Random chance{1, 1};
    std::vector<double> x(n * p);
    for (Size i = 0; i < x.size(); ++i) x[i] = chance.uniform(i);
    const Matrix X = Dense<double>{x.data(), n, p, static_cast<std::ptrdiff_t>(p), 1};
    const IsolationTrees one = grow_isolation(X, {20, 64, p, false, 5, 1}),
                         more = grow_isolation(X, {20, 64, p, false, 5, 3});
    CHECK(one.column == more.column && one.left == more.left && same_bits(one.threshold, more.threshold));
    for (Size t = 0; t < 20; ++t) {
        const auto first = static_cast<Size>(one.starts[t]), end = static_cast<Size>(one.starts[t + 1]);
        CHECK(one.rows[first] == 64);
        std::int64_t leaves = 0;
        for (Size v = first; v < end; ++v) {
            if (one.column[v] < 0) {
                leaves += one.rows[v];
                continue;
            }
            const auto left = first + static_cast<Size>(one.left[v]);
            CHECK(one.rows[left] + one.rows[left + 1] == one.rows[v]);
            CHECK(one.rows[left] > 0 && one.rows[left + 1] > 0);
        }
        CHECK(leaves == 64);
    }
    std::vector<double> paths(n), again(n);
    const IsolationView view{one.starts, one.column, one.left, one.threshold};
    mean_paths(X, view, paths, 1);
    mean_paths(X, view, again, 3);
    CHECK(same_bits(paths, again));
    for (Size r = 0; r < n; r += 37) {
        double sum = 0;
        for (Size t = 0; t < 20; ++t) {
            Size at = static_cast<Size>(one.starts[t]);
            while (one.column[at] >= 0)
                at = static_cast<Size>(one.starts[t]) + static_cast<Size>(one.left[at]) +
                     (x[r * p + static_cast<Size>(one.column[at])] <= one.threshold[at] ? 0 : 1);
            sum += one.threshold[at];
        }
        CHECK_NEAR(paths[r], sum / 20, 1e-12);
    }
}

}  // namespace pellucid::test

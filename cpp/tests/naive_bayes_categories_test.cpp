// Counts of categories by class, gathered scores and kernel densities against plain loops.
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/rng.hpp"
#include "core/naive_bayes/categorical.hpp"
#include "core/naive_bayes/kernel_density.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

struct Cells {
    std::vector<double> numbers;  // rows x cols; some missing, some unseen
    std::vector<std::int32_t> classes;
    std::vector<double> weight;
    Dense<double> view(Size rows, Size cols) const {
        return {numbers.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1};
    }
};

Cells cells_of(Size rows, Size cols, Size k, Size n_classes) {
    const Random chance{rows, cols};
    Cells made{std::vector<double>(rows * cols), std::vector<std::int32_t>(rows), std::vector<double>(rows)};
    for (Size i = 0; i < rows * cols; ++i) {
        const auto drawn = static_cast<double>(chance.below(i, k + 3));
        const auto size = static_cast<double>(k);
        made.numbers[i] = drawn < size ? drawn : drawn == size ? std::numeric_limits<double>::quiet_NaN() : drawn + 0.5;
    }
    for (Size r = 0; r < rows; ++r) {
        made.classes[r] = static_cast<std::int32_t>(chance.below(rows * cols + r, n_classes));
        made.weight[r] = chance.uniform(rows * cols + rows + r);
    }
    return made;
}

}  // namespace

TEST(categories_are_counted_and_gathered_like_a_loop_on_any_number_of_threads) {
    for (const Size rows : {Size{1}, Size{300}, Size{100'003}})
        for (const Size n_classes : {Size{2}, Size{5}}) {
            const Size cols = 3, k = 4;
            const Cells cells = cells_of(rows, cols, k, n_classes);
            const std::vector<std::int64_t> sizes(cols, static_cast<std::int64_t>(k));
            const CategoryPlan plan{sizes, cells.classes, cells.weight, n_classes};
            const std::vector<double> one = count_codes(cells.view(rows, cols), plan, 1),
                                      three = count_codes(cells.view(rows, cols), plan, 3);
            std::vector<double> expected(cols * k * n_classes);
            std::vector<double> table((k + 2) * cols * n_classes);
            for (Size i = 0; i < table.size(); ++i) table[i] = std::sin(static_cast<double>(i));
            std::vector<double> found(rows * n_classes), again(rows * n_classes), scores(rows * n_classes);
            for (Size r = 0; r < rows; ++r)
                for (Size j = 0; j < cols; ++j) {
                    const double cell = cells.numbers[r * cols + j];
                    Size slot = k;
                    if (std::isnan(cell)) slot = k + 1;
                    if (cell < static_cast<double>(k)) slot = static_cast<Size>(cell);
                    const auto c = static_cast<Size>(cells.classes[r]);
                    if (slot < k) expected[(j * k + slot) * n_classes + c] += cells.weight[r];
                    for (Size d = 0; d < n_classes; ++d)
                        scores[r * n_classes + d] += table[(j * (k + 2) + slot) * n_classes + d];
                }
            add_code_scores(cells.view(rows, cols), sizes, table, n_classes, found, 1);
            add_code_scores(cells.view(rows, cols), sizes, table, n_classes, again, 3);
            CHECK(one == three && found == again && found == scores);
            for (Size i = 0; i < expected.size(); ++i)
                CHECK(std::abs(one[i] - expected[i]) <= 1e-9 * (1 + expected[i]));
        }
}

TEST(extents_tell_codes_from_other_numbers) {
    const std::vector<double> numbers{0, 1.5, -1, 3, 2, 7, std::numeric_limits<double>::quiet_NaN(), 0, 1};
    const std::vector<CodeExtent> found = code_extents(Dense<double>{numbers.data(), 3, 3, 3, 1}, 2);
    CHECK(found[0].codes && found[0].missing && found[0].largest == 3);
    CHECK(!found[1].codes && !found[2].codes && !found[2].missing);
    const std::vector<std::int64_t> whole{4, -2};
    CHECK(!code_extents(Dense<std::int64_t>{whole.data(), 2, 1, 1, 1}, 1)[0].codes);
}

TEST(densities_are_the_sum_of_their_kernels_near_and_far) {
    for (const Size n : {Size{5}, Size{4000}}) {
        const Random chance{n, 1};
        std::vector<double> points(n), weight(n, 1.0 / static_cast<double>(n));
        for (Size i = 0; i < n; ++i) points[i] = static_cast<double>(i) / 400 + chance.uniform(i) / 500;
        const double h = 0.3;
        const DensityTable table = density_table(points, weight, h);
        CHECK(table.cells.empty() == (n == 5));
        const Density density{points, weight, h, table.cells, table.coefficients};
        for (double x = -3; x < 14; x += 0.037) {
            double sum = 0;
            for (Size i = 0; i < n; ++i) sum += weight[i] * std::exp(-std::pow((x - points[i]) / h, 2) / 2);
            const double expected = std::log(sum / (h * std::sqrt(2 * std::numbers::pi)));
            if (sum > 1e-280) CHECK(std::abs(log_density(density, x) - expected) <= 1e-11);
        }
        CHECK(std::isfinite(log_density(density, 1e100)));
    }
}

}  // namespace pellucid::test

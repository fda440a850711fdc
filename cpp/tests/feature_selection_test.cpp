// Sums by group and counts of neighbors against plain loops, on any number of threads.
#include <algorithm>
#include <cmath>

#include "core/base/rng.hpp"
#include "core/feature_selection/groups.hpp"
#include "core/feature_selection/neighbors.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

std::vector<double> numbers(Size n, Size stream, double grain) {
    const Random chance{7, stream};
    std::vector<double> found(n);
    for (Size i = 0; i < n; ++i) found[i] = std::floor(static_cast<double>(chance.bits(i) % 100'000) / grain) / 64;
    return found;
}

std::vector<std::int32_t> groups_of(Size n, Size groups) {
    const Random chance{8, groups};
    std::vector<std::int32_t> found(n);
    for (Size i = 0; i < n; ++i)
        found[i] = static_cast<std::int32_t>(i < 2 * groups ? i % groups : chance.bits(i) % groups);
    return found;
}

// Distance to the k-th of others, by sorting all of them.
double kth(std::vector<double> distances, Size k) {
    std::sort(distances.begin(), distances.end());
    return distances[std::min(k, distances.size()) - 1];
}

}  // namespace

TEST(sums_by_group_are_those_of_a_loop) {
    for (const Size rows : {Size{1}, Size{300}, Size{9'000}})
        for (const Size cols : {Size{1}, Size{70}})
            for (const bool by_column : {false, true})
                for (const int threads : {1, 3}) {
                    const Size groups = rows < 10 ? 1 : 3;
                    const std::vector<double> held = numbers(rows * cols, cols, 1);
                    const std::vector<std::int32_t> group = groups_of(rows, groups);
                    const auto wide = static_cast<std::ptrdiff_t>(cols), tall = static_cast<std::ptrdiff_t>(rows);
                    const Dense<double> x{held.data(), rows, cols, by_column ? 1 : wide, by_column ? tall : 1};
                    const std::vector<double> shift(groups * cols, 100.0), unit(cols, 0.5);
                    const GroupSums found = group_sums(Matrix{x}, group, groups, shift, unit, threads);
                    for (Size c = 0; c < cols; ++c) {
                        double low = x.at(0, c), high = low;
                        std::vector<double> sum(groups), square(groups);
                        for (Size r = 0; r < rows; ++r) {
                            const double d = (x.at(r, c) - 100.0) / 2;
                            sum[static_cast<Size>(group[r])] += d, square[static_cast<Size>(group[r])] += d * d;
                            low = std::min(low, x.at(r, c)), high = std::max(high, x.at(r, c));
                        }
                        CHECK(found.low[c] == low && found.high[c] == high);
                        for (Size g = 0; g < groups; ++g) {  // multiples of 1/128: every sum is exact
                            CHECK(found.sum[g * cols + c] == sum[g]);
                            CHECK(std::abs(found.square[g * cols + c] - square[g]) <= 1e-12 * square[g]);
                        }
                    }
                }
}

TEST(sums_by_group_of_sparse_rows_count_the_zeros_in_the_ends) {
    const std::vector<double> values{2, 3, -1};
    const std::vector<std::int32_t> indices{0, 0, 1}, starts{0, 1, 3}, group{0, 1};
    const Csr<std::int32_t> x{values.data(), indices.data(), starts.data(), 2, 2};
    const std::vector<double> shift(4, 0.0), unit(2, 1.0);
    const GroupSums found = group_sums(Matrix{x}, group, 2, shift, unit, 1);
    CHECK((found.sum == std::vector<double>{2, 0, 3, -1}));
    CHECK((found.square == std::vector<double>{4, 0, 9, 1}));
    CHECK((found.low == std::vector<double>{2, -1}));
    CHECK((found.high == std::vector<double>{3, 0}));
}

TEST(neighbors_in_the_plane_are_counted_as_by_comparing_all_pairs) {
    for (const Size n : {Size{5}, Size{400}})
        for (const Size k : {Size{1}, Size{3}})
            for (const double grain : {1.0, 30'000.0}) {  // the second repeats values
                const std::vector<double> table = numbers(2 * n, n, grain), y = numbers(n, n + 1, 1);
                for (const int threads : {1, 2}) {
                    std::vector<std::int64_t> nx(2 * n), ny(2 * n);
                    plane_neighbors(table, y, k, nx, ny, threads);
                    for (Size c = 0; c < 2; ++c)
                        for (Size i = 0; i < n; ++i) {
                            const double* x = table.data() + c * n;
                            std::vector<double> others;
                            for (Size j = 0; j < n; ++j)
                                if (j != i) others.push_back(std::max(std::abs(x[i] - x[j]), std::abs(y[i] - y[j])));
                            const double radius = std::nextafter(kth(others, k), 0.0);
                            std::int64_t in_x = 0, in_y = 0;
                            for (Size j = 0; j < n; ++j)
                                in_x += std::abs(x[i] - x[j]) <= radius, in_y += std::abs(y[i] - y[j]) <= radius;
                            CHECK(nx[c * n + i] == in_x && ny[c * n + i] == in_y);
                        }
                }
            }
}

TEST(neighbors_in_a_group_are_counted_as_by_comparing_all_pairs) {
    for (const Size n : {Size{6}, Size{500}})
        for (const Size k : {Size{1}, Size{4}})
            for (const double grain : {1.0, 30'000.0}) {
                const std::vector<double> x = numbers(n, n + 2, grain);
                const std::vector<std::int32_t> group = groups_of(n, 3);
                std::vector<std::int64_t> count(n);
                group_neighbors(x, group, 3, k, count, 2);
                for (Size i = 0; i < n; ++i) {
                    std::vector<double> own;
                    for (Size j = 0; j < n; ++j)
                        if (j != i && group[j] == group[i]) own.push_back(std::abs(x[i] - x[j]));
                    const double radius = std::nextafter(kth(own, k), 0.0);
                    std::int64_t want = 0;
                    for (Size j = 0; j < n; ++j) want += std::abs(x[i] - x[j]) <= radius;
                    CHECK(count[i] == want);
                }
            }
}

}  // namespace pellucid::test

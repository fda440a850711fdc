// k-means and its start against plain loops, at every level and on any number of threads.
#include <algorithm>
#include <limits>

#include "core/base/rng.hpp"
#include "core/cluster/center_hot.hpp"
#include "core/cluster/k_means.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

std::vector<std::int32_t> labels_by_loop(const std::vector<double>& x, const std::vector<double>& c, Size cols) {
    std::vector<std::int32_t> labels(x.size() / cols, 0);
    for (Size r = 0; r < labels.size(); ++r)
        for (Size i = 1; i < c.size() / cols; ++i)
            if (squares_apart(&x[r * cols], &c[i * cols], cols) <
                squares_apart(&x[r * cols], &c[static_cast<Size>(labels[r]) * cols], cols))
                labels[r] = static_cast<std::int32_t>(i);
    return labels;
}

KMeansResult run_of(const Matrix& X, const RowFrame& frame, const std::vector<double>& start, Size k, bool panels,
                    int threads) {
    NoTrace none;
    return k_means(X, frame, {}, start, k, {100, 0.0, panels, threads}, none);
}

}  // namespace

TEST(nearest_center_and_the_second_best_of_a_tile) {
    at_every_level([] {
        const Size p = 5, count = 3;
        const std::vector<double> rows = whole_numbers(kRowTile, p, 1), panels = whole_numbers(count * kCenters, p, 2);
        std::vector<double> sizes(count * kCenters, 0.0);
        for (Size q = 0; q < count; ++q)
            for (Size c = 0; c < kCenters; ++c)
                for (Size j = 0; j < p; ++j) {
                    const double v = panels[(q * p + j) * kCenters + c];
                    sizes[q * kCenters + c] += v * v;
                }
        const double* at[kRowTile];
        for (Size t = 0; t < kRowTile; ++t) at[t] = &rows[t * p];
        Nearest found[kRowTile];
        center_hot().nearest(at, p, panels.data(), sizes.data(), count, found);
        for (Size t = 0; t < kRowTile; ++t) {
            std::vector<double> values(count * kCenters);
            for (Size c = 0; c < values.size(); ++c) {
                double product = 0;
                for (Size j = 0; j < p; ++j)
                    product += rows[t * p + j] * panels[(c / kCenters * p + j) * kCenters + c % kCenters];
                values[c] = sizes[c] - 2 * product;
            }
            const auto best = std::min_element(values.begin(), values.end());
            CHECK(found[t].best == *best);
            CHECK(found[t].center == static_cast<std::uint32_t>(best - values.begin()));
            *best = std::numeric_limits<double>::infinity();
            CHECK(found[t].second == *std::min_element(values.begin(), values.end()));
        }
    });
}

TEST(k_means_ends_where_every_row_is_at_its_nearest_mean) {
    at_every_level([] {
        for (const Size p : {Size{1}, Size{3}, Size{20}}) {
            const std::vector<double> x = whole_numbers(500, p, 3);
            const std::vector<double> zero(p, 0.0);
            const Matrix X = in_rows(x, p);
            for (const Size k : {Size{1}, Size{7}, Size{40}}) {
                const std::vector<double> start(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(k * p));
                const KMeansResult one = run_of(X, {zero, 1}, start, k, false, 1);
                double sum = 0;
                for (Size r = 0; r < 500; ++r)
                    sum += squares_apart(&x[r * p], &one.centers[static_cast<Size>(one.labels[r]) * p], p);
                CHECK_NEAR(one.distortion, sum, 1e-9 * (sum + 1));
                for (Size r = 0; r < 500; ++r) {
                    const double own = squares_apart(&x[r * p], &one.centers[static_cast<Size>(one.labels[r]) * p], p);
                    for (Size c = 0; c < k; ++c) CHECK(own <= squares_apart(&x[r * p], &one.centers[c * p], p) + 1e-9);
                }
                for (const int threads : {2, 3}) {
                    const KMeansResult more = run_of(X, {zero, 1}, start, k, false, threads);
                    CHECK(same_bits(more.centers, one.centers));
                    CHECK(more.labels == one.labels);
                    CHECK(more.distortion == one.distortion);
                }
                const KMeansResult panels = run_of(X, {zero, 1}, start, k, true, 2);
                CHECK(same_bits(panels.centers, one.centers));
                CHECK(panels.labels == one.labels);
                CHECK(panels.passes == one.passes);
            }
        }
    });
}

TEST(nearest_centers_of_rows_in_any_layout) {
    at_every_level([] {
        const Size p = 6, n = 301, k = 21;
        const std::vector<double> x = whole_numbers(n, p, 4), c = whole_numbers(k, p, 5), zero(p, 0.0);
        const std::vector<std::int32_t> wanted = labels_by_loop(x, c, p);
        std::vector<double> turned(n * p);
        std::vector<float> narrow(n * p);
        std::vector<double> values;
        std::vector<std::int32_t> indices, starts{0};
        for (Size r = 0; r < n; ++r) {
            for (Size j = 0; j < p; ++j) {
                turned[j * n + r] = x[r * p + j];
                narrow[r * p + j] = static_cast<float>(x[r * p + j]);
                if (x[r * p + j] == 0) continue;
                values.push_back(x[r * p + j]);
                indices.push_back(static_cast<std::int32_t>(j));
            }
            starts.push_back(static_cast<std::int32_t>(values.size()));
        }
        const Matrix layouts[] = {in_rows(x, p), Dense<double>{turned.data(), n, p, 1, static_cast<std::ptrdiff_t>(n)},
                                  Dense<float>{narrow.data(), n, p, static_cast<std::ptrdiff_t>(p), 1},
                                  Csr<std::int32_t>{values.data(), indices.data(), starts.data(), n, p}};
        for (const Matrix& X : layouts) {
            std::vector<std::int32_t> labels(n);
            const bool sparse = X.index() >= 2;
            nearest_centers(X, {sparse ? std::span<const double>{} : std::span<const double>(zero), 1}, c, k, labels,
                            2);
            CHECK(labels == wanted);
        }
    });
}

TEST(rows_to_begin_with_differ_and_do_not_depend_on_threads) {
    const Size p = 3;
    const std::vector<double> x = whole_numbers(2000, p, 6), zero(p, 0.0);
    const Matrix X = in_rows(x, p);
    const std::vector<std::int64_t> one = far_apart_rows(X, {zero, 1}, {}, 50, 5, 7, 1);
    CHECK(one == far_apart_rows(X, {zero, 1}, {}, 50, 5, 7, 3));
    for (Size a = 0; a < one.size(); ++a)  // 9^3 different rows are there
        for (Size b = 0; b < a; ++b)
            CHECK(squares_apart(&x[static_cast<Size>(one[a]) * p], &x[static_cast<Size>(one[b]) * p], p) > 0);
    std::vector<double> weight(2000, 0.0);
    for (Size r = 0; r < 10; ++r) weight[r * 100] = 1;
    for (const std::int64_t row : far_apart_rows(X, {zero, 1}, weight, 5, 3, 8, 2)) CHECK(row % 100 == 0 && row < 1000);
}

}  // namespace pellucid::test

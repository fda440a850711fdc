// Bins against their definition, histograms against plain loops.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "core/bins/binned.hpp"
#include "core/histogram/build.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int32_t> no_categories(const Table& t) { return std::vector<std::int32_t>(t.cols, 0); }

// Each code must be the number of edges below the value.
void check_codes(const Table& t, const BinnedTable& binned) {
    for (Size j = 0; j < t.cols; ++j) {
        const ColumnBins& bins = binned.bins(j);
        CHECK(bins.count >= 1 && bins.count <= kMostBins);
        CHECK(std::is_sorted(bins.edges.begin(), bins.edges.end()));
        for (Size r = 0; r < t.rows; ++r) {
            const double x = t.at(r, j);
            Size want = bins.count;
            if (!std::isnan(x) && !bins.is_category())
                want = static_cast<Size>(
                    std::count_if(bins.edges.begin(), bins.edges.end(), [&](double e) { return e < x; }));
            if (bins.is_category() && x >= 0 && x < static_cast<double>(bins.bin_of_category.size()))
                want = bins.bin_of_category[static_cast<Size>(x)];
            CHECK(binned.code(r, j) == want);
            CHECK(bins.code_of(x) == want);
        }
    }
}

}  // namespace

TEST(few_distinct_values_get_a_bin_each) {
    Table t = random_table(600, 11, 1);
    for (Size r = 0; r < t.rows; ++r) {
        t.at(r, 1) = static_cast<double>(r % 255);
        t.at(r, 2) = r % 3 == 0 ? NAN : -0.0 * static_cast<double>(r % 2);
        t.at(r, 3) = NAN;
        t.at(r, 4) = r % 5 == 0 ? kInfinity : r % 5 == 1 ? -kInfinity : 1e308 * static_cast<double>(r % 2);
        t.at(r, 5) = static_cast<double>(r % 256);
    }
    const auto none = no_categories(t);
    for (const Layout& layout : wide_layouts(t)) {
        where = layout.name;
        const BinnedTable binned(layout.view, none, {}, {}, 2);
        check_codes(t, binned);
        CHECK(binned.bins(1).values.size() == 255 && binned.bins(1).edges[3] == 3.5);
        CHECK(binned.bins(2).count == 1 && binned.bins(3).count == 1);
        CHECK(binned.bins(4).values == (std::vector<double>{-kInfinity, 0, 1e308, kInfinity}));
        CHECK(binned.bins(5).values.empty() && binned.bins(5).count == 255);
        CHECK(binned.bins(1).between(3, 7) == 5.0 && binned.bins(1).below(3, 7) == 7.0);
        CHECK(binned.cells() == binned.first_cell(11));
    }
    where.clear();
}

TEST(many_values_fall_into_bins_of_about_equal_weight) {
    const Size n = 20000;
    Table t(n, 3);
    std::vector<double> weight(n);
    const std::vector<double> draws = random_vector(n, 5);
    for (Size r = 0; r < n; ++r) {
        t.at(r, 0) = std::exp(9 * draws[r]);
        t.at(r, 1) = r % 2 == 0 ? 0.25 : draws[r];  // half of the rows are one value
        t.at(r, 2) = draws[r];
        weight[r] = draws[r] > 0 ? 3 : draws[r] < -0.9 ? 0 : 1;
    }
    for (const Size most : {2u, 16u, 255u}) {
        const BinnedTable binned(Matrix(t.view()), no_categories(t), {}, {most, n}, 2);
        check_codes(t, binned);
        std::vector<Size> count(most, 0);
        for (Size r = 0; r < n; ++r) ++count[binned.code(r, 0)];
        const Size share = n / most;
        for (const Size c : count) CHECK(c >= share && c <= share + 1);
        if (most < 16) continue;
        const std::uint8_t heavy = binned.bins(1).code_of(0.25);  // alone in its bin, the others share what is left
        for (Size r = 0; r < n; ++r) CHECK((binned.code(r, 1) == heavy) == (t.at(r, 1) == 0.25));
        CHECK(binned.bins(1).count + 2 >= most);

        const BinnedTable weighed(Matrix(t.view()), no_categories(t), weight, {most, n}, 1);
        std::vector<double> mass(most, 0.0);
        double total = 0;
        for (Size r = 0; r < n; ++r) {
            mass[weighed.code(r, 2)] += weight[r];
            total += weight[r];
        }
        for (Size b = 0; b < weighed.bins(2).count; ++b) CHECK_NEAR(mass[b], total / static_cast<double>(most), 3.5);
    }
}

TEST(a_sample_that_missed_values_is_put_right) {
    Table t(5000, 2);
    for (Size r = 0; r < t.rows; ++r) {
        t.at(r, 0) = r == 2345 ? 17.0 : static_cast<double>(r % 4);
        t.at(r, 1) = static_cast<double>(r * 7919 % 5000);
    }
    const BinnedTable binned(Matrix(t.view()), no_categories(t), {}, {255, 64}, 2);
    check_codes(t, binned);
    CHECK(binned.bins(0).values == (std::vector<double>{0, 1, 2, 3, 17}));
    CHECK(binned.bins(1).count == 255);  // 64 values were sampled, each with a bin; others turned up
}

TEST(rare_categories_share_a_bin) {
    Table t(3000, 2);
    for (Size r = 0; r < t.rows; ++r) {
        t.at(r, 0) = static_cast<double>(r % 7);
        t.at(r, 1) = r < 2500 ? static_cast<double>(100 + r % 10) : static_cast<double>(r % 600);
        if (r % 50 == 0) t.at(r, 1) = r % 100 == 0 ? NAN : 2000;
    }
    const std::vector<std::int32_t> categories{9, 600};
    for (const Layout& layout : wide_layouts(t)) {
        const BinnedTable binned(layout.view, categories, {}, {32, 1 << 15}, 2);
        check_codes(t, binned);
        CHECK(binned.bins(0).count == 9 && binned.bins(0).bin_of_category[5] == 5);
        CHECK(binned.bins(1).count == 32);
        std::set<int> common;
        for (int c = 100; c < 110; ++c) common.insert(binned.bins(1).bin_of_category[static_cast<Size>(c)]);
        CHECK(common.size() == 10 && common.count(31) == 0);
    }
}

namespace {

struct Classed {
    std::uint8_t code;
};

// Sums up what the kernel sums up, row by row and column by column.
template <Statistic S>
std::vector<typename S::Cell> plain_histogram(const S& s, const BinnedTable& t, const std::vector<std::uint32_t>& rows,
                                              const std::vector<typename S::Row>& what) {
    std::vector<typename S::Cell> out(t.cells() * s.width(), 0);
    for (Size j = 0; j < t.cols(); ++j)
        for (Size i = 0; i < rows.size(); ++i)
            s.add(out.data() + (t.first_cell(j) + t.code(rows[i], j)) * s.width(), what[i]);
    return out;
}

template <Statistic S, class Make>
void check_histogram(const S& s, const BinnedTable& table, const std::vector<std::uint32_t>& rows, const Make& make) {
    std::vector<typename S::Row> what;
    for (const std::uint32_t row : rows) what.push_back(make(row));
    const auto want = plain_histogram(s, table, rows, what);
    std::vector<typename S::Cell> before;
    for (const int threads : {1, 2, 3}) {
        std::vector<typename S::Cell> got(want.size(), 0);
        const HistogramTask<S> task{rows, what.data(), got.data()};
        build_histograms<S>(s, table, std::span(&task, 1), threads);
        for (Size i = 0; i < want.size(); ++i)
            CHECK_NEAR(static_cast<long double>(got[i]), static_cast<long double>(want[i]), 1e-9L);
        if (threads > 1) CHECK(std::memcmp(got.data(), before.data(), got.size() * sizeof(got[0])) == 0);
        before = got;
    }
    // The histogram of some of the rows and of the others add up to that of all.
    const Size half = rows.size() / 3;
    std::vector<typename S::Cell> part(want.size(), 0), rest(want.size(), 0), whole = before;
    const std::vector<HistogramTask<S>> two{{std::span(rows).first(half), what.data(), part.data()},
                                            {std::span(rows).subspan(half), what.data() + half, rest.data()}};
    build_histograms<S>(s, table, two, 2);
    subtract_histogram<typename S::Cell>(whole, part);
    for (Size i = 0; i < whole.size(); ++i)
        CHECK_NEAR(static_cast<long double>(whole[i]), static_cast<long double>(rest[i]), 1e-9L);
}

}  // namespace

TEST(histograms_equal_plain_sums) {
    for (const Size cols : {1u, 3u, 8u, 21u}) {
        const Table t = random_table(140000, cols, cols);
        const BinnedTable table(Matrix(t.view()), no_categories(t), {}, {cols == 3 ? Size{7} : kMostBins, 1 << 12}, 2);
        std::vector<std::uint32_t> rows;
        for (std::uint32_t r = 0; r < t.rows; ++r)
            if (r % 4 != 1 || cols == 21) rows.push_back(r);
        check_histogram(CountsOfTwo<Classed>{}, table, rows,
                        [](std::uint32_t r) { return Classed{static_cast<std::uint8_t>(r * 7 % 11 < 4)}; });
        check_histogram(CountsOfClasses<Classed>{5}, table, rows,
                        [](std::uint32_t r) { return Classed{static_cast<std::uint8_t>(r * 7 % 5)}; });
        check_histogram(SlopeSums{}, table, rows, [](std::uint32_t r) {
            return Slope{static_cast<float>(r % 17) - 8.0F, static_cast<float>(r % 3) / 4};
        });
    }
}

}  // namespace pellucid::test

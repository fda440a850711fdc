// Bins, ranks, cuts against a target, sizes of rows and similarities against plain loops, on any number of threads.
#include "core/preprocessing/bins.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/preprocessing/rows.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

template <class T>
Written<T> by_row(std::vector<T>& cells, Size rows, Size cols) {
    return {cells.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1};
}
template <class T>
Written<T> by_column(std::vector<T>& cells, Size rows, Size cols) {
    return {cells.data(), rows, cols, 1, static_cast<std::ptrdiff_t>(rows)};
}

double cost_of(const std::vector<double>& y, const std::vector<double>& w, Size classes) {
    const double total = std::accumulate(w.begin(), w.end(), 0.0);
    if (classes == 0) {
        double sum = 0, square = 0;
        for (Size i = 0; i < y.size(); ++i) sum += w[i] * y[i];
        for (Size i = 0; i < y.size(); ++i) square += w[i] * (y[i] - sum / total) * (y[i] - sum / total);
        return square;
    }
    double cost = 0;
    for (Size k = 0; k < classes; ++k) {
        double own = 0;
        for (Size i = 0; i < y.size(); ++i) own += y[i] == static_cast<double>(k) ? w[i] : 0.0;
        if (own > 0) cost -= own * std::log2(own / total);
    }
    return cost;
}

}  // namespace

TEST(a_bin_is_the_number_of_cuts_at_or_below) {
    const Table t = random_table(700, 5, 3);
    std::vector<double> cuts;
    std::vector<std::int64_t> first{0}, offset{0, 10, -3, 7, 1};
    for (const Size count : {Size{0}, Size{1}, Size{4}, Size{24}, Size{100}}) {
        const std::vector<double> drawn = random_vector(count, count + 9);
        cuts.insert(cuts.end(), drawn.begin(), drawn.end());
        if (count > 2) cuts.back() = t.at(5, first.size() - 1);  // a value that is a cut itself
        std::sort(cuts.begin() + first.back(), cuts.end());
        first.push_back(static_cast<std::int64_t>(cuts.size()));
    }
    const Cuts all{cuts, first};
    for (const Layout& layout : layouts(t))
        for (const int threads : {1, 3})
            std::visit(
                [&](const auto& x) {
                    if constexpr (requires { x.at(0, 0); }) {
                        where = layout.name;
                        std::vector<double> wide(t.cells.size());
                        std::vector<std::int32_t> narrow(t.cells.size());
                        CHECK(assign_bins(x, all, offset, by_row(wide, t.rows, t.cols), threads));
                        CHECK(assign_bins(x, all, offset, by_column(narrow, t.rows, t.cols), threads));
                        for (Size r = 0; r < t.rows; ++r)
                            for (Size c = 0; c < t.cols; ++c) {
                                std::int64_t want = offset[c];
                                for (const double cut : all.of(c)) want += cut <= t.at(r, c) ? 1 : 0;
                                CHECK(wide[r * t.cols + c] == static_cast<double>(want));
                                CHECK(narrow[c * t.rows + r] == want);
                            }
                    }
                },
                layout.view);
    where.clear();
}

TEST(numbers_that_are_not_finite_are_told) {
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        Table t = random_table(300, 3, 1);
        t.at(299, 1) = odd;
        const std::vector<double> cuts{0.5};
        const std::vector<std::int64_t> first{0, 1, 1, 1}, offset{0, 0, 0};
        std::vector<double> out(t.cells.size());
        CHECK(!assign_bins(t.view(), Cuts{cuts, first}, offset, by_row(out, t.rows, t.cols), 2));
        CHECK(!normalize_rows(t.view(), Norm::l2, by_row(out, t.rows, t.cols), 2));
    }
}

TEST(ranks_are_those_of_the_sorted_column) {
    const Table t = random_table(501, 11, 4);
    const std::vector<std::int64_t> ranks{0, 0, 7, 100, 250, 250, 499, 500};
    for (const Layout& layout : layouts(t)) {
        if (layout.name.starts_with("CSR")) continue;
        for (const int threads : {1, 3}) {
            const std::vector<double> found = column_ranked(layout.view, ranks, threads);
            for (Size c = 0; c < t.cols; ++c) {
                std::vector<double> column(t.rows);
                for (Size r = 0; r < t.rows; ++r) column[r] = t.at(r, c);
                std::sort(column.begin(), column.end());
                for (Size i = 0; i < ranks.size(); ++i)
                    CHECK(found[c * ranks.size() + i] == column[static_cast<Size>(ranks[i])]);
            }
        }
    }
}

TEST(the_first_cut_gains_more_than_any_other) {
    for (const Size classes : {Size{0}, Size{3}})
        for (const bool weighted : {false, true}) {
            const Table t = random_table(120, 2, 7, 0.5);
            std::vector<double> y = random_vector(t.rows, 5), w = random_vector(t.rows, 6, 0.5, 2);
            if (classes > 0)
                for (double& one : y) one = std::floor((one + 1) * 1.4999);
            const std::vector<double> ones(t.rows, 1.0);
            const CutTarget target{y, classes, weighted ? std::span<const double>(w) : std::span<const double>{}};
            const std::vector<double>& own = weighted ? w : ones;
            const std::vector<std::int64_t> leaves{6, 2};
            const auto found = greedy_cuts(t.view(), target, leaves, 3, 2);
            CHECK(found[0].size() == 5 && found[1].size() == 1);
            const double all = std::accumulate(own.begin(), own.end(), 0.0);
            for (Size c = 0; c < 2; ++c) {
                const auto gain_at = [&](double cut) {
                    std::vector<double> ly, lw, uy, uw;
                    for (Size r = 0; r < t.rows; ++r)
                        (t.at(r, c) < cut ? ly : uy).push_back(y[r]), (t.at(r, c) < cut ? lw : uw).push_back(own[r]);
                    if (std::min(ly.size(), uy.size()) < 3) return -1.0;
                    return (cost_of(y, own, classes) - cost_of(ly, lw, classes) - cost_of(uy, uw, classes)) / all;
                };
                CHECK_NEAR(found[c][0].gain, gain_at(found[c][0].cut), 1e-12);
                for (Size r = 0; r < t.rows; ++r) CHECK(gain_at(t.at(r, c)) <= found[c][0].gain + 1e-12);
                CHECK(found[c][0].below < found[c][0].cut && found[c][0].cut <= found[c][0].above);
            }
        }
}

TEST(rows_are_divided_by_their_size) {
    for (const double size : {1e-310, 1e-170, 1.0, 1e170, 1e307}) {
        Table t = random_table(90, 13, 8);
        for (double& cell : t.cells) cell *= size;
        for (Size c = 0; c < t.cols; ++c) t.at(4, c) = 0;
        for (const Norm norm : {Norm::l1, Norm::l2, Norm::max})
            for (const Layout& layout : wide_layouts(t)) {
                const auto* x = std::get_if<Dense<double>>(&layout.view);
                if (x == nullptr) continue;
                std::vector<double> one(t.cells.size()), three(t.cells.size());
                CHECK(normalize_rows(*x, norm, by_row(one, t.rows, t.cols), 1));
                CHECK(normalize_rows(*x, norm, by_row(three, t.rows, t.cols), 3));
                CHECK(same_bits(one, three));
                for (Size r = 0; r < t.rows; ++r) {
                    long double sum = 0, square = 0, largest = 0;
                    for (Size c = 0; c < t.cols; ++c) {
                        const long double v = std::abs(static_cast<long double>(t.at(r, c)));
                        sum += v, square += v * v, largest = std::max(largest, v);
                    }
                    long double by = norm == Norm::l1 ? sum : norm == Norm::l2 ? std::sqrt(square) : largest;
                    if (by == 0) by = 1;
                    for (Size c = 0; c < t.cols; ++c) CHECK_NEAR(one[r * t.cols + c], t.at(r, c) / by, 1e-15);
                }
            }
    }
}

TEST(similarities_fall_with_the_squared_distance) {
    const Table t = random_table(40, 6, 2), points = random_table(6, 300, 3);
    for (const Layout& layout : wide_layouts(t)) {
        const auto* x = std::get_if<Dense<double>>(&layout.view);
        if (x == nullptr) continue;
        std::vector<double> one(t.rows * 300), three(t.rows * 300);
        similarities(*x, points.view(), 0.7, by_row(one, t.rows, 300), 1);
        similarities(*x, points.view(), 0.7, by_row(three, t.rows, 300), 3);
        CHECK(same_bits(one, three));
        for (Size r = 0; r < t.rows; ++r)
            for (Size k = 0; k < 300; ++k) {
                long double square = 0;
                for (Size c = 0; c < t.cols; ++c) {
                    const long double apart = static_cast<long double>(t.at(r, c)) - points.at(c, k);
                    square += apart * apart;
                }
                CHECK_NEAR(one[r * 300 + k], std::exp(-0.7L * square), 1e-15);
            }
    }
}

}  // namespace pellucid::test

// Ratings by row, biases, similarities, neighbors and best columns against plain loops, on any number of threads.
#include <algorithm>
#include <limits>
#include <map>

#include "core/base/rng.hpp"
#include "core/recommend/biases.hpp"
#include "core/recommend/neighbors.hpp"
#include "core/recommend/similarity.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A table with NaN where there is no rating, and the same as rows.
struct Sample {
    Size rows, cols;
    std::vector<double> cells;
    RatedRows by_row, by_column;
    double at(Size r, Size c) const { return cells[r * cols + c]; }
};

Sample sample(Size rows, Size cols, std::uint64_t seed) {
    Sample s{rows, cols, std::vector<double>(rows * cols, kNaN), {}, {}};
    const Random chance{seed, 0};
    std::vector<std::int32_t> r, c;
    std::vector<double> v;
    for (Size i = 0; i < s.cells.size(); ++i) {
        if (chance.below(2 * i, 3) != 0) continue;
        s.cells[i] = 1 + static_cast<double>(chance.below(2 * i + 1, 5));
        r.push_back(static_cast<std::int32_t>(i / cols));
        c.push_back(static_cast<std::int32_t>(i % cols));
        v.push_back(s.cells[i]);
    }
    std::reverse(r.begin(), r.end());
    std::reverse(c.begin(), c.end());
    std::reverse(v.begin(), v.end());
    s.by_row = group_ratings({r, c, v}, rows, cols, Twice::mean).rated;
    s.by_column = transposed(s.by_row.view(), cols);
    return s;
}

double similarity_by_loop(const Sample& s, Size a, Size b, Over over, double shrinkage) {
    double n = 0, ab = 0, aa = 0, bb = 0, ma = 0, mb = 0;
    for (Size c = 0; c < s.cols; ++c)
        if (!std::isnan(s.at(a, c) + s.at(b, c))) n += 1, ma += s.at(a, c), mb += s.at(b, c);
    if (n == 0) return kNaN;
    ma = over == Over::centered ? ma / n : 0;
    mb = over == Over::centered ? mb / n : 0;
    for (Size c = 0; c < s.cols; ++c) {
        const bool both = !std::isnan(s.at(a, c) + s.at(b, c));
        if (both) ab += (s.at(a, c) - ma) * (s.at(b, c) - mb);
        if ((both || over == Over::all) && !std::isnan(s.at(a, c))) aa += (s.at(a, c) - ma) * (s.at(a, c) - ma);
        if ((both || over == Over::all) && !std::isnan(s.at(b, c))) bb += (s.at(b, c) - mb) * (s.at(b, c) - mb);
    }
    return aa > 1e-9 && bb > 1e-9 ? ab / std::sqrt(aa * bb) * n / (n + shrinkage) : kNaN;
}

}  // namespace

TEST(triples_in_any_order_become_rows) {
    const Sample s = sample(40, 17, 1);
    const Rated rows = s.by_row.view(), columns = s.by_column.view();
    Size entries = 0;
    for (Size r = 0; r < s.rows; ++r)
        for (Size at = rows.first(r); at < rows.last(r); ++at, ++entries) {
            CHECK(rows.values[at] == s.at(r, rows.column(at)));
            CHECK(at == rows.first(r) || rows.indices[at - 1] < rows.indices[at]);
        }
    CHECK(entries ==
          static_cast<Size>(std::count_if(s.cells.begin(), s.cells.end(), [](double v) { return !std::isnan(v); })));
    for (Size c = 0; c < s.cols; ++c)
        for (Size at = columns.first(c); at < columns.last(c); ++at)
            CHECK(columns.values[at] == s.at(columns.column(at), c));
}

TEST(a_pair_that_stands_twice_is_one_rating) {
    const std::vector<std::int32_t> r{0, 1, 0, 0}, c{2, 0, 2, 1};
    const std::vector<double> v{4, 7, 1, 9};
    const double want[3] = {2.5, 1, 5};
    for (int rule = 0; rule < 3; ++rule) {
        const Grouped g = group_ratings({r, c, v}, 2, 3, static_cast<Twice>(rule));
        CHECK(g.repeated == 1);
        CHECK((g.rated.starts == std::vector<std::int64_t>{0, 2, 3}));
        CHECK((g.rated.indices == std::vector<std::int32_t>{1, 2, 0}));
        CHECK((g.rated.values == std::vector<double>{9, want[rule], 7}));
    }
}

TEST(similarities_are_those_of_plain_loops) {
    const Sample s = sample(60, 25, 2);
    for (const Over over : {Over::all, Over::common, Over::centered})
        for (const double shrinkage : {0.0, 3.0}) {
            RatedRows first;
            for (const int threads : {1, 2, 3}) {
                const RatedRows found =
                    rating_similarities(s.by_row.view(), s.by_column.view(), {over, 2, shrinkage, -2, 0, threads});
                if (threads == 1) first = found;
                CHECK(same_bits(found.values, first.values) && found.indices == first.indices);
            }
            const Rated rows = first.view();
            std::map<std::pair<Size, Size>, double> got;
            for (Size a = 0; a < s.rows; ++a)
                for (Size at = rows.first(a); at < rows.last(a); ++at) got[{a, rows.column(at)}] = rows.values[at];
            for (Size a = 0; a < s.rows; ++a)
                for (Size b = 0; b < s.rows; ++b) {
                    Size n = 0;
                    for (Size c = 0; c < s.cols; ++c) n += !std::isnan(s.at(a, c) + s.at(b, c));
                    const double want = similarity_by_loop(s, a, b, over, shrinkage);
                    const auto there = got.find({a, b});
                    if (a == b || n < 2 || std::isnan(want))
                        CHECK(there == got.end());
                    else if (there == got.end())
                        CHECK(false);
                    else
                        CHECK_NEAR(there->second, want, 1e-12);
                }
        }
}

TEST(the_largest_similarities_are_kept) {
    const Sample s = sample(30, 12, 3);
    const RatedRows all = rating_similarities(s.by_row.view(), s.by_column.view(), {Over::all, 1, 0, 0, 0, 1});
    const RatedRows few = rating_similarities(s.by_row.view(), s.by_column.view(), {Over::all, 1, 0, 0, 4, 2});
    const Rated whole = all.view(), kept = few.view();
    for (Size a = 0; a < s.rows; ++a) {
        std::vector<std::pair<double, std::int32_t>> order;
        for (Size at = whole.first(a); at < whole.last(a); ++at)
            order.push_back({-whole.values[at], whole.indices[at]});
        std::sort(order.begin(), order.end());
        order.resize(std::min<Size>(order.size(), 4));
        std::sort(order.begin(), order.end(), [](auto& x, auto& y) { return x.second < y.second; });
        CHECK(order.size() == kept.count(a));
        for (Size i = 0; i < order.size(); ++i) CHECK(order[i].second == kept.indices[kept.first(a) + i]);
    }
}

TEST(neighbors_answer_with_a_weighted_mean) {
    const Sample s = sample(50, 20, 4);
    const RatedRows alike = rating_similarities(s.by_row.view(), s.by_column.view(), {Over::all, 1, 0, 0, 0, 1});
    std::vector<std::int32_t> rows, columns;
    for (std::int32_t a = 0; a < 50; ++a)
        for (std::int32_t c = 0; c < 20; ++c) rows.push_back(a), columns.push_back(c);
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        std::vector<double> out(rows.size());
        neighbor_means(alike.view(), s.by_column.view(), {rows, columns}, {3, 2, threads}, out);
        if (threads == 1) first = out;
        CHECK(same_bits(out, first));
    }
    const Rated similar = alike.view();
    for (Size i = 0; i < rows.size(); ++i) {
        std::vector<std::pair<double, Size>> able;
        const auto a = static_cast<Size>(rows[i]), c = static_cast<Size>(columns[i]);
        for (Size at = similar.first(a); at < similar.last(a); ++at)
            if (!std::isnan(s.at(similar.column(at), c))) able.push_back({-similar.values[at], similar.column(at)});
        std::sort(able.begin(), able.end());
        if (able.size() < 2) {
            CHECK(std::isnan(first[i]));
            continue;
        }
        able.resize(std::min<Size>(3, able.size()));
        double sum = 0, weight = 0;
        for (const auto& [minus, b] : able) sum -= minus * s.at(b, c), weight -= minus;
        CHECK_NEAR(first[i], sum / weight, 1e-12);
    }
}

TEST(the_best_columns_leave_out_what_was_seen) {
    const std::vector<double> scores{3, 1, 3, kNaN, 2, 5, 5, 5, 5, 5};
    const RatedRows seen{{0, 1, 3}, {0, 1, 4}, {1, 1, 1}};
    const std::vector<std::int32_t> who{0, -1};
    const BestOfRows found = best_columns(scores, 5, seen.view(), who, 4, 2);
    CHECK((found.columns == std::vector<std::int32_t>{2, 4, 1, -1, 0, 1, 2, 3}));
    CHECK(found.scores[0] == 3 && found.scores[1] == 2 && found.scores[2] == 1 && std::isnan(found.scores[3]));
}

TEST(biases_settle_where_their_equations_hold) {
    const Sample s = sample(600, 40, 5);
    const Rated users = s.by_row.view(), items = s.by_column.view();
    const BiasSettings settings{3.0, 2.0, 1.0, 500, 0.0, 1};
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        std::vector<double> u(s.rows), i(s.cols);
        BiasSettings own = settings;
        own.threads = threads;
        NoTrace none;
        fit_biases(users, items, own, u, i, none);
        Record record;
        std::vector<double> v(s.rows), j(s.cols);
        fit_biases(users, items, own, v, j, record);
        CHECK(same_bits(u, v) && same_bits(i, j));
        if (threads == 1) first = u;
        CHECK(same_bits(u, first));
        for (Size r = 0; r < s.rows; ++r) {
            double slope = -settings.user_penalty * u[r];
            for (Size at = users.first(r); at < users.last(r); ++at)
                slope += users.values[at] - 3.0 - u[r] - i[users.column(at)];
            CHECK_NEAR(slope, 0, 1e-9);
        }
        const std::vector<double>& cells = record.tables().at("passes").cells;
        for (Size p = 1; p < cells.size() / 3; ++p) CHECK(cells[3 * p + 2] <= cells[3 * p - 1] * (1 + 1e-14));
    }
}

}  // namespace pellucid::test

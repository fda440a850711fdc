// Sorted runs, figures, equal rows, texts and groups against plain loops and maps.
#include <algorithm>
#include <map>
#include <string>

#include "core/base/rng.hpp"
#include "core/quality/arrow.hpp"
#include "core/quality/codes.hpp"
#include "core/quality/groups.hpp"
#include "core/quality/rows.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::quality;

bool near(double a, double b, double share = 1e-12) { return std::abs(a - b) <= share * (1 + std::abs(b)); }

// Numbers of several sizes, some of them again and again, some missing.
std::vector<double> numbers(Size n, Size levels) {
    const Random chance{n, levels};
    std::vector<double> x(n);
    for (Size r = 0; r < n; ++r) {
        x[r] = (static_cast<double>(chance.bits(r) % levels) - static_cast<double>(levels) / 3) * 1.25;
        if (chance.bits(n + r) % 11 == 0) x[r] = std::numeric_limits<double>::quiet_NaN();
    }
    return x;
}

}  // namespace

TEST(keys_keep_the_order_of_numbers) {
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> x{-infinite, -1e300, -1.0, -5e-324, 0.0, 5e-324, 2.0, infinite};
    for (Size i = 0; i + 1 < x.size(); ++i) CHECK(key_of(x[i]) < key_of(x[i + 1]));
    for (const double value : x) CHECK(value_of<double>(key_of(value)) == value);
    CHECK(key_of(-0.0) == key_of(0.0));
    const std::vector<std::int64_t> whole{std::numeric_limits<std::int64_t>::min(), -1, 0, 7};
    for (Size i = 0; i + 1 < whole.size(); ++i) CHECK(key_of(whole[i]) < key_of(whole[i + 1]));
}

namespace {

// Values in the order in which they are first met, how often each occurs, and each row's number, by a plain map.
void check_codes(const std::vector<double>& x) {
    const Wanted wanted;
    std::map<double, std::int32_t> number;
    std::vector<double> values;
    std::vector<std::int64_t> counts;
    std::vector<std::int32_t> codes;
    for (const double value : x) {
        codes.push_back(-1);
        if (value != value) continue;
        const auto [place, is_new] = number.emplace(value + 0.0, static_cast<std::int32_t>(values.size()));
        if (is_new) {
            values.push_back(value + 0.0);
            counts.push_back(0);
        }
        ++counts[static_cast<Size>(place->second)];
        codes.back() = place->second;
    }
    const std::vector<AnyColumn> columns(3, {x.data(), x.size(), 1, Stored::f64});
    for (const int threads : {1, 3})
        for (const CodedNumbers& found : code_numbers(columns, wanted, threads)) {
            CHECK(found.codes == codes && found.counts == counts && found.values.size() == values.size());
            for (Size i = 0; i < values.size(); ++i) CHECK(value_of<double>(found.values[i]) == values[i]);
            Size rank = 0;
            for (const auto& [value, at] : number) CHECK(found.order[rank++] == at);
            SortSpace space;
            Others others;
            const NumberFigures want = run_figures(sorted_runs(columns[0], space, others), wanted);
            CHECK(found.figures.count == want.count && found.figures.distinct == want.distinct);
            CHECK(found.figures.mean == want.mean && found.figures.squares == want.squares);
            CHECK(found.figures.low == want.low && found.figures.high == want.high && found.figures.bins == want.bins);
            CHECK(found.figures.others.missing == others.missing);
            CHECK(found.figures.others.minus_infinity == others.minus_infinity);
            CHECK(found.figures.others.plus_infinity == others.plus_infinity);
        }
}

}  // namespace

TEST(codes_are_what_a_map_of_values_gives) {
    const double gone = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    check_codes({});
    check_codes({gone, gone});
    check_codes({infinite, -infinite, infinite, 2.0, gone});
    check_codes({-infinite});
    check_codes({0.0, -0.0, 0.1, 0.3, 0.1 + 0.2, -0.1});
    check_codes({1e300, -1e300, 5e-324, 1e15, 1e16, 0.5});
    for (const Size levels : {Size{1}, Size{9}, Size{100'000}}) {
        std::vector<double> x = numbers(5'000, levels);
        check_codes(x);
        for (double& value : x) value = std::round(value * 1000) / 1000;  // thousandths
        check_codes(x);
        for (double& value : x) value = 1e9 + value / 3;  // keys that differ in their lowest digits alone
        check_codes(x);
        x[7] = infinite;
        x[8] = 1e300;
        check_codes(x);
    }
}

TEST(codes_of_whole_numbers_and_of_gaps) {
    const std::vector<std::int64_t> x{7, std::numeric_limits<std::int64_t>::min(), 7, 0, -3, 0};
    const std::vector<std::uint8_t> missing{0, 0, 0, 1, 0, 0};
    CodeSpace space;
    const CodedNumbers found = code_numbers({x.data(), x.size(), 1, Stored::i64, missing.data()}, {}, space);
    CHECK((found.codes == std::vector<std::int32_t>{0, 1, 0, -1, 2, 3}));
    CHECK((found.counts == std::vector<std::int64_t>{2, 1, 1, 1}));
    CHECK((found.order == std::vector<std::int32_t>{1, 2, 3, 0}));
    CHECK(value_of<std::int64_t>(found.values[1]) == x[1] && found.figures.others.missing == 1);
}

TEST(runs_are_what_a_sorted_map_holds) {
    for (const Size n : {Size{1}, Size{300}, Size{5'000}, Size{70'001}})
        for (const Size levels : {Size{1}, Size{9}, Size{100'000}}) {
            const std::vector<double> x = numbers(n, levels);
            std::map<double, std::int64_t> want;
            std::int64_t missing = 0;
            for (const double value : x) value == value ? ++want[value] : ++missing;
            SortSpace space;
            Others others;
            const Runs runs = sorted_runs({x.data(), n, 1, Stored::f64}, space, others);
            const std::vector<std::int64_t> counts = counts_of(runs);
            CHECK(others.missing == missing && runs.keys.size() == want.size());
            Size i = 0;
            for (const auto& [value, count] : want) {
                CHECK(value_of<double>(runs.keys[i]) == value && counts[i] == count);
                ++i;
            }
        }
}

TEST(figures_are_those_of_plain_loops) {
    for (const Size n : {Size{2}, Size{5}, Size{64}, Size{30'000}}) {
        std::vector<double> x = numbers(n + 40, 50);
        const std::vector<NumberFigures> found =
            number_figures(std::vector<AnyColumn>{{x.data(), x.size(), 1, Stored::f64}}, {3, 10, 20}, 2);
        std::erase_if(x, [](double value) { return value != value; });
        std::sort(x.begin(), x.end());
        const auto m = static_cast<double>(x.size());
        double mean = 0.0, squares = 0.0, cubes = 0.0;
        for (const double value : x) mean += value / m;
        for (const double value : x) {
            squares += (value - mean) * (value - mean);
            cubes += (value - mean) * (value - mean) * (value - mean);
        }
        const NumberFigures& f = found[0];
        CHECK(f.count == static_cast<std::int64_t>(x.size()));
        CHECK(near(f.mean, mean) && near(std::ldexp(f.squares, 2 * f.exponent), squares, 1e-10));
        CHECK(near(std::ldexp(f.cubes, 3 * f.exponent), cubes, 1e-8));
        const double place = (m - 1) * 0.25;
        const auto below = static_cast<Size>(place);
        CHECK(near(f.linear[0], x[below] + (x[below + 1] - x[below]) * (place - static_cast<double>(below))));
        std::int64_t outside = 0, all = 0;
        for (const double value : x) outside += value < f.fences[0] || value > f.fences[1];
        for (const std::int64_t bin : f.bins) all += bin;
        CHECK(f.below + f.above == outside && all == f.count && f.bins.size() + 1 == f.edges.size());
    }
}

TEST(huge_numbers_have_figures) {
    const std::vector<double> x{-1.5e308, 1.5e308, 1.5e308, 0.0};
    SortSpace space;
    Others others;
    const NumberFigures f = run_figures(sorted_runs({x.data(), 4, 1, Stored::f64}, space, others), {});
    CHECK(near(f.mean / 1e308, 0.375));
    CHECK(near(std::ldexp(std::sqrt(f.squares / 3), f.exponent - 1000),
               std::ldexp(1.4361406616345072e308, -1000)));  // sqrt(6.1875 / 3) 1e308
}

TEST(equal_rows_are_found_in_all_columns) {
    const Size n = 20'000;
    std::vector<double> a = numbers(n, 40);
    std::vector<std::int32_t> b(n);
    std::vector<std::uint8_t> gaps(n);
    const Random chance{1, 2};
    for (Size r = 0; r < n; ++r) {
        b[r] = static_cast<std::int32_t>(chance.bits(r) % 300) - 1;
        gaps[r] = chance.bits(n + r) % 5 == 0;
    }
    const std::vector<AnyColumn> columns{{a.data(), n, 1, Stored::f64}, {b.data(), n, 1, Stored::i32, gaps.data()}};
    std::map<std::pair<double, int>, Size> seen;
    const std::vector<std::int64_t> one = first_equal_rows(columns, 1), three = first_equal_rows(columns, 3);
    CHECK(one == three);
    for (Size r = 0; r < n; ++r) {
        const std::pair<double, int> cells{a[r] == a[r] ? a[r] : 1e9, gaps[r] ? -7 : b[r]};
        CHECK(static_cast<Size>(one[r]) == seen.emplace(cells, r).first->second);
    }
}

TEST(texts_have_the_codes_of_a_map) {
    const Random chance{3, 4};
    std::vector<std::string> words;
    for (Size r = 0; r < 30'000; ++r) {
        const Size word = chance.bits(r) % 7'000;
        words.push_back(std::string(word % 19, 'x') + std::to_string(word));
    }
    TextCoder coder(words.size());
    std::map<std::string, std::int32_t> place;
    std::vector<std::int32_t> want;
    for (Size r = 0; r < words.size(); ++r) {
        if (r % 13 == 0) {
            coder.add_missing();
            want.push_back(-1);
            continue;
        }
        coder.add(words[r]);
        want.push_back(place.emplace(words[r], static_cast<std::int32_t>(place.size())).first->second);
    }
    const CodedTexts found = coder.take();
    CHECK(found.codes == want && found.values.size() == place.size());
    std::int64_t all = 0;
    for (const std::int64_t count : found.counts) all += count;
    CHECK(all == static_cast<std::int64_t>(std::count_if(want.begin(), want.end(), [](int c) { return c >= 0; })));
}

// Three rows "ab", missing, "a text of more than twelve" behind one that is skipped by an offset, in each layout.
TEST(arrow_layouts_hold_the_same_texts) {
    const std::string data = "zzaba text of more than twelve";
    const std::vector<std::int32_t> narrow{0, 2, 4, 4, 30};
    const std::vector<std::int64_t> wide{0, 2, 4, 4, 30};
    const std::uint8_t valid = 0b1011;
    std::vector<char> views(64, 0);
    const auto view = [&](Size row, std::int32_t length, std::int32_t offset) {
        std::memcpy(&views[16 * row], &length, 4);
        if (length <= 12) {
            std::memcpy(&views[16 * row + 4], data.data() + offset, static_cast<Size>(length));
            return;
        }
        const std::int32_t buffer = 0;
        std::memcpy(&views[16 * row + 4], data.data() + offset, 4);
        std::memcpy(&views[16 * row + 8], &buffer, 4);
        std::memcpy(&views[16 * row + 12], &offset, 4);
    };
    view(0, 2, 0);
    view(1, 2, 2);
    view(3, 26, 4);
    const void* narrow_buffers[] = {&valid, narrow.data(), data.data()};
    const void* wide_buffers[] = {&valid, wide.data(), data.data()};
    const void* view_buffers[] = {&valid, views.data(), data.data()};
    const std::pair<const char*, const void**> layouts[] = {
        {"u", narrow_buffers}, {"U", wide_buffers}, {"vu", view_buffers}};
    for (const auto& [format, buffers] : layouts) {
        ArrowSchema schema{};
        schema.format = format;
        ArrowArray array{};
        array.length = 3;
        array.null_count = 1;
        array.offset = 1;
        array.n_buffers = 3;
        array.buffers = buffers;
        CHECK(holds_texts(schema));
        TextCoder coder(3);
        code_chunk(array, schema, coder);
        const CodedTexts found = coder.take();
        CHECK(found.codes == (std::vector<std::int32_t>{0, -1, 1}));
        CHECK(found.values[0] == "ab" && found.values[1] == "a text of more than twelve");
        // The same words as a dictionary with 8-bit places.
        const std::int8_t places[] = {3, 1, 1, 2};
        const void* place_buffers[] = {nullptr, places};
        ArrowArray words = array;
        words.offset = 0;
        words.length = 4;
        ArrowArray coded{};
        coded.length = 4;
        coded.n_buffers = 2;
        coded.buffers = place_buffers;
        coded.dictionary = &words;
        ArrowSchema outer{};
        outer.format = "c";
        outer.dictionary = &schema;
        TextCoder second(4);
        code_chunk(coded, outer, second);
        CHECK(second.take().codes == (std::vector<std::int32_t>{0, 1, 1, -1}));
    }
}

TEST(group_squares_are_those_of_two_passes) {
    const Size n = 5'000;
    const std::vector<double> x = numbers(n, 900);
    std::vector<std::int32_t> codes(n);
    const Random chance{5, 6};
    for (Size r = 0; r < n; ++r) codes[r] = static_cast<std::int32_t>(chance.bits(r) % 8) - 1;
    std::vector<double> sum(7), count(7);
    double mean = 0.0, all = 0.0, between = 0.0, total = 0.0;
    for (Size r = 0; r < n; ++r)
        if (codes[r] >= 0 && x[r] == x[r]) {
            sum[static_cast<Size>(codes[r])] += x[r];
            count[static_cast<Size>(codes[r])] += 1;
            mean += x[r];
            all += 1;
        }
    mean /= all;
    for (Size k = 0; k < 7; ++k) between += count[k] * (sum[k] / count[k] - mean) * (sum[k] / count[k] - mean);
    for (Size r = 0; r < n; ++r)
        if (codes[r] >= 0 && x[r] == x[r]) total += (x[r] - mean) * (x[r] - mean);
    const std::vector<std::span<const std::int32_t>> groups{codes};
    const std::vector<std::span<const double>> columns{x, x};
    const std::vector<Size> levels{7};
    const GroupSquares found = group_squares(groups, levels, columns, 2);
    CHECK(near(found.between[1], between, 1e-10) && near(found.total[0], total, 1e-10));
}

}  // namespace pellucid::test

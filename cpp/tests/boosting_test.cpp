// The innermost parts of boosting against plain arithmetic, at every SIMD level of this machine: slopes packed into
// words, words counted into cells, cuts judged by their sums.
//
// Words are whole numbers: wherever only they are compared, the levels and the plain loop must agree to the last bit.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/bins/binned.hpp"
#include "core/boosting/packing.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/random_slopes.hpp"

namespace pellucid::test {
namespace {

using namespace boosting;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Size kRowsOfNodes[] = {1, 2, 3, 7, 100, 1023, 1024, kSmallNode - 1, kSmallNode, kSmallNode + 1, 40000};

void at_every_level(const std::function<void()>& body) {
    const Level before = current_level();
    const std::string place = where;
    for (const Level level : {Level::baseline, Level::v3, Level::v4}) {
        if (level > best_level()) continue;
        CHECK(set_level(level_name(level)));
        where = place + ", " + std::string(level_name(level));
        body();
    }
    set_level(level_name(before));
    where = place;
}

Extent extent_of(const std::vector<Slope>& slopes) {
    Extent out;
    for (const Slope& s : slopes) {
        out.gradient = std::max(out.gradient, std::abs(s.gradient));
        out.curvature = std::max(out.curvature, s.curvature);
    }
    return out;
}

std::vector<Word> packed(const std::vector<Slope>& slopes, Packing p, std::uint32_t key = 5) {
    std::vector<Word> words(slopes.size());
    p.key = key;
    write_words(p, slopes.data(), nullptr, 0, slopes.size(), words.data());
    return words;
}

struct PlainSums {
    long double gradient = 0, curvature = 0;
    Size rows = 0;
};

// Of the slopes themselves, and of the words one by one.
PlainSums sums_of(const std::vector<Slope>& slopes) {
    PlainSums out;
    for (const Slope& s : slopes) {
        out.gradient += s.gradient;
        out.curvature += s.curvature;
        ++out.rows;
    }
    return out;
}
PlainSums sums_of(const std::vector<Word>& words, const Packing& p) {
    PlainSums out;
    for (const Word w : words) {
        out.gradient += static_cast<long double>(p.gradient(w));
        out.curvature += static_cast<long double>(p.curvature(w));
        out.rows += p.rows(w);
    }
    return out;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------------
// packing

TEST(fields_take_the_greatest_sums) {
    for (const Size n : kRowsOfNodes)
        for (const float sign : {-1.0F, 1.0F})
            for (const bool constant : {false, true}) {
                where = std::to_string(n) + " rows";
                const std::vector<Slope> slopes(n, Slope{sign * 3.7F, 0.23F});
                const Packing p = Packing::of(n, extent_of(slopes), constant);
                CHECK(p.counts() == (constant || n <= kSmallNode));
                for (const std::uint32_t key : {0u, 1u, 77u, 0xFFFFFFFFu}) {
                    const std::vector<Word> words = packed(slopes, p, key);
                    const Word total = std::accumulate(words.begin(), words.end(), Word{0});
                    const PlainSums each = sums_of(words, p), want = sums_of(slopes);
                    // The fields of the sum are the sums of the fields: nothing ran over into a neighbor.
                    CHECK_NEAR(p.gradient(total), each.gradient, 1e-9L * std::abs(each.gradient));
                    CHECK_NEAR(p.curvature(total), each.curvature, 1e-9L * each.curvature);
                    if (p.counts()) CHECK(p.rows(total) == n);
                    const auto rows = static_cast<long double>(n);
                    CHECK_NEAR(p.gradient(total), want.gradient,
                               1.0001L * rows * static_cast<long double>(p.gradient_step));
                    CHECK_NEAR(p.curvature(total), want.curvature,
                               1.0001L * rows * static_cast<long double>(p.curvature_step));
                }
            }
    where.clear();
}

TEST(no_word_is_more_than_a_step_from_its_slopes) {
    for (const Size n : kRowsOfNodes) {
        where = std::to_string(n) + " rows";
        const std::vector<Slope> slopes = random_slopes(n, n);
        const Packing p = Packing::of(n, extent_of(slopes), false);
        const std::vector<Word> words = packed(slopes, p);
        for (Size i = 0; i < n; ++i) {
            CHECK_NEAR(p.gradient(words[i]), slopes[i].gradient, 1.0001L * static_cast<long double>(p.gradient_step));
            CHECK_NEAR(p.curvature(words[i]), slopes[i].curvature,
                       1.0001L * static_cast<long double>(p.curvature_step));
        }
    }
    where.clear();
}

TEST(steps_are_small_enough_to_tell_slopes_apart) {
    // Of a small node at least 2000 steps up to the greatest gradient; of a thousand rows and less at least 65,000.
    for (const Size n : kRowsOfNodes) {
        const Packing p = Packing::of(n, {1, 1}, false);
        if (n <= kSmallNode) CHECK(1 / p.gradient_step >= 2000 && 1 / p.curvature_step >= 2000);
        if (n <= 1024) CHECK(1 / p.gradient_step >= 65000 && 1 / p.curvature_step >= 65000);
        CHECK(1 / p.gradient_step <= 0x1p30);
    }
}

TEST(sums_are_exact_in_any_order_and_by_subtraction) {
    const std::vector<Slope> slopes = random_slopes(5000, 3);
    const Packing p = Packing::of(slopes.size(), extent_of(slopes), false);
    const std::vector<Word> words = packed(slopes, p);
    const Random random{9, 0};
    Word left = 0, right = 0, back = 0;
    for (Size i = 0; i < words.size(); ++i) (random.uniform(i) < 0.3 ? left : right) += words[i];
    for (Size i = words.size(); i-- > 0;) back += words[i];
    CHECK(left + right == back);
    CHECK(back - left == right);
    CHECK(p.rows(left) + p.rows(right) == words.size());
    CHECK(p.gradient(left) + p.gradient(right) == p.gradient(back));
    CHECK(p.curvature(left) + p.curvature(right) == p.curvature(back));
}

TEST(rounding_has_no_bias) {
    // Slopes a third and a tenth of a step above whole numbers of steps: the mean of many is that.
    constexpr Size n = 40000;
    const Packing p = Packing::of(n, {1, 1}, false);
    const auto g = static_cast<float>(1000 * p.gradient_step + p.gradient_step / 3);
    const auto h = static_cast<float>(700 * p.curvature_step + p.curvature_step / 10);
    const std::vector<Slope> slopes(n, Slope{g, h});
    double gradient = 0, curvature = 0;
    Size keys = 0;
    for (const std::uint32_t key : {1u, 2u, 3u, 4u}) {
        const std::vector<Word> words = packed(slopes, p, key);
        const PlainSums sums = sums_of(words, p);
        gradient += static_cast<double>(sums.gradient);
        curvature += static_cast<double>(sums.curvature);
        ++keys;
    }
    const auto rows = static_cast<double>(n * keys);
    const double noise = 5 * 0.5 / std::sqrt(rows);  // five standard errors, in steps
    CHECK_NEAR(gradient / rows / p.gradient_step, static_cast<double>(g) / p.gradient_step, noise);
    CHECK_NEAR(curvature / rows / p.curvature_step, static_cast<double>(h) / p.curvature_step, noise);
}

TEST(slopes_of_nothing_are_words_of_nothing) {
    for (const std::uint32_t key : {0u, 3u, 12345u}) {
        const std::vector<Slope> slopes(3000, Slope{0, 0});
        const Packing p = Packing::of(40000, {0, 0}, false);
        for (const Word w : packed(slopes, p, key)) CHECK(w == 0);
        const Packing counted = Packing::of(3000, {1, 1}, false);
        for (const Word w : packed(slopes, counted, key)) CHECK(w == 1);
    }
}

TEST(words_are_the_same_at_every_level_and_for_any_list_of_rows) {
    constexpr Size n = 3001;
    const std::vector<Slope> slopes = random_slopes(n, 4);
    Packing p = Packing::of(n, extent_of(slopes), false);
    p.key = 5;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 1; i < n; i += 3) rows.push_back(i);
    const std::vector<Word> want = packed(slopes, p);
    at_every_level([&] {
        CHECK(packed(slopes, p) == want);
        std::vector<Word> some(rows.size());
        write_words(p, slopes.data(), rows.data(), 0, rows.size(), some.data());
        for (Size i = 0; i < rows.size(); ++i) CHECK(some[i] == want[rows[i]]);
        std::vector<Word> later(100);
        write_words(p, slopes.data(), nullptr, 700, 100, later.data());
        for (Size i = 0; i < 100; ++i) CHECK(later[i] == want[700 + i]);
    });
    CHECK(packed(slopes, p, 6) != want);
}

// -------------------------------------------------------------------------------------------------------------
// counting

TEST(cells_are_those_of_a_plain_loop) {
    constexpr Size n = 501, bins = 256;
    const Random random{1, 0};
    std::vector<std::uint8_t> codes(n * 8);
    for (Size i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(random.below(i, bins));
    std::vector<Word> words(n);
    for (Size i = 0; i < n; ++i) words[i] = random.bits(100000 + i);
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < n; i += 2) list.push_back((i * 7) % n);
    for (Size columns = 1; columns <= 8; ++columns)
        for (const bool listed : {false, true})
            for (const Size some : {Size{0}, Size{1}, Size{5}, Size{100}, Size{250}}) {
                where = std::to_string(columns) + " columns, " + std::to_string(some) + " rows";
                const Size first = 40;
                std::vector<Word> want(8 * bins + 1, Word{17});
                for (Size i = 0; i < some; ++i)
                    for (Size k = 0; k < columns; ++k)
                        want[k * bins + codes[(listed ? list[i] : first + i) * 8 + k]] += words[i];
                at_every_level([&] {
                    std::vector<Word> cells(8 * bins + 1, Word{17});
                    Word* at[8] = {};
                    for (Size k = 0; k < columns; ++k) at[k] = cells.data() + k * bins;
                    // Fewer rows, as many and more may be asked for meanwhile.
                    for (const Size asked : {Size{0}, Size{3}, some, some + 1}) {
                        std::fill(cells.begin(), cells.end(), Word{17});
                        const Ahead ahead{codes.data(), 8, list.data(), asked};
                        boost_hot().count(codes.data() + (listed ? 0 : first * 8), 8, listed ? list.data() : nullptr,
                                          words.data(), some, at, columns, &ahead);
                        CHECK(cells == want);
                    }
                });
            }
    where.clear();
}

// --------------------------------------------------------------------------------------------------------------
// parting

TEST(rows_are_parted_as_by_a_plain_loop) {
    constexpr Size all = 4000;
    const Random random{3, 0};
    std::vector<std::uint8_t> codes(all * 8 + kReadBeyond);
    for (Size i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(random.below(i, 256));
    for (const Size stride : {Size{1}, Size{8}, Size{24}})
        for (const Size n : {Size{0}, Size{1}, Size{15}, Size{16}, Size{31}, Size{32}, Size{33}, Size{100}, Size{1000}})
            for (const double share : {0.0, 0.02, 0.5, 1.0}) {
                where = std::to_string(n) + " rows, every " + std::to_string(stride) + " bytes";
                bool sides[256];
                for (Size c = 0; c < 256; ++c) sides[c] = random.uniform(90000 + c) < share;
                std::vector<std::uint32_t> rows, left, right;
                for (std::uint32_t i = 0; i < n; ++i) rows.push_back(i * 8 / static_cast<std::uint32_t>(stride) / 2);
                if (n > 0) rows.back() = static_cast<std::uint32_t>(all * 8 / stride - 1);  // the last byte but few
                for (const std::uint32_t row : rows) (sides[codes[row * stride]] ? left : right).push_back(row);
                std::reverse(right.begin(), right.end());
                std::vector<std::uint32_t> want = left;
                want.insert(want.end(), right.begin(), right.end());
                want.push_back(17);  // behind the end
                at_every_level([&] {
                    std::vector<std::uint32_t> to(n + 1, 17);
                    CHECK(boost_hot().part(rows.data(), 0, n, codes.data(), stride, sides, to.data()) == left.size());
                    CHECK(to == want);
                    // Rows one after the other are parted as a list of them.
                    const Size first = all * 8 / stride - std::max<Size>(n, 1);
                    std::vector<std::uint32_t> following(n), listed(n + 1, 17);
                    std::iota(following.begin(), following.end(), static_cast<std::uint32_t>(first));
                    const Size lefts =
                        boost_hot().part(following.data(), 0, n, codes.data(), stride, sides, listed.data());
                    to.assign(n + 1, 17);
                    CHECK(boost_hot().part(nullptr, first, n, codes.data(), stride, sides, to.data()) == lefts);
                    CHECK(to == listed);
                });
            }
    where.clear();
}

// --------------------------------------------------------------------------------------------------------------
// judging

namespace {

// Of both sides of a cut, in steps, by the formula.
double plain_worth(const Packing& p, Word left, const Judging& by) {
    const auto whole = [](double value, double step) { return std::round(value / step); };
    const double gl = whole(p.gradient(left), p.gradient_step), g = whole(p.gradient(by.total), p.gradient_step);
    const double hl = whole(p.curvature(left), p.curvature_step), h = whole(p.curvature(by.total), p.curvature_step);
    if (hl < by.min_curvature || h - hl < by.min_curvature) return -kInfinity;
    if (p.counts()) {
        const auto nl = static_cast<double>(p.rows(left)), n = static_cast<double>(p.rows(by.total));
        if (nl < by.min_rows || n - nl < by.min_rows) return -kInfinity;
    }
    const auto side = [&](double gradient, double curvature) {
        const double t = std::max(std::abs(gradient) - by.l1, 0.0);
        return t * t / (curvature + by.l2);
    };
    return side(gl, hl) + side(g - gl, h - hl);
}

}  // namespace

TEST(cuts_are_judged_by_the_formula) {
    for (const Size n : {Size{300}, Size{20000}})
        for (const bool constant : {false, true})
            for (const Size cuts :
                 {Size{1}, Size{2}, Size{3}, Size{4}, Size{7}, Size{8}, Size{9}, Size{16}, Size{31}, Size{254}})
                for (const double l1 : {0.0, 2.5})
                    for (const bool bounded : {false, true}) {
                        where = std::to_string(n) + " rows, " + std::to_string(cuts) + " cuts";
                        std::vector<Slope> slopes = random_slopes(n, n + cuts);
                        if (constant)
                            for (Slope& s : slopes) s.curvature = 1;
                        const Packing p = Packing::of(n, extent_of(slopes), constant);
                        const std::vector<Word> words = packed(slopes, p);
                        Judging by;
                        by.fields = p.fields;
                        by.l1 = l1 / p.gradient_step;
                        by.l2 = 0.75 / p.curvature_step;
                        by.min_curvature = bounded ? static_cast<double>(n) / 60 / p.curvature_step : 0;
                        by.min_rows = bounded ? static_cast<double>(n) / 7 : 0;
                        constexpr Size room = 16;
                        std::vector<Word> left(cuts + room);
                        Word sum = 0;
                        for (Size i = 0; i < n; ++i) {
                            sum += words[i];
                            if (const Size k = (i + 1) * (cuts + 1) / n; k > 0 && k <= cuts) left[k - 1] = sum;
                        }
                        by.total = sum;
                        std::fill(left.begin() + static_cast<std::ptrdiff_t>(cuts), left.end(), sum);
                        std::vector<double> want(cuts);
                        for (Size k = 0; k < cuts; ++k) want[k] = plain_worth(p, left[k], by);
                        const double most = *std::max_element(want.begin(), want.end());
                        at_every_level([&] {
                            std::vector<double> scores(cuts + room, 0.0);
                            const double found = boost_hot().judge(left.data(), cuts, &by, scores.data());
                            for (Size k = 0; k < cuts; ++k) {
                                CHECK(std::isfinite(scores[k]) == std::isfinite(want[k]));
                                if (std::isfinite(want[k])) CHECK_NEAR(scores[k], want[k], 1e-12 * std::abs(want[k]));
                            }
                            CHECK(found == *std::max_element(scores.begin(),
                                                             scores.begin() + static_cast<std::ptrdiff_t>(cuts)));
                            CHECK(std::isfinite(found) == std::isfinite(most));
                        });
                    }
    where.clear();
}

TEST(a_cut_and_its_mirror_are_worth_the_same) {
    const std::vector<Slope> slopes = random_slopes(400, 8);
    const Packing p = Packing::of(slopes.size(), extent_of(slopes), false);
    const std::vector<Word> words = packed(slopes, p);
    Judging by;
    by.fields = p.fields;
    by.l2 = 1 / p.curvature_step;
    by.total = std::accumulate(words.begin(), words.end(), Word{0});
    std::vector<Word> left(64), mirror(64);
    Word sum = 0;
    for (Size k = 0; k < left.size(); ++k) {
        left[k] = sum += words[k];
        mirror[k] = by.total - sum;
    }
    at_every_level([&] {
        std::vector<double> one(64), other(64);
        boost_hot().judge(left.data(), 48, &by, one.data());
        boost_hot().judge(mirror.data(), 48, &by, other.data());
        for (Size k = 0; k < 48; ++k) CHECK_NEAR(one[k], other[k], 1e-14 * one[k]);
    });
}

}  // namespace pellucid::test

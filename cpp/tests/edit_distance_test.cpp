#include "core/distance/edit_distance.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/distance/neighbors.hpp"
#include "core/distance/shared_keys.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using Text = std::vector<Letter>;

Text random_text(Size n, Size letters, std::uint64_t seed) {
    const Random chance{seed, n};
    Text text(n);
    for (Size i = 0; i < n; ++i) text[i] = static_cast<Letter>(chance.below(i, letters));
    return text;
}

// A few letters of a text changed, put in and left out.
Text edited(Text text, Size edits, Size letters, std::uint64_t seed) {
    const Random chance{seed, 77};
    for (Size e = 0; e < edits && !text.empty(); ++e) {
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(chance.below(3 * e, text.size()));
        const auto letter = static_cast<Letter>(chance.below(3 * e + 1, letters));
        switch (chance.below(3 * e + 2, 4)) {
            case 0:
                *at = letter;
                break;
            case 1:
                text.insert(at, letter);
                break;
            case 2:
                text.erase(at);
                break;
            default:
                if (at + 1 != text.end()) std::swap(*at, *(at + 1));
        }
    }
    return text;
}

// The table cell by cell.
double plain(const Text& a, const Text& b, const EditCosts& costs, bool swaps = false) {
    std::vector<std::vector<double>> d(a.size() + 1, std::vector<double>(b.size() + 1, 0));
    for (Size i = 0; i <= a.size(); ++i)
        for (Size j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = static_cast<double>(i) * costs.remove + static_cast<double>(j) * costs.insert;
                continue;
            }
            const double change = a[i - 1] == b[j - 1] ? 0 : costs.substitute;
            d[i][j] = std::min({d[i - 1][j - 1] + change, d[i - 1][j] + costs.remove, d[i][j - 1] + costs.insert});
            if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

TextSet set_of(const std::vector<Text>& texts, Letter alphabet) {
    TextSet set;
    set.alphabet = alphabet;
    for (const Text& text : texts) {
        set.letters.insert(set.letters.end(), text.begin(), text.end());
        set.starts.push_back(static_cast<std::int64_t>(set.letters.size()));
    }
    return set;
}

std::vector<Text> some_texts(Size letters) {
    std::vector<Text> texts = {{}};
    std::uint64_t seed = letters;
    for (const Size n : {1, 3, 8, 9, 16, 17, 32, 33, 63, 64, 65, 100, 128, 129, 200}) {
        texts.push_back(random_text(n, letters, ++seed));
        texts.push_back(edited(texts.back(), 1 + n / 10, letters, ++seed));
    }
    return texts;
}

}  // namespace

TEST(edit_distances_are_those_of_the_table) {
    for (const Size letters : {2, 5, 200}) {
        EditScratch s(static_cast<Letter>(letters));
        const std::vector<Text> texts = some_texts(letters);
        for (const Text& a : texts)
            for (const Text& b : texts) {
                const double unit = plain(a, b, {}), pieces = plain(a, b, {1, 1, 2}), swaps = plain(a, b, {}, true);
                CHECK(static_cast<double>(edit_distance(a, b, Edit::levenshtein, kNoCutoff, s)) == unit);
                CHECK(static_cast<double>(edit_distance(a, b, Edit::indel, kNoCutoff, s)) == pieces);
                CHECK(static_cast<double>(edit_distance(a, b, Edit::damerau, kNoCutoff, s)) == swaps);
                for (const std::int64_t cutoff : {0, 3, 20, 70}) {
                    const auto cut = static_cast<double>(edit_distance(a, b, Edit::levenshtein, cutoff, s));
                    CHECK(unit <= static_cast<double>(cutoff) ? cut == unit : cut > static_cast<double>(cutoff));
                }
            }
    }
}

TEST(costs_of_any_kind_are_those_of_the_table) {
    EditScratch s(4);
    const std::vector<Text> texts = some_texts(4);
    for (const EditCosts& costs : {EditCosts{2, 3, 1}, {1, 3, 2}, {1, 2, 5}, {0.5, 0.25, 0.5}, {0, 0, 1}, {1, 1, 0}})
        for (Size i = 0; i < texts.size(); i += 3)
            for (const Text& b : texts) {
                const double want = plain(texts[i], b, costs);
                CHECK(weighted_distance(texts[i], b, costs, s) == want);
                double spent = 0;
                for (const EditStep step : edit_steps(texts[i], b, costs))
                    spent += step == EditStep::keep         ? 0
                             : step == EditStep::substitute ? costs.substitute
                             : step == EditStep::remove     ? costs.remove
                                                            : costs.insert;
                CHECK(spent == want);
            }
}

TEST(long_texts_find_a_band_that_is_wide_enough) {
    for (const Size edits : {0, 1, 40, 400, 3000}) {
        EditScratch s(4);
        const Text a = random_text(1500, 4, edits), b = edited(a, edits, 4, edits + 1);
        CHECK(static_cast<double>(edit_distance(a, b, Edit::levenshtein, kNoCutoff, s)) == plain(a, b, {}));
    }
}

TEST(tables_of_every_level_are_their_pairs) {
    std::vector<Text> texts = some_texts(5);
    const Size rows = texts.size();
    const std::vector<Text> more = some_texts(6);
    texts.insert(texts.end(), more.begin(), more.end());
    const TextSet set = set_of(texts, 6);
    const Size cols = texts.size() - rows;
    for (const Edit kind : {Edit::levenshtein, Edit::indel, Edit::damerau})
        for (const char* level : {"baseline", "v3", "v4"}) {
            if (!set_level(level)) continue;
            for (const int threads : {1, 2}) {
                std::vector<std::int32_t> table(rows * cols, -1);
                edit_distance_table(set, rows, kind, table, threads);
                EditScratch s(6);
                for (Size i = 0; i < rows; ++i)
                    for (Size j = 0; j < cols; ++j)
                        CHECK(table[i * cols + j] == edit_distance(set[i], set[rows + j], kind, kNoCutoff, s));
            }
        }
    set_level(level_name(best_level()));
}

TEST(a_table_of_long_texts_alone_is_its_pairs) {
    std::vector<Text> texts;
    for (std::uint64_t i = 0; i < 80; ++i) texts.push_back(random_text(65 + i, 4, i));
    const TextSet set = set_of(texts, 4);
    for (const Edit kind : {Edit::levenshtein, Edit::indel}) {
        std::vector<std::int32_t> table(40 * 40, -1);
        edit_distance_table(set, 40, kind, table, 2);
        EditScratch s(4);
        for (Size i = 0; i < 1600; ++i)
            CHECK(table[i] == edit_distance(set[i / 40], set[40 + i % 40], kind, kNoCutoff, s));
    }
}

// Short texts, long ones, and lengths around the border between both.
TEST(close_pairs_are_those_of_all_comparisons) {
    std::vector<Text> texts;
    std::uint64_t seed = 5;
    for (const Size n : {1, 3, 5, 8, 18, 19, 20, 21, 22, 23, 40})
        for (Size k = 0; k < 6; ++k) {
            texts.push_back(random_text(n, 3, ++seed));
            texts.push_back(edited(texts.back(), 1, 3, ++seed));
            texts.push_back(edited(texts.back(), 1, 3, ++seed));
        }
    const TextSet set = set_of(texts, 3);
    std::vector<std::uint8_t> most(texts.size()), side(texts.size());
    for (Size t = 0; t < texts.size(); ++t) {
        most[t] = static_cast<std::uint8_t>(t % 3);
        side[t] = static_cast<std::uint8_t>(t % 4);
    }
    std::set<std::pair<Size, Size>> want;
    EditScratch s(3);
    for (Size a = 0; a < texts.size(); ++a)
        for (Size b = a + 1; b < texts.size(); ++b) {
            const bool sides = ((side[a] & 1) && (side[b] & 2)) || ((side[a] & 2) && (side[b] & 1));
            const std::int64_t limit = std::min(most[a], most[b]);
            if (sides && edit_distance(set[a], set[b], Edit::damerau, kNoCutoff, s) <= limit) want.emplace(a, b);
        }
    for (const int threads : {1, 2, 3}) {
        std::set<std::pair<Size, Size>> found;
        for (const ClosePair& pair : close_pairs(set, most, side, threads)) {
            found.emplace(static_cast<Size>(pair.left), static_cast<Size>(pair.right));
            CHECK(pair.distance == edit_distance(set[static_cast<Size>(pair.left)], set[static_cast<Size>(pair.right)],
                                                 Edit::damerau, kNoCutoff, s));
        }
        CHECK(found == want);
    }
}

TEST(rows_with_shared_keys_are_those_of_all_pairs) {
    const Size n = 1200, keys = 300;
    const Random chance{3, 0};
    std::vector<std::set<std::int32_t>> rows(n);
    for (Size r = 0; r < n; ++r)
        for (Size k = 0; k < 4; ++k) rows[r].insert(static_cast<std::int32_t>(chance.below(4 * r + k, keys)));
    std::vector<std::int64_t> starts = {0};
    std::vector<std::int32_t> listed;
    std::vector<double> weights(keys);
    for (Size k = 0; k < keys; ++k) weights[k] = 0.25 * static_cast<double>(1 + k % 9);
    for (const std::set<std::int32_t>& row : rows) {
        listed.insert(listed.end(), row.begin(), row.end());
        starts.push_back(static_cast<std::int64_t>(listed.size()));
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> want;
    for (Size i = 0; i < n; ++i) {
        std::vector<std::pair<double, std::int64_t>> met;
        for (Size j = i + 1; j < n; ++j) {
            double weight = 0;
            for (const std::int32_t key : rows[i])
                if (rows[j].count(key) != 0) weight += weights[static_cast<Size>(key)];
            if (weight > 0) met.emplace_back(-weight, static_cast<std::int64_t>(j));
        }
        std::sort(met.begin(), met.end());
        for (Size k = 0; k < std::min<Size>(5, met.size()); ++k)
            want.emplace_back(static_cast<std::int64_t>(i), met[k].second);
    }
    for (const int threads : {1, 2, 3}) CHECK(rows_with_shared_keys({starts, listed, weights}, 5, threads) == want);
}

TEST(an_alphabet_numbers_code_points_in_order) {
    Alphabet alphabet;
    const std::vector<std::uint32_t> points = {97, 0x6f22, 0x1f600, 98, 0x6f22, 97};
    std::vector<Letter> numbers;
    for (const std::uint32_t point : points) numbers.push_back(alphabet.number_of(point));
    CHECK((numbers == std::vector<Letter>{0, 1, 2, 3, 1, 0}));
    for (std::uint32_t point = 300; point < 70'000; ++point) alphabet.number_of(point);
    CHECK(alphabet.number_of(0x1f600) == 2 && alphabet.number_of(0x6f22) == 1);
    CHECK(alphabet.size() == 4 + 69'700 - 1);
}

}  // namespace pellucid::test

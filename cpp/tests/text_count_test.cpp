// Counts of terms and their weights against plain maps and loops, on any number of threads.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/rng.hpp"
#include "core/text/count.hpp"
#include "core/text/murmur.hpp"
#include "core/text/tfidf.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::text;

const LetterTable& table() {
    static const LetterTable made({[](char32_t c) { return c >= 'a' && c <= 'z'; }, [](char32_t c) { return c == ' '; },
                                   [](char32_t c) { return c; }},
                                  false);
    return made;
}
const Analysis kWords{Unit::word, 1, 1, 1, &table(), nullptr};

// Texts of words that differ in how frequent they are; some texts are empty.
std::vector<std::string> drawn(Size rows, Size most) {
    const Random chance{rows, most};
    std::vector<std::string> texts(rows);
    Size draw = 0;
    for (std::string& text : texts) {
        const Size length = chance.bits(draw++) % most;
        for (Size i = 0; i < length; ++i) {
            Size word = static_cast<Size>(1.0 / (chance.uniform(draw++) + 1e-3));
            for (; word > 0; word /= 26) text.push_back(static_cast<char>('a' + word % 26));
            text.push_back(' ');
        }
    }
    return texts;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::map<std::string, double> counted(const std::string& text) {
    std::map<std::string, double> found;
    std::string word;
    for (const char c : text) {
        if (c != ' ') {
            word.push_back(c);
        } else if (!word.empty()) {
            ++found[word];
            word.clear();
        }
    }
    return found;
}

bool same(const Rows& a, const Rows& b) {
    return a.starts == b.starts && a.columns == b.columns && same_bits(a.values, b.values);
}

}  // namespace

TEST(counts_are_those_of_a_map) {
    for (const auto& [rows, most] : {std::pair<Size, Size>{1, 5}, {300, 40}, {4'000, 60}, {3, 30'000}}) {
        const auto texts = drawn(rows, most);
        const auto held = views(texts);
        std::map<std::string, double> documents;
        for (const std::string& text : texts)
            for (const auto& [word, count] : counted(text)) ++documents[word];
        const Fitted one = count_fit({held, {}}, kWords, {1, 1e9, {}}, false, 1);
        CHECK(one.met == documents.size() && one.terms.size() == documents.size());
        std::map<std::string, std::int32_t> column;
        for (const auto& [word, count] : documents) {  // a map is in the order of bytes
            const auto place = static_cast<Size>(column.size());
            CHECK(one.terms[place] == word && static_cast<double>(one.documents[place]) == count);
            column.emplace(word, static_cast<std::int32_t>(place));
        }
        for (Size r = 0; r < rows; ++r) {
            auto at = static_cast<Size>(one.rows.starts[r]);
            for (const auto& [word, count] : counted(texts[r])) {
                CHECK(one.rows.columns[at] == column[word] && one.rows.values[at] == count);
                ++at;
            }
            CHECK(at == static_cast<Size>(one.rows.starts[r + 1]));
        }
        Vocabulary known;
        for (const std::string_view term : one.terms) known.add(term);
        for (const int threads : {1, 2, 3}) {
            CHECK(same(count_fit({held, {}}, kWords, {1, 1e9, {}}, false, threads).rows, one.rows));
            CHECK(same(count_transform({held, {}}, kWords, known, false, threads), one.rows));
        }
    }
}

TEST(terms_are_kept_by_texts_and_by_frequency) {
    const std::vector<std::string> texts{"b a a c", "a b d", "a c b b", "e e e e"};
    const auto held = views(texts);
    const auto kept = [&](const Kept& limits, bool binary) {
        const Fitted found = count_fit({held, {}}, kWords, limits, binary, 2);
        std::vector<std::string> terms(found.terms.begin(), found.terms.end());
        return terms;
    };
    using Terms = std::vector<std::string>;
    CHECK(kept({2, 9, {}}, false) == (Terms{"a", "b", "c"}));
    CHECK(kept({1, 1, {}}, false) == (Terms{"d", "e"}));
    CHECK(kept({1, 9, 2}, false) == (Terms{"a", "b"}));  // 4 times each, as e has it
    CHECK(kept({1, 9, 3}, true) == (Terms{"a", "b", "c"}));
    CHECK(kept({5, 9, {}}, false).empty());
}

TEST(words_that_are_given_are_counted_alike) {
    const std::vector<std::string_view> words{"b", "a", "a", "b", "b"};
    const std::vector<Size> starts{0, 3, 3, 5};
    const Fitted found = count_fit({words, starts}, kWords, {1, 9, {}}, false, 2);
    CHECK(found.rows.starts == (std::vector<std::int64_t>{0, 2, 2, 3}));
    CHECK(found.rows.columns == (std::vector<std::int32_t>{0, 1, 1}));
    CHECK(found.rows.values == (std::vector<double>{2, 1, 2}));
}

TEST(hashed_counts_add_up_where_terms_meet) {
    const auto texts = drawn(500, 50);
    const auto held = views(texts);
    for (const Size columns : {Size{1}, Size{13}, Size{1} << 20})
        for (const bool signs : {true, false})
            for (const int threads : {1, 3}) {
                const Rows found = count_hash({held, {}}, kWords, {columns, signs}, false, threads);
                for (Size r = 0; r < texts.size(); ++r) {
                    std::map<std::int32_t, double> want;
                    for (const auto& [word, count] : counted(texts[r])) {
                        const std::int64_t h = murmur3(word);
                        const auto place = static_cast<std::int32_t>(static_cast<Size>(std::abs(h)) % columns);
                        want[place] += signs && h < 0 ? -count : count;
                    }
                    auto at = static_cast<Size>(found.starts[r]);
                    CHECK(static_cast<Size>(found.starts[r + 1]) - at == want.size());
                    for (const auto& [place, value] : want) {
                        CHECK(found.columns[at] == place && found.values[at] == value);
                        ++at;
                    }
                }
            }
}

TEST(weights_are_those_of_a_plain_loop) {
    const Size rows = 700, columns = 30;
    const Random chance{1, 2};
    std::vector<std::int32_t> starts{0}, places;
    std::vector<double> counts, idf(columns);
    for (Size j = 0; j < columns; ++j) idf[j] = 1.0 + chance.uniform(900'000 + j);
    for (Size r = 0; r < rows; ++r) {
        for (Size j = 0; j < columns; ++j)
            if (chance.uniform(r * columns + j) < 0.3) {
                places.push_back(static_cast<std::int32_t>(j));
                counts.push_back(static_cast<double>(1 + chance.bits(r * columns + j) % 5));
            }
        starts.push_back(static_cast<std::int32_t>(places.size()));
    }
    for (const bool sublinear : {false, true})
        for (const Norm norm : {Norm::none, Norm::l1, Norm::l2}) {
            std::vector<double> one;
            for (const int threads : {1, 3}) {
                std::vector<double> found = counts;
                weigh_rows<std::int32_t>(starts, places, found, idf, sublinear, norm, threads);
                if (threads == 1) one = found;
                CHECK(same_bits(found, one));
            }
            for (Size r = 0; r < rows; ++r) {
                long double size = 0;
                std::vector<long double> want;
                for (auto i = static_cast<Size>(starts[r]); i < static_cast<Size>(starts[r + 1]); ++i) {
                    const long double tf = sublinear ? 1 + std::log(static_cast<long double>(counts[i])) : counts[i];
                    want.push_back(tf * idf[static_cast<Size>(places[i])]);
                    size += norm == Norm::l1 ? want.back() : want.back() * want.back();
                }
                size = norm == Norm::none ? 1 : norm == Norm::l1 ? size : std::sqrt(size);
                for (Size i = 0; i < want.size(); ++i)
                    CHECK_NEAR(one[static_cast<Size>(starts[r]) + i], want[i] / size, 1e-13L);
            }
        }
}

TEST(rows_of_any_magnitude_have_size_one) {
    const std::vector<std::int64_t> starts{0, 2}, places{0, 1};
    for (const double scale : {1e-300, 1.0, 1e300}) {
        std::vector<double> found{3 * scale, 4 * scale};
        weigh_rows<std::int64_t>(starts, places, found, {}, false, Norm::l2, 1);
        CHECK_NEAR(found[0], 0.6L, 1e-15L);
        CHECK_NEAR(found[1], 0.8L, 1e-15L);
    }
    std::vector<double> large{1e308, 1e308};
    weigh_rows<std::int64_t>(starts, places, large, {}, false, Norm::l1, 1);
    CHECK(large[0] == 0.5 && large[1] == 0.5);
}

}  // namespace pellucid::test

// Terms of texts against plain loops over letters, and vocabularies against maps.
#include <algorithm>
#include <map>
#include <string>

#include "core/base/rng.hpp"
#include "core/text/analyze.hpp"
#include "core/text/murmur.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::text;

// Letters of the test: ASCII as in C, and from U+00C0 on all belong to words; U+0410 .. U+042F have a lower case.
bool in_word(char32_t c) { return c == '_' || (c < 128 && std::isalnum(static_cast<int>(c)) != 0) || c >= 0xC0; }
bool is_space(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == 0xA0; }
char32_t lower(char32_t c) {
    if (c < 128) return static_cast<char32_t>(std::tolower(static_cast<int>(c)));
    return c >= 0x410 && c <= 0x42F ? c + 32 : c;
}
const LetterTable& table(bool lowered) {
    static const LetterTable low({in_word, is_space, lower}, true), plain({in_word, is_space, lower}, false);
    return lowered ? low : plain;
}

std::string utf8(const std::u32string& letters) {
    std::string out;
    char held[4];
    for (const char32_t c : letters) out.append(held, encode(c, held));
    return out;
}

// Letters of one to four bytes, and spaces.
std::u32string drawn(Size n, std::uint64_t seed) {
    static const std::u32string kinds = U"aZ_9 \t\n,.\u00A0\u00E9\u0410\u044F\u4E2D\u20AC\U0001F600\U00010400";
    const Random chance{seed, 3};
    std::u32string out;
    for (Size i = 0; i < n; ++i) out.push_back(kinds[chance.bits(i) % kinds.size()]);
    return out;
}

std::u32string lowered(const std::u32string& text) {
    std::u32string out;
    for (const char32_t c : text) out.push_back(lower(c));
    return out;
}

std::vector<std::u32string> words_of(const std::u32string& text, Size shortest) {
    std::vector<std::u32string> found;
    std::u32string run;
    for (const char32_t c : text + U" ") {
        if (in_word(c)) {
            run.push_back(c);
            continue;
        }
        if (!run.empty() && run.size() >= shortest) found.push_back(run);
        run.clear();
    }
    return found;
}

std::vector<std::string> terms_of(const Analysis& analysis, const std::u32string& text) {
    std::vector<std::string> found;
    const std::string bytes = utf8(text);
    Analyser(analysis).terms_of(std::string_view(bytes), [&](std::string_view term) { found.emplace_back(term); });
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST(letters_survive_utf8) {
    for (char32_t c = 0; c <= 0x10FFFF; c = c < 0x3000 ? c + 1 : c + 37) {
        char held[4];
        const char* end = encode(c, held);
        const Decoded found = decode(held, end);
        CHECK(found.code == c && held + found.size == end);
    }
}

TEST(words_are_the_longest_runs_of_letters) {
    for (const Size n : {0, 1, 5, 60, 700})
        for (std::uint64_t seed = 0; seed < 20; ++seed)
            for (const Size shortest : {1, 2, 4})
                for (const Size high : {1, 3}) {
                    const std::u32string text = drawn(n, seed);
                    const auto words = words_of(lowered(text), shortest);
                    std::vector<std::string> want;
                    for (Size length = 1; length <= high; ++length)
                        for (Size i = 0; i + length <= words.size(); ++i) {
                            std::u32string joined = words[i];
                            for (Size k = 1; k < length; ++k) joined += U" " + words[i + k];
                            want.push_back(utf8(joined));
                        }
                    std::sort(want.begin(), want.end());
                    CHECK(terms_of({Unit::word, shortest, 1, high, &table(true), nullptr}, text) == want);
                }
}

TEST(runs_of_letters_take_several_spaces_for_one) {
    for (const Size n : {0, 1, 5, 60})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::u32string text = drawn(n, seed);
            std::u32string single;
            for (Size i = 0; i < text.size(); ++i) {
                if (i > 0 && is_space(text[i]) && is_space(text[i - 1]))
                    single.back() = U' ';
                else
                    single.push_back(text[i]);
            }
            std::vector<std::string> want;
            for (Size length = 2; length <= 3; ++length)
                for (Size i = 0; i + length <= single.size(); ++i) want.push_back(utf8(single.substr(i, length)));
            std::sort(want.begin(), want.end());
            CHECK(terms_of({Unit::letter, 1, 2, 3, &table(false), nullptr}, text) == want);
        }
}

TEST(runs_within_words_have_a_space_before_and_after) {
    const Analysis analysis{Unit::in_word, 1, 2, 4, &table(true), nullptr};
    const std::vector<std::string> want{" A", " AB", " AB ", "AB", "AB ", "B ", " c", " c ", "c "};
    std::vector<std::string> low;
    for (std::string term : want) {
        for (char& c : term) c = static_cast<char>(std::tolower(c));
        low.push_back(term);
    }
    std::sort(low.begin(), low.end());
    CHECK(terms_of(analysis, U"\n AB  C ") == low);
}

TEST(stop_words_are_left_out_before_words_are_joined) {
    Vocabulary stop;
    stop.add("and");
    const Analysis analysis{Unit::word, 1, 2, 2, &table(true), &stop};
    CHECK(terms_of(analysis, U"salt AND pepper and oil") == (std::vector<std::string>{"pepper oil", "salt pepper"}));
    const std::vector<std::string_view> words{"salt", "and", "pepper"};
    std::vector<std::string> found;
    Analyser(analysis).terms_of(std::span<const std::string_view>(words),
                                [&](std::string_view t) { found.emplace_back(t); });
    CHECK(found == std::vector<std::string>{"salt pepper"});
}

TEST(a_vocabulary_numbers_terms_as_a_map_does) {
    Vocabulary terms;
    std::map<std::string, std::uint32_t> want;
    const Random chance{5, 1};
    for (Size i = 0; i < 50'000; ++i) {
        std::string term(chance.bits(3 * i) % 21, 'a');
        for (Size k = 0; k < term.size(); ++k)
            term[k] = static_cast<char>(chance.bits(7 * i + k) % (term.size() < 4 ? 5 : 2));  // zeros among them
        CHECK(terms.find(term) == (want.contains(term) ? want[term] : Vocabulary::kNone));
        const auto [at, fresh] = want.emplace(term, static_cast<std::uint32_t>(want.size()));
        CHECK(terms.add(term) == at->second);
    }
    CHECK(terms.size() == want.size());
    for (const auto& [term, number] : want) CHECK(terms[number] == term);
}

TEST(murmur_gives_published_values) {
    CHECK(murmur3("") == 0);
    CHECK(static_cast<std::uint32_t>(murmur3("test")) == 0xBA6BD213);
    CHECK(static_cast<std::uint32_t>(murmur3("Hello, world!")) == 0xC0363E43);
    CHECK(static_cast<std::uint32_t>(murmur3("The quick brown fox jumps over the lazy dog")) == 0x2E4FF723);
}

}  // namespace pellucid::test

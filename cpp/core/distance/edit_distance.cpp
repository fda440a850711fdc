#include "core/distance/edit_distance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kWord = 64;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

Size words_of(Size letters) { return blocks_of(letters, kWord); }

struct Trimmed {
    Letters a, b;
};

// Equal letters at both ends are part of a cheapest path whatever the costs.
Trimmed trim(Letters a, Letters b) {
    const Size shorter = std::min(a.size(), b.size());
    Size front = 0, back = 0;
    while (front < shorter && a[front] == b[front]) ++front;
    while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    return {a.subspan(front, a.size() - front - back), b.subspan(front, b.size() - front - back)};
}

// ---- unit costs

std::int64_t levenshtein_word(const Pattern& p, Letters text) {
    std::uint64_t vp = kAll, vn = 0;
    for (const Letter c : text) {
        const std::uint64_t m = *p.of(c);
        const std::uint64_t d0 = (((m & vp) + vp) ^ vp) | m | vn;
        const std::uint64_t hp = ((vn | ~(d0 | vp)) << 1) | 1, hn = (d0 & vp) << 1;
        vp = hn | ~(d0 | hp);
        vn = hp & d0;
    }
    // The last column from its top: it starts at the length of the text, and VP and VN are its steps downwards.
    const std::uint64_t rows = kAll >> (kWord - p.size());
    return static_cast<std::int64_t>(text.size()) + std::popcount(vp & rows) - std::popcount(vn & rows);
}

// Where a path of cost at most k may run: diagonals j - i from `low` to `high`.
struct Band {
    std::int64_t low, high;
    Band(std::int64_t rows, std::int64_t cols, std::int64_t k)
        : low(-((k - (cols - rows)) / 2)), high((k + (cols - rows)) / 2) {}
};

// Words of bits under each other. Only those that the band touches are worked out (Ukkonen 1985); a word that enters
// below starts as if D grew by one in every row, and above the band it grows by one in every column. Both are upper
// bounds, and exact on every path that stays inside.
std::int64_t levenshtein_band(const Pattern& p, Letters text, std::int64_t k, std::vector<std::uint64_t>& scratch) {
    const auto rows = static_cast<std::int64_t>(p.size()), cols = static_cast<std::int64_t>(text.size());
    const auto words = static_cast<std::int64_t>(p.words());
    const Band band(rows, cols, k);
    scratch.resize(2 * p.words());
    std::uint64_t *vp = scratch.data(), *vn = vp + words;
    std::int64_t last = -1, score = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
        if (j % 4096 == 4095) check_interrupt();
        const std::int64_t lowest = std::min(words - 1, (j - band.low) / 64);
        for (; last < lowest; score += std::min<std::int64_t>(64, rows - 64 * last)) {
            ++last;
            vp[last] = kAll;
            vn[last] = 0;
        }
        const std::uint64_t* masks = p.of(text[static_cast<Size>(j)]);
        std::uint64_t hp_in = 1, hn_in = 0, hp = 0, hn = 0;
        for (std::int64_t w = std::max<std::int64_t>(0, j - band.high) / 64; w <= last; ++w) {
            const std::uint64_t up = vp[w], down = vn[w], m = masks[w] | hn_in;
            const std::uint64_t d0 = (((m & up) + up) ^ up) | m | down;
            hp = down | ~(d0 | up);
            hn = d0 & up;
            const std::uint64_t hp_next = (hp << 1) | hp_in, hn_next = (hn << 1) | hn_in;
            hp_in = hp >> 63;
            hn_in = hn >> 63;
            vp[w] = hn_next | ~(d0 | hp_next);
            vn[w] = hp_next & d0;
        }
        const auto bottom = static_cast<unsigned>(last == words - 1 ? (rows - 1) % 64 : 63);
        score += static_cast<std::int64_t>((hp >> bottom) & 1) - static_cast<std::int64_t>((hn >> bottom) & 1);
    }
    return score;
}

// No path is shorter than the letters that one text has more of.
std::int64_t least_distance(Letters a, Letters b, Letter alphabet, std::vector<std::uint64_t>& scratch) {
    scratch.assign(alphabet, 0);
    for (const Letter c : a) ++scratch[c];
    for (const Letter c : b) --scratch[c];
    std::int64_t more = 0, less = 0;
    for (const std::uint64_t surplus : scratch) {
        const auto s = static_cast<std::int64_t>(surplus);
        (s > 0 ? more : less) += std::abs(s);
    }
    return std::max(more, less);
}

// The band is as wide as the distance is thought to be, from the distance of the first tenth of both texts, and is
// widened until the distance fits into it.
std::int64_t levenshtein_long(Letters a, Letters b, std::int64_t cutoff, EditScratch& scratch) {
    constexpr Size kPart = 10, kShort = 256;
    const std::int64_t least = least_distance(a, b, scratch.pattern.alphabet(), scratch.words);
    if (least > cutoff) return least;
    const auto most = static_cast<std::int64_t>(b.size());  // b is the longer one: no distance is larger
    std::int64_t guess = 64;
    if (a.size() > kShort) {
        const std::int64_t part = levenshtein_long(a.first(a.size() / kPart), b.first(b.size() / kPart), most, scratch);
        guess = part * static_cast<std::int64_t>(kPart) * 5 / 4;
    }
    scratch.pattern.set(a);
    for (std::int64_t k = std::max<std::int64_t>({64, guess, least});; k *= 2) {
        // A band over more than half the table is hardly less work than the whole.
        const std::int64_t tried = std::min({2 * k > most ? most : k, cutoff, most});
        const std::int64_t found = levenshtein_band(scratch.pattern, b, tried, scratch.words);
        if (found <= tried || tried >= std::min(cutoff, most)) return found;
    }
}

// ---- longest common subsequence

std::int64_t subsequence_word(const Pattern& p, Letters text) {
    std::uint64_t v = kAll;
    for (const Letter c : text) {
        const std::uint64_t u = v & *p.of(c);
        v = (v + u) | (v - u);
    }
    return std::popcount(~v);
}

// Several columns word by word: a word waits only for the one above it and for itself in the column before. Measured on
// 10,000 letters: four at a time take 0.75 of the time of one.
template <Size Columns>
void subsequence_columns(const Pattern& p, const Letter* text, std::span<std::uint64_t> v) {
    const std::uint64_t* masks[Columns];
    std::uint64_t carry[Columns] = {};
    for (Size c = 0; c < Columns; ++c) masks[c] = p.of(text[c]);
    for (Size w = 0; w < v.size(); ++w) {
        std::uint64_t word = v[w];
        for (Size c = 0; c < Columns; ++c) {
            const std::uint64_t u = word & masks[c][w], partial = word + u, sum = partial + carry[c];
            carry[c] = static_cast<std::uint64_t>(partial < u) | static_cast<std::uint64_t>(sum < carry[c]);
            word = sum | (word - u);
        }
        v[w] = word;
    }
}

std::int64_t subsequence_words(const Pattern& p, Letters text, std::vector<std::uint64_t>& v) {
    v.assign(p.words(), kAll);
    Size j = 0;
    for (; j + 4 <= text.size(); j += 4) subsequence_columns<4>(p, text.data() + j, v);
    for (; j < text.size(); ++j) subsequence_columns<1>(p, text.data() + j, v);
    std::int64_t length = 0;
    for (const std::uint64_t word : v) length += std::popcount(~word);
    return length;
}

// ---- neighbors that change places

// As for Levenshtein, with a bit more in D0: letters i-1, i of the pattern are letters j, j-1 of the text.
std::int64_t damerau_word(const Pattern& p, Letters text) {
    std::uint64_t vp = kAll, vn = 0, d0 = 0, before = 0;
    for (const Letter c : text) {
        const std::uint64_t m = *p.of(c);
        const std::uint64_t swapped = (((~d0) & m) << 1) & before;
        d0 = (((m & vp) + vp) ^ vp) | m | vn | swapped;
        const std::uint64_t hp = ((vn | ~(d0 | vp)) << 1) | 1, hn = (d0 & vp) << 1;
        vp = hn | ~(d0 | hp);
        vn = hp & d0;
        before = m;
    }
    const std::uint64_t rows = kAll >> (kWord - p.size());
    return static_cast<std::int64_t>(text.size()) + std::popcount(vp & rows) - std::popcount(vn & rows);
}

std::int64_t damerau_words(const Pattern& p, Letters text, std::vector<std::uint64_t>& scratch) {
    const Size words = p.words();
    scratch.assign(3 * words, 0);
    std::uint64_t *vp = scratch.data(), *vn = vp + words, *d0 = vn + words;
    std::fill(vp, vn, kAll);
    const std::vector<std::uint64_t> none(words, 0);
    const std::uint64_t* before = none.data();
    for (const Letter c : text) {
        const std::uint64_t* masks = p.of(c);
        std::uint64_t hp_in = 1, hn_in = 0, swap_in = 0;
        for (Size w = 0; w < words; ++w) {
            const std::uint64_t up = vp[w], down = vn[w], free = ~d0[w] & masks[w], m = masks[w] | hn_in;
            const std::uint64_t swapped = ((free << 1) | swap_in) & before[w];
            const std::uint64_t d = (((m & up) + up) ^ up) | m | down | swapped;
            const std::uint64_t hp = down | ~(d | up), hn = d & up;
            const std::uint64_t hp_next = (hp << 1) | hp_in, hn_next = (hn << 1) | hn_in;
            swap_in = free >> 63;
            hp_in = hp >> 63;
            hn_in = hn >> 63;
            d0[w] = d;
            vp[w] = hn_next | ~(d | hp_next);
            vn[w] = hp_next & d;
        }
        before = masks;
    }
    auto distance = static_cast<std::int64_t>(text.size());
    for (Size w = 0; w < words; ++w) {
        const std::uint64_t rows = w + 1 < words ? kAll : kAll >> (kWord * words - p.size());
        distance += std::popcount(vp[w] & rows) - std::popcount(vn[w] & rows);
    }
    return distance;
}

// ---- one pair

std::int64_t of_word(const Pattern& p, Letters text, Edit kind) {
    if (kind == Edit::levenshtein) return levenshtein_word(p, text);
    if (kind == Edit::damerau) return damerau_word(p, text);
    return static_cast<std::int64_t>(p.size() + text.size()) - 2 * subsequence_word(p, text);
}

std::int64_t of_long(Letters a, Letters b, Edit kind, std::int64_t cutoff, EditScratch& s) {
    if (kind == Edit::levenshtein) return levenshtein_long(a, b, cutoff, s);
    s.pattern.set(a);
    if (kind == Edit::damerau) return damerau_words(s.pattern, b, s.words);
    return static_cast<std::int64_t>(a.size() + b.size()) - 2 * subsequence_words(s.pattern, b, s.words);
}

std::int64_t of_empty(Letters a, Letters b) { return static_cast<std::int64_t>(a.size() + b.size()); }

std::int64_t length_gap(Letters a, Letters b) {
    return std::abs(static_cast<std::int64_t>(a.size()) - static_cast<std::int64_t>(b.size()));
}

}  // namespace

void Pattern::set(Letters letters) {
    for (const Letter c : letters_) std::fill_n(masks_.data() + c * words_, words_, 0);
    const Size words = std::max<Size>(1, words_of(letters.size()));
    if (masks_.size() < alphabet_ * words) masks_.resize(alphabet_ * words, 0);
    letters_ = letters;
    words_ = words;
    for (Size i = 0; i < letters.size(); ++i)
        masks_[letters[i] * words_ + i / kWord] |= std::uint64_t{1} << (i % kWord);
}

std::int64_t edit_distance(Letters a, Letters b, Edit kind, std::int64_t cutoff, EditScratch& scratch) {
    const std::int64_t gap = length_gap(a, b);
    if (gap > cutoff) return gap;
    if (a.empty() || b.empty()) return of_empty(a, b);
    if (a.size() <= kWord) {
        scratch.pattern.set_text(a);
        return of_word(scratch.pattern, b, kind);
    }
    if (b.size() <= kWord) {
        scratch.pattern.set_text(b);
        return of_word(scratch.pattern, a, kind);
    }
    auto [left, right] = trim(a, b);
    if (left.size() > right.size()) std::swap(left, right);
    if (left.empty()) return of_empty(left, right);
    if (left.size() > kWord) return of_long(left, right, kind, cutoff, scratch);
    scratch.pattern.set(left);
    return of_word(scratch.pattern, right, kind);
}

// ---- Jaro

namespace {

// The first free place of letter c in the pattern from `from` to before `to`, or `to`.
Size first_free(const Pattern& p, const std::vector<std::uint64_t>& taken, Letter c, Size from, Size to) {
    const std::uint64_t* masks = p.of(c);
    for (Size w = from / kWord; w * kWord < to; ++w) {
        std::uint64_t free = masks[w] & ~taken[w];
        if (w == from / kWord) free &= kAll << (from % kWord);
        if (free != 0) return std::min(to, w * kWord + static_cast<Size>(std::countr_zero(free)));
    }
    return to;
}

}  // namespace

double jaro(Letters a, Letters b, EditScratch& s) {
    if (a.empty() && b.empty()) return 1;
    if (a.empty() || b.empty()) return 0;
    const Size half = std::max(a.size(), b.size()) / 2, window = half > 0 ? half - 1 : 0;
    s.pattern.set_text(a);
    s.words.assign(s.pattern.words(), 0);
    s.matched.clear();
    for (Size j = 0; j < b.size(); ++j) {
        const Size from = j > window ? j - window : 0, to = std::min(a.size(), j + window + 1);
        if (from >= to) break;
        const Size i = first_free(s.pattern, s.words, b[j], from, to);
        if (i == to) continue;
        s.words[i / kWord] |= std::uint64_t{1} << (i % kWord);
        s.matched.push_back(b[j]);
    }
    if (s.matched.empty()) return 0;
    Size out_of_order = 0, k = 0;
    for (Size w = 0; w < s.words.size(); ++w)
        for (std::uint64_t taken = s.words[w]; taken != 0; taken &= taken - 1)
            out_of_order += a[w * kWord + static_cast<Size>(std::countr_zero(taken))] != s.matched[k++];
    const auto m = static_cast<double>(s.matched.size());
    const auto transposed = static_cast<double>(out_of_order / 2);
    return (m / static_cast<double>(a.size()) + m / static_cast<double>(b.size()) + (m - transposed) / m) / 3;
}

double jaro_winkler(Letters a, Letters b, double weight, double threshold, EditScratch& s) {
    const double plain = jaro(a, b, s);
    if (plain <= threshold) return plain;
    Size prefix = 0;
    while (prefix < std::min({a.size(), b.size(), Size{4}}) && a[prefix] == b[prefix]) ++prefix;
    return std::min(1.0, plain + static_cast<double>(prefix) * weight * (1 - plain));
}

// ---- any costs

double weighted_distance(Letters a, Letters b, const EditCosts& costs, EditScratch& s) {
    const double longer = static_cast<double>(b.size()) - static_cast<double>(a.size());
    const double each = (costs.insert + costs.remove) / 2, shift = (costs.insert - costs.remove) / 2 * longer;
    if (costs.substitute == each)
        return each * static_cast<double>(edit_distance(a, b, Edit::levenshtein, kNoCutoff, s)) + shift;
    if (costs.substitute >= costs.insert + costs.remove)
        return each * static_cast<double>(edit_distance(a, b, Edit::indel, kNoCutoff, s)) + shift;
    const auto [from, to] = trim(a, b);
    std::vector<double>& row = s.row;
    row.resize(to.size() + 1);
    for (Size j = 0; j <= to.size(); ++j) row[j] = static_cast<double>(j) * costs.insert;
    for (Size i = 0; i < from.size(); ++i) {
        if (i % 256 == 255) check_interrupt();
        double corner = row[0];
        row[0] = static_cast<double>(i + 1) * costs.remove;
        for (Size j = 1; j <= to.size(); ++j) {
            const double diagonal = corner + (from[i] == to[j - 1] ? 0 : costs.substitute);
            corner = row[j];
            row[j] = std::min({diagonal, corner + costs.remove, row[j - 1] + costs.insert});
        }
    }
    return row[to.size()];
}

std::vector<EditStep> edit_steps(Letters a, Letters b, const EditCosts& costs) {
    Size kept = 0;  // letters at the end that are equal
    while (kept < std::min(a.size(), b.size()) && a[a.size() - 1 - kept] == b[b.size() - 1 - kept]) ++kept;
    const Size rows = a.size() - kept, cols = b.size() - kept, width = cols + 1;
    std::vector<std::uint8_t> came(((rows + 1) * width + 3) / 4, 0);
    const auto write = [&](Size cell, EditStep step) {
        came[cell / 4] = static_cast<std::uint8_t>(came[cell / 4] | static_cast<unsigned>(step) << (2 * (cell % 4)));
    };
    std::vector<double> row(width);
    for (Size j = 1; j <= cols; ++j) {
        row[j] = static_cast<double>(j) * costs.insert;
        write(j, EditStep::insert);
    }
    for (Size i = 1; i <= rows; ++i) {
        if (i % 256 == 0) check_interrupt();
        double corner = row[0];
        row[0] = static_cast<double>(i) * costs.remove;
        write(i * width, EditStep::remove);
        for (Size j = 1; j <= cols; ++j) {
            const bool same = a[i - 1] == b[j - 1];
            const double diagonal = corner + (same ? 0 : costs.substitute), above = row[j] + costs.remove;
            const double before = row[j - 1] + costs.insert;
            corner = row[j];
            row[j] = std::min({diagonal, above, before});
            const EditStep step = diagonal == row[j] ? (same ? EditStep::keep : EditStep::substitute)
                                  : above == row[j]  ? EditStep::remove
                                                     : EditStep::insert;
            write(i * width + j, step);
        }
    }
    std::vector<EditStep> steps(kept, EditStep::keep);
    for (Size i = rows, j = cols; i > 0 || j > 0;) {
        const Size cell = i * width + j;
        const auto step = static_cast<EditStep>((came[cell / 4] >> (2 * (cell % 4))) & 3);
        steps.push_back(step);
        i -= step != EditStep::insert;
        j -= step != EditStep::remove;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

// ---- many

namespace {

// About 2^18 words of bits a block: many pairs of names, few of books.
Size pairs_per_block(const TextSet& texts) {
    const Size mean = texts.letters.size() / std::max<Size>(1, texts.size());
    return std::clamp<Size>((Size{1} << 18) / (1 + mean * words_of(mean)), 1, 4096);
}

template <class T, class Measure>
void each_pair(const TextPairs& pairs, std::span<T> out, int threads, const Measure& measure) {
    const Size n = out.size(), size = pairs_per_block(pairs.texts);
    require(pairs.left.size() == n && pairs.right.size() == n, "text pairs: sizes");
    parallel_for(blocks_of(n, size), threads, [&](Size block) {
        EditScratch scratch(pairs.texts.alphabet);
        for (Size k = block * size; k < std::min(n, (block + 1) * size); ++k) {
            const auto i = static_cast<Size>(pairs.left[k]), j = static_cast<Size>(pairs.right[k]);
            require(i < pairs.texts.size() && j < pairs.texts.size(), "text pairs: no such text");
            out[k] = measure(pairs.texts[i], pairs.texts[j], scratch);
        }
    });
}

}  // namespace

void edit_distances(const TextPairs& pairs, Edit kind, std::int64_t cutoff, std::span<std::int32_t> out, int threads) {
    each_pair(pairs, out, threads, [&](Letters a, Letters b, EditScratch& s) {
        return static_cast<std::int32_t>(edit_distance(a, b, kind, cutoff, s));
    });
}

void weighted_distances(const TextPairs& pairs, const EditCosts& costs, std::span<double> out, int threads) {
    each_pair(pairs, out, threads,
              [&](Letters a, Letters b, EditScratch& s) { return weighted_distance(a, b, costs, s); });
}

void jaro_similarities(const TextPairs& pairs, double weight, double threshold, std::span<double> out, int threads) {
    each_pair(pairs, out, threads,
              [&](Letters a, Letters b, EditScratch& s) { return jaro_winkler(a, b, weight, threshold, s); });
}

}  // namespace pellucid

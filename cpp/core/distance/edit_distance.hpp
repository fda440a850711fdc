// How far two texts are apart: what it costs to turn a (n letters) into b (m letters).
//
//   D[0, j] = j I,  D[i, 0] = i D,
//   D[i, j] = min( D[i-1, j] + D,  D[i, j-1] + I,  D[i-1, j-1] + (a_i = b_j ? 0 : S) )
//
// with the costs I of an insertion, D of a deletion and S of a substitution (Wagner and Fischer 1974). With unit costs
// neighboring cells differ by -1, 0 or 1, and 64 rows of a column are two words of bits (Myers 1999 in the form of
// Hyyrö 2003). A vertical step of the words VP (where D grows downwards) and VN (where it falls) over a letter c is
//
//   D0 = (((M_c & VP) + VP) ^ VP) | M_c | VN,   HP = VN | ~(D0 | VP),   HN = D0 & VP
//   VP = (HN << 1) | ~(D0 | (HP << 1 | 1)),     VN = D0 & (HP << 1 | 1)
//
// where M_c has a bit for each place of the pattern with the letter c. With S = 2 the distance is n + m - 2 L, with L
// the length of the longest common subsequence, which has a shorter step: U = V & M_c, V = (V + U) | (V - U).
//
// Every gap-free identity used here is exact: with c = (I + D) / 2 the number of insertions less deletions is m - n
// whatever the path, so costs (I, D, S) are c, c, S plus (I - D)(m - n) / 2.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/distance/text_set.hpp"

namespace pellucid {

enum class Edit : int {
    levenshtein = 0,  // insertion, deletion, substitution: 1 each
    indel = 1,        // insertion, deletion: 1 each; a substitution is one of both
    damerau = 2       // Levenshtein, and two neighbors that change places: 1 (optimal string alignment)
};

inline constexpr std::int64_t kNoCutoff = std::numeric_limits<std::int64_t>::max();

// Where each letter stands in a pattern: word w of letter c is masks[c * words + w].
class Pattern {
  public:
    explicit Pattern(Letter alphabet) : alphabet_(alphabet) {}
    void set(Letters letters);
    void set_text(Letters letters) {  // nothing to do when the same text comes again
        if (letters.data() != letters_.data() || letters.size() != letters_.size()) set(letters);
    }

    Size size() const { return letters_.size(); }
    Size words() const { return words_; }
    Letter alphabet() const { return alphabet_; }
    const std::uint64_t* of(Letter c) const { return masks_.data() + c * words_; }

  private:
    Letter alphabet_;
    Letters letters_;
    Size words_ = 0;
    std::vector<std::uint64_t> masks_;
};

// What a thread needs to measure one pair after another. The texts must outlive it: it knows the last one by its place.
struct EditScratch {
    explicit EditScratch(Letter alphabet) : pattern(alphabet) {}
    Pattern pattern;
    std::vector<std::uint64_t> words;  // states of the columns of bits
    std::vector<Letter> matched;       // Jaro: letters of the second text that have a partner
    std::vector<double> row;           // the plain programme's row
};

// The distance, or any number above the cutoff where it is above.
std::int64_t edit_distance(Letters a, Letters b, Edit kind, std::int64_t cutoff, EditScratch& scratch);

// (m/|a| + m/|b| + (m - t)/m) / 3 with m matching letters (equal, at most max(|a|, |b|)/2 - 1 places apart, each used
// once) of which t, half of those whose order differs, are transposed. 1 for two empty texts.
double jaro(Letters a, Letters b, EditScratch& scratch);

// Winkler's: s + l p (1 - s) with l letters of common prefix, at most 4; only where s is above `threshold`.
double jaro_winkler(Letters a, Letters b, double weight, double threshold, EditScratch& scratch);

struct EditCosts {
    double insert = 1, remove = 1, substitute = 1;
};

double weighted_distance(Letters a, Letters b, const EditCosts& costs, EditScratch& scratch);

enum class EditStep : std::uint8_t { keep = 0, substitute = 1, remove = 2, insert = 3 };

// The cheapest way from a to b, from front to back. Of equally cheap ones the one that, walking from the end, keeps or
// substitutes where it can, else deletes, else inserts. Needs a quarter byte a cell of the programme.
std::vector<EditStep> edit_steps(Letters a, Letters b, const EditCosts& costs);

// ---- many at once, in fixed blocks of pairs or rows

struct TextPairs {
    const TextSet& texts;
    std::span<const std::int64_t> left, right;
};

void edit_distances(const TextPairs& pairs, Edit kind, std::int64_t cutoff, std::span<std::int32_t> out, int threads);
void weighted_distances(const TextPairs& pairs, const EditCosts& costs, std::span<double> out, int threads);
// weight 0 for Jaro's own.
void jaro_similarities(const TextPairs& pairs, double weight, double threshold, std::span<double> out, int threads);

// out[i * cols + j]: texts 0 .. rows-1 against texts rows .. rows+cols-1 of one set.
void edit_distance_table(const TextSet& texts, Size rows, Edit kind, std::span<std::int32_t> out, int threads);

}  // namespace pellucid

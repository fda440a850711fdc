// From a text to its terms: words and runs of words, or runs of letters.
//
//   word        the longest runs of letters that belong to words, of at least `shortest` letters, those on the list of
//               stop words left out; a term is `low` to `high` of them in a row, joined by one space
//   letter      `low` to `high` letters in a row, where several spaces in a row count as one space
//   in_word     the same within each piece between spaces, which has a space put before and after it; a piece shorter
//               than a term is a term itself, once
//
// The text is written once, in lower case where asked for, into a buffer in which every term is a stretch of bytes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/text/letters.hpp"
#include "core/text/vocabulary.hpp"

namespace pellucid::text {

enum class Unit : int { word = 0, letter = 1, in_word = 2 };

struct Analysis {
    Unit unit = Unit::word;
    Size shortest = 2;
    Size low = 1, high = 1;
    const LetterTable* letters = nullptr;
    const Vocabulary* stop = nullptr;  // or none
};

class Analyser {
  public:
    explicit Analyser(const Analysis& analysis) : a_(analysis) {}

    // Calls f with every term of a text.
    template <class F>
    void terms_of(std::string_view text, F&& f) {
        if (buffer_.size() < 2 * text.size() + 16) buffer_.resize(2 * text.size() + 16);
        if (a_.unit == Unit::word) {
            cut_words(text);
            runs_of_words(f);
        } else if (a_.unit == Unit::letter) {
            cut_letters(text);
            for (Size n = a_.low; n <= a_.high && n < starts_.size(); ++n) runs(0, starts_.size() - 1, n, f);
        } else {
            cut_pieces(text);
            for (const Piece& piece : pieces_) runs_in_piece(piece, f);
        }
    }

    // The same for a text that was cut into words already.
    template <class F>
    void terms_of(std::span<const std::string_view> words, F&& f) {
        if (a_.high == 1) {
            for (const std::string_view word : words)
                if (!stopped(word)) f(word);
            return;
        }
        join(words);
        runs_of_words(f);
    }

  private:
    struct Piece {
        Size begin, end;  // bytes of a word in the buffer; of a piece: places in starts_
    };

    bool stopped(std::string_view word) const { return a_.stop != nullptr && a_.stop->find(word) != Vocabulary::kNone; }
    std::string_view between(Size begin, Size end) const { return {buffer_.data() + begin, end - begin}; }
    // Every n letters in a row of those numbered first .. last - 1.
    template <class F>
    void runs(Size first, Size last, Size n, F&& f) const {
        for (Size i = first; i + n <= last; ++i) f(between(starts_[i], starts_[i + n]));
    }
    template <class F>
    void runs_of_words(F&& f) const {
        for (Size n = a_.low; n <= a_.high && n <= pieces_.size(); ++n)
            for (Size i = 0; i + n <= pieces_.size(); ++i) f(between(pieces_[i].begin, pieces_[i + n - 1].end));
    }
    template <class F>
    void runs_in_piece(const Piece& piece, F&& f) const {
        const Size length = piece.end - piece.begin;
        for (Size n = a_.low; n <= a_.high; ++n) {
            if (n >= length) {
                f(between(starts_[piece.begin], starts_[piece.end]));
                return;
            }
            runs(piece.begin, piece.end, n, f);
        }
    }

    void cut_words(std::string_view text);
    void cut_letters(std::string_view text);
    void cut_pieces(std::string_view text);
    void join(std::span<const std::string_view> words);

    Analysis a_;
    std::vector<char> buffer_;
    std::vector<Size> starts_;  // of letters in the buffer, and where the last one ends
    std::vector<Piece> pieces_;
};

}  // namespace pellucid::text

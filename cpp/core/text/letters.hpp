// Letters of texts in UTF-8: which belong to words, which are space, and what they are in lower case.
//
// What a letter is, is not written down here: whoever calls hands over three functions (the binding: those of the
// Python that runs, so that words end where its regular expressions end them), and a table of the first 65,536 letters
// is made of them once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::text {

struct Letters {
    bool (*is_word)(char32_t) = nullptr;    // a letter, a digit, a number or an underscore: \w
    bool (*is_space)(char32_t) = nullptr;   // \s
    char32_t (*lower)(char32_t) = nullptr;  // one letter for one letter
};

// The one letter that is two in lower case: an i, and a dot above it, which belongs to no word.
inline constexpr char32_t kDottedI = 0x130;
inline constexpr char32_t kDotAbove = 0x307;

// One letter as it is met: itself, or its lower case, and what that is.
struct Letter {
    char32_t code = 0;
    bool in_word = false;
    bool is_space = false;
};

class LetterTable {
  public:
    LetterTable(const Letters& letters, bool lower);

    Letter at(char32_t code) const { return code < kTable ? unpack(table_[code]) : unpack(lookup(code)); }
    // Of a letter of ASCII: its byte in lower case where it belongs to a word, else 0.
    char word_byte(unsigned char byte) const { return word_bytes_[byte]; }
    bool lowers() const { return lower_; }

  private:
    static constexpr char32_t kTable = 0x10000;
    static constexpr std::uint32_t kWord = 1u << 31, kSpace = 1u << 30, kCode = (1u << 21) - 1;

    static Letter unpack(std::uint32_t entry) {
        return {static_cast<char32_t>(entry & kCode), (entry & kWord) != 0, (entry & kSpace) != 0};
    }
    std::uint32_t lookup(char32_t code) const;

    Letters letters_;
    bool lower_;
    std::vector<std::uint32_t> table_;
    std::array<char, 256> word_bytes_{};
};

// The letter that begins at `at`, and how many bytes it has. The text is sound UTF-8 (halves of pairs of surrogates
// included); what is cut off at the end counts as one byte.
struct Decoded {
    char32_t code = 0;
    unsigned size = 1;
};

inline Decoded decode(const char* at, const char* end) {
    const auto byte = [&](unsigned i) { return static_cast<unsigned char>(at[i]); };
    const unsigned first = byte(0);
    const auto left = end - at;
    const auto tail = [&](unsigned i) { return static_cast<char32_t>(byte(i) & 0x3F); };
    if (first < 0x80) return {static_cast<char32_t>(first), 1};
    if (first < 0xE0 && left >= 2) return {static_cast<char32_t>(first & 0x1F) << 6 | tail(1), 2};
    if (first < 0xF0 && left >= 3) return {static_cast<char32_t>(first & 0x0F) << 12 | tail(1) << 6 | tail(2), 3};
    if (left >= 4) return {static_cast<char32_t>(first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
    return {0xFFFD, 1};
}

// Writes a letter and returns where the next one goes.
inline char* encode(char32_t code, char* out) {
    const auto put = [&](char32_t byte) { *out++ = static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    }
    return out;
}

}  // namespace pellucid::text

#include "core/text/letters.hpp"

namespace pellucid::text {

LetterTable::LetterTable(const Letters& letters, bool lower) : letters_(letters), lower_(lower), table_(kTable) {
    for (char32_t code = 0; code < kTable; ++code) table_[code] = lookup(code);
    for (char32_t code = 0; code < 0x80; ++code) {
        const Letter letter = at(code);
        if (letter.in_word) word_bytes_[code] = static_cast<char>(letter.code);
    }
}

std::uint32_t LetterTable::lookup(char32_t code) const {
    if (code > kCode) return kCode & 0xFFFD;
    const char32_t met = lower_ ? letters_.lower(code) : code;
    return static_cast<std::uint32_t>(met) | (letters_.is_word(met) ? kWord : 0u) |
           (letters_.is_space(met) ? kSpace : 0u);
}

}  // namespace pellucid::text

#include "core/text/analyze.hpp"

namespace pellucid::text {

void Analyser::cut_words(std::string_view text) {
    const LetterTable& letters = *a_.letters;
    const char *at = text.data(), *const end = at + text.size();
    char* const begin = buffer_.data();
    char* out = begin;
    pieces_.clear();
    while (at < end) {
        char* const word = out;
        Size length = 0;
        while (at < end) {
            const auto byte = static_cast<unsigned char>(*at);
            if (byte < 0x80) {
                const char met = letters.word_byte(byte);
                ++at;
                if (met == 0) break;
                *out++ = met;
            } else {
                const Decoded found = decode(at, end);
                at += found.size;
                if (found.code == kDottedI && letters.lowers()) {  // the dot ends the word
                    *out++ = 'i';
                    ++length;
                    break;
                }
                const Letter letter = letters.at(found.code);
                if (!letter.in_word) break;
                out = encode(letter.code, out);
            }
            ++length;
        }
        const Piece piece{static_cast<Size>(word - begin), static_cast<Size>(out - begin)};
        if (length < a_.shortest || length == 0 || stopped(between(piece.begin, piece.end))) {
            out = word;
            continue;
        }
        pieces_.push_back(piece);
        *out++ = ' ';
    }
}

void Analyser::cut_letters(std::string_view text) {
    const char *at = text.data(), *const end = at + text.size();
    char* const begin = buffer_.data();
    char* out = begin;
    starts_.clear();
    Size spaces = 0;
    const auto put = [&](char32_t code) {
        starts_.push_back(static_cast<Size>(out - begin));
        out = encode(code, out);
    };
    while (at < end) {
        const Decoded found = decode(at, end);
        at += found.size;
        const Letter letter = a_.letters->at(found.code);
        spaces = letter.is_space ? spaces + 1 : 0;
        if (spaces > 1) {
            out = begin + starts_.back();
            *out++ = ' ';
        } else if (found.code == kDottedI && a_.letters->lowers()) {
            put('i');
            put(kDotAbove);
        } else {
            put(letter.code);
        }
    }
    starts_.push_back(static_cast<Size>(out - begin));
}

void Analyser::cut_pieces(std::string_view text) {
    const char *at = text.data(), *const end = at + text.size();
    char* const begin = buffer_.data();
    char* out = begin;
    starts_.clear();
    pieces_.clear();
    const auto put = [&](char32_t code) {
        starts_.push_back(static_cast<Size>(out - begin));
        out = encode(code, out);
    };
    put(' ');
    Size first = 0;  // the space before the piece; the space after it is the one before the next
    const auto close = [&] {
        if (starts_.size() == first + 1) return;
        put(' ');
        pieces_.push_back({first, starts_.size()});
        first = starts_.size() - 1;
    };
    while (at < end) {
        const Decoded found = decode(at, end);
        at += found.size;
        const Letter letter = a_.letters->at(found.code);
        if (letter.is_space) {
            close();
        } else if (found.code == kDottedI && a_.letters->lowers()) {
            put('i');
            put(kDotAbove);
        } else {
            put(letter.code);
        }
    }
    close();
    starts_.push_back(static_cast<Size>(out - begin));
}

void Analyser::join(std::span<const std::string_view> words) {
    pieces_.clear();
    Size bytes = 0;
    for (const std::string_view word : words) bytes += word.size() + 1;
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    Size at = 0;
    for (const std::string_view word : words) {
        if (stopped(word)) continue;
        if (!word.empty()) std::memcpy(buffer_.data() + at, word.data(), word.size());
        pieces_.push_back({at, at + word.size()});
        at += word.size();
        buffer_[at++] = ' ';
    }
}

}  // namespace pellucid::text

// Texts out of Arrow's C data interface (arrow.apache.org/docs/format/CDataInterface.html): the structs as the standard
// lays them down, and a reader of the layouts that hold text: "u" and "U" (offsets of 32 and 64 bits), "vu" (views),
// and dictionaries of these.
#pragma once

#include <vector>

#include "core/base/check.hpp"
#include "core/quality/texts.hpp"

extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace pellucid::quality {

enum class TextLayout : int { none, offsets32, offsets64, views };

inline TextLayout text_layout(const char* format) {
    const std::string_view name = format;
    if (name == "u") return TextLayout::offsets32;
    if (name == "U") return TextLayout::offsets64;
    return name == "vu" ? TextLayout::views : TextLayout::none;
}

// One chunk of texts.
struct ArrowTexts {
    const ArrowArray* array = nullptr;
    TextLayout layout = TextLayout::none;

    std::string_view operator[](Size row) const {
        const Size at = row + static_cast<Size>(array->offset);
        if (layout == TextLayout::views) return view(at);
        return layout == TextLayout::offsets32 ? cut<std::int32_t>(at) : cut<std::int64_t>(at);
    }

  private:
    template <class Offset>
    std::string_view cut(Size at) const {
        const auto* offsets = static_cast<const Offset*>(array->buffers[1]);
        return {static_cast<const char*>(array->buffers[2]) + offsets[at],
                static_cast<Size>(offsets[at + 1] - offsets[at])};
    }
    // 16 bytes: the length, then the text itself if it fits into 12 bytes, else 4 bytes of it, buffer and offset.
    std::string_view view(Size at) const {
        const char* entry = static_cast<const char*>(array->buffers[1]) + 16 * at;
        std::int32_t length = 0, buffer = 0, offset = 0;
        std::memcpy(&length, entry, 4);
        if (length <= 12) return {entry + 4, static_cast<Size>(length)};
        std::memcpy(&buffer, entry + 8, 4);
        std::memcpy(&offset, entry + 12, 4);
        return {static_cast<const char*>(array->buffers[2 + buffer]) + offset, static_cast<Size>(length)};
    }
};

inline bool is_valid(const ArrowArray& array, Size row) {
    const auto* bits = array.n_buffers > 0 ? static_cast<const std::uint8_t*>(array.buffers[0]) : nullptr;
    if (bits == nullptr || array.null_count == 0) return true;
    const Size at = row + static_cast<Size>(array.offset);
    return ((bits[at / 8] >> (at % 8)) & 1) != 0;
}

inline std::int64_t index_at(const ArrowArray& array, char format, Size row) {
    const Size at = row + static_cast<Size>(array.offset);
    const void* data = array.buffers[1];
    switch (format) {
        case 'c':
            return static_cast<const std::int8_t*>(data)[at];
        case 'C':
            return static_cast<const std::uint8_t*>(data)[at];
        case 's':
            return static_cast<const std::int16_t*>(data)[at];
        case 'S':
            return static_cast<const std::uint16_t*>(data)[at];
        case 'i':
            return static_cast<const std::int32_t*>(data)[at];
        case 'I':
            return static_cast<const std::uint32_t*>(data)[at];
        default:
            return static_cast<const std::int64_t*>(data)[at];
    }
}

// Adds a chunk to the codes.
inline void code_chunk(const ArrowArray& array, const ArrowSchema& schema, TextCoder& coder) {
    const auto rows = static_cast<Size>(array.length);
    if (schema.dictionary == nullptr) {
        const ArrowTexts texts{&array, text_layout(schema.format)};
        for (Size r = 0; r < rows; ++r) is_valid(array, r) ? coder.add(texts[r]) : coder.add_missing();
        return;
    }
    constexpr std::int32_t kUnseen = -2;
    const ArrowArray& words = *array.dictionary;
    const ArrowTexts texts{&words, text_layout(schema.dictionary->format)};
    std::vector<std::int32_t> code(static_cast<Size>(words.length), kUnseen);
    for (Size r = 0; r < rows; ++r) {
        if (!is_valid(array, r)) {
            coder.add_missing();
            continue;
        }
        const auto word = static_cast<Size>(index_at(array, schema.format[0], r));
        if (code[word] == kUnseen) code[word] = is_valid(words, word) ? coder.number_of(texts[word]) : -1;
        code[word] < 0 ? coder.add_missing() : coder.add_code(code[word]);
    }
}

// Can a column of this schema be read here?
inline bool holds_texts(const ArrowSchema& schema) {
    return text_layout(schema.dictionary == nullptr ? schema.format : schema.dictionary->format) != TextLayout::none;
}

}  // namespace pellucid::quality

#include "core/quality/texts.hpp"

#include "core/base/check.hpp"

namespace pellucid::quality {
namespace {

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * kOdd;
    return h ^ (h >> 29);
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
    std::uint64_t h = text.size() * kOdd;
    const char* at = text.data();
    Size left = text.size();
    std::uint64_t word = 0;
    for (; left >= 8; left -= 8, at += 8) {
        std::memcpy(&word, at, 8);
        h = mix(h, word);
    }
    if (left > 0) {
        word = 0;
        std::memcpy(&word, at, left);
        h = mix(h, word);
    }
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;  // every bit of the sum depends on all bits of the text
    return h ^ (h >> 32);
}

std::int32_t TextCoder::number_of(std::string_view text) {
    const std::uint64_t h = hash_text(text);
    Size at = h & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
        const Size number = slots_[at] - 1;
        if (found_.hashes[number] == h && found_.values[number] == text) return static_cast<std::int32_t>(number);
    }
    require(found_.values.size() < (Size{1} << 31) - 1, "TextCoder: distinct texts");
    found_.values.push_back(text);
    found_.hashes.push_back(h);
    found_.counts.push_back(0);
    slots_[at] = static_cast<std::uint32_t>(found_.values.size());
    if (2 * found_.values.size() > slots_.size()) grow();
    return static_cast<std::int32_t>(found_.values.size() - 1);
}

void TextCoder::grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (Size number = 0; number < found_.hashes.size(); ++number) {
        Size at = found_.hashes[number] & (slots_.size() - 1);
        while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = static_cast<std::uint32_t>(number + 1);
    }
}

}  // namespace pellucid::quality

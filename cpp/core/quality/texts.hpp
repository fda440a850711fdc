// Texts of any length as codes, straight from the memory of a dataframe: distinct texts in the order in which they are
// first met, how often each occurs, and which one each row has.
//
// A table of hashes that is never more than half full; a hash only finds candidates, bytes decide. Texts are views of
// memory that stays where it is until the caller is done.
#pragma once

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::quality {

std::uint64_t hash_text(std::string_view text);

struct CodedTexts {
    std::vector<std::string_view> values;
    std::vector<std::uint64_t> hashes;
    std::vector<std::int64_t> counts;
    std::vector<std::int32_t> codes;  // -1 where there is no text
};

class TextCoder {
  public:
    explicit TextCoder(Size rows) { found_.codes.reserve(rows); }

    void add_missing() { found_.codes.push_back(-1); }
    void add(std::string_view text) { add_code(number_of(text)); }
    void add_code(std::int32_t code) {
        ++found_.counts[static_cast<Size>(code)];
        found_.codes.push_back(code);
    }
    std::int32_t number_of(std::string_view text);
    CodedTexts take() { return std::move(found_); }

  private:
    void grow();

    CodedTexts found_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);  // number of a text plus one, or 0
};

}  // namespace pellucid::quality

// Many texts as one array: letters are small numbers, so that what is known of a letter is found by indexing.
//
//   letters of text t = letters[starts[t]] .. letters[starts[t + 1] - 1],  each below `alphabet`
//
// A letter is a Unicode code point; its number says in which order the code points were first met.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

using Letter = std::uint32_t;
using Letters = std::span<const Letter>;

// Code point -> letter. Latin letters by a table, all others by hashes.
class Alphabet {
  public:
    Alphabet() { latin_.fill(0); }

    Letter number_of(std::uint32_t code_point) {
        if (code_point < latin_.size()) {
            Letter& known = latin_[code_point];
            if (known == 0) known = ++size_;
            return known - 1;
        }
        return find(code_point);
    }
    Letter size() const { return size_; }

  private:
    struct Slot {
        std::uint32_t code_point = 0;
        Letter known = 0;  // number plus one; 0 where the slot is empty
    };

    Letter find(std::uint32_t code_point) {
        if (2 * (filled_ + 1) > slots_.size()) grow();
        Slot& slot = place(code_point);
        if (slot.known == 0) {
            slot = {code_point, ++size_};
            ++filled_;
        }
        return slot.known - 1;
    }
    Slot& place(std::uint32_t code_point) {
        Size at = (code_point * 0x9e3779b1u) >> shift_;
        while (slots_[at].known != 0 && slots_[at].code_point != code_point) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
        before.swap(slots_);
        shift_ = slots_.size() == 64 ? 26 : shift_ - 1;
        for (const Slot& slot : before)
            if (slot.known != 0) place(slot.code_point) = slot;
    }

    std::array<Letter, 256> latin_;
    std::vector<Slot> slots_;
    Size filled_ = 0;
    int shift_ = 26;
    Letter size_ = 0;
};

struct TextSet {
    std::vector<Letter> letters;
    std::vector<std::int64_t> starts = {0};
    Letter alphabet = 0;

    Size size() const { return starts.size() - 1; }
    Letters operator[](Size t) const {
        return {letters.data() + starts[t], static_cast<Size>(starts[t + 1] - starts[t])};
    }
};

}  // namespace pellucid

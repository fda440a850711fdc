// Terms and their numbers 0, 1, ... in the order in which they are first met.
//
// A table of hashes that is never more than half full. A place in it holds the first eight bytes of its term and its
// length: most terms are no longer, and are told apart without a look at their bytes elsewhere.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::text {

// A term as it is looked up: its first eight bytes, zeros behind a shorter one, and a hash of all of them.
struct Sought {
    std::string_view term;
    std::uint64_t head = 0;
    std::uint64_t hash = 0;

    explicit Sought(std::string_view sought) : term(sought), head(head_of(sought)) {
        std::uint64_t h = mix(term.size() * kOdd, head);
        if (term.size() > 8) {
            Size done = 8;
            for (; done + 8 <= term.size(); done += 8) h = mix(h, eight(term.data() + done));
            if (done < term.size()) h = mix(h, eight(term.data() + term.size() - 8));
        }
        hash = h ^ (h >> 32);
    }

  private:
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

    static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
        h = (h ^ word) * 0xd6e8feb86659fd93;
        return (h ^ (h >> 32)) * kOdd;
    }
    static std::uint64_t eight(const char* from) {
        std::uint64_t word = 0;
        std::memcpy(&word, from, 8);
        return word;
    }
    static std::uint64_t four(const char* from) {
        std::uint32_t word = 0;
        std::memcpy(&word, from, 4);
        return word;
    }
    // Loads that overlap instead of a loop: the bytes that both have are the same.
    static std::uint64_t head_of(std::string_view term) {
        const char* at = term.data();
        const Size size = term.size();
        if (size >= 8) return eight(at);
        if (size >= 4) return four(at) | four(at + size - 4) << (8 * (size - 4));
        std::uint64_t head = 0;
        for (Size i = 0; i < size; ++i)
            head |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
        return head;
    }
};

class Vocabulary {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    // The number of a term; a new one if it was not met before.
    std::uint32_t add(const Sought& sought) {
        const std::uint32_t known = find(sought);
        return known != kNone ? known : put(sought);
    }
    std::uint32_t add(std::string_view term) { return add(Sought(term)); }
    // The number of a term, or kNone.
    std::uint32_t find(const Sought& sought) const {
        const Size mask = slots_.size() - 1;
        const Size size = sought.term.size();
        for (Size at = sought.hash & mask; slots_[at].number != kNone; at = (at + 1) & mask) {
            const Slot& slot = slots_[at];
            if (slot.head == sought.head && slot.size == static_cast<std::uint32_t>(size) &&
                (size <= 8 || (*this)[slot.number] == sought.term))
                return slot.number;
        }
        return kNone;
    }
    std::uint32_t find(std::string_view term) const { return find(Sought(term)); }

    Size size() const { return entries_.size(); }
    std::string_view operator[](Size number) const {
        return {bytes_.data() + entries_[number].start, entries_[number].size};
    }

  private:
    struct Slot {
        std::uint64_t head = 0;
        std::uint32_t size = 0;  // the low 32 bits: of longer terms all bytes are compared
        std::uint32_t number = kNone;
    };
    struct Entry {
        Size start, size;
    };
    std::uint32_t put(const Sought& sought);
    void place(const Sought& sought, std::uint32_t number);

    std::vector<Slot> slots_ = std::vector<Slot>(256);
    std::vector<Entry> entries_;
    std::vector<char> bytes_;  // not a string, whose short ones move with it: terms are views of it
};

}  // namespace pellucid::text

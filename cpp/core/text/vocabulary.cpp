#include "core/text/vocabulary.hpp"

#include "core/base/check.hpp"

namespace pellucid::text {

std::uint32_t Vocabulary::put(const Sought& sought) {
    require(entries_.size() < (Size{1} << 31) - 1, "Vocabulary: distinct terms");
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({bytes_.size(), sought.term.size()});
    bytes_.insert(bytes_.end(), sought.term.begin(), sought.term.end());
    if (2 * entries_.size() <= slots_.size()) {
        place(sought, number);
        return number;
    }
    slots_.assign(4 * slots_.size(), Slot{});
    for (std::uint32_t known = 0; known < entries_.size(); ++known) place(Sought((*this)[known]), known);
    return number;
}

void Vocabulary::place(const Sought& sought, std::uint32_t number) {
    const Size mask = slots_.size() - 1;
    Size at = sought.hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = {sought.head, static_cast<std::uint32_t>(sought.term.size()), number};
}

}  // namespace pellucid::text

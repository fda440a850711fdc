#include "core/itemsets/prefix.hpp"

#include <algorithm>

namespace pellucid::itemsets {

void Candidates::make_room(Size n, Size of_words) {
    words = of_words;
    if (bits.size() < n * words) bits.resize(n * words);
    if (counts.size() < n) {
        counts.resize(n);
        kept.resize(n);
    }
}

void Candidates::drop(Size k) {
    const Size n = items.size();
    std::copy(bits.begin() + static_cast<std::ptrdiff_t>((k + 1) * words),
              bits.begin() + static_cast<std::ptrdiff_t>(n * words),
              bits.begin() + static_cast<std::ptrdiff_t>(k * words));
    std::copy(counts.begin() + static_cast<std::ptrdiff_t>(k) + 1, counts.begin() + static_cast<std::ptrdiff_t>(n),
              counts.begin() + static_cast<std::ptrdiff_t>(k));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(k));
}

Candidates& Workspace::level(Size depth) {
    while (levels.size() <= depth) levels.emplace_back();
    return levels[depth];
}

Candidates& Workspace::passed_at(Size depth) {
    while (passed.size() <= depth) passed.emplace_back();
    return passed[depth];
}

Size words_of(Size bits) {
    const Size words = (bits + 63) / 64;
    return words <= 4 ? words : words <= 8 ? 8 : (words + 7) / 8 * 8;
}

namespace {

constexpr std::uint32_t kAhead = 12;
constexpr Size kMostSlots = 2048;  // the table of their pairs has 16 MB

struct Stretch {
    std::uint32_t from, to;
};

Stretch stretch_of(const Ranked& db, std::uint32_t k, Part part) {
    // Baskets lie scattered: what is read a little later is asked for now. One that is behind the last is not read.
    if (k + kAhead < db.at.size()) __builtin_prefetch(db.ranks.data() + db.at[k + kAhead]);
    return {part == Part::behind ? db.at[k] : db.starts[db.basket[k]], db.end[k]};
}

}  // namespace

void count_partners(const Ranked& db, Size first, std::uint32_t least, Part part, Workspace& work) {
    const Size from = part == Part::behind ? first : 0;
    std::fill(work.counts.begin() + static_cast<std::ptrdiff_t>(from), work.counts.end(), 0u);
    work.hits.clear();
    for (std::uint32_t k = db.where[first]; k < db.where[first + 1]; ++k) {
        const Stretch stretch = stretch_of(db, k, part);
        for (std::uint32_t p = stretch.from; p < stretch.to; ++p)
            if (++work.counts[static_cast<Size>(db.ranks[p])] == least) work.hits.push_back(db.ranks[p]);
    }
    std::erase(work.hits, static_cast<std::int32_t>(first));
    std::sort(work.hits.begin(), work.hits.end());
}

void write_bits(const Ranked& db, Size first, Part part, Workspace& work, Size slots, std::vector<std::uint64_t>& bits,
                Size& words) {
    work.read.clear();
    work.ends.clear();
    for (std::uint32_t k = db.where[first]; k < db.where[first + 1]; ++k) {
        const Stretch stretch = stretch_of(db, k, part);
        const Size before = work.read.size();
        for (std::uint32_t p = stretch.from; p < stretch.to; ++p) {
            const std::int32_t slot = work.slot[static_cast<Size>(db.ranks[p])];
            if (slot >= 0) work.read.push_back(slot);
        }
        if (work.read.size() < before + 2)
            work.read.resize(before);
        else
            work.ends.push_back(static_cast<std::uint32_t>(work.read.size()));
    }
    words = words_of(work.ends.size());
    bits.assign(slots * words, 0);
    std::uint32_t at = 0;
    for (Size b = 0; b < work.ends.size(); ++b)
        for (; at < work.ends[b]; ++at)
            bits[static_cast<Size>(work.read[at]) * words + b / 64] |= std::uint64_t{1} << (b % 64);
}

void count_together(Workspace& work, Size slots, Size words) {
    work.together.clear();
    if (slots > kMostSlots) return;
    Size pairs = 0, from = 0;
    for (const std::uint32_t end : work.ends) {
        const Size length = end - from;
        pairs += length * (length - 1) / 2;
        from = end;
    }
    // A pair in a basket takes about 1 ns, two rows 2 ns and a quarter for every eight words.
    if (pairs > slots * (slots - 1) / 2 * (8 + words / 8) / 4) return;
    work.together.assign(slots * slots, 0);
    from = 0;
    for (const std::uint32_t end : work.ends) {
        for (Size a = from; a + 1 < end; ++a) {
            std::uint32_t* row = work.together.data() + static_cast<Size>(work.read[a]) * slots;
            for (Size b = a + 1; b < end; ++b) ++row[work.read[b]];
        }
        from = end;
    }
}

}  // namespace pellucid::itemsets

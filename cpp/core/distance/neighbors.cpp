#include "core/distance/neighbors.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/distance/edit_distance.hpp"

namespace pellucid {
namespace {

constexpr Size kEnd = 8;
// Two texts that may be close differ by at most two letters in length: they are both short or both long.
constexpr Size kLongestShort = 21, kShortestLong = 20;
constexpr Size kTextsPerBlock = 1024;
constexpr Size kShares = 64;  // of the hashes, one block of work each
constexpr Size kEntriesAtOnce = Size{1} << 24;

struct Entry {
    std::uint64_t hash;
    std::uint32_t text;
    bool operator<(const Entry& other) const { return hash != other.hash ? hash < other.hash : text < other.text; }
};

std::uint64_t mix(std::uint64_t h, std::uint64_t letter) {
    h = (h ^ (letter + 1)) * 0x9e3779b97f4a7c15;
    return h ^ (h >> 29);
}

// take(hash, deletions) for what is left after up to `most` deletions; letters before `from` are in `hash` already.
template <class Take>
void remainders(Letters letters, int most, const Take& take, Size from = 0, std::uint64_t hash = 1, int gone = 0) {
    for (Size i = from; i < letters.size(); ++i) {
        if (gone < most) remainders(letters, most, take, i + 1, hash, gone + 1);
        hash = mix(hash, letters[i]);
    }
    take(hash, gone);
}

template <class Take>
void keys_of(Letters text, int most, const Take& take) {
    if (text.size() <= kLongestShort) remainders(text, most, [&](std::uint64_t hash, int) { take(hash); });
    if (text.size() < kShortestLong) return;
    remainders(text.first(kEnd), most, [&](std::uint64_t front, int gone) {
        remainders(text.last(kEnd), most - gone, [&](std::uint64_t back, int) { take(mix(front, back)); });
    });
}

class Search {
  public:
    Search(const TextSet& texts, std::span<const std::uint8_t> most, std::span<const std::uint8_t> side)
        : texts_(texts), most_(most), side_(side), has_(texts.size(), 0) {
        for (Size t = 0; t < texts.size(); ++t)
            for (const Letter c : texts[t]) has_[t] |= std::uint64_t{1} << (c % 64);
    }

    Size count() const {
        Size keys = 0;
        for (Size t = 0; t < texts_.size(); ++t)
            if (side_[t] != 0) keys += keys_at_most(texts_[t].size(), most_[t]);
        return keys;
    }

    // The keys of some texts whose hash lies in a part of all hashes.
    std::vector<Entry> entries(Size first, Size last, Size part, Size parts) const {
        std::vector<Entry> found;
        for (Size t = first; t < last; ++t) {
            if (side_[t] == 0) continue;
            keys_of(texts_[t], most_[t], [&](std::uint64_t hash) {
                if (hash % parts == part) found.push_back({hash, static_cast<std::uint32_t>(t)});
            });
        }
        return found;
    }

    // Pairs of texts with equal hashes, in order.
    std::vector<std::uint64_t> pairs(std::vector<Entry>& entries) const {
        std::vector<std::uint64_t> found;
        std::sort(entries.begin(), entries.end());
        for (Size i = 0, end = 0; i < entries.size(); i = end) {
            while (end < entries.size() && entries[end].hash == entries[i].hash) ++end;
            for (Size k = i; k < end; ++k)
                for (Size l = k + 1; l < end; ++l)
                    if (may_be_close(entries[k].text, entries[l].text))
                        found.push_back(std::uint64_t{entries[k].text} << 32 | entries[l].text);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    std::int64_t limit(Size a, Size b) const { return std::min(most_[a], most_[b]); }

  private:
    static Size keys_at_most(Size letters, Size most) {
        const Size n = std::min(letters, kLongestShort);
        return most == 2 ? 1 + n + n * n / 2 : 1 + most * n;
    }

    bool may_be_close(Size a, Size b) const {
        if (a == b) return false;
        const bool wanted = ((side_[a] & 1) && (side_[b] & 2)) || ((side_[a] & 2) && (side_[b] & 1));
        if (!wanted) return false;
        const auto gap = static_cast<std::int64_t>(texts_[a].size()) - static_cast<std::int64_t>(texts_[b].size());
        return std::abs(gap) <= limit(a, b) && std::popcount(has_[a] ^ has_[b]) <= 2 * limit(a, b);
    }

    const TextSet& texts_;
    std::span<const std::uint8_t> most_, side_;
    std::vector<std::uint64_t> has_;  // a bit for each letter (by its number modulo 64) that a text has
};

// Candidates from one part of the hashes.
void add_candidates(const Search& search, Size texts, Size part, Size parts, int threads,
                    std::vector<std::uint64_t>& candidates) {
    const Size blocks = blocks_of(texts, kTextsPerBlock);
    std::vector<std::vector<Entry>> of_block(blocks);
    parallel_for(blocks, threads, [&](Size b) {
        of_block[b] = search.entries(b * kTextsPerBlock, std::min(texts, (b + 1) * kTextsPerBlock), part, parts);
    });
    std::vector<std::vector<std::uint64_t>> of_share(kShares);
    parallel_for(kShares, threads, [&](Size share) {
        std::vector<Entry> entries;
        for (const std::vector<Entry>& block : of_block)
            for (const Entry& e : block)
                if (e.hash >> 58 == share) entries.push_back(e);
        of_share[share] = search.pairs(entries);
    });
    for (const std::vector<std::uint64_t>& some : of_share)
        candidates.insert(candidates.end(), some.begin(), some.end());
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
}

}  // namespace

std::vector<ClosePair> close_pairs(const TextSet& texts, std::span<const std::uint8_t> most,
                                   std::span<const std::uint8_t> side, int threads) {
    const Size n = texts.size();
    require(most.size() == n && side.size() == n && n < (Size{1} << 32), "close_pairs: sizes");
    require(std::all_of(most.begin(), most.end(), [](int k) { return k <= 2; }), "close_pairs: at most two edits");
    const Search search(texts, most, side);
    const Size parts = blocks_of(search.count() + 1, kEntriesAtOnce);
    std::vector<std::uint64_t> candidates;
    for (Size part = 0; part < parts; ++part) add_candidates(search, n, part, parts, threads, candidates);

    std::vector<std::int64_t> left(candidates.size()), right(candidates.size());
    for (Size k = 0; k < candidates.size(); ++k) {
        left[k] = static_cast<std::int64_t>(candidates[k] >> 32);
        right[k] = static_cast<std::int64_t>(candidates[k] & 0xffffffff);
    }
    std::vector<std::int32_t> distance(candidates.size());
    edit_distances({texts, left, right}, Edit::damerau, 2, distance, threads);
    std::vector<ClosePair> found;
    for (Size k = 0; k < candidates.size(); ++k)
        if (distance[k] <= search.limit(static_cast<Size>(left[k]), static_cast<Size>(right[k])))
            found.push_back({left[k], right[k], distance[k]});
    return found;
}

}  // namespace pellucid

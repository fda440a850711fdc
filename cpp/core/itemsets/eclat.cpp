#include "core/itemsets/eclat.hpp"

#include <bit>

#include "core/itemsets/bits.hpp"
#include "core/itemsets/first_items.hpp"

namespace pellucid::itemsets {

namespace {

// The search below one first item.
class Search {
  public:
    Search(const Ranked& db, const Settings& settings, Workspace& work, Nodes& out)
        : db_(db), settings_(settings), work_(work), out_(out), rows_(bit_rows()) {}

    void run(Size first) {
        const std::uint32_t count = db_.count[first];
        out_.add(static_cast<std::int32_t>(first), 1, count);
        if (settings_.longest == 1) return;
        begin(first, count);
        add_free(0, 1, count);
        descend(0, 1);
        work_.free.clear();
    }

  private:
    // Pairs with the first item, and their rows.
    void begin(Size first, std::uint32_t count) {
        count_partners(db_, first, settings_.least, Part::behind, work_);
        Candidates& pairs = work_.level(0);
        pairs.items.clear();
        for (const std::int32_t item : work_.hits)
            (work_.counts[static_cast<Size>(item)] == count ? work_.free : pairs.items).push_back(item);
        const Size n = pairs.size();
        if (pairs.counts.size() < n) pairs.make_room(n, 0);
        for (Size k = 0; k < n; ++k) pairs.counts[k] = work_.counts[static_cast<Size>(pairs.items[k])];
        pairs.words = 0;
        work_.together.clear();
        if (n < 2 || settings_.longest == 2) return;
        for (Size k = 0; k < n; ++k) work_.slot[static_cast<Size>(pairs.items[k])] = static_cast<std::int32_t>(k);
        write_bits(db_, first, Part::behind, work_, n, pairs.bits, pairs.words);
        count_together(work_, n, pairs.words);
        for (const std::int32_t item : pairs.items) work_.slot[static_cast<Size>(item)] = -1;
    }

    // Sets of the prefix, whose length is `length`, with each candidate, and all that follows from them.
    void descend(Size depth, Size length) {
        Candidates& here = work_.level(depth);
        const Size n = here.size();
        for (Size a = 0; a < n; ++a) {
            const std::uint32_t count = here.counts[a];
            out_.add(here.items[a], length + 1, count);
            const Size free_before = work_.free.size();
            const bool deeper =
                length + 1 < settings_.longest && here.words > 0 && a + 1 < n && meet(here, a, depth + 1);
            add_free(0, length + 1, count);
            if (deeper) descend(depth + 1, length + 1);
            work_.free.resize(free_before);
        }
    }

    // Which of the candidates behind a stay frequent together with it. Those that lose no basket become free.
    bool meet(const Candidates& here, Size a, Size depth) {
        Candidates& next = work_.level(depth);
        const Size left = here.size() - a - 1;
        next.make_room(left, here.words);
        const Size kept = depth == 1 && !work_.together.empty()
                              ? meet_known(here, a, next)
                              : rows_.meet(here.row(a), here.row(a + 1), left, here.words, settings_.least,
                                           next.bits.data(), next.counts.data(), next.kept.data());
        next.items.clear();
        for (Size k = 0; k < kept; ++k) next.items.push_back(here.items[a + 1 + next.kept[k]]);
        for (Size k = kept; k-- > 0;)
            if (next.counts[k] == here.counts[a]) {
                work_.free.push_back(next.items[k]);
                next.drop(k);
            }
        return next.size() > 0;
    }

    // The same, of pairs that were counted before: rows of the frequent ones alone.
    Size meet_known(const Candidates& here, Size a, Candidates& next) {
        const Size n = here.size();
        const std::uint32_t* shared = work_.together.data() + a * n;
        Size kept = 0;
        for (Size b = a + 1; b < n; ++b) {
            if (shared[b] < settings_.least) continue;
            std::uint32_t one = 0;
            rows_.meet(here.row(a), here.row(b), 1, here.words, 0, next.bits.data() + kept * here.words,
                       next.counts.data() + kept, &one);
            next.kept[kept++] = static_cast<std::uint32_t>(b - a - 1);
        }
        return kept;
    }

    // The set of the last node with every choice of free items from `from` on.
    void add_free(Size from, Size length, std::uint32_t count) {
        if (length >= settings_.longest) return;
        for (Size k = from; k < work_.free.size(); ++k) {
            out_.add(work_.free[k], length + 1, count);
            add_free(k + 1, length + 1, count);
        }
    }

    const Ranked& db_;
    const Settings& settings_;
    Workspace& work_;
    Nodes& out_;
    const BitRows& rows_;
};

}  // namespace

Found frequent_sets(const Baskets& baskets, const Settings& settings, int threads) {
    const Ranked db = ranked(baskets, settings.least, Order::by_count);
    // A set of L items has 2^L - 1 parts: where these are more than may be found, the search does not go that deep.
    const auto longest = static_cast<Size>(std::bit_width(settings.most + 1) - 1);
    return search_first_items(
        db, settings.most, longest, baskets.items, threads,
        [&](Size first, Workspace& work, Nodes& nodes) { Search(db, settings, work, nodes).run(first); });
}

}  // namespace pellucid::itemsets

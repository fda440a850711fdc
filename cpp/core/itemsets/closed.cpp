#include "core/itemsets/bits.hpp"
#include "core/itemsets/eclat.hpp"
#include "core/itemsets/first_items.hpp"

namespace pellucid::itemsets {

namespace {

class ClosedSearch {
  public:
    ClosedSearch(const Ranked& db, const Settings& settings, Keep keep, Workspace& work, Nodes& out)
        : db_(db), settings_(settings), keep_(keep), work_(work), out_(out), rows_(bit_rows()) {}

    void run(Size first) {
        work_.free.clear();
        if (!begin(first)) return;
        close(static_cast<std::int32_t>(first), 0, db_.count[first], 0);
    }

  private:
    // Items behind the first one as candidates, those before it as passed. False if one of these is in all its baskets.
    bool begin(Size first) {
        count_partners(db_, first, settings_.least, Part::all, work_);
        Candidates& behind = work_.level(0);
        Candidates& before = work_.passed_at(0);
        behind.items.clear();
        before.items.clear();
        for (const std::int32_t item : work_.hits) {
            const bool everywhere = work_.counts[static_cast<Size>(item)] == db_.count[first];
            if (static_cast<Size>(item) < first) {
                if (everywhere) return false;
                before.items.push_back(item);
            } else {
                (everywhere ? work_.free : behind.items).push_back(item);
            }
        }
        const Size b = behind.size(), p = before.size();
        std::int32_t slot = 0;
        for (const std::int32_t item : behind.items) work_.slot[static_cast<Size>(item)] = slot++;
        for (const std::int32_t item : before.items) work_.slot[static_cast<Size>(item)] = slot++;
        Size words = 0;
        write_bits(db_, first, Part::all, work_, b + p, both_, words);
        give(behind, 0, words);
        give(before, b, words);
        return true;
    }

    void give(Candidates& to, Size from, Size words) {
        const Size n = to.size();
        to.make_room(n, words);
        std::copy_n(both_.data() + from * words, n * words, to.bits.data());
        for (Size k = 0; k < n; ++k) {
            to.counts[k] = work_.counts[static_cast<Size>(to.items[k])];
            work_.slot[static_cast<Size>(to.items[k])] = -1;
        }
    }

    // The prefix of so many items, with `item` and the free ones behind it, is closed: what can still join it lies at
    // this depth.
    void close(std::int32_t item, Size length, std::uint32_t count, Size depth) {
        const Size closed = length + 1 + work_.free.size();
        if (closed > settings_.longest) return;
        const bool open = work_.level(depth).size() > 0 || work_.passed_at(depth).size() > 0;
        const std::uint32_t told = keep_ == Keep::maximal && open ? 0 : count;
        out_.add(item, length + 1, work_.free.empty() ? told : 0);
        for (Size k = 0; k < work_.free.size(); ++k)
            out_.add(work_.free[k], length + 2 + k, k + 1 == work_.free.size() ? told : 0);
        if (work_.level(depth).size() > 0) descend(depth, closed);
    }

    void descend(Size depth, Size length) {
        Candidates& here = work_.level(depth);
        const Size n = here.size();
        for (Size a = 0; a < n; ++a) {
            work_.free.clear();
            if (!meet(here, a, depth)) continue;
            close(here.items[a], length, here.counts[a], depth + 1);
        }
    }

    // Candidates behind a, and items passed before it, in the baskets of a. False if a passed one is in all of them.
    bool meet(const Candidates& here, Size a, Size depth) {
        const Candidates& passed = work_.passed_at(depth);
        Candidates& before = work_.passed_at(depth + 1);
        const std::uint32_t count = here.counts[a];
        const std::uint64_t* row = here.row(a);
        before.make_room(passed.size() + a, here.words);
        before.items.clear();
        for (const Candidates* group : {&passed, &here}) {
            const Size size = group == &here ? a : passed.size(), from = before.size();
            std::uint32_t* counts = before.counts.data() + from;
            const Size kept = rows_.meet(row, group->bits.data(), size, here.words, settings_.least,
                                         before.bits.data() + from * here.words, counts, before.kept.data());
            for (Size k = 0; k < kept; ++k) {
                if (counts[k] == count) return false;
                before.items.push_back(group->items[before.kept[k]]);
            }
        }
        Candidates& next = work_.level(depth + 1);
        const Size left = here.size() - a - 1;
        next.make_room(left, here.words);
        const Size kept = rows_.meet(row, row + here.words, left, here.words, settings_.least, next.bits.data(),
                                     next.counts.data(), next.kept.data());
        next.items.clear();
        for (Size k = 0; k < kept; ++k) next.items.push_back(here.items[a + 1 + next.kept[k]]);
        for (Size k = kept; k-- > 0;)
            if (next.counts[k] == count) {
                work_.free.push_back(next.items[k]);
                next.drop(k);
            }
        return true;
    }

    const Ranked& db_;
    const Settings& settings_;
    Keep keep_;
    Workspace& work_;
    Nodes& out_;
    const BitRows& rows_;
    std::vector<std::uint64_t> both_;
};

}  // namespace

Found closed_sets(const Baskets& baskets, const Settings& settings, Keep keep, int threads) {
    const Ranked db = ranked(baskets, settings.least, Order::by_count);
    return search_first_items(
        db, settings.most, std::numeric_limits<Size>::max(), baskets.items, threads,
        [&](Size first, Workspace& work, Nodes& nodes) { ClosedSearch(db, settings, keep, work, nodes).run(first); });
}

}  // namespace pellucid::itemsets

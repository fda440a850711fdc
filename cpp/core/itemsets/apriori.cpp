#include "core/itemsets/apriori.hpp"

#include <algorithm>

#include "core/base/pool.hpp"
#include "core/itemsets/bits.hpp"
#include "core/itemsets/prefix.hpp"
#include "core/itemsets/set_index.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::itemsets {

namespace {

// Sets of one block, and what was tried for them.
struct Part {
    Found::Level level;
    LevelCount count;
    std::vector<Candidate> candidates;
};

// The baskets of items: as bits where at least one in 64 has the item, so that bits take no more room than eight bytes
// a basket in which it is; else as a list.
class ItemBaskets {
  public:
    ItemBaskets(const Ranked& db, Size baskets) : db_(db), words_((baskets + 63) / 64), start_(db.size(), 0) {
        Size rows = 0;
        for (Size r = 0; r < db.size(); ++r)
            if (dense(r)) start_[r] = rows++ * words_;
        bits_.assign(rows * words_, 0);
        for (Size r = 0; r < db.size(); ++r)
            if (dense(r)) mark(r, bits_.data() + start_[r]);
    }
    Size words() const { return words_; }
    // The baskets among `of` that have an item.
    void meet(const std::vector<std::uint64_t>& of, Size r, std::vector<std::uint64_t>& out) const {
        out.assign(words_, 0);
        if (dense(r)) {
            for (Size w = 0; w < words_; ++w) out[w] = of[w] & bits_[start_[r] + w];
            return;
        }
        for (std::uint32_t k = db_.where[r]; k < db_.where[r + 1]; ++k) {
            const std::uint32_t b = db_.basket[k];
            out[b / 64] |= of[b / 64] & (std::uint64_t{1} << (b % 64));
        }
    }
    void all_of(Size r, std::vector<std::uint64_t>& out) const {
        out.assign(words_, 0);
        mark(r, out.data());
    }
    // How many items lie in the baskets of an item, and behind it in those of a set that it belongs to: about what it
    // takes to count all partners of the set at once, basket by basket.
    Size reads(Size r, std::uint32_t of_set) const {
        return db_.count[r] + of_set * (db_.ranks.size() / std::max<Size>(db_.starts.size() - 1, 1) + 1);
    }
    void count_behind(const std::vector<std::uint64_t>& of, Size r, std::vector<std::uint32_t>& counts) const {
        std::fill(counts.begin(), counts.end(), 0u);
        for (std::uint32_t k = db_.where[r]; k < db_.where[r + 1]; ++k) {
            const std::uint32_t b = db_.basket[k];
            if (((of[b / 64] >> (b % 64)) & 1) == 0) continue;
            for (std::uint32_t p = db_.at[k]; p < db_.end[k]; ++p) ++counts[static_cast<Size>(db_.ranks[p])];
        }
    }
    std::uint32_t shared(const std::vector<std::uint64_t>& of, Size r) const {
        if (dense(r)) return rows_.shared(of.data(), bits_.data() + start_[r], words_);
        std::uint32_t count = 0;
        for (std::uint32_t k = db_.where[r]; k < db_.where[r + 1]; ++k) {
            const std::uint32_t b = db_.basket[k];
            count += static_cast<std::uint32_t>((of[b / 64] >> (b % 64)) & 1);
        }
        return count;
    }

  private:
    bool dense(Size r) const { return static_cast<Size>(db_.count[r]) >= words_; }
    void mark(Size r, std::uint64_t* out) const {
        for (std::uint32_t k = db_.where[r]; k < db_.where[r + 1]; ++k)
            out[db_.basket[k] / 64] |= std::uint64_t{1} << (db_.basket[k] % 64);
    }

    const Ranked& db_;
    Size words_;
    std::vector<Size> start_;
    std::vector<std::uint64_t> bits_;
    const BitRows& rows_ = bit_rows();
};

class LevelWise {
  public:
    LevelWise(const Baskets& baskets, const Settings& settings, bool record, int threads)
        : baskets_(baskets),
          settings_(settings),
          record_(record),
          threads_(threads),
          db_(ranked(baskets, settings.least, Order::by_code)),
          limit_(settings.most) {}

    AprioriResult run() {
        singles();
        if (settings_.longest > 1 && db_.size() > 1 && !limit_.reached()) pairs();
        if (settings_.longest > 2 && can_join(3)) {
            const ItemBaskets rows(db_, baskets_.size());
            for (Size length = 3; length <= settings_.longest && can_join(length); ++length) longer(rows, length);
        }
        if (limit_.reached()) out_.found = {{}, false};
        for (Found::Level& level : out_.found.levels)
            for (std::int32_t& code : level.codes) code = db_.code[static_cast<Size>(code)];
        return std::move(out_);
    }

  private:
    // Are there sets of one item less, and as many as a set of this length has parts?
    bool can_join(Size length) const {
        const auto& levels = out_.found.levels;
        return levels.size() == length - 1 && levels.back().counts.size() >= length && !limit_.reached();
    }

    void singles() {
        const std::vector<std::uint32_t> counts = item_counts(baskets_);
        Part part;
        for (Size r = 0; r < db_.size(); ++r) {
            part.level.codes.push_back(static_cast<std::int32_t>(r));
            part.level.counts.push_back(db_.count[r]);
        }
        part.count = {static_cast<std::int64_t>(baskets_.items), 0, static_cast<std::int64_t>(db_.size())};
        if (record_)
            for (Size item = 0; item < baskets_.items; ++item)
                part.candidates.push_back({1, static_cast<std::int64_t>(item), 0, -1, counts[item]});
        std::vector<Part> parts;
        parts.push_back(std::move(part));
        take(parts);
    }

    // Every two frequent items: a basket adds one to each pair that it holds.
    void pairs() {
        std::vector<Part> parts(db_.size());
        parallel_for(db_.size(), threads_, [&](Size first) {
            const auto work = shelf_.lend();
            if (work->counts.size() != db_.size()) *work = Workspace(db_.size());
            count_partners(db_, first, settings_.least, itemsets::Part::behind, *work);
            Part& part = parts[first];
            for (const std::int32_t second : work->hits) {
                part.level.codes.insert(part.level.codes.end(), {static_cast<std::int32_t>(first), second});
                part.level.counts.push_back(work->counts[static_cast<Size>(second)]);
            }
            part.count.joined = static_cast<std::int64_t>(db_.size() - first - 1);
            part.count.frequent = static_cast<std::int64_t>(work->hits.size());
            if (record_)
                for (Size second = first + 1; second < db_.size(); ++second)
                    part.candidates.push_back({2, static_cast<std::int64_t>(first), static_cast<std::int64_t>(second),
                                               -1, work->counts[second]});
            limit_.add(work->hits.size());
        });
        take(parts);
    }

    void longer(const ItemBaskets& rows, Size length) {
        const Found::Level& last = out_.found.levels.back();
        const Size shorter = length - 1, n = last.counts.size();
        SetIndex index(n);
        for (Size s = 0; s < n; ++s)
            index.add(set_key({last.codes.data() + s * shorter, shorter}), static_cast<std::uint32_t>(s));
        std::vector<Size> groups{0};  // sets that share all but the last item stand together
        for (Size s = 1; s < n; ++s)
            if (!std::equal(last.codes.data() + s * shorter, last.codes.data() + (s + 1) * shorter - 1,
                            last.codes.data() + (s - 1) * shorter))
                groups.push_back(s);
        groups.push_back(n);
        std::vector<Part> parts(groups.size() - 1);
        parallel_for(parts.size(), threads_, [&](Size g) {
            if (!limit_.reached()) join(rows, index, last, shorter, groups[g], groups[g + 1], parts[g]);
        });
        take(parts);
    }

    void join(const ItemBaskets& rows, const SetIndex& index, const Found::Level& last, Size shorter, Size from,
              Size to, Part& part) {
        if (to - from < 2) return;
        std::vector<std::uint64_t> prefix, more;
        std::vector<std::int32_t> set(shorter + 1);
        std::copy_n(last.codes.data() + from * shorter, shorter, set.begin());
        const auto work = shelf_.lend();
        if (work->counts.size() != db_.size()) *work = Workspace(db_.size());
        std::vector<std::int64_t> lost(to - from);
        for (Size a = from; a + 1 < to; ++a) {
            check_interrupt();
            set[shorter - 1] = last.codes[a * shorter + shorter - 1];
            Size counted = 0;
            for (Size b = a + 1; b < to; ++b) {
                set[shorter] = last.codes[b * shorter + shorter - 1];
                lost[b - from] = missing_part(index, last, set);
                counted += lost[b - from] < 0;
            }
            part.count.joined += static_cast<std::int64_t>(to - a - 1);
            part.count.pruned += static_cast<std::int64_t>(to - a - 1 - counted);
            if (counted > 0 && prefix.empty()) write_prefix(rows, {set.data(), shorter - 1}, prefix);
            const auto first = static_cast<Size>(set[shorter - 1]);
            const bool by_basket = rows.reads(first, last.counts[a]) < (counted + 1) * rows.words() / 4;
            if (counted > 0 && by_basket) rows.count_behind(prefix, first, work->counts);
            if (counted > 0 && !by_basket) rows.meet(prefix, first, more);
            for (Size b = a + 1; b < to; ++b) {
                set[shorter] = last.codes[b * shorter + shorter - 1];
                const auto second = static_cast<Size>(set[shorter]);
                std::int64_t count = -1;
                if (lost[b - from] < 0) count = by_basket ? work->counts[second] : rows.shared(more, second);
                if (record_)
                    part.candidates.push_back({static_cast<std::int64_t>(shorter + 1), static_cast<std::int64_t>(a),
                                               static_cast<std::int64_t>(b), lost[b - from], count});
                if (count < static_cast<std::int64_t>(settings_.least)) continue;
                part.level.codes.insert(part.level.codes.end(), set.begin(), set.end());
                part.level.counts.push_back(static_cast<std::uint32_t>(count));
                ++part.count.frequent;
            }
        }
        limit_.add(part.level.counts.size());
    }

    // The baskets that have all items.
    static void write_prefix(const ItemBaskets& rows, std::span<const std::int32_t> set,
                             std::vector<std::uint64_t>& out) {
        std::vector<std::uint64_t> more;
        rows.all_of(static_cast<Size>(set[0]), out);
        for (Size k = 1; k < set.size(); ++k) {
            rows.meet(out, static_cast<Size>(set[k]), more);
            out.swap(more);
        }
    }

    // The first place of a set without which it is not among the last level, or -1. Without one of its last two items
    // it is one of the two sets that it was joined of.
    static std::int64_t missing_part(const SetIndex& index, const Found::Level& last,
                                     const std::vector<std::int32_t>& set) {
        const Size shorter = set.size() - 1;
        const std::uint64_t key = set_key(set);
        for (Size out = 0; out + 2 < set.size(); ++out) {
            const auto is_it = [&](std::uint32_t place) {
                const std::int32_t* codes = last.codes.data() + place * shorter;
                for (Size k = 0; k < shorter; ++k)
                    if (codes[k] != set[k < out ? k : k + 1]) return false;
                return true;
            };
            if (index.find(key - item_key(set[out]), is_it) < 0) return static_cast<std::int64_t>(out);
        }
        return -1;
    }

    // The parts of a level one behind the other.
    void take(std::vector<Part>& parts) {
        Found::Level level;
        LevelCount total;
        for (Part& part : parts) {
            level.codes.insert(level.codes.end(), part.level.codes.begin(), part.level.codes.end());
            level.counts.insert(level.counts.end(), part.level.counts.begin(), part.level.counts.end());
            total.joined += part.count.joined;
            total.pruned += part.count.pruned;
            total.frequent += part.count.frequent;
            out_.candidates.insert(out_.candidates.end(), part.candidates.begin(), part.candidates.end());
            part = {};
        }
        if (out_.levels.empty()) limit_.add(level.counts.size());
        out_.levels.push_back(total);
        if (!level.counts.empty()) out_.found.levels.push_back(std::move(level));
    }

    const Baskets& baskets_;
    const Settings& settings_;
    bool record_;
    int threads_;
    Ranked db_;
    Limit limit_;
    tree::Shelf<Workspace> shelf_;
    AprioriResult out_;
};

}  // namespace

AprioriResult apriori(const Baskets& baskets, const Settings& settings, bool record, int threads) {
    return LevelWise(baskets, settings, record, threads).run();
}

}  // namespace pellucid::itemsets

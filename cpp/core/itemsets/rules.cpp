#include "core/itemsets/rules.hpp"

#include <algorithm>
#include <array>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/itemsets/found.hpp"
#include "core/itemsets/set_index.hpp"

namespace pellucid::itemsets {

namespace {

constexpr Size kBlock = 2048;  // sets that one thread takes at a time

class RuleSearch {
  public:
    RuleSearch(const Levels& levels, const RuleSettings& settings)
        : levels_(levels), settings_(settings), index_(levels.counts.size()), limit_(settings.most) {
        Size place = 0;
        for (Size k = 0; k < levels.codes.size(); ++k) {
            starts_.push_back(place);
            for (Size at = 0; at < levels.codes[k].size(); at += k + 1)
                index_.add(set_key(levels.codes[k].subspan(at, k + 1)), static_cast<std::uint32_t>(place++));
        }
        starts_.push_back(place);
    }

    FoundRules run(int threads) {
        const Size from = levels_.codes.empty() ? 0 : starts_[1], sets = starts_.back() - from;
        std::vector<std::vector<std::uint32_t>> parts(blocks_of(sets, kBlock));
        parallel_for(parts.size(), threads, [&](Size block) {
            for (Size s = block * kBlock; s < std::min(sets, (block + 1) * kBlock); ++s) {
                if (limit_.reached()) return;
                split(from + s, parts[block]);
            }
        });
        if (limit_.reached()) return {{}, false};
        FoundRules out;
        for (const std::vector<std::uint32_t>& part : parts)
            out.places.insert(out.places.end(), part.begin(), part.end());
        return out;
    }

  private:
    struct Rule {
        std::uint32_t antecedent, consequent;
    };
    // The set that is split, and the consequent so far.
    struct Split {
        std::span<const std::int32_t> set;
        std::uint64_t key;
        double count;
        std::vector<Rule> rules;
    };

    void split(Size place, std::vector<std::uint32_t>& out) {
        const Size level = static_cast<Size>(std::upper_bound(starts_.begin(), starts_.end(), place) - starts_.begin());
        Split now{levels_.codes[level - 1].subspan((place - starts_[level - 1]) * level, level),
                  0,
                  static_cast<double>(levels_.counts[place]),
                  {}};
        require(level <= 64, "a set of more than 64 items has more parts than can be");
        now.key = set_key(now.set);
        grow(now, 0, 0, 0, 0);
        std::sort(now.rules.begin(), now.rules.end(),
                  [](const Rule& a, const Rule& b) { return a.antecedent < b.antecedent; });
        for (const Rule& rule : now.rules)
            out.insert(out.end(), {static_cast<std::uint32_t>(place), rule.antecedent, rule.consequent});
        limit_.add(now.rules.size());
    }

    // Adds each later item to a consequent of so many items, whose places in the set are the ones of `taken`.
    void grow(Split& now, Size from, Size size, std::uint64_t taken, std::uint64_t key) {
        for (Size k = from; k < now.set.size(); ++k) {
            const std::uint64_t with = taken | (std::uint64_t{1} << k), its_key = key + item_key(now.set[k]);
            const std::int64_t antecedent = part(now, ~with, now.set.size() - size - 1, now.key - its_key);
            if (now.count / static_cast<double>(levels_.counts[static_cast<Size>(antecedent)]) < settings_.least)
                continue;
            const std::int64_t consequent = part(now, with, size + 1, its_key);
            now.rules.push_back({static_cast<std::uint32_t>(antecedent), static_cast<std::uint32_t>(consequent)});
            if ((now.rules.size() & 4095) == 0) check_interrupt();
            if (size + 1 < settings_.longest && size + 2 < now.set.size()) grow(now, k + 1, size + 1, with, its_key);
        }
    }

    // The place of the part of a set whose places are ones.
    std::int64_t part(const Split& now, std::uint64_t ones, Size length, std::uint64_t key) const {
        const std::int64_t found = index_.find(key, [&](std::uint32_t place) {
            if (place < starts_[length - 1] || place >= starts_[length]) return false;
            const std::int32_t* codes = levels_.codes[length - 1].data() + (place - starts_[length - 1]) * length;
            Size at = 0;
            for (Size k = 0; k < now.set.size(); ++k)
                if ((ones >> k) & 1 && codes[at++] != now.set[k]) return false;
            return true;
        });
        require(found >= 0, "every part of a frequent set must be given");
        return found;
    }

    const Levels& levels_;
    const RuleSettings& settings_;
    std::vector<Size> starts_;  // place of the first set of a level
    SetIndex index_;
    Limit limit_;
};

}  // namespace

FoundRules rules_of(const Levels& levels, const RuleSettings& settings, int threads) {
    return RuleSearch(levels, settings).run(threads);
}

}  // namespace pellucid::itemsets

#include "core/tree/chaid_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "core/base/pool.hpp"
#include "core/tree/chaid_alike.hpp"
#include "core/tree/chaid_part.hpp"

namespace pellucid::tree {
namespace {

constexpr std::int32_t kNone = -1;

struct Group {
    std::int32_t first = 0;  // lowest category: parts equal p values
    std::int32_t head = 0;   // members as a list through `next_`
    std::int32_t tail = 0;
    std::int32_t size = 1;
    std::int32_t before = kNone;  // neighbors in the chain
    std::int32_t after = kNone;
    std::int64_t n_rows = 0;
    bool alive = true;
    std::int32_t slot = 0;  // among those alive
};

struct Pair {
    double key;  // p value on the grid; the largest first
    std::int32_t first_a, first_b;
    std::int32_t a, b;
    bool operator<(const Pair& o) const {  // a heap keeps the greatest on top
        return std::tie(key, o.first_a, o.first_b) < std::tie(o.key, first_a, first_b);
    }
};

template <class Target>
class Merging {
  public:
    Merging(const Target& target, const Categories& categories, const MergeRule& rule)
        : target_(target), in_(categories), rule_(rule), width_(target.width()), next_(categories.count, kNone) {}

    Merged run() {
        start();
        if (rule_.merge && rule_.exhaustive) {
            merge_all();
        } else if (rule_.merge) {
            merge_alike();
        }
        if (rule_.merge) merge_small();
        return finish();
    }

  private:
    const double* summary(std::int32_t id) const { return &summaries_[static_cast<Size>(id) * width_]; }
    Group& at(std::int32_t id) { return groups_[static_cast<Size>(id)]; }
    bool chained() const { return in_.ordinal || in_.count > rule_.most_categories; }

    // ---------------------------------------------------------------------------------------------------- beginning

    void start() {
        const auto c = static_cast<std::int32_t>(in_.count);
        summaries_.assign(in_.summaries.begin(), in_.summaries.end());
        groups_.resize(in_.count);
        for (std::int32_t i = 0; i < c; ++i) {
            groups_[static_cast<Size>(i)] = {i, i, i, 1, kNone, kNone, in_.n_rows[static_cast<Size>(i)], true};
        }
        living_.resize(in_.count);
        std::iota(living_.begin(), living_.end(), 0);
        for (std::int32_t i = 0; i < c; ++i) at(i).slot = i;
        floating_ = in_.ordinal ? in_.floating : kNone;
        place_.resize(in_.count);
        std::iota(place_.begin(), place_.end(), 0);
        if (!rule_.merge) return;
        if (chained()) {
            link();
        } else {
            offer_pairs(c);
        }
    }

    // Neighbors: by category, or by what the target is like where a nominal column has too many categories.
    void link() {
        std::vector<std::int32_t> order(in_.count);
        std::iota(order.begin(), order.end(), 0);
        if (!in_.ordinal) {
            const Size k = leading();
            std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
                return target_.score(summary(a), k) < target_.score(summary(b), k);
            });
        }
        std::int32_t last = kNone;
        for (std::int32_t position = 0; const std::int32_t id : order) {
            place_[static_cast<Size>(id)] = position++;
            if (id == floating_) continue;
            at(id).before = last;
            if (last != kNone) {
                at(last).after = id;
                offer(last, id);
            }
            last = id;
        }
        if (floating_ != kNone) offer_to_all(floating_);
    }

    // The class that most rows have.
    Size leading() const {
        std::vector<double> sum(width_, 0.0);
        for (Size i = 0; i < in_.count; ++i) target_.add(sum.data(), &in_.summaries[i * width_]);
        const Size orders = target_.orders();
        return static_cast<Size>(std::max_element(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(orders)) -
                                 sum.begin());
    }

    // ------------------------------------------------------------------------------------------------------- pairs

    Tested test(std::int32_t a, std::int32_t b) const {
        const double* both[] = {summary(a), summary(b)};
        return target_.test(both);
    }

    Pair tested(std::int32_t a, std::int32_t b) {
        if (at(a).first > at(b).first) std::swap(a, b);
        return {on_grid(test(a, b).log_p), at(a).first, at(b).first, a, b};
    }

    void offer(std::int32_t a, std::int32_t b) { pairs_.push(tested(a, b)); }

    void offer_pairs(std::int32_t c) {
        std::vector<Pair> all;
        all.reserve(in_.count * (in_.count - 1) / 2);
        for (std::int32_t a = 0; a < c; ++a) {
            check_interrupt();
            for (std::int32_t b = 0; b < a; ++b) all.push_back(tested(b, a));
        }
        pairs_ = std::priority_queue<Pair>(std::less<Pair>(), std::move(all));
    }

    void offer_to_all(std::int32_t a) {
        for (const std::int32_t b : living_) {
            if (b != a) offer(b, a);
        }
    }

    // A group that has just been made, with all it may be merged with.
    void offer_new(std::int32_t id) {
        if (!chained() || id == floating_) return offer_to_all(id);
        if (at(id).before != kNone) offer(at(id).before, id);
        if (at(id).after != kNone) offer(id, at(id).after);
        if (floating_ != kNone) offer(floating_, id);
    }

    // -------------------------------------------------------------------------------------------------------- groups

    std::int32_t make() {
        groups_.emplace_back();
        summaries_.resize(summaries_.size() + width_, 0.0);
        const auto id = static_cast<std::int32_t>(groups_.size() - 1);
        at(id).slot = static_cast<std::int32_t>(living_.size());
        living_.push_back(id);
        return id;
    }

    void end(std::int32_t id) {
        const std::int32_t slot = at(id).slot;
        living_[static_cast<Size>(slot)] = living_.back();
        at(living_.back()).slot = slot;
        living_.pop_back();
        at(id).alive = false;
    }

    // The two become one, which stands where the one in the chain stood, or the earlier of both.
    std::int32_t unite(std::int32_t a, std::int32_t b) {
        if (at(a).first > at(b).first) std::swap(a, b);
        const std::int32_t id = make();
        double* sum = &summaries_[static_cast<Size>(id) * width_];
        std::copy_n(summary(a), width_, sum);
        target_.add(sum, summary(b));
        Group& one = at(a);
        Group& other = at(b);
        next_[static_cast<Size>(one.tail)] = other.head;
        at(id) = {one.first, one.head,   other.tail, one.size + other.size, kNone, kNone, one.n_rows + other.n_rows,
                  true,      at(id).slot};
        end(a);
        end(b);
        if (chained()) relink(id, a, b);
        return id;
    }

    void relink(std::int32_t id, std::int32_t a, std::int32_t b) {
        if (a == floating_ || b == floating_) {
            const std::int32_t stays = a == floating_ ? b : a;
            floating_ = kNone;
            join(at(stays).before, id);
            join(id, at(stays).after);
            return;
        }
        if (at(b).after == a) std::swap(a, b);
        join(at(a).before, id);
        join(id, at(b).after);
    }

    void join(std::int32_t before, std::int32_t after) {
        if (before != kNone) at(before).after = after;
        if (after != kNone) at(after).before = before;
    }

    std::vector<std::int32_t> members(std::int32_t id) const {
        std::vector<std::int32_t> found;
        const Group& group = groups_[static_cast<Size>(id)];
        found.reserve(static_cast<Size>(group.size));
        for (std::int32_t m = group.head;; m = next_[static_cast<Size>(m)]) {
            found.push_back(m);
            if (m == group.tail) break;
        }
        return found;
    }

    // -------------------------------------------------------------------------------------------------------- merging

    void merge_alike() {
        Size resplits = rule_.resplit ? in_.count : 0;  // so that merging and parting come to an end
        while (living_.size() > 2 && !pairs_.empty()) {
            const Pair top = pairs_.top();
            pairs_.pop();
            if (!at(top.a).alive || !at(top.b).alive) continue;
            if (!(top.key > on_grid(rule_.log_alpha_merge))) break;
            const std::int32_t id = unite(top.a, top.b);
            if (resplits > 0 && at(id).size >= 3 && part(id)) {
                --resplits;
            } else {
                offer_new(id);
            }
        }
    }

    // Exhaustive CHAID: merge on to two groups; the grouping of the least p value on the way is the one.
    void merge_all() {
        std::vector<std::pair<std::int32_t, std::int32_t>> way;  // first categories of what was merged
        Size best = 0;
        double least = std::numeric_limits<double>::infinity();
        const auto look = [&] {
            if (living_.size() > std::max<Size>(rule_.most_categories, 2)) return;
            const double key = on_grid(test_all().log_p);
            if (key < least) least = key, best = way.size();
        };
        look();
        while (living_.size() > 2 && !pairs_.empty()) {
            const Pair top = pairs_.top();
            pairs_.pop();
            if (!at(top.a).alive || !at(top.b).alive) continue;
            way.emplace_back(top.first_a, top.first_b);
            offer_new(unite(top.a, top.b));
            look();
        }
        replay(way, best);
    }

    void replay(const std::vector<std::pair<std::int32_t, std::int32_t>>& way, Size steps) {
        groups_.clear();
        summaries_.clear();
        pairs_ = {};
        std::ranges::fill(next_, kNone);
        start();
        std::vector<std::int32_t> now(in_.count);  // the group that begins with a category
        std::iota(now.begin(), now.end(), 0);
        for (Size i = 0; i < steps; ++i) {
            const auto [a, b] = way[i];
            now[static_cast<Size>(a)] = unite(now[static_cast<Size>(a)], now[static_cast<Size>(b)]);
        }
    }

    // Groups with too few rows join the one most like them, the smallest group first.
    void merge_small() {
        const auto least = static_cast<std::int64_t>(rule_.least_rows);
        using Small = std::tuple<std::int64_t, std::int32_t, std::int32_t>;  // rows, first category, group
        std::priority_queue<Small, std::vector<Small>, std::greater<>> small;
        const auto note = [&](std::int32_t id) {
            if (at(id).n_rows < least) small.emplace(at(id).n_rows, at(id).first, id);
        };
        for (const std::int32_t id : living_) note(id);
        while (!small.empty() && living_.size() > 1) {
            const std::int32_t id = std::get<2>(small.top());
            small.pop();
            if (at(id).alive) note(unite(id, most_like(id)));
        }
    }

    std::int32_t most_like(std::int32_t id) {
        std::int32_t best = kNone;
        double key = 0;
        const auto look = [&](std::int32_t other) {
            if (other == kNone || other == id || !at(other).alive) return;
            const double found = on_grid(test(id, other).log_p);
            if (best == kNone || found > key || (found == key && at(other).first < at(best).first)) {
                best = other, key = found;
            }
        };
        if (chained() && id != floating_) {
            look(at(id).before);
            look(at(id).after);
            look(floating_);
        } else {
            for (const std::int32_t other : living_) look(other);
        }
        return best;
    }

    // ------------------------------------------------------------------------------------------------- parting again

    // Parts a group in the two that differ most, if they differ enough.
    bool part(std::int32_t id) {
        std::vector<std::int32_t> all = members(id);
        std::ranges::sort(all, {}, [&](std::int32_t m) { return place_[static_cast<Size>(m)]; });
        Parting<Target> parting(target_, in_);
        if (chained()) {
            parting.neighbors(all);
        } else {
            parting.any(all);
        }
        if (!(parting.least() <= on_grid(rule_.log_alpha_resplit))) return false;
        replace(id, all, parting.left());
        return true;
    }

    void replace(std::int32_t id, const std::vector<std::int32_t>& all, const std::vector<std::int32_t>& left) {
        inside_.resize(in_.count, 0);
        for (const std::int32_t m : left) inside_[static_cast<Size>(m)] = 1;
        std::vector<std::int32_t> right;
        for (const std::int32_t m : all) {
            if (!inside_[static_cast<Size>(m)]) right.push_back(m);
        }
        for (const std::int32_t m : left) inside_[static_cast<Size>(m)] = 0;
        const std::int32_t before = at(id).before, after = at(id).after;
        end(id);
        const std::int32_t a = gather(left), b = gather(right);
        if (chained()) {
            const bool a_loose = in_.ordinal && left.size() == 1 && left[0] == in_.floating;
            const bool b_loose = in_.ordinal && right.size() == 1 && right[0] == in_.floating;
            if (a_loose || b_loose) {
                floating_ = a_loose ? a : b;
                join(before, a_loose ? b : a);
                join(a_loose ? b : a, after);
            } else {
                join(before, a);
                join(a, b);
                join(b, after);
            }
        }
        offer_new(a);
        offer_new(b);
    }

    std::int32_t gather(const std::vector<std::int32_t>& some) {
        const std::int32_t id = make();
        double* sum = &summaries_[static_cast<Size>(id) * width_];
        std::int64_t n_rows = 0;
        std::vector<std::int32_t> sorted = some;
        std::ranges::sort(sorted);
        for (Size i = 0; i < sorted.size(); ++i) {
            const auto m = static_cast<Size>(sorted[i]);
            target_.add(sum, &in_.summaries[m * width_]);
            n_rows += in_.n_rows[m];
            next_[m] = i + 1 < sorted.size() ? sorted[i + 1] : kNone;
        }
        at(id) = {sorted.front(), sorted.front(), sorted.back(), static_cast<std::int32_t>(sorted.size()), kNone, kNone,
                  n_rows,         true,           at(id).slot};
        return id;
    }

    // ------------------------------------------------------------------------------------------------------------ end

    Tested test_all() {
        held_.clear();
        for (const std::int32_t id : living_) held_.push_back(summary(id));
        return target_.test(held_);
    }

    Merged finish() {
        Merged found;
        std::vector<std::pair<std::int32_t, std::int32_t>> order;  // first category, group
        for (const std::int32_t id : living_) order.emplace_back(at(id).first, id);
        std::ranges::sort(order);
        found.groups = order.size();
        found.group.assign(in_.count, kNone);
        found.allowed = order.size() >= 2;
        held_.clear();
        for (std::int32_t number = 0; const auto& [first, id] : order) {
            for (const std::int32_t m : members(id)) found.group[static_cast<Size>(m)] = number;
            held_.push_back(summary(id));
            found.allowed = found.allowed && at(id).n_rows >= static_cast<std::int64_t>(rule_.least_rows);
            ++number;
        }
        if (found.groups < 2) return found;
        found.tested = target_.test(held_);
        if (rule_.bonferroni && rule_.merge) {
            found.log_multiplier = log_ways(std::max(in_.count, in_.original), found.groups, in_.ordinal,
                                            in_.ordinal && in_.floating >= 0, rule_.exhaustive);
        }
        found.log_adjusted = std::min(found.tested.log_p + found.log_multiplier, 0.0);
        return found;
    }

    const Target& target_;
    const Categories& in_;
    const MergeRule& rule_;
    Size width_;
    std::vector<std::int32_t> next_;    // the next member of a category's group
    std::vector<std::int32_t> place_;   // of a category in the chain
    std::vector<std::int32_t> living_;  // groups that are
    std::vector<Group> groups_;         // those that were, and those that are
    std::vector<double> summaries_;
    std::priority_queue<Pair> pairs_;
    std::vector<const double*> held_;
    std::vector<char> inside_;
    std::int32_t floating_ = kNone;
};

template <class Target>
Merged merge(const Target& target, const Categories& categories, const MergeRule& rule) {
    if (!rule.merge || categories.ordinal || categories.count <= rule.most_categories)
        return Merging<Target>(target, categories, rule).run();
    const Alike alike = put_together(target, categories);
    Merged found =
        Merging<Target>(target, {alike.count, alike.summaries, alike.n_rows, false, kNone, categories.count}, rule)
            .run();
    std::vector<std::int32_t> group(categories.count);
    for (Size i = 0; i < categories.count; ++i) group[i] = found.group[static_cast<Size>(alike.unit[i])];
    found.group = std::move(group);
    return found;
}

}  // namespace

Merged merge_categories(const ClassTarget& target, const Categories& categories, const MergeRule& rule) {
    return merge(target, categories, rule);
}

Merged merge_categories(const NumberTarget& target, const Categories& categories, const MergeRule& rule) {
    return merge(target, categories, rule);
}

double log_ways(Size categories, Size groups, bool ordinal, bool floating, bool exhaustive) {
    const double c = static_cast<double>(categories), r = static_cast<double>(groups);
    if (categories < 2) return 0;
    if (exhaustive) {
        if (!ordinal) return std::log(c * (c * c - 1) / 6);
        return std::log(floating ? (c - 1) * (c - 1) : c * (c - 1) / 2);
    }
    if (!ordinal) return log_stirling(categories, groups);
    if (!floating) return log_binomial(c - 1, r - 1);
    const double apart = log_binomial(c - 2, r - 2), inside = std::log(r) + log_binomial(c - 2, r - 1);
    const double high = std::max(apart, inside);
    return high + std::log(std::exp(apart - high) + std::exp(inside - high));
}

}  // namespace pellucid::tree

#include "core/bins/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Certain weight of all values up to and with this one, and most weight of all values below it.
double surely_up_to(const SummaryEntry& e) { return e.rank_min + e.weight; }
double at_most_below(const SummaryEntry& e) { return e.rank_max - e.weight; }

// The entries of rising distinct values of which nothing is missing, handed out from the first to the last.
struct EntriesOfRows {
    std::span<const WeightedValue> rows;
    double rank = 0;

    SummaryEntry next(Size i) {
        const double before = rank;
        rank += rows[i].weight;
        return {rows[i].value, before, rank, rows[i].weight};
    }
};
struct EntriesOfSummary {
    std::span<const SummaryEntry> entries;

    SummaryEntry next(Size i) { return entries[i]; }
};

Summary summary_of_distinct(std::span<const WeightedValue> rows) {
    std::vector<SummaryEntry> entries(rows.size());
    EntriesOfRows all{rows};
    for (Size i = 0; i < rows.size(); ++i) entries[i] = all.next(i);
    return Summary(std::move(entries));
}

// At most size + 1 of more entries; `weighted` are those entries, or the rows that they are made of.
template <class Entries, class Weighted>
Summary prune_entries(Entries all, const Weighted& weighted, double total, Size size) {
    const Size last = weighted.size() - 1;
    const double heavy = total / static_cast<double>(size - 1);  // fewer than size - 1 weigh more: a share is left
    double of_heavy = 0;
    Size shares = size;
    for (const auto& e : weighted)
        if (e.weight > heavy) {
            of_heavy += e.weight;
            --shares;
        }
    // Ranks are counted without the heavy entries; entry i stands for those up to the middle of the gap after it.
    const double left = total - of_heavy;
    const auto wanted = [&](Size share) { return left * static_cast<double>(share) / static_cast<double>(shares); };
    std::vector<SummaryEntry> kept;
    kept.reserve(size + 1);
    double heavy_so_far = 0, rank = wanted(1);
    Size share = 1;
    SummaryEntry e = all.next(0);
    for (Size i = 0; i < last; ++i) {
        const SummaryEntry after = all.next(i + 1);
        bool keep = i == 0 || e.weight > heavy;
        if (e.weight > heavy) heavy_so_far += e.weight;
        const double up_to = (surely_up_to(e) + at_most_below(after)) / 2 - heavy_so_far;
        for (; share < shares && rank < up_to; rank = wanted(++share)) keep = true;
        if (keep) kept.push_back(e);
        e = after;
    }
    kept.push_back(e);
    return Summary(std::move(kept));
}

Summary merged_exactly(std::span<const SummaryEntry> a, std::span<const SummaryEntry> b) {
    std::vector<WeightedValue> rows;
    rows.reserve(a.size() + b.size());
    Size i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        const bool in_a = i < a.size() && (k == b.size() || a[i].value <= b[k].value);
        const bool in_b = k < b.size() && (i == a.size() || b[k].value <= a[i].value);
        rows.push_back({in_a ? a[i].value : b[k].value, (in_a ? a[i].weight : 0.0) + (in_b ? b[k].weight : 0.0)});
        i += in_a;
        k += in_b;
    }
    return summary_of_distinct(rows);
}

// An entry of one summary among those of another: `next` is the first one there that is larger, if any.
SummaryEntry placed(const SummaryEntry& e, std::span<const SummaryEntry> other, Size next) {
    const double below = next > 0 ? surely_up_to(other[next - 1]) : 0.0;
    const double up_to = next < other.size() ? at_most_below(other[next]) : other.back().rank_max;
    return {e.value, e.rank_min + below, e.rank_max + up_to, e.weight};
}

// A block's numbers in rising order, in room.values.
void sort_known(std::span<const double> values, SketchRoom& room) {
    room.values.clear();
    for (const double x : values)
        if (!std::isnan(x)) room.values.push_back(x + 0.0);  // -0 becomes 0
    sort_numbers(room.values, room.sort);
}

// Rising distinct values of a block's rows, in room.rows. Weights of equal values are added in the order of the rows.
void join_rows(std::span<const double> values, std::span<const double> weight, SketchRoom& room) {
    room.rows.clear();
    if (weight.empty()) {
        sort_known(values, room);
        return join_equal(room.values, room.rows);
    }
    for (Size i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i]) && weight[i] > 0) room.rows.push_back({values[i] + 0.0, weight[i]});
    sort_rows(room.rows, room.sort);
    room.rows.resize(join_equal(room.rows));
}

// Must rising numbers be pruned, and is none of them heavy?
bool many_and_light(std::span<const double> rising, Size size) {
    const Size n = rising.size(), heavy = n / (size - 1);
    Size distinct = n > 0, repeated = 0;
    for (Size i = 1; i < n; ++i) distinct += rising[i - 1] != rising[i];
    for (Size i = heavy; i < n; ++i) repeated += rising[i - heavy] == rising[i];
    return distinct > size + 1 && repeated == 0;
}

// What prune_entries gives for such numbers of weight 1: the value at rank d is the one at place floor(d).
Summary prune_light(std::span<const double> rising, Size size) {
    const Size n = rising.size();
    std::vector<SummaryEntry> kept;
    kept.reserve(size + 1);
    const auto keep = [&](Size place) {
        Size begin = place, end = place + 1;
        while (begin > 0 && rising[begin - 1] == rising[place]) --begin;
        while (end < n && rising[end] == rising[place]) ++end;
        if (!kept.empty() && kept.back().value == rising[place]) return;
        kept.push_back(
            {rising[place], static_cast<double>(begin), static_cast<double>(end), static_cast<double>(end - begin)});
    };
    keep(0);
    for (Size share = 1; share < size; ++share)
        keep(static_cast<Size>(static_cast<double>(n) * static_cast<double>(share) / static_cast<double>(size)));
    keep(n - 1);
    return Summary(std::move(kept));
}

// A block's rows as a summary that is pruned: that of all rows is never written down.
Summary summary_of_block(std::span<const double> values, std::span<const double> weight, Size size, SketchRoom& room) {
    if (weight.empty()) {
        sort_known(values, room);
        if (many_and_light(room.values, size)) return prune_light(room.values, size);
        room.rows.clear();
        join_equal(room.values, room.rows);
    } else {
        join_rows(values, weight, room);
    }
    if (room.rows.size() <= size + 1) return summary_of_distinct(room.rows);
    double total = 0;
    for (const WeightedValue& row : room.rows) total += row.weight;
    return prune_entries(EntriesOfRows{room.rows}, room.rows, total, size);
}

bool could_be_summary(std::span<const SummaryEntry> entries) {
    for (Size i = 0; i < entries.size(); ++i) {
        const SummaryEntry& e = entries[i];
        const double slack = 1e-9 * entries.back().rank_max;  // sums of weights are rounded
        const bool good = !std::isnan(e.value) && e.weight >= 0 && e.rank_min >= 0 && e.rank_max < kInfinity &&
                          surely_up_to(e) <= e.rank_max + slack;
        if (!good) return false;
        if (i == 0) continue;
        const SummaryEntry& before = entries[i - 1];
        if (!(before.value < e.value && surely_up_to(before) <= e.rank_min + slack &&
              before.rank_max <= at_most_below(e) + slack))
            return false;
    }
    return true;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------- summary

bool Summary::exact() const {
    double rank = 0;
    for (const SummaryEntry& e : entries_) {
        if (e.rank_min != rank || e.rank_max != rank + e.weight) return false;
        rank = e.rank_max;
    }
    return true;
}

double Summary::error() const {
    if (exact()) return 0;
    double widest = at_most_below(entries_[0]) - entries_[0].rank_min;
    for (Size i = 1; i < entries_.size(); ++i)
        widest = std::max(widest, at_most_below(entries_[i]) - surely_up_to(entries_[i - 1]));
    return widest / total();
}

double Summary::quantile(double q) const {
    if (entries_.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double rank = q * total();
    Size i = 0;
    while (i + 1 < entries_.size() && rank >= (surely_up_to(entries_[i]) + at_most_below(entries_[i + 1])) / 2) ++i;
    return entries_[i].value;
}

Summary::Bounds Summary::rank_bounds(double x) const {
    const auto above = std::upper_bound(entries_.begin(), entries_.end(), x,
                                        [](double y, const SummaryEntry& e) { return y < e.value; });
    if (above == entries_.begin()) return {0.0, 0.0};
    const SummaryEntry& last = *(above - 1);
    if (last.value == x || above == entries_.end()) return {surely_up_to(last), last.rank_max};
    return {surely_up_to(last), at_most_below(*above)};
}

Summary Summary::pruned(Size size) const {
    require(size >= 2, "sketch: at least two entries besides the first");
    if (entries_.size() <= size + 1) return *this;
    return prune_entries(EntriesOfSummary{entries_}, entries_, total(), size);
}

Summary merged(const Summary& one, const Summary& two) {
    const auto a = one.entries(), b = two.entries();
    if (a.empty() || b.empty()) return a.empty() ? two : one;
    if (one.exact() && two.exact()) return merged_exactly(a, b);
    std::vector<SummaryEntry> entries;
    entries.reserve(a.size() + b.size());
    Size i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        if (k == b.size() || (i < a.size() && a[i].value < b[k].value)) {
            entries.push_back(placed(a[i], b, k));
            ++i;
        } else if (i == a.size() || b[k].value < a[i].value) {
            entries.push_back(placed(b[k], a, i));
            ++k;
        } else {
            const SummaryEntry &x = a[i++], &y = b[k++];
            entries.push_back({x.value, x.rank_min + y.rank_min, x.rank_max + y.rank_max, x.weight + y.weight});
        }
    }
    return Summary(std::move(entries));
}

ColumnBins cut_summary(const Summary& summary, Size most_bins) {
    std::vector<WeightedRange> ranges;
    const auto entries = summary.entries();
    const bool exact = summary.exact();
    double so_far = 0;  // weight up to the entry before, as far as known
    for (Size i = 0; i < entries.size(); ++i) {
        const SummaryEntry& e = entries[i];
        const double below = exact ? so_far : (e.rank_min + at_most_below(e)) / 2;
        double own = e.weight;
        if (below > so_far) {  // values between two entries, none of which is known
            const double low = i > 0 ? std::nextafter(entries[i - 1].value, kInfinity) : e.value;
            const double high = std::nextafter(e.value, -kInfinity);
            if (low <= high)
                ranges.push_back({low, high, below - so_far});
            else
                own += below - so_far;
        }
        ranges.push_back({e.value, e.value, own});
        so_far = below + e.weight;
    }
    return cut_ranges(ranges, most_bins);
}

// -------------------------------------------------------------------------------------------------------------- sketch

QuantileSketch::QuantileSketch(Size size, Size block) : size_(size), block_(block) {
    require(size >= 2 && block >= 1, "sketch: at least 2 entries and blocks of a row");
}

QuantileSketch::QuantileSketch(const SketchState& state) : QuantileSketch(state.size, state.block) {
    const auto& [size, block, levels, starts, entries, waiting] = state;
    require(starts.size() == levels.size() + 1 && starts.front() == 0 &&
                starts.back() == static_cast<std::int64_t>(entries.size()) && waiting.size() < block,
            "sketch: state of other sizes");
    for (Size i = 0; i < levels.size(); ++i) {
        const auto level = static_cast<Size>(levels[i]);
        require(levels[i] >= 0 && levels[i] < 64 && level >= levels_.size() && starts[i] <= starts[i + 1] &&
                    starts[i + 1] <= starts.back(),
                "sketch: levels of a state");
        std::vector<SummaryEntry> own(entries.begin() + starts[i], entries.begin() + starts[i + 1]);
        require(own.size() <= size + 1 && could_be_summary(own), "sketch: entries of a state");
        levels_.resize(level + 1);
        levels_[level] = Summary(std::move(own));
    }
    for (const WeightedValue& row : waiting) {
        waiting_.push_back(row.value);
        waiting_weight_.push_back(row.weight);
    }
}

SketchState QuantileSketch::state() const {
    SketchState state;
    state.size = size_;
    state.block = block_;
    state.starts.push_back(0);
    for (Size k = 0; k < levels_.size(); ++k) {
        if (!levels_[k]) continue;
        const auto own = levels_[k]->entries();
        state.levels.push_back(static_cast<std::int64_t>(k));
        state.entries.insert(state.entries.end(), own.begin(), own.end());
        state.starts.push_back(static_cast<std::int64_t>(state.entries.size()));
    }
    for (Size i = 0; i < waiting_.size(); ++i)
        state.waiting.push_back({waiting_[i], waiting_weight_.empty() ? 1.0 : waiting_weight_[i]});
    return state;
}

void QuantileSketch::add(std::span<const double> values, std::span<const double> weight, SketchRoom& room) {
    require(weight.empty() || weight.size() == values.size(), "sketch: a weight for each value");
    while (!values.empty()) {
        const Size taken = std::min(block_ - waiting_.size(), values.size());
        const auto some = values.first(taken);
        const auto own = weight.empty() ? weight : weight.first(taken);
        if (taken == block_) {
            carry(summary_of_block(some, own, size_, room), 0);
        } else {
            if (!own.empty()) waiting_weight_.resize(waiting_.size(), 1.0);
            const bool weighted = !own.empty() || !waiting_weight_.empty();
            waiting_.insert(waiting_.end(), some.begin(), some.end());
            waiting_weight_.insert(waiting_weight_.end(), own.begin(), own.end());
            if (weighted) waiting_weight_.resize(waiting_.size(), 1.0);
            if (waiting_.size() == block_) {
                carry(summary_of_block(waiting_, waiting_weight_, size_, room), 0);
                waiting_.clear();
                waiting_weight_.clear();
            }
        }
        values = values.subspan(taken);
        if (!weight.empty()) weight = weight.subspan(taken);
    }
}

void QuantileSketch::carry(Summary summary, Size level) {
    for (; level < levels_.size() && levels_[level]; ++level) {
        summary = merged(*levels_[level], summary).pruned(size_);
        levels_[level].reset();
    }
    if (level >= levels_.size()) levels_.resize(level + 1);
    levels_[level] = std::move(summary);
}

void QuantileSketch::merge(const QuantileSketch& other, SketchRoom& room) {
    require(size_ == other.size_ && block_ == other.block_, "sketch: only sketches of the same sizes are merged");
    // Copied first: the other may be this one.
    const std::vector<std::optional<Summary>> levels = other.levels_;
    const std::vector<double> waiting = other.waiting_, weight = other.waiting_weight_;
    for (Size k = levels.size(); k-- > 0;)
        if (levels[k]) carry(*levels[k], k);
    add(waiting, weight, room);
}

void QuantileSketch::prune(SketchRoom& room) {
    Summary all = summary(room).pruned(size_);
    const Size level = levels_.size();
    levels_.assign(level + 1, std::nullopt);
    levels_[level] = std::move(all);
    waiting_.clear();
    waiting_weight_.clear();
}

Summary QuantileSketch::summary(SketchRoom& room) const {
    join_rows(waiting_, waiting_weight_, room);
    Summary all = summary_of_distinct(room.rows);
    for (const std::optional<Summary>& level : levels_)
        if (level) all = merged(*level, all);
    return all;
}

double QuantileSketch::bound() const { return static_cast<double>(levels_.size()) / static_cast<double>(size_); }

}  // namespace pellucid

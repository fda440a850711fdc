#include "core/rules/ripper.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/pool.hpp"
#include "core/rules/ripper_events.hpp"
#include "core/rules/ripper_set.hpp"

namespace pellucid::rules {
namespace {

constexpr double kMostSurplus = 64.0;  // bits above the shortest description at which no more rules are sought

struct Parts {
    Part grow, prune;
};

struct RowKey {
    std::uint64_t key;
    std::uint32_t row;
    auto operator<=>(const RowKey&) const = default;
};

// What a row can give beyond its full share: less than a row, since one of `folds` copies is given already.
double spare(double weight, double folds) {
    return std::min(1.0, std::max(0.0, weight - folds * std::floor(weight / folds)));
}

// Takes `quota` of the weight of these rows: of each the whole copies of its share, and the rest from the rows with the
// smallest keys, the last of which may count in part. `taken` gets the weight by row. Keys are spread evenly, so a
// count by their first bits leaves few rows to sort.
void take_share(std::span<const std::uint32_t> rows, const ClassRows& all, const SplitKeys& keys, double folds,
                double quota, std::vector<double>& taken) {
    for (const std::uint32_t row : rows) {
        taken[row] = std::floor(all.weight[row] / folds);
        quota -= taken[row];
    }
    if (!(quota > 0)) return;
    const int bits = rows.size() <= 512 ? 0 : 12;
    std::vector<double> spares(Size{1} << bits, 0.0);
    const auto bin = [&](std::uint32_t row) { return bits == 0 ? Size{0} : keys(all.hash[row]) >> (64 - bits); };
    for (const std::uint32_t row : rows) spares[bin(row)] += spare(all.weight[row], folds);
    Size edge = 0;
    while (edge + 1 < spares.size() && spares[edge] <= quota) quota -= spares[edge++];
    std::vector<RowKey> last;
    for (const std::uint32_t row : rows) {
        const Size own = bin(row);
        if (own < edge) taken[row] += spare(all.weight[row], folds);
        if (own == edge) last.push_back({keys(all.hash[row]), row});
    }
    std::ranges::sort(last);
    for (const RowKey& one : last) {
        if (!(quota > 0)) break;
        const double more = std::min(quota, spare(all.weight[one.row], folds));
        taken[one.row] += more;
        quota -= more;
    }
}

template <class Trace>
class ClassLearner {
  public:
    ClassLearner(const CodedTable& table, const RipperSettings& settings, const ClassRows& rows, LengthFrame frame,
                 std::int32_t place, Size room, std::uint64_t& splits, Lender& lender, Trace& trace)
        : table_(table),
          settings_(settings),
          all_(rows),
          frame_(frame),
          place_(place),
          room_(room),
          splits_(splits),
          lender_(lender),
          trace_(trace) {}

    std::vector<SetRule> learn() {
        build(RowBits(all_.rows, true));
        if (!settings_.prune) return std::move(rules_);
        clean();
        for (round_ = 1; round_ <= settings_.optimizations; ++round_) {
            build(optimize());
            clean();
        }
        return std::move(rules_);
    }

  private:
    // IREP*: rules for the rows in `left`, one by one, while the description stays short.
    void build(RowBits left) {
        double shortest = length().total();
        while (has_positive(left) && rules_.size() < room_) {
            check_interrupt();
            SetRule rule = make(added_rule(left));
            const Coverage own = newly_covered(rule, left);
            rules_.push_back(std::move(rule));
            const Length now = length();
            shortest = std::min(shortest, now.total());
            const bool stop = now.total() > shortest + kMostSurplus || !(own.positive > 0) ||
                              (settings_.check_error && own.negative >= own.positive);
            tell_weighed(rules_.size() - 1, Variant::added, own, now, shortest, !stop);
            if (stop) {
                rules_.pop_back();
                return;
            }
            left.subtract(rules_.back().covered);
        }
    }

    Tests added_rule(const RowBits& left) {
        const Parts parts = split(left);
        Tests tests = grow(parts.grow, {}, Variant::added);
        prune(tests, parts.prune, settings_.prune_by, Variant::added);
        return tests;
    }

    // Each rule in turn is kept, replaced or revised. Returns the rows that are left for new ones.
    RowBits optimize() {
        RowBits left(all_.rows, true);
        for (Size i = 0; i < rules_.size() && has_positive(left); ++i) {
            check_interrupt();
            RowBits own = rules_[i].covered;
            own &= left;
            if (own.none()) continue;
            Parts parts = split(left);
            leave_out(parts.prune, covered_after(i));
            Tests replacement = grow(parts.grow, {}, Variant::replacement);
            prune(replacement, parts.prune, PruneValue::accuracy, Variant::replacement);
            keep_covered(parts.grow, rules_[i].tests);
            Tests revision = grow(std::move(parts.grow), rules_[i].tests, Variant::revision);
            prune(revision, parts.prune, PruneValue::accuracy, Variant::revision);
            choose(i, make(std::move(replacement)), make(std::move(revision)), left);
            left.subtract(rules_[i].covered);
        }
        return left;
    }

    void choose(Size i, SetRule replacement, SetRule revision, const RowBits& left) {
        const Length original = simplified_length(i);
        SetRule before = std::exchange(rules_[i], std::move(replacement));
        const Length replaced = simplified_length(i);
        replacement = std::exchange(rules_[i], std::move(revision));
        const Length revised = simplified_length(i);
        revision = std::exchange(rules_[i], std::move(before));
        const double by_original = original.total() - kSameLength;
        const bool keep = by_original <= replaced.total() && by_original <= revised.total();
        const bool revise = !keep && revised.total() - kSameLength <= replaced.total();
        tell_variant(i, rules_[i], Variant::original, original, keep, left);
        tell_variant(i, replacement, Variant::replacement, replaced, !keep && !revise, left);
        tell_variant(i, revision, Variant::revision, revised, revise, left);
        if (!keep) rules_[i] = revise ? std::move(revision) : std::move(replacement);
    }

    // The length when every rule after i that does not pay is left out, the last first.
    Length simplified_length(Size i) const {
        Described set(all_, frame_, rules_);
        for (Size k = rules_.size(); k-- > i + 1;)
            if (set.length_without(k).total() <= set.length().total() + kSameLength) set.remove(k);
        return set.length();
    }

    // Deletes rules, the last first, without which the description is no longer, and rules that are wrong as often as
    // right; until none is left to delete.
    void clean() {
        for (bool again = true; again && !rules_.empty();) {
            const std::vector<Coverage> first = first_covered();
            Described set(all_, frame_, rules_);
            for (Size k = rules_.size(); k-- > 0;) {
                const double with = set.length().total(), without = set.length_without(k).total();
                const bool wrong = settings_.check_error && first[k].negative >= first[k].positive;
                const bool out = wrong || without <= with + kSameLength;
                emit(trace_, Deletion{{number(place_), number(round_), number(k), first[k].positive, first[k].negative,
                                       with, without, number(out)}});
                if (out) set.remove(k);
            }
            const Size before = rules_.size();
            Size to = 0;
            for (Size k = 0; k < before; ++k)
                if (set.is_in(k)) {
                    if (to != k) rules_[to] = std::move(rules_[k]);
                    ++to;
                }
            rules_.resize(to);
            again = to < before;
        }
    }

    // ------------------------------------------------------------------------------------------------------ one rule

    Tests grow(Part part, Tests tests, Variant variant) {
        std::vector<std::uint8_t> used(all_.cols, 0);
        for (const RankTest test : tests) used[static_cast<Size>(test.column)] = test.sign == Sign::is;
        std::vector<Candidate> candidates;
        while (part.positives < part.rows.size() && tests.size() < settings_.grow.max_conditions) {
            best_conditions(all_, part, used, settings_.threads, lender_, candidates);
            const Candidate best = best_of(candidates);
            const bool enough = best.found() && best.covered.positive >= settings_.grow.min_weight;
            tell_growth(part, candidates, best, enough, tests.size(), variant);
            if (!enough) break;
            tests.push_back(best.test);
            if (best.test.sign == Sign::is) used[static_cast<Size>(best.test.column)] = 1;
            part.keep(all_, best.test);
        }
        return tests;
    }

    void prune(Tests& tests, const Part& part, PruneValue by, Variant variant) {
        Size kept = tests.size();
        if (!part.rows.empty() && !tests.empty()) {
            const Cuts cuts = weigh_cuts(all_, part, tests, by);
            kept = cuts.best;
            for (Size k = 0; k < cuts.value.size(); ++k)
                emit(trace_, PruneStep{{number(splits_ - 1), number(variant), number(k), cuts.covered[0].positive,
                                        cuts.covered[0].negative, cuts.covered[k].positive, cuts.covered[k].negative,
                                        cuts.value[k], number(k == kept)}});
        }
        for (Size k = 0; k < tests.size(); ++k)
            emit(trace_, RuleTest{{number(splits_ - 1), number(variant), number(k), number(tests[k].column),
                                   number(tests[k].sign), value_of(tests[k]), number(k < kept)}});
        tests.resize(kept);
    }

    // ---------------------------------------------------------------------------------------------------------- rows

    // One part in `folds` of each class, and of equal rows, is for pruning; remainders go from class to class.
    Parts split(const RowBits& left) {
        std::vector<std::uint32_t> rows;
        left.each([&](Size row) { rows.push_back(static_cast<std::uint32_t>(row)); });
        std::vector<double> taken(all_.rows, 0.0);
        const SplitKeys keys(settings_.seed, splits_++);
        double seen = 0.0;
        auto from = rows.begin();
        for (Size s = 0; settings_.prune && s + 1 < all_.segments.size(); ++s) {
            const auto to = std::lower_bound(from, rows.end(), static_cast<std::uint32_t>(all_.segments[s + 1]));
            double weight = 0.0;
            for (auto row = from; row != to; ++row) weight += all_.weight[*row];
            const double quota = std::floor((seen + weight) / settings_.folds) - std::floor(seen / settings_.folds);
            take_share({from, to}, all_, keys, settings_.folds, quota, taken);
            seen += weight;
            from = to;
        }
        return parts_of(rows, taken);
    }

    Parts parts_of(std::span<const std::uint32_t> rows, std::span<const double> taken) const {
        Parts out;
        for (const std::uint32_t row : rows) {
            const double kept = all_.weight[row] - taken[row];
            if (kept > 0) add(out.grow, row, kept);
            if (taken[row] > 0) add(out.prune, row, taken[row]);
        }
        return out;
    }

    void add(Part& part, std::uint32_t row, double weight) const {
        part.rows.push_back(row);
        part.weight.push_back(weight);
        part.positives += row < all_.positives ? 1 : 0;
    }

    void leave_out(Part& part, const RowBits& covered) const {
        Part kept;
        for (Size i = 0; i < part.rows.size(); ++i)
            if (!covered.has(part.rows[i])) add(kept, part.rows[i], part.weight[i]);
        part = std::move(kept);
    }

    void keep_covered(Part& part, const Tests& tests) const {
        for (const RankTest test : tests) part.keep(all_, test);
    }

    SetRule make(Tests tests) const {
        RowBits covered = RowBits::covered_by(all_, tests);
        return {std::move(tests), std::move(covered)};
    }

    RowBits covered_after(Size i) const {
        RowBits out(all_.rows);
        for (Size k = i + 1; k < rules_.size(); ++k) out |= rules_[k].covered;
        return out;
    }

    Coverage newly_covered(const SetRule& rule, const RowBits& left) const {
        RowBits own = rule.covered;
        own &= left;
        return own.weight(all_);
    }

    std::vector<Coverage> first_covered() const {
        RowBits left(all_.rows, true);
        std::vector<Coverage> out;
        for (const SetRule& rule : rules_) {
            out.push_back(newly_covered(rule, left));
            left.subtract(rule.covered);
        }
        return out;
    }

    bool has_positive(const RowBits& left) const {
        for (Size row = 0; row < all_.positives; ++row)
            if (left.has(row)) return true;
        return false;
    }

    Length length() const { return Described(all_, frame_, rules_).length(); }

    // --------------------------------------------------------------------------------------------------------- telling

    template <class T>
    static double number(T value) {
        return static_cast<double>(value);
    }

    double value_of(RankTest test) const {
        return table_.values[static_cast<Size>(test.column)][static_cast<Size>(test.rank)];
    }

    void tell_growth(const Part& part, std::span<const Candidate> candidates, const Candidate& best, bool enough,
                     Size step, Variant variant) {
        if constexpr (!std::is_same_v<Trace, NoTrace>) {
            const Coverage covered = part.coverage();
            for (const Candidate& one : candidates)
                if (one.found())
                    emit(trace_, GrowStep{{number(splits_ - 1), number(variant), number(step), number(one.test.column),
                                           number(one.test.sign), value_of(one.test), covered.positive,
                                           covered.negative, one.covered.positive, one.covered.negative, one.gain,
                                           number(enough && one.test == best.test), number(place_)}});
        }
    }

    void tell_variant(Size i, const SetRule& rule, Variant variant, const Length& length, bool taken,
                      const RowBits& left) {
        if constexpr (!std::is_same_v<Trace, NoTrace>)
            tell(i, rule.tests.size(), variant, newly_covered(rule, left), length, 0.0, taken);
    }

    void tell_weighed(Size i, Variant variant, Coverage own, const Length& length, double shortest, bool taken) {
        if constexpr (!std::is_same_v<Trace, NoTrace>)
            tell(i, rules_[i].tests.size(), variant, own, length, shortest, taken);
    }

    void tell(Size i, Size conditions, Variant variant, Coverage own, const Length& length, double shortest,
              bool taken) {
        emit(trace_, Weighed{{number(place_), number(round_), number(i), number(splits_ - 1), number(variant),
                              number(conditions), own.positive, own.negative, number(length.kept), frame_.all.positive,
                              frame_.all.negative, length.covered.positive, length.covered.negative, frame_.expected,
                              frame_.possible, length.data, length.rules, shortest, number(taken)}});
    }

    const CodedTable& table_;
    const RipperSettings& settings_;
    const ClassRows& all_;
    const LengthFrame frame_;
    const std::int32_t place_;
    const Size room_;
    std::uint64_t& splits_;
    Lender& lender_;
    Trace& trace_;
    Size round_ = 0;
    std::vector<SetRule> rules_;
};

// The rows of a table that are left for a class, its own first.
ClassRows class_rows(const CodedTable& table, std::span<const std::uint32_t> left, std::int32_t place, int threads) {
    ClassRows out;
    out.rows = left.size();
    out.cols = table.cols;
    out.row.reserve(left.size());
    for (const std::uint32_t row : left)
        if (table.place[row] == place) out.row.push_back(row);
    out.positives = out.row.size();
    for (const std::uint32_t row : left)
        if (table.place[row] != place) out.row.push_back(row);
    out.segments.push_back(0);
    for (Size i = 1; i < out.rows; ++i)
        if (table.place[out.row[i]] != table.place[out.row[i - 1]]) out.segments.push_back(i);
    out.segments.push_back(out.rows);
    for (const std::uint32_t row : out.row) {
        out.weight.push_back(table.weight[row]);
        out.hash.push_back(table.hash[row]);
    }
    out.codes.resize(out.rows * out.cols);
    parallel_for(out.cols, threads, [&](Size c) {
        const std::span<const std::int32_t> from = table.column(c);
        std::int32_t* to = out.codes.data() + c * out.rows;
        for (Size i = 0; i < out.rows; ++i) to[i] = from[out.row[i]];
    });
    return out;
}

// Of several tests of a number in one direction the narrowest says it all.
Tests without_idle(const Tests& tests) {
    Tests out;
    for (Size k = 0; k < tests.size(); ++k) {
        const RankTest one = tests[k];
        const bool idle =
            std::any_of(tests.begin() + static_cast<std::ptrdiff_t>(k) + 1, tests.end(), [&](const RankTest& later) {
                return later.column == one.column && later.sign == one.sign;
            });  // a later test of the same kind is narrower, or it had no gain
        if (!idle) out.push_back(one);
    }
    return out;
}

std::vector<double> class_weights(const CodedTable& table, std::span<const std::uint32_t> rows) {
    std::vector<double> out(table.classes, 0.0);
    for (const std::uint32_t row : rows) out[static_cast<Size>(table.place[row])] += table.weight[row];
    return out;
}

}  // namespace

template <class Trace>
RipperRules ripper(const CodedTable& table, const RipperSettings& settings, Trace& trace) {
    std::vector<std::int32_t> sizes(table.cols);
    std::vector<std::uint8_t> missing(table.cols);
    for (Size c = 0; c < table.cols; ++c) {
        sizes[c] = static_cast<std::int32_t>(table.values[c].size());
        missing[c] = std::ranges::any_of(table.column(c), [](std::int32_t code) { return code < 0; });
    }
    std::vector<std::uint32_t> left(table.rows);
    std::iota(left.begin(), left.end(), 0u);
    const std::vector<double> totals = class_weights(table, left);
    double unlearned = std::accumulate(totals.begin(), totals.end(), 0.0);

    RipperRules out;
    Lender lender;
    std::uint64_t splits = 0;
    for (Size place = 0; place + 1 < table.classes; ++place) {
        const double share = totals[place] / unlearned;
        unlearned -= totals[place];
        ClassRows rows = class_rows(table, left, static_cast<std::int32_t>(place), settings.threads);
        if (rows.positives == 0 || rows.positives == rows.rows) continue;
        rows.sizes = sizes;
        rows.categories = table.is_category;
        rows.missing = missing;
        const LengthFrame frame{RowBits(rows.rows, true).weight(rows), share, table.possible_conditions()};
        ClassLearner<Trace> learner(table, settings, rows, frame, static_cast<std::int32_t>(place),
                                    settings.max_rules - out.rules.size(), splits, lender, trace);
        std::vector<std::uint8_t> gone(rows.rows, 0);
        for (const SetRule& rule : learner.learn()) {
            RipperRule& made = out.rules.emplace_back();
            made.tests = without_idle(rule.tests);
            made.place = static_cast<std::int32_t>(place);
            std::vector<std::uint32_t> own;
            rule.covered.each([&](Size i) {
                if (!gone[i]) own.push_back(rows.row[i]);
                gone[i] = 1;
            });
            made.counts = class_weights(table, own);
        }
        left.clear();
        for (Size i = 0; i < rows.rows; ++i)
            if (!gone[i]) left.push_back(rows.row[i]);
        std::ranges::sort(left);
    }
    out.left = class_weights(table, left);
    return out;
}

template RipperRules ripper(const CodedTable&, const RipperSettings&, NoTrace&);
template RipperRules ripper(const CodedTable&, const RipperSettings&, Record&);

}  // namespace pellucid::rules

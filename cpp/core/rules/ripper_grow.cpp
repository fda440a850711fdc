#include "core/rules/ripper_grow.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/pool.hpp"

namespace pellucid::rules {
namespace {

constexpr double kSameValue = 1e-12;
constexpr Size kEnoughForThreads = 20000;  // cells; below, waking another thread costs more than it saves

// Weight of one value of a column among the covered rows.
struct Group {
    std::int32_t rank;
    Coverage weight;
};

// Calls f with each value that occurs, in ascending order. Weights of a value are added in the order of the rows.
template <class F>
void each_group_by_table(std::span<const std::int32_t> codes, const Part& part, Size size, Lender::Scratch& scratch,
                         F&& f) {
    if (scratch.counts.size() < 2 * size) scratch.counts.resize(2 * size, 0.0);
    double* counts = scratch.counts.data();
    for (Size i = 0; i < part.positives; ++i) {
        const std::int32_t code = codes[part.rows[i]];
        if (code >= 0) counts[2 * static_cast<Size>(code)] += part.weight[i];
    }
    for (Size i = part.positives; i < part.rows.size(); ++i) {
        const std::int32_t code = codes[part.rows[i]];
        if (code >= 0) counts[2 * static_cast<Size>(code) + 1] += part.weight[i];
    }
    for (Size v = 0; v < size; ++v) {
        const Coverage weight{counts[2 * v], counts[2 * v + 1]};
        if (weight.positive + weight.negative > 0) f(Group{static_cast<std::int32_t>(v), weight});
        counts[2 * v] = counts[2 * v + 1] = 0.0;
    }
}

template <class F>
void each_group_by_sort(std::span<const std::int32_t> codes, const Part& part, Lender::Scratch& scratch, F&& f) {
    std::vector<std::uint64_t>& sorted = scratch.sorted;
    sorted.clear();
    for (Size i = 0; i < part.rows.size(); ++i) {
        const std::int32_t code = codes[part.rows[i]];
        if (code >= 0) sorted.push_back(static_cast<std::uint64_t>(code) << 32 | i);
    }
    std::ranges::sort(sorted);
    for (Size k = 0; k < sorted.size();) {
        const auto rank = static_cast<std::int32_t>(sorted[k] >> 32);
        Coverage weight;
        for (; k < sorted.size() && static_cast<std::int32_t>(sorted[k] >> 32) == rank; ++k) {
            const Size i = sorted[k] & 0xFFFFFFFFu;
            (i < part.positives ? weight.positive : weight.negative) += part.weight[i];
        }
        f(Group{rank, weight});
    }
}

// A table by rank is read from end to end; few rows of many values are sorted instead.
template <class F>
void each_group(std::span<const std::int32_t> codes, const Part& part, Size size, Lender::Scratch& scratch, F&& f) {
    if (size <= 8 * part.rows.size() + 64)
        each_group_by_table(codes, part, size, scratch, f);
    else
        each_group_by_sort(codes, part, scratch, f);
}

// Keeps the best condition of a column. `base` is -log2(P / (P + N)); no gain is above p base, which spares most
// logarithms.
struct Best {
    Candidate best;
    double base;

    Best(Coverage covered) : base(-std::log2(covered.positive / (covered.positive + covered.negative))) {
        best.gain = kSameGain * covered.positive;
    }
    void consider(RankTest test, Coverage covered) {
        const double p = covered.positive;
        if (p * base <= best.gain) return;
        const double gain = p * (std::log2(p / (p + covered.negative)) + base);
        if (gain > best.gain * (1.0 + kSameGain)) best = {test, covered, gain};
    }
};

Candidate best_category(const ClassRows& all, Size c, const Part& part, Coverage covered, Lender::Scratch& scratch) {
    Best best(covered);
    const auto column = static_cast<std::int32_t>(c);
    each_group(all.column(c), part, static_cast<Size>(all.sizes[c]), scratch,
               [&](const Group& group) { best.consider({column, Sign::is, group.rank}, group.weight); });
    return best.best;
}

Coverage known_weight(std::span<const std::int32_t> codes, const Part& part) {
    Coverage known;
    for (Size i = 0; i < part.rows.size(); ++i)
        if (codes[part.rows[i]] >= 0) (i < part.positives ? known.positive : known.negative) += part.weight[i];
    return known;
}

// A value of which no row is of the class is no threshold: the next one toward the covered side is better.
Candidate best_number(const ClassRows& all, Size c, const Part& part, Coverage covered, Lender::Scratch& scratch) {
    const Coverage known = all.missing[c] ? known_weight(all.column(c), part) : covered;
    const auto column = static_cast<std::int32_t>(c);
    Best best(covered);
    Coverage below;
    each_group(all.column(c), part, static_cast<Size>(all.sizes[c]), scratch, [&](const Group& group) {
        const Coverage up_to{below.positive + group.weight.positive, below.negative + group.weight.negative};
        if (group.weight.positive > 0) {
            best.consider({column, Sign::at_most, group.rank}, up_to);
            const Coverage above{known.positive - below.positive, std::max(0.0, known.negative - below.negative)};
            best.consider({column, Sign::at_least, group.rank}, above);
        }
        below = up_to;
    });
    return best.best;
}

}  // namespace

Coverage Part::coverage() const {
    Coverage out;
    for (Size i = 0; i < positives; ++i) out.positive += weight[i];
    for (Size i = positives; i < rows.size(); ++i) out.negative += weight[i];
    return out;
}

void Part::keep(const ClassRows& all, RankTest test) {
    const std::span<const std::int32_t> codes = all.column(static_cast<Size>(test.column));
    Size kept = 0, kept_positives = 0;
    for (Size i = 0; i < rows.size(); ++i) {
        if (i == positives) kept_positives = kept;
        rows[kept] = rows[i];
        weight[kept] = weight[i];
        kept += test.met_by(codes[rows[i]]) ? 1 : 0;
    }
    positives = positives == rows.size() ? kept : kept_positives;
    rows.resize(kept);
    weight.resize(kept);
}

std::unique_ptr<Lender::Scratch> Lender::borrow() {
    const std::scoped_lock guard(lock_);
    if (free_.empty()) return std::make_unique<Scratch>();
    std::unique_ptr<Scratch> out = std::move(free_.back());
    free_.pop_back();
    return out;
}

void Lender::give_back(std::unique_ptr<Scratch> scratch) {
    const std::scoped_lock guard(lock_);
    free_.push_back(std::move(scratch));
}

void best_conditions(const ClassRows& all, const Part& part, std::span<const std::uint8_t> used, int threads,
                     Lender& lender, std::vector<Candidate>& best) {
    best.assign(all.cols, {});
    const Coverage covered = part.coverage();
    if (!(covered.positive > 0)) return;
    const bool large = part.rows.size() * all.cols >= kEnoughForThreads;
    parallel_for(all.cols, large ? threads : 1, [&](Size c) {
        if (used[c]) return;
        std::unique_ptr<Lender::Scratch> scratch = lender.borrow();
        const auto find = all.categories[c] ? best_category : best_number;
        best[c] = find(all, c, part, covered, *scratch);
        lender.give_back(std::move(scratch));
    });
}

Candidate best_of(std::span<const Candidate> candidates) {
    Candidate best;
    for (const Candidate& one : candidates)
        if (one.found() && (!best.found() || one.gain > best.gain * (1.0 + kSameGain))) best = one;
    return best;
}

double prune_value(PruneValue by, Coverage covered, Coverage all) {
    const double p = covered.positive, n = covered.negative;
    if (by == PruneValue::accuracy) return (p + all.negative - n) / (all.positive + all.negative);
    if (by == PruneValue::laplace) return (p + 1.0) / (p + n + 2.0);
    return p + n > 0 ? (p - n) / (p + n) : 0.0;
}

Cuts weigh_cuts(const ClassRows& all, Part part, const Tests& tests, PruneValue by) {
    const Coverage whole = part.coverage();
    Cuts out{{whole}, {prune_value(by, whole, whole)}, 0};
    for (const RankTest test : tests) {
        part.keep(all, test);
        out.covered.push_back(part.coverage());
        out.value.push_back(prune_value(by, out.covered.back(), whole));
        if (out.value.back() > out.value[out.best] + kSameValue) out.best = out.value.size() - 1;
    }
    return out;
}

}  // namespace pellucid::rules

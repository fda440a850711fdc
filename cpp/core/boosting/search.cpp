#include "core/boosting/search.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/simd.hpp"

namespace pellucid::boosting {

extern const BoostHot boost_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const BoostHot boost_hot_v3;
extern const BoostHot boost_hot_v4;
#endif

const BoostHot& boost_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return boost_hot_v4;
        case Level::v3:
            return boost_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return boost_hot_baseline;
}

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr Size kVector = 8;  // words that a vector may read beyond the last

// Memory for so many, which is not given back.
template <class T>
void at_least(std::vector<T>& room, Size n) {
    if (room.size() < n) room.resize(n);
}

double beyond(double g, double l1) { return std::copysign(std::max(std::abs(g) - l1, 0.0), g); }

}  // namespace

double Judge::answer(double g, double h, double l2, const Bounds& bounds) const {
    const double below = h + l2;
    double w = below > 0 ? -beyond(g, settings->l1) / below : 0;
    if (settings->max_step > 0) w = std::clamp(w, -settings->max_step, settings->max_step);
    return std::min(std::max(w, bounds.low), bounds.high);
}

double Judge::worth(double g, double h, double l2, const Bounds& bounds) const {
    if (is_plain(bounds)) {
        const double t = beyond(g, settings->l1), below = h + l2;
        return below > 0 ? t * t / below : 0;
    }
    const double w = answer(g, h, l2, bounds);
    return -(2 * g * w + (h + l2) * w * w + 2 * settings->l1 * std::abs(w));
}

bool Judge::is_plain(const Bounds& bounds) const {
    return settings->max_step == 0 && !std::isfinite(bounds.low) && !std::isfinite(bounds.high);
}

bool better(const Found& a, const Found& b) {
    if (!a || !b) return static_cast<bool>(a);
    return a.gain > b.gain || (a.gain == b.gain && a.column < b.column);
}

double rounding_gain(const Packing& packing, Size rows, double below, double worth) {
    const double step = packing.gradient_step;
    return (below > 0 ? 8 * step * step * static_cast<double>(rows) / below : 0) + 1e-12 * worth;
}

// One column of one node.
template <class Cell>
struct Search::Sweep {
    static constexpr bool kWords = std::is_same_v<Cell, Word>;

    const Settings& settings;
    const SearchedNode<Cell>& node;
    const ColumnBins& bins;
    const Cell* cells;
    const std::uint32_t* counts;
    SearchRoom<Cell>& room;
    int monotone;
    FoundIn<Cell> best;
    double best_gain;   // that a split must exceed
    bool fits = false;  // does any cut leave both sides large enough?
    Size n_held = 0;    // bins in which rows lie

    Sweep(const Search& search, const SearchedNode<Cell>& of, Size column, const Cell* from, const std::uint32_t* rows,
          SearchRoom<Cell>& memory)
        : settings(search.settings_),
          node(of),
          bins(search.table_.bins(column)),
          cells(from),
          counts(rows),
          room(memory),
          monotone(search.monotone_.empty() ? 0 : search.monotone_[column]),
          best_gain(std::max(settings.prune ? 0 : settings.min_gain, noise())) {}

    double noise() const {
        return rounding_gain(packing(), node.rows, packing().curvature(node.total) + settings.l2, node.worth);
    }

    const Packing& packing() const { return *node.packing; }
    const Cell& missing() const { return cells[bins.count]; }
    bool some_missing() const { return !is_empty(missing()); }
    bool holds(Size bin) const { return counts != nullptr ? counts[bin] > 0 : !is_empty(cells[bin]); }
    Size rows_of(Size bin) const { return counts != nullptr ? counts[bin] : packing().rows(cells[bin]); }
    bool knows_rows() const { return counts != nullptr || packing().counts(); }

    void list_held() {
        at_least(room.held, bins.count + kVector);
        at_least(room.held_cells, bins.count + kVector);
        if constexpr (kWords) {
            if (counts == nullptr) {
                n_held = boost_hot().compact(cells, bins.count, room.held.data(), room.held_cells.data());
                return;
            }
        }
        n_held = 0;
        for (Size b = 0; b < bins.count; ++b) {
            room.held[n_held] = static_cast<std::uint16_t>(b);
            room.held_cells[n_held] = cells[b];
            n_held += holds(b);
        }
    }
    std::span<const std::uint16_t> held() const { return std::span(room.held).first(n_held); }

    // ------------------------------------------------------------------------------------------------------- numbers

    void by_number() {
        sweep_number(false);
        if (some_missing()) sweep_number(true);
        if (!(best.gain > 0)) return;
        const auto of_node = held();
        const auto next = std::upper_bound(of_node.begin(), of_node.end(), static_cast<std::uint16_t>(best.cut));
        if (next == of_node.end()) {  // values against missing ones
            best.cut = static_cast<std::uint32_t>(bins.count - 1);
            best.threshold = std::numeric_limits<double>::infinity();
        } else {  // of the empty bins between, half go either way: bins and values then say the same of any row
            best.cut = (best.cut + *next - 1) / 2;
            best.threshold = bins.between(best.cut, best.cut + 1);
        }
    }

    // missing_left: rows without a value are on the left from the start. Else the last cut, behind all values, counts
    // where there are such rows.
    void sweep_number(bool missing_left) {
        const Size cuts = n_held - (missing_left || !some_missing() ? 1 : 0);
        if (cuts == 0) return;
        at_least(room.left, cuts + kVector);
        at_least(room.scores, cuts + kVector);
        Cell sum = missing_left ? missing() : Cell{};
        for (Size k = 0; k < cuts; ++k) room.left[k] = sum += room.held_cells[k];
        const bool plain = kWords && monotone == 0 && counts == nullptr && Judge{&settings}.is_plain(node.bounds);
        const double most = plain ? judge_together(cuts) : judge_one_by_one(missing_left, cuts);
        fits |= most > kNone;
        const double gain = (plain ? most * unit() : most) - node.worth;
        if (!(gain > best_gain) || !std::isfinite(gain)) return;
        const auto at =
            static_cast<Size>(std::find(room.scores.begin(), room.scores.end(), most) - room.scores.begin());
        take(gain, room.left[at], missing_left);
        best.cut = room.held[at];
    }

    // In steps.
    double judge_together(Size cuts) {
        if constexpr (kWords) {
            std::fill_n(room.left.begin() + static_cast<std::ptrdiff_t>(cuts), kVector, node.total);
            const Judging by = judging();
            return boost_hot().judge(room.left.data(), cuts, &by, room.scores.data());
        }
        return kNone;
    }

    double judge_one_by_one(bool missing_left, Size cuts) {
        Size rows = missing_left ? rows_of(bins.count) : 0;
        double most = kNone;
        for (Size k = 0; k < cuts; ++k) {
            if (knows_rows()) rows += rows_of(room.held[k]);
            room.scores[k] = worth_of(room.left[k], rows, settings.l2);
            if (room.scores[k] > most) most = room.scores[k];
        }
        return most;
    }

    Judging judging() const
        requires kWords
    {
        Judging by;
        by.fields = packing().fields;
        by.total = node.total;
        by.l1 = settings.l1 / packing().gradient_step;
        by.l2 = settings.l2 / packing().curvature_step;
        by.min_curvature = settings.least_weight() / packing().curvature_step;
        by.min_rows = static_cast<double>(settings.min_rows_leaf);
        return by;
    }
    // Of a worth in steps.
    double unit() const { return packing().gradient_step * packing().gradient_step / packing().curvature_step; }

    // ------------------------------------------------------------------------------------------------ any two sides

    // Worth of both sides together; minus infinity where one may not be.
    double worth_of(const Cell& left, Size rows, double l2) const {
        if (knows_rows() && (rows < settings.min_rows_leaf || node.rows - rows < settings.min_rows_leaf)) return kNone;
        const Packing& p = packing();
        const double gl = p.gradient(left), hl = p.curvature(left);
        const double gr = p.gradient(node.total) - gl, hr = p.curvature(node.total) - hl;
        if (hl < settings.least_weight() || hr < settings.least_weight()) return kNone;
        const Judge judge{&settings};
        if (monotone != 0) {
            const double wl = judge.answer(gl, hl, l2, node.bounds), wr = judge.answer(gr, hr, l2, node.bounds);
            if (monotone > 0 ? wl > wr : wl < wr) return kNone;
        }
        return judge.worth(gl, hl, l2, node.bounds) + judge.worth(gr, hr, l2, node.bounds);
    }

    void take(double gain, const Cell& left, bool missing_left) {
        best_gain = best.gain = gain;
        best.left = left;
        best.missing_left = missing_left;
        best.subset.clear();
    }

    // ---------------------------------------------------------------------------------------------------- categories

    void by_category() {
        if (n_held + some_missing() < 2) return;
        if (bins.count <= settings.categories.one_by_one)
            one_by_one();
        else
            ordered();
    }

    // Missing values, and categories that were never met, go right.
    void one_by_one() {
        for (const std::uint16_t bin : held()) {
            const Cell left = cells[bin];
            const double gain = worth_of(left, knows_rows() ? rows_of(bin) : 0, settings.l2) - node.worth;
            if (gain > best_gain && std::isfinite(gain)) {
                take(gain, left, false);
                best.subset.assign(1, static_cast<std::uint8_t>(bin));
            }
        }
    }

    // As LightGBM does it: categories with fewer rows than `smooth` go right, a cut is tried when `least_rows` have
    // come together since the last one, and the other side keeps as many.
    void ordered() {
        const Categories& c = settings.categories;
        const Packing& p = packing();
        const auto rows_in = [&](Size bin) {  // rows that are not counted are judged by their share of the curvature
            if (knows_rows()) return static_cast<double>(rows_of(bin));
            const double all = p.curvature(node.total);
            return all > 0 ? p.curvature(cells[bin]) / all * static_cast<double>(node.rows) : 0;
        };
        std::vector<std::pair<double, std::uint16_t>> order;
        for (const std::uint16_t bin : held())
            if (rows_in(bin) >= c.smooth)
                order.emplace_back(p.gradient(cells[bin]) / (p.curvature(cells[bin]) + c.smooth), bin);
        std::sort(order.begin(), order.end());
        const double l2 = settings.l2 + c.l2, least = static_cast<double>(c.least_rows);
        const Size most = std::min(c.most, (order.size() + 1) / 2);
        for (const bool from_above : {false, true}) {
            const auto bin_at = [&](Size k) { return (from_above ? order[order.size() - 1 - k] : order[k]).second; };
            Cell left{};
            Size counted = 0;
            double rows = 0, together = 0;
            for (Size k = 0; k < most && k < order.size(); ++k) {
                left += cells[bin_at(k)];
                if (knows_rows()) counted += rows_of(bin_at(k));
                rows += rows_in(bin_at(k));
                together += rows_in(bin_at(k));
                if (static_cast<double>(node.rows) - rows < least) break;
                if (together < least) continue;
                together = 0;
                const double gain = worth_of(left, counted, l2) - node.worth;
                if (!(gain > best_gain) || !std::isfinite(gain)) continue;
                take(gain, left, false);
                for (Size i = 0; i <= k; ++i) best.subset.push_back(static_cast<std::uint8_t>(bin_at(i)));
            }
        }
        std::sort(best.subset.begin(), best.subset.end());
    }
};

Search::Search(const Settings& settings, const Table& table, std::span<const std::int8_t> monotone)
    : settings_(settings), table_(table), monotone_(monotone), few_bins_(table.cols(), 0) {
    constexpr Size kFewBins = 8;
    for (Size j = 0; j < table.cols(); ++j)
        few_bins_[j] =
            table.bins(j).count <= kFewBins && !table.bins(j).is_category() && (monotone.empty() || monotone[j] == 0);
}

template <class Cell>
FoundIn<Cell> Search::best(const SearchedNode<Cell>& node, Size column, const Cell* cells, const std::uint32_t* counts,
                           SearchRoom<Cell>& room) const {
    Sweep<Cell> sweep(*this, node, column, cells, counts, room);
    sweep.list_held();
    room.closed = sweep.n_held + sweep.some_missing() < 2;
    if (sweep.n_held == 0) return {};
    if (sweep.bins.is_category()) {
        sweep.by_category();
    } else {
        sweep.by_number();
        room.closed |= !sweep.fits && sweep.monotone == 0;
    }
    if (sweep.best.gain > 0) {
        sweep.best.column = static_cast<std::int32_t>(column);
        sweep.best.has_missing = sweep.some_missing() || table_.some_missing(column);
    }
    return sweep.best;
}

// Columns of few bins are judged together, as one long column: a sparse table may have 50,000 of them, which then take
// a third of the time. The one that gains most is looked at again by itself.
template <class Cell>
FoundIn<Cell> Search::best(const SearchedNode<Cell>& node, std::span<const std::uint32_t> columns, const Cell* of_table,
                           const std::uint32_t* counts, SearchRoom<Cell>& room,
                           std::vector<std::uint32_t>& open) const {
    FoundIn<Cell> found;
    const auto look = [&](std::uint32_t column, bool asks) {
        const Size at = table_.first_cell(column);
        FoundIn<Cell> f = best(node, column, of_table + at, counts == nullptr ? nullptr : counts + at, room);
        if (asks && !room.closed) open.push_back(column);
        if (better(f, found)) found = std::move(f);
    };
    if constexpr (std::is_same_v<Cell, Word>) {
        if (counts == nullptr && Judge{&settings_}.is_plain(node.bounds)) {
            room.cuts.clear();
            room.column_of_cut.clear();
            std::vector<std::uint32_t> others;
            for (const std::uint32_t column : columns) {
                const Size begin = table_.first_cell(column), missing = table_.first_cell(column + 1) - 1;
                if (!few_bins_[column] || of_table[missing] != 0) {
                    others.push_back(column);
                    continue;
                }
                Word sum = 0;
                for (Size i = begin; i < missing; ++i) {
                    if (of_table[i] == 0) continue;
                    sum += of_table[i];
                    if (sum == node.total) continue;  // nothing is on the right
                    room.cuts.push_back(sum);
                    room.column_of_cut.push_back(column);
                }
            }
            const Size cuts = room.cuts.size();
            if (cuts > 0) {
                room.cuts.resize(cuts + kVector, node.total);
                at_least(room.scores, cuts + kVector);
                const std::uint32_t first = room.column_of_cut[0];
                const Sweep<Cell> any(*this, node, first, of_table + table_.first_cell(first), nullptr, room);
                const Judging by = any.judging();
                boost_hot().judge(room.cuts.data(), cuts, &by, room.scores.data());
                double most = kNone;
                std::uint32_t best_column = 0;
                for (Size k = 0; k < cuts; ++k) {
                    const std::uint32_t column = room.column_of_cut[k];
                    if (room.scores[k] == kNone) continue;
                    if (open.empty() || open.back() != column) open.push_back(column);
                    if (const double worth = room.scores[k] * any.unit(); worth > most) {
                        most = worth;
                        best_column = column;
                    }
                }
                if (most - node.worth > any.best_gain) look(best_column, false);
            }
            const auto middle = static_cast<std::ptrdiff_t>(open.size());
            for (const std::uint32_t column : others) look(column, true);
            std::inplace_merge(open.begin(), open.begin() + middle, open.end());
            return found;
        }
    }
    for (const std::uint32_t column : columns) look(column, true);
    return found;
}

Size Search::cuts(Size column) const {
    const ColumnBins& bins = table_.bins(column);
    if (bins.is_category()) return bins.count <= settings_.categories.one_by_one ? bins.count : 0;
    return bins.count > 0 ? 2 * (bins.count - 1) + 1 : 0;
}

// The cuts of numbers: bins.count - 1 with missing values right, then values against missing ones, then bins.count - 1
// with missing values left.
template <class Cell>
void Search::add_worths(const SearchedNode<Cell>& node, Size column, const Cell* cells, std::span<double> worth,
                        SearchRoom<Cell>& room) const {
    Sweep<Cell> sweep(*this, node, column, cells, nullptr, room);
    const Size bins = sweep.bins.count, count = worth.size();
    at_least(room.left, count + kVector);
    at_least(room.scores, count + kVector);
    if (sweep.bins.is_category()) {
        std::copy_n(cells, bins, room.left.begin());
    } else {
        Cell sum{};
        for (Size b = 0; b < bins; ++b) room.left[b] = sum += cells[b];
        sum = sweep.missing();
        for (Size b = 0; b + 1 < bins; ++b) room.left[bins + b] = sum += cells[b];
    }
    const Judge judge{&settings_};
    if constexpr (std::is_same_v<Cell, Word>) {
        if (judge.is_plain(node.bounds)) {
            std::fill_n(room.left.begin() + static_cast<std::ptrdiff_t>(count), kVector, node.total);
            Judging by = sweep.judging();
            by.min_curvature = by.min_rows = 0;
            by.l2 = std::max(by.l2, 1e-9);
            boost_hot().judge(room.left.data(), count, &by, room.scores.data());
            const double unit = sweep.unit();
            for (Size k = 0; k < count; ++k) worth[k] += room.scores[k] * unit;
            return;
        }
    }
    const Packing& p = *node.packing;
    for (Size k = 0; k < count; ++k) {
        const double g = p.gradient(room.left[k]), h = p.curvature(room.left[k]);
        worth[k] += judge.worth(g, h, settings_.l2, node.bounds) +
                    judge.worth(p.gradient(node.total) - g, p.curvature(node.total) - h, settings_.l2, node.bounds);
    }
}

template <class Cell>
FoundIn<Cell> Search::split_at(Size column, Size k, const Cell* cells) const {
    const ColumnBins& bins = table_.bins(column);
    FoundIn<Cell> out;
    out.column = static_cast<std::int32_t>(column);
    if (bins.is_category()) {
        out.subset.assign(1, static_cast<std::uint8_t>(k));
        if (cells != nullptr) out.left = cells[k];
        out.has_missing = table_.some_missing(column);
        return out;
    }
    out.missing_left = k >= bins.count;
    out.cut = static_cast<std::uint32_t>(out.missing_left ? k - bins.count : k);
    out.threshold =
        out.cut + 1 == bins.count ? std::numeric_limits<double>::infinity() : bins.between(out.cut, out.cut + 1);
    out.has_missing = table_.some_missing(column);
    if (cells == nullptr) return out;
    if (out.missing_left) out.left = cells[bins.count];
    for (Size b = 0; b <= out.cut; ++b) out.left += cells[b];
    return out;
}

#define PELLUCID_SEARCH(Cell)                                                                                        \
    template FoundIn<Cell> Search::best(const SearchedNode<Cell>&, Size, const Cell*, const std::uint32_t*,          \
                                        SearchRoom<Cell>&) const;                                                    \
    template void Search::add_worths(const SearchedNode<Cell>&, Size, const Cell*, std::span<double>,                \
                                     SearchRoom<Cell>&) const;                                                       \
    template FoundIn<Cell> Search::best(const SearchedNode<Cell>&, std::span<const std::uint32_t>, const Cell*,      \
                                        const std::uint32_t*, SearchRoom<Cell>&, std::vector<std::uint32_t>&) const; \
    template FoundIn<Cell> Search::split_at(Size, Size, const Cell*) const;
PELLUCID_SEARCH(Word)
PELLUCID_SEARCH(Sums)
#undef PELLUCID_SEARCH

}  // namespace pellucid::boosting

#include "core/boosting/search.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace pellucid::boosting {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr Size kVector = 8;  // words that a vector may read beyond the last

// Memory for so many, which is not given back.
template <class T>
void at_least(std::vector<T>& room, Size n) {
    if (room.size() < n) room.resize(n);
}

Judging judging_of(const SearchedNode<Word>& node, const Settings& settings) {
    const Packing& packing = *node.packing;
    Judging by;
    by.fields = packing.fields;
    by.total = node.total;
    by.l1 = settings.l1 / packing.gradient_step;
    by.l2 = settings.l2 / packing.curvature_step;
    by.min_curvature = settings.least_weight() / packing.curvature_step;
    by.min_rows = static_cast<double>(settings.min_rows_leaf);
    return by;
}

}  // namespace

bool better(const Found& a, const Found& b) {
    if (!a || !b) return static_cast<bool>(a);
    return a.gain > b.gain || (a.gain == b.gain && a.column < b.column);
}

// What all columns of a node share.
template <class Cell>
struct Search::Node {
    Node(const Search& search, const SearchedNode<Cell>& of) : searched(of) {
        const Settings& s = search.settings_;
        const double below = of.packing->curvature(of.total) + s.l2;
        least_gain = std::max(s.prune ? 0 : s.min_gain, rounding_gain(*of.packing, of.rows, below, of.worth));
        is_plain = std::is_same_v<Cell, Word> && Judge{&s}.is_plain(of.bounds);
        if constexpr (std::is_same_v<Cell, Word>) by = judging_of(of, s);
    }

    const SearchedNode<Cell>& searched;
    double least_gain;  // that a split must exceed
    bool is_plain;      // are cuts judged many at a time, where nothing of the column is against it?
    Judging by;         // words
};

// One column of one node.
template <class Cell>
struct Search::Sweep {
    static constexpr bool kWords = std::is_same_v<Cell, Word>;

    const Settings& settings;
    const Node<Cell>& shared;
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

    Sweep(const Search& search, const Node<Cell>& of, Size column, const Cell* from, const std::uint32_t* rows,
          SearchRoom<Cell>& memory, double least)
        : settings(search.settings_),
          shared(of),
          node(of.searched),
          bins(search.table_.bins(column)),
          cells(from),
          counts(rows),
          room(memory),
          monotone(search.monotone_.empty() ? 0 : search.monotone_[column]),
          best_gain(least) {}

    const Packing& packing() const { return *node.packing; }
    const Cell& missing() const { return cells[bins.count]; }
    bool some_missing() const { return !is_empty(missing()); }
    bool holds(Size bin) const { return counts != nullptr ? counts[bin] > 0 : !is_empty(cells[bin]); }
    Size rows_of(Size bin) const { return counts != nullptr ? counts[bin] : packing().rows(cells[bin]); }
    bool knows_rows() const { return counts != nullptr || packing().counts(); }

    // Are cuts judged many at a time?
    bool is_plain() const { return shared.is_plain && !bins.is_category() && monotone == 0 && counts == nullptr; }

    // The bins in which rows lie: their cells, and where it matters to all cuts which ones they are.
    void list_held() {
        at_least(room.held_cells, bins.count + kVector);
        if constexpr (kWords) {
            if (is_plain()) {
                n_held = boost_hot().compact(cells, bins.count, room.held_cells.data());
                return;
            }
        }
        at_least(room.held, bins.count + kVector);
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
        const bool plain = is_plain();
        const double most = plain ? judge_together(cuts) : judge_one_by_one(missing_left, cuts);
        fits |= most > kNone;
        const double gain = (plain ? most * packing().unit() : most) - node.worth;
        if (!(gain > best_gain) || !std::isfinite(gain)) return;
        const auto at =
            static_cast<Size>(std::find(room.scores.begin(), room.scores.end(), most) - room.scores.begin());
        take(gain, room.left[at], missing_left);
        best.cut = static_cast<std::uint32_t>(at);
    }

    // In steps. Of a node that counts its rows, and of which a leaf takes many, only the cuts in the middle matter.
    double judge_together(Size cuts) {
        if constexpr (kWords) {
            Size begin = 0, end = cuts;
            if (packing().counts()) {
                const auto rows = [&](Word left) { return packing().rows(left); };
                const Size least = settings.min_rows_leaf;
                while (begin < end && rows(room.left[begin]) < least) ++begin;
                while (end > begin && node.rows - rows(room.left[end - 1]) < least) --end;
            }
            if (begin == end) return kNone;
            std::fill_n(room.left.begin() + static_cast<std::ptrdiff_t>(cuts), kVector, node.total);
            std::fill_n(room.scores.begin(), begin, kNone);
            return boost_hot().judge(room.left.data() + begin, end - begin, &shared.by, room.scores.data() + begin);
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
FoundIn<Cell> Search::best(const Node<Cell>& node, Size column, const Cell* cells, const std::uint32_t* counts,
                           SearchRoom<Cell>& room, double least) const {
    Sweep<Cell> sweep(*this, node, column, cells, counts, room, least);
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

// A split of a column of numbers was found behind the bin of number split.cut among those in which rows lie.
template <class Cell>
void Search::settle(FoundIn<Cell>& split, const Cell* cells, const std::uint32_t* counts) const {
    const ColumnBins& bins = table_.bins(static_cast<Size>(split.column));
    const auto holds = [&](Size bin) { return counts != nullptr ? counts[bin] > 0 : !is_empty(cells[bin]); };
    Size last = 0;
    for (Size met = holds(0); met <= split.cut; met += holds(++last)) {
    }
    Size next = last + 1;
    while (next < bins.count && !holds(next)) ++next;
    if (next == bins.count) {  // values against missing ones
        split.cut = static_cast<std::uint32_t>(bins.count - 1);
        split.threshold = std::numeric_limits<double>::infinity();
    } else {  // of the empty bins between, half go either way: bins and values then say the same of any row
        split.cut = static_cast<std::uint32_t>((last + next - 1) / 2);
        split.threshold = bins.between(split.cut, split.cut + 1);
    }
}

// Columns of few bins are judged together, as one long column: a sparse table may have 50,000 of them, which then take
// a third of the time. The one that gains most, if any gains enough; the columns that are not judged go to `others`.
std::optional<std::uint32_t> Search::best_of_few(const Node<Word>& node, std::span<const std::uint32_t> columns,
                                                 const Word* of_table, SearchRoom<Word>& room,
                                                 std::vector<std::uint32_t>& others,
                                                 std::vector<std::uint32_t>& open) const {
    const SearchedNode<Word>& searched = node.searched;
    room.cuts.clear();
    room.column_of_cut.clear();
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
            if (sum == searched.total) continue;  // nothing is on the right
            room.cuts.push_back(sum);
            room.column_of_cut.push_back(column);
        }
    }
    const Size cuts = room.cuts.size();
    if (cuts == 0) return {};
    room.cuts.resize(cuts + kVector, searched.total);
    at_least(room.scores, cuts + kVector);
    boost_hot().judge(room.cuts.data(), cuts, &node.by, room.scores.data());
    double most = kNone;
    std::uint32_t best_column = 0;
    for (Size k = 0; k < cuts; ++k) {
        const std::uint32_t column = room.column_of_cut[k];
        if (room.scores[k] == kNone) continue;
        if (open.empty() || open.back() != column) open.push_back(column);
        if (const double worth = room.scores[k] * searched.packing->unit(); worth > most) {
            most = worth;
            best_column = column;
        }
    }
    return most - searched.worth > node.least_gain ? std::optional(best_column) : std::nullopt;
}

template <class Cell>
FoundIn<Cell> Search::best(const SearchedNode<Cell>& node, std::span<const std::uint32_t> columns, const Cell* of_table,
                           const std::uint32_t* counts, SearchRoom<Cell>& room,
                           std::vector<std::uint32_t>& open) const {
    FoundIn<Cell> found;
    open.reserve(columns.size());
    const Node<Cell> shared(*this, node);
    const auto counts_of = [&](Size column) {
        return counts == nullptr ? nullptr : counts + table_.first_cell(column);
    };
    const auto look = [&](std::uint32_t column, bool asks) {
        // Of equal gains that of the lower column counts.
        const double more = found && found.column < static_cast<std::int32_t>(column) ? found.gain : 0;
        FoundIn<Cell> f = best(shared, column, of_table + table_.first_cell(column), counts_of(column), room,
                               std::max(shared.least_gain, more));
        if (asks && !room.closed) open.push_back(column);
        if (better(f, found)) found = std::move(f);
    };
    bool looked = false;
    if constexpr (std::is_same_v<Cell, Word>) {
        if (counts == nullptr && shared.is_plain) {
            std::vector<std::uint32_t> others;
            others.reserve(columns.size());
            if (const auto few = best_of_few(shared, columns, of_table, room, others, open)) look(*few, false);
            const auto middle = static_cast<std::ptrdiff_t>(open.size());
            for (const std::uint32_t column : others) look(column, true);
            std::inplace_merge(open.begin(), open.begin() + middle, open.end());
            looked = true;
        }
    }
    if (!looked)
        for (const std::uint32_t column : columns) look(column, true);
    if (const auto column = static_cast<Size>(found.column); found && !table_.bins(column).is_category())
        settle(found, of_table + table_.first_cell(column), counts_of(column));
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
    const Node<Cell> shared(*this, node);
    const Sweep<Cell> sweep(*this, shared, column, cells, nullptr, room, 0);
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
            Judging by = shared.by;
            by.min_curvature = by.min_rows = 0;
            by.l2 = std::max(by.l2, 1e-9);
            boost_hot().judge(room.left.data(), count, &by, room.scores.data());
            const double unit = node.packing->unit();
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
    template void Search::add_worths(const SearchedNode<Cell>&, Size, const Cell*, std::span<double>,                \
                                     SearchRoom<Cell>&) const;                                                       \
    template FoundIn<Cell> Search::best(const SearchedNode<Cell>&, std::span<const std::uint32_t>, const Cell*,      \
                                        const std::uint32_t*, SearchRoom<Cell>&, std::vector<std::uint32_t>&) const; \
    template FoundIn<Cell> Search::split_at(Size, Size, const Cell*) const;
PELLUCID_SEARCH(Word)
PELLUCID_SEARCH(Sums)
#undef PELLUCID_SEARCH

}  // namespace pellucid::boosting

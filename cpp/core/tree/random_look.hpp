// The random splitter of extremely randomized trees (Geurts, Ernst, Wehenkel, 2006): one threshold a column, drawn
// uniformly between the least and the greatest value in the node; of categories a random subset; missing values to a
// random side. The best of the columns looked at is taken.
#pragma once

#include <cmath>

#include "core/tree/column_finder.hpp"
#include "core/tree/sweep.hpp"

namespace pellucid::tree {

template <Criterion C>
class RandomLook final : public Look<C> {
  public:
    RandomLook(const Problem& problem, const C& criterion, const RowSet<C>& rows, Workspaces&)
        : problem_(problem), c_(criterion), rows_(rows) {}

    Looked look(const Asked<C>& asked, Size column, Workspace& ws) const override {
        Looked out;
        out.constant = consider(asked, column, ws, out.split, 0);
        return out;
    }

    void find_one(const Asked<C>& asked, const Problem&, Workspace& ws) const override {
        Branch& branch = *asked.branch;
        if (branch.rows() == 2 && problem_.monotone.empty()) return part_two(asked, ws);
        const double blur = this->blur(branch);
        for_columns(problem_, branch, ws.order,
                    [&](Size column) { return consider(asked, column, ws, branch.split, blur); });
    }

    bool follows() const override { return false; }
    // Every node that holds an eighth of the rows of the last copy gets one of its own: its rows lie so close together
    // in the copy around it that the processor fetches them ahead. (Measured on 100,000 x 20, four columns drawn, a
    // busy machine: about 0.9 of the time of one copy of 1,638 rows.)
    void approach_one(const Branch& branch, std::span<std::uint32_t> rows, Workspace& ws) const override {
        auto& near = ws.near_values;
        near.leave(branch.begin, branch.end);
        if (rows.size() < kWorthACopy || !copying_pays()) return;
        if (rows.size() * kShrink > (near.rows() > 0 ? near.rows() : problem_.rows())) return;
        near.enter(branch.begin, rows, problem_.cols(), [&](Size j) { return cells(j, ws); });
    }
    // Where trees are grown side by side, one may be grown in larger pieces: they are copied twice.
    Size subtree_rows(Size usual) const override {
        if (problem_.threads > 1 || !copying_pays()) return usual;
        return std::max(usual, std::min(kShrink * usual, kMostCells / std::max<Size>(problem_.cols(), 1)));
    }
    // The gains of two columns that part the same rows in the same way differ by the order of their sums.
    double blur(const Branch& branch) const override { return 64 * kEps * branch.weight * branch.impurity; }
    auto sides(const Split& split, const Workspace& ws) const {
        return ValueSides(*problem_.columns, split, cells(static_cast<Size>(split.feature), ws));
    }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        move_rows(sides(branch.split, memory.task), branch, rows, memory, [](Size, std::uint32_t) {});
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return sides(split, ws).categories_among(rows);
    }

  private:
    static constexpr Size kShrink = 8, kWorthACopy = 128;
    static constexpr Size kMostCells = Size{1} << 18;  // of the largest copy: two megabytes

    bool copying_pays() const { return fetching_pays(problem_.cols(), problem_.settings.max_features); }

    struct Range {
        double least, most;
        Size missing;
    };

    // One cut of a column, kept where it beats the best so far. Is the column constant?
    bool consider(const Asked<C>& asked, Size column, Workspace& ws, Split& best, double blur) const {
        const Branch& branch = *asked.branch;
        const Size n = branch.rows();
        const Range range =
            problem_.columns->has_missing(column) ? fetch<true>(branch, column, ws) : fetch<false>(branch, column, ws);
        if (range.missing == n || (range.missing == 0 && range.least == range.most)) return true;
        if (range.least == range.most) return false;

        const Random random{problem_.seed, branch.key};
        const std::uint64_t at = stream_of(column);
        const bool missing_left = range.missing > 0 && (random.bits(at) & 1) != 0;
        const bool category = problem_.columns->is_category(column);
        const double threshold = category ? 0 : between(range.least, range.most, random.uniform(at + 1));
        std::vector<std::uint32_t> codes;
        if (category) codes = draw_subset(random, at + 1, {ws.values.data(), n});
        const Limits limits = limits_of(problem_, branch, column);
        const double* x = ws.values.data();
        double found;
        if (category)
            found = score(asked, limits, [&](Size i) {
                if (std::isnan(x[i])) return missing_left;
                return std::binary_search(codes.begin(), codes.end(), static_cast<std::uint32_t>(x[i]));
            });
        else if (missing_left)
            found = score(asked, limits, [=](Size i) { return !(x[i] > threshold); });
        else
            found = score(asked, limits, [=](Size i) { return x[i] <= threshold; });
        const auto feature = static_cast<std::int32_t>(column);
        if (!(found > kNone) || !beats(problem_, branch, found, feature, best, blur)) return false;
        best.score = found;
        best.feature = feature;
        best.has_missing = range.missing > 0;
        best.missing_left = missing_left;
        best.test = category ? Test::subset : Test::at_most;
        best.threshold = category ? std::numeric_limits<double>::quiet_NaN() : threshold;
        best.codes = std::move(codes);
        return false;
    }

    // A node of two rows: there are two ways to part them, and a column that tells them apart takes one or the other.
    // Both are scored once, and only the column that is taken draws its threshold.
    void part_two(const Asked<C>& asked, Workspace& ws) const {
        Branch& branch = *asked.branch;
        const double blur = this->blur(branch);
        const Limits limits = limits_of(problem_, branch, 0);
        const std::uint32_t *row = rows_.row.data() + branch.begin, first = row[0], second = row[1];
        double scores[2];  // of the ways in which the first row goes left and right
        for (Size way = 0; way < 2; ++way) scores[way] = score(asked, limits, [way](Size i) { return i == way; });
        Split& best = branch.split;
        bool drawn = true;  // the threshold of the best one
        for_columns(problem_, branch, ws.order, [&](Size column) {
            if (problem_.columns->is_category(column) || problem_.columns->has_missing(column)) {
                const std::int32_t before = best.feature;
                const bool constant = consider(asked, column, ws, best, blur);
                drawn |= best.feature != before;
                return constant;
            }
            const double* x = cells(column, ws);
            const double a = x[first], b = x[second], found = scores[a < b ? 0 : 1];
            const auto feature = static_cast<std::int32_t>(column);
            if (a == b) return true;
            if (!(found > kNone) || !beats(problem_, branch, found, feature, best, blur)) return false;
            best = Split{};
            best.score = found;
            best.feature = feature;
            best.test = Test::at_most;
            drawn = false;
            return false;
        });
        if (drawn) return;
        const auto column = static_cast<Size>(best.feature);
        const double *x = cells(column, ws), a = x[first], b = x[second];
        const Random random{problem_.seed, branch.key};
        best.threshold = between(std::min(a, b), std::max(a, b), random.uniform(stream_of(column) + 1));
    }

    // Numbers of a stream of their own: the node's column draws use the first ones of its stream.
    static std::uint64_t stream_of(Size column) { return (std::uint64_t{column} + 1) << 32; }

    // By the rows' numbers as they are now.
    const double* cells(Size column, const Workspace& ws) const {
        return ws.near_values.rows() > 0 ? ws.near_values.column(column) : problem_.columns->cells(column);
    }

    // The values of the node's rows into ws.values.
    template <bool kSomeMissing>
    Range fetch(const Branch& branch, Size column, Workspace& ws) const {
        const double* from = cells(column, ws);
        const std::uint32_t* row = rows_.row.data() + branch.begin;
        const Size n = branch.rows();
        if (ws.values.size() < n) ws.values.resize(n);
        double* x = ws.values.data();
        // A comparison with NaN is false: it changes neither end.
        Range out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
        double least[2] = {out.least, out.least}, most[2] = {out.most, out.most};
        const auto take = [&](Size i, Size lane) {
            const double v = x[i] = from[row[i]];
            least[lane] = v < least[lane] ? v : least[lane];
            most[lane] = v > most[lane] ? v : most[lane];
            if constexpr (kSomeMissing) out.missing += v != v;
        };
        Size i = 0;
        for (; i + 2 <= n; i += 2) {
            take(i, 0);
            take(i + 1, 1);
        }
        if (i < n) take(i, 0);
        out.least = std::min(least[0], least[1]);
        out.most = std::max(most[0], most[1]);
        return out;
    }

    // At least `low`, below `high`.
    static double between(double low, double high, double share) {
        const double threshold = low * (1 - share) + high * share;
        return threshold >= low && threshold < high ? threshold : low;
    }

    // Each category of the node by a coin; where all fall alike, the first one changes sides.
    static std::vector<std::uint32_t> draw_subset(const Random& random, std::uint64_t at, std::span<const double> x) {
        std::vector<std::uint32_t> codes, drawn;
        for (const double code : x)
            if (!std::isnan(code)) codes.push_back(static_cast<std::uint32_t>(code));
        std::sort(codes.begin(), codes.end());
        codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
        for (const std::uint32_t code : codes)
            if (random.bits(at + code) & 1) drawn.push_back(code);
        if (drawn.empty()) drawn.push_back(codes.front());
        if (drawn.size() == codes.size()) drawn.erase(drawn.begin());
        return drawn;
    }

    template <class Side>
    double score(const Asked<C>& asked, const Limits& limits, Side goes_left) const {
        const NodeRows<C> node = asked.node(rows_);
        const Size n = node.rows.size();
        typename C::Sweep sweep(c_, node);
        const Size left = move_left(sweep, n, goes_left);
        if (left < limits.min_rows || n - left < limits.min_rows) return kNone;
        if ((limits.min_weight > 0 || limits.monotone != 0) && !sweeping::Bounded{limits}(sweep)) return kNone;
        const double score = sweep.score();
        return score < -kNone ? score : kNone;  // no infinity, no NaN
    }

    // Moves the rows that go left; returns how many.
    template <class Side>
    static Size move_left(typename C::Sweep& sweep, Size n, Side goes_left) {
        if constexpr (requires { sweep.move_all(n, goes_left); }) {
            return sweep.move_all(n, goes_left);
        } else {
            Size left = 0;
            for (Size i = 0; i < n; ++i)
                if (goes_left(i)) {
                    sweep.move(i);
                    ++left;
                }
            return left;
        }
    }

    const Problem& problem_;
    const C& c_;
    const RowSet<C>& rows_;
};

}  // namespace pellucid::tree

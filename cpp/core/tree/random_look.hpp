// The random splitter of extremely randomised trees (Geurts, Ernst, Wehenkel, 2006): one threshold a column, drawn
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
        const Branch& branch = *asked.branch;
        const Size n = branch.rows();
        const Range range =
            problem_.columns->has_missing(column) ? fetch<true>(branch, column, ws) : fetch<false>(branch, column, ws);
        Looked out;
        out.constant = range.missing == n || (range.missing == 0 && range.least == range.most);
        if (out.constant || range.least == range.most) return out;

        // Numbers of a stream of their own: the node's column draws use the first ones of its stream.
        const Random random{problem_.seed, branch.key};
        const std::uint64_t at = (std::uint64_t{column} + 1) << 32;
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
        if (!(found > kNone)) return out;
        out.split.score = found;
        out.split.feature = static_cast<std::int32_t>(column);
        out.split.has_missing = range.missing > 0;
        out.split.missing_left = missing_left;
        out.split.test = category ? Test::subset : Test::at_most;
        if (category)
            out.split.codes = std::move(codes);
        else
            out.split.threshold = threshold;
        return out;
    }

    void approach(std::span<std::uint32_t> rows, Workspace& ws) const override {
        if (!fetching_pays(problem_.cols(), problem_.settings.max_features)) return;
        ws.near_values.fetch(rows, problem_.cols(), [&](Size j) { return problem_.columns->cells(j); });
    }
    // The gains of two columns that part the same rows in the same way differ by the order of their sums.
    double blur(const Branch& branch) const override { return 64 * kEps * branch.weight * branch.impurity; }
    auto sides(const Split& split, const Workspace& ws) const {
        return ValueSides(*problem_.columns, split, cells(static_cast<Size>(split.feature), ws));
    }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override {
        part_rows(sides(branch.split, memory.task), branch, rows, memory);
    }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return sides(split, ws).categories_among(rows);
    }

  private:
    struct Range {
        double least, most;
        Size missing;
    };

    // By the rows' numbers as they are now.
    const double* cells(Size column, const Workspace& ws) const {
        return ws.near_values.rows > 0 ? ws.near_values.column(column) : problem_.columns->cells(column);
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

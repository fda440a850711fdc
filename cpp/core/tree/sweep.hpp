// The best cut of a node along a column: one way through its rows in the order of the column's values.
#pragma once

#include <span>

#include "core/tree/criterion.hpp"
#include "core/tree/workspace.hpp"

namespace pellucid::tree {

// Entries of a node in a column: those with a value, in rising order, then those without.
struct Ordered {
    std::span<const Entry> present, missing;
    Size begin = 0;  // position of the node's first row

    Size rows() const { return present.size() + missing.size(); }
};

struct Cut {
    double score = kNone;
    Size after = 0;             // so many entries of `present` go left
    bool missing_left = false;  // and the missing ones, where there are any

    explicit operator bool() const { return score > kNone; }
};

namespace sweeping {

struct Free {
    template <class Sweep>
    bool operator()(const Sweep&) const {
        return true;
    }
};

struct Bounded {
    const Limits& limits;
    template <class Sweep>
    bool operator()(const Sweep& s) const {
        if (s.weight_left() < limits.min_weight || s.weight_right() < limits.min_weight) return false;
        return limits.monotone == 0 || limits.allow(s.answer_left(), s.answer_right());
    }
};

// Goes through the present entries, with the missing ones on one side. The last cut, behind all present entries, counts
// where missing ones are on the other. The sweep lives here, so that its sums stay in registers.
template <class C, class Allow>
Cut scan(const C& criterion, const NodeRows<C>& node, const Ordered& in, bool missing_left, Size min_rows, Allow allow,
         Cut best) {
    const Size rows = in.rows(), n = in.present.size(), started = missing_left ? in.missing.size() : 0;
    if (rows < 2 * min_rows || rows < started + min_rows) return best;
    // Cut k lies behind entry k - 1. Both sides have min_rows rows from k = first on, up to k = most.
    const Size first = started >= min_rows ? 1 : min_rows - started;
    const Size most = rows - min_rows - started;
    const Size last = std::min(most, n - 1);
    typename C::Sweep sweep(criterion, node);
    if (missing_left)
        for (const Entry& e : in.missing) sweep.move(e.place - in.begin);
    const Entry* e = in.present.data();
    const Size begin = in.begin;
    const auto consider = [&](Size k) {
        const double score = sweep.score();
        if (score > best.score && score < -kNone && allow(sweep)) best = {score, k, missing_left};
    };
    Size k = 0;
    while (k + 1 < first && k < n) sweep.move(e[k++].place - begin);
    while (k < last) {
        sweep.move(e[k].place - begin);
        ++k;
        if (e[k].rank != e[k - 1].rank) consider(k);
    }
    if (started == 0 && first <= n && n <= most && n < rows) {
        while (k < n) sweep.move(e[k++].place - begin);
        consider(n);
    }
    return best;
}

template <class C, class Allow>
Cut best_cut(const C& criterion, const NodeRows<C>& node, const Ordered& in, Size min_rows, Allow allow) {
    const Cut best = scan(criterion, node, in, false, min_rows, allow, Cut{});
    return in.missing.empty() ? best : scan(criterion, node, in, true, min_rows, allow, best);
}

}  // namespace sweeping

// Of equal cuts the first; missing values to the right come before missing values to the left. At least one entry is
// present.
template <Criterion C>
Cut best_cut(const C& criterion, const NodeRows<C>& node, const Ordered& in, const Limits& limits) {
    if (limits.min_weight > 0 || limits.monotone != 0)
        return sweeping::best_cut(criterion, node, in, limits.min_rows, sweeping::Bounded{limits});
    return sweeping::best_cut(criterion, node, in, limits.min_rows, sweeping::Free{});
}

}  // namespace pellucid::tree

// Split finders that look at one column of a node at a time.
//
// Where all columns are looked at, every pair of node and column is a task. Where columns are drawn, each node draws
// them one after the other without replacement, until `max_features` of them were not constant in the node; what is
// drawn hangs on the seed and on the node's way from the root, not on the order in which nodes are grown.
#pragma once

#include <algorithm>
#include <numeric>

#include "core/tree/branch.hpp"
#include "core/tree/sides.hpp"
#include "core/tree/workspace.hpp"

namespace pellucid::tree {

// What a look at a column of a node found.
struct Looked {
    Split split;
    bool constant = false;  // one value or one category only, and nothing missing; or everything missing
};

// Of two proposals for a node the better one; of equal ones that of the lower column. Scores that lie no further apart
// than `blur` are equal.
inline void keep_better(Split& best, Split&& other, double blur = 0) {
    if (!other) return;
    const bool better =
        other.feature < best.feature ? other.score >= best.score - blur : other.score > best.score + blur;
    if (!best || better) best = std::move(other);
}

inline Limits limits_of(const Problem& problem, const Branch& branch, Size column) {
    Limits out;
    out.min_rows = std::max<Size>(problem.settings.min_rows_leaf, 1);
    out.min_weight = problem.settings.min_weight_leaf;
    out.lower = branch.lower;
    out.upper = branch.upper;
    out.monotone = problem.monotone.empty() ? 0 : problem.monotone[column];
    return out;
}

// Columns in a random order, made as far as it is asked for. `order` is memory for it, of any contents.
class Draw {
  public:
    Draw(Size columns, Random random, std::vector<std::uint32_t>& order) : random_(random), order_(order) {
        order_.resize(columns);
        std::iota(order_.begin(), order_.end(), 0u);
    }
    bool any() const { return drawn_ < order_.size(); }
    Size next() {
        std::swap(order_[drawn_], order_[drawn_ + random_.below(drawn_, order_.size() - drawn_)]);
        return order_[drawn_++];
    }

  private:
    Random random_;
    std::vector<std::uint32_t>& order_;
    Size drawn_ = 0;
};

// Look: look(asked, column, workspace) -> Looked;  follow(divisions, threads, workspaces);  sides(split, workspace);
// and where it has something to do there follow_one(division, workspace), approach(rows, workspace), complete(branch,
// workspace) once a split is chosen, and blur(branch): how far scores of equal splits may lie apart.
template <Criterion C, class Look>
class ColumnFinder {
  public:
    using Kept = Nothing;
    using AskedNode = Asked<C, Nothing>;

    ColumnFinder(const Problem& problem, const C& criterion, const RowSet<C>& rows)
        : problem_(problem), look_(problem, criterion, rows, workspaces_) {}

    void find(std::span<const AskedNode> asked, int threads) {
        if (problem_.settings.max_features >= problem_.candidates())
            look_at_all(asked, threads);
        else
            look_at_drawn(asked, threads);
        if constexpr (kCompletes)
            for_tasks(asked.size(), rows_of(asked) * problem_.cols(), threads, workspaces_, [&](Size i, Workspace& ws) {
                if (asked[i].branch->split) look_.complete(*asked[i].branch, ws);
            });
    }
    void follow(std::span<const Division<C, Nothing>> divisions, int threads) {
        look_.follow(divisions, threads, workspaces_);
    }
    auto sides(const Split& split, const Workspace& ws) const { return look_.sides(split, ws); }

    void approach(std::span<std::uint32_t> rows, Workspace& ws) {
        if constexpr (requires { look_.approach(rows, ws); }) look_.approach(rows, ws);
    }
    void find_one(const AskedNode& asked, Workspace& ws) {
        const Size cols = problem_.candidates();
        Branch& branch = *asked.branch;
        const double blur = blur_of(branch);
        const auto constant = [&](Size k) {
            Looked found = look_.look(asked, problem_.candidate(k), ws);
            keep_better(branch.split, std::move(found.split), blur);
            return found.constant;
        };
        Size lacking = problem_.settings.max_features;
        if (lacking >= cols) {
            for (Size j = 0; j < cols; ++j) constant(j);
        } else {
            Draw draw(cols, Random{problem_.seed, branch.key}, ws.order);
            while (lacking > 0 && draw.any()) lacking -= !constant(draw.next());
        }
        if constexpr (kCompletes)
            if (branch.split) look_.complete(branch, ws);
    }
    void follow_one(const Division<C, Nothing>& division, Workspace& ws) {
        if constexpr (requires { look_.follow_one(division, ws); }) look_.follow_one(division, ws);
    }

  private:
    static constexpr bool kCompletes =
        requires(const Look& look, Branch& branch, Workspace& ws) { look.complete(branch, ws); };

    double blur_of(const Branch& branch) const {
        if constexpr (requires { look_.blur(branch); }) return look_.blur(branch);
        return 0;
    }

    void look_at_all(std::span<const AskedNode> asked, int threads) {
        const Size cols = problem_.candidates();
        std::vector<Looked> found(asked.size() * cols);
        for_tasks(found.size(), rows_of(asked) * cols, threads, workspaces_, [&](Size task, Workspace& ws) {
            found[task] = look_.look(asked[task / cols], problem_.candidate(task % cols), ws);
        });
        for (Size task = 0; task < found.size(); ++task) keep(*asked[task / cols].branch, found[task]);
    }

    // In rounds: every node draws as many columns as it still lacks.
    void look_at_drawn(std::span<const AskedNode> asked, int threads) {
        const Size cols = problem_.candidates();
        std::vector<Draw> draws;
        std::vector<std::vector<std::uint32_t>> orders(asked.size());
        std::vector<Size> lacking(asked.size(), problem_.settings.max_features);
        for (Size i = 0; i < asked.size(); ++i)
            draws.emplace_back(cols, Random{problem_.seed, asked[i].branch->key}, orders[i]);
        struct Task {
            Size node, column;
            Looked found;
        };
        std::vector<Task> tasks;
        do {
            tasks.clear();
            Size rows = 0;
            for (Size i = 0; i < asked.size(); ++i)
                for (Size k = 0; k < lacking[i] && draws[i].any(); ++k, rows += asked[i].branch->rows())
                    tasks.push_back({i, problem_.candidate(draws[i].next()), {}});
            for_tasks(tasks.size(), rows, threads, workspaces_, [&](Size t, Workspace& ws) {
                tasks[t].found = look_.look(asked[tasks[t].node], tasks[t].column, ws);
            });
            for (Task& task : tasks) {
                if (!task.found.constant) --lacking[task.node];
                keep(*asked[task.node].branch, task.found);
            }
        } while (!tasks.empty());
    }

    void keep(Branch& branch, Looked& found) const {
        keep_better(branch.split, std::move(found.split), blur_of(branch));
    }
    static Size rows_of(std::span<const AskedNode> asked) {
        Size rows = 0;
        for (const AskedNode& a : asked) rows += a.branch->rows();
        return rows;
    }

    const Problem& problem_;
    Workspaces workspaces_;
    Look look_;
};

}  // namespace pellucid::tree

// Split finders that look at one column of a node at a time.
//
// Where all columns are looked at, every pair of node and column is a task. Where columns are drawn, each node draws
// them one after the other without replacement, until `max_features` of them were not constant in the node; what is
// drawn hangs on the seed and on the node's way from the root, not on the order in which nodes are grown.
#pragma once

#include <algorithm>
#include <numeric>

#include "core/tree/finder.hpp"

namespace pellucid::tree {

// What a look at a column of a node found.
struct Looked {
    Split split;
    bool constant = false;  // one value or one category only, and nothing missing; or everything missing
};

// Of two proposals for a node the better one. Scores that lie no further apart than `blur` are equal: of equal ones
// that of the lower column, or of the one that chance puts first at this node.
inline bool beats(const Problem& problem, const Branch& branch, double score, std::int32_t feature, const Split& best,
                  double blur) {
    if (!best || score > best.score + blur) return true;
    if (!(score >= best.score - blur)) return false;
    if (!problem.settings.draw_ties) return feature < best.feature;
    const auto rank = [&](std::int32_t f) {
        return key_of_child(branch.key ^ problem.seed, static_cast<std::uint64_t>(f) + 2);
    };
    return rank(feature) < rank(best.feature);
}
inline void keep_better(const Problem& problem, const Branch& branch, Split& best, Split&& other, double blur = 0) {
    if (other && beats(problem, branch, other.score, other.feature, best, blur)) best = std::move(other);
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

// constant(column) for all columns, or for those that a node draws.
template <class Constant>
void for_columns(const Problem& problem, const Branch& branch, std::vector<std::uint32_t>& order, Constant&& constant) {
    const Size cols = problem.candidates();
    Size lacking = problem.settings.max_features;
    if (lacking >= cols) {
        for (Size k = 0; k < cols; ++k) constant(problem.candidate(k));
        return;
    }
    Draw draw(cols, Random{problem.seed, branch.key}, order);
    while (lacking > 0 && draw.any()) lacking -= !constant(problem.candidate(draw.next()));
}

// A way of looking at one column of a node.
template <Criterion C>
class Look : public Parting<C> {
  public:
    virtual Looked look(const Asked<C>& asked, Size column, Workspace& workspace) const = 0;
    // The best of all columns, or of those that the node draws.
    virtual void find_one(const Asked<C>& asked, const Problem& problem, Workspace& ws) const {
        Branch& branch = *asked.branch;
        const double blur = this->blur(branch);
        for_columns(problem, branch, ws.order, [&](Size column) {
            Looked found = look(asked, column, ws);
            keep_better(problem, branch, branch.split, std::move(found.split), blur);
            return found.constant;
        });
    }
    virtual bool follows() const { return true; }
    virtual void follow(std::span<const Division<C>>, int, Workspaces&) {}
    virtual void follow_one(const Division<C>&, Workspace&) {}
    virtual void approach(std::span<std::uint32_t>, Workspace&) const {}
    virtual void approach_one(const Branch&, std::span<std::uint32_t>, Workspace&) const {}
    virtual Size subtree_rows(Size usual) const { return usual; }
    // Once a split is chosen.
    virtual bool completes() const { return false; }
    virtual void complete(Branch&, Workspace&) const {}
    // How far scores of equal splits may lie apart.
    virtual double blur(const Branch&) const { return 0; }
};

template <Criterion C>
class ColumnFinder final : public Finder<C> {
  public:
    using AskedNode = Asked<C>;

    // make(workspaces) -> what looks at a column
    template <class Make>
    ColumnFinder(const Problem& problem, Make&& make) : problem_(problem), look_(make(workspaces_)) {}

    void find(std::span<const AskedNode> asked, int threads) override {
        if (problem_.settings.max_features >= problem_.candidates())
            look_at_all(asked, threads);
        else
            look_at_drawn(asked, threads);
        if (look_->completes())
            for_tasks(asked.size(), rows_of(asked) * problem_.cols(), threads, workspaces_, [&](Size i, Workspace& ws) {
                if (asked[i].branch->split) look_->complete(*asked[i].branch, ws);
            });
    }
    void follow(std::span<const Division<C>> divisions, int threads) override {
        look_->follow(divisions, threads, workspaces_);
    }
    void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const override { look_->part(branch, rows, memory); }
    std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                          const Workspace& ws) const override {
        return look_->categories(split, rows, ws);
    }

    void approach(std::span<std::uint32_t> rows, Workspace& ws) override { look_->approach(rows, ws); }
    void approach_one(const Branch& branch, std::span<std::uint32_t> rows, Workspace& ws) override {
        look_->approach_one(branch, rows, ws);
    }
    bool follows() const override { return look_->follows(); }
    Size subtree_rows(Size usual) const override { return look_->subtree_rows(usual); }
    void find_one(const AskedNode& asked, Workspace& ws) override {
        look_->find_one(asked, problem_, ws);
        if (asked.branch->split) look_->complete(*asked.branch, ws);
    }
    void follow_one(const Division<C>& division, Workspace& ws) override { look_->follow_one(division, ws); }

  private:
    void look_at_all(std::span<const AskedNode> asked, int threads) {
        const Size cols = problem_.candidates();
        std::vector<Looked> found(asked.size() * cols);
        for_tasks(found.size(), rows_of(asked) * cols, threads, workspaces_, [&](Size task, Workspace& ws) {
            found[task] = look_->look(asked[task / cols], problem_.candidate(task % cols), ws);
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
                tasks[t].found = look_->look(asked[tasks[t].node], tasks[t].column, ws);
            });
            for (Task& task : tasks) {
                if (!task.found.constant) --lacking[task.node];
                keep(*asked[task.node].branch, task.found);
            }
        } while (!tasks.empty());
    }

    void keep(Branch& branch, Looked& found) const {
        keep_better(problem_, branch, branch.split, std::move(found.split), look_->blur(branch));
    }
    static Size rows_of(std::span<const AskedNode> asked) {
        Size rows = 0;
        for (const AskedNode& a : asked) rows += a.branch->rows();
        return rows;
    }

    const Problem& problem_;
    Workspaces workspaces_;
    std::unique_ptr<Look<C>> look_;
};

}  // namespace pellucid::tree

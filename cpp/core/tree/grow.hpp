// The growing of a tree: criterion x split finder x order of growth x stopping.
//
//   open the root; while nodes wait: take some, split them, look for splits of their children, let those wait that
//   found one.
//
// Level by level all waiting nodes are taken at once; best first the one with the greatest improvement. A node that is
// small enough is set aside with everything below it: its subtree is grown by one thread, in one go, while its rows are
// in the cache. The tree does not depend on any of this but on best-first order under max_leaves.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <tuple>

#include "core/tree/finder.hpp"

namespace pellucid::tree {

// Nodes that stay where they are when more are added.
class Branches {
  public:
    Branches() = default;
    Branches(std::initializer_list<Branch> branches) {
        for (const Branch& branch : branches) push_back(branch);
    }
    Size size() const { return size_; }
    Branch& operator[](Size i) { return runs_[i / kRun][i % kRun]; }
    const Branch& operator[](Size i) const { return runs_[i / kRun][i % kRun]; }
    Branch& push_back(Branch branch) {
        if (size_ % kRun == 0) runs_.emplace_back().reserve(kRun);
        ++size_;
        return runs_.back().emplace_back(std::move(branch));
    }
    template <class Ask>
    bool any(Ask&& ask) const {
        return std::any_of(runs_.begin(), runs_.end(),
                           [&](const auto& run) { return std::any_of(run.begin(), run.end(), ask); });
    }

  private:
    static constexpr Size kRun = 64;
    std::vector<std::vector<Branch>> runs_;
    Size size_ = 0;
};

// The tree as it was grown: nodes in any order, parents before children, children side by side.
struct Grown {
    Branches branches;
    std::vector<double> values;  // outputs() a node
};

// In level order, as the readers of trees want it. unit: of the impurities.
Nodes lay_out(const Grown& grown, const Columns& columns, Size width, double unit);

template <Criterion C>
class Grower {
  public:
    Grower(const Problem& problem, const C& criterion, RowSet<C> rows)
        : problem_(problem), settings_(problem.settings), c_(criterion), rows_(std::move(rows)) {}

    // make(problem, criterion, row set) -> the finder
    template <class Make>
    Nodes grow(Make&& make) {
        Figures all = describe(0, rows_.count());
        total_weight_ = all.weight;
        finder_ = make(problem_, c_, rows_);
        if (finder_->follows()) rows_.new_place.resize(rows_.count());
        return grow_all(std::move(all));
    }

  private:
    Nodes grow_all(Figures&& all) {
        Grown tree;
        std::vector<Waiting> opened;
        Branch root;
        root.end = rows_.count();
        add(tree, std::move(root), std::move(all), opened);
        if (settings_.max_leaves > 0)
            grow_best_first(tree, std::move(opened));
        else
            grow_by_level(tree, std::move(opened));
        return lay_out(tree, *problem_.columns, c_.outputs(), c_.unit());
    }

    using OpenNode = Open<C>;
    struct Waiting {
        Branch* branch;
        std::unique_ptr<OpenNode> open;
    };

    // ------------------------------------------------------------------------------------------------------- order

    void grow_by_level(Grown& tree, std::vector<Waiting> opened) {
        const Size small = finder_->subtree_rows(
            std::clamp(kCacheEntries / std::max<Size>(problem_.cols(), 1), Size{256}, Size{8192}));
        std::vector<Waiting> level, alone;
        const auto sort_out = [&] {
            for (Waiting& w : opened) (w.branch->rows() <= small ? alone : level).push_back(std::move(w));
        };
        sort_out();
        while (!level.empty()) {
            seek(level, problem_.threads);
            opened = divide(tree, level, problem_.threads);
            level.clear();
            sort_out();
        }
        grow_alone(tree, alone);
    }

    void grow_best_first(Grown& tree, std::vector<Waiting> opened) {
        // Of equal improvements the node that was met first.
        const auto worse = [](const Waiting& a, const Waiting& b) {
            if (a.branch->improvement != b.branch->improvement) return a.branch->improvement < b.branch->improvement;
            return a.branch->serial > b.branch->serial;
        };
        std::vector<Waiting> heap;
        for (Size leaves = 1; leaves < settings_.max_leaves; ++leaves) {
            seek(opened, problem_.threads);
            for (Waiting& w : opened) {
                if (!w.branch->split) continue;
                heap.push_back(std::move(w));
                std::push_heap(heap.begin(), heap.end(), worse);
            }
            if (heap.empty()) break;
            std::pop_heap(heap.begin(), heap.end(), worse);
            std::vector<Waiting> taken;
            taken.push_back(std::move(heap.back()));
            heap.pop_back();
            opened = divide(tree, taken, problem_.threads);
        }
        for (Size i = 0; i < tree.branches.size(); ++i)
            if (tree.branches[i].first_child < 0) tree.branches[i].split = Split{};
    }

    void grow_alone(Grown& tree, std::vector<Waiting>& roots) {
        Size rows = 0;
        for (const Waiting& w : roots) rows += w.branch->rows();
        if (problem_.threads == 1 || rows * problem_.cols() < kWorthAThread) {
            for (Waiting& root : roots) grow_subtree(tree, std::move(root));
            return;
        }
        std::mutex grafting;
        parallel_for(roots.size(), problem_.threads, [&](Size i) {
            Grown own;
            Branch& root = own.branches.push_back(std::move(*roots[i].branch));
            root.serial = 0;
            own.values.resize(c_.outputs());
            grow_subtree(own, {&root, std::move(roots[i].open)});
            const std::lock_guard lock(grafting);
            graft(tree, *roots[i].branch, own);
        });
    }

    void grow_subtree(Grown& tree, Waiting root) {
        const auto loan = workspaces_.lend();
        Workspace& task = loan->task;
        finder_->approach(rows_of(*root.branch), task);
        std::vector<Waiting> stack;
        stack.push_back(std::move(root));
        for (Size turn = 0; !stack.empty(); ++turn) {
            if (turn % 64 == 0) check_interrupt();
            const Waiting node = std::move(stack.back());
            stack.pop_back();
            finder_->approach_one(*node.branch, rows_of(*node.branch), task);
            finder_->find_one({node.branch, node.open.get()}, task);
            if (!node.branch->split) continue;
            settle(*node.branch, *node.open, *loan);
            if (!node.branch->split) continue;
            finder_->follow_one(carry_out(tree, node, stack), task);
        }
        task.near_ranks.rows = 0;
        task.near_values.leave();
    }

    // The nodes of a subtree behind those of the tree; its root takes the place of the node it was grown from. The
    // order in which subtrees come does not show in the tree as it is laid out.
    void graft(Grown& tree, Branch& at, Grown& subtree) const {
        const auto shift = static_cast<std::int32_t>(tree.branches.size()) - 1;
        const std::int32_t here = at.serial;
        for (Size i = 0; i < subtree.branches.size(); ++i) {
            Branch& branch = subtree.branches[i];
            if (branch.first_child > 0) branch.first_child += shift;
            if (i == 0) {
                branch.serial = here;
                branch.parent = at.parent;
                at = std::move(branch);
                continue;
            }
            branch.parent = branch.parent == 0 ? here : branch.parent + shift;
            branch.serial += shift;
            tree.branches.push_back(std::move(branch));
        }
        tree.values.insert(tree.values.end(), subtree.values.begin() + static_cast<std::ptrdiff_t>(c_.outputs()),
                           subtree.values.end());
    }

    // ------------------------------------------------------------------------------------------------------- steps

    // Looks for the best split of each node; one that is not worth it is dropped.
    void seek(std::span<Waiting> nodes, int threads) {
        check_interrupt();
        std::vector<Asked<C>> asked;
        for (Waiting& w : nodes) asked.push_back({w.branch, w.open.get()});
        finder_->find(asked, threads);
        const auto settle_one = [&](Size i) {
            if (!nodes[i].branch->split) return;
            const auto loan = workspaces_.lend();
            settle(*nodes[i].branch, *nodes[i].open, *loan);
        };
        if (threads > 1 && nodes.size() > 1)
            parallel_for(nodes.size(), threads, settle_one);
        else
            for (Size i = 0; i < nodes.size(); ++i) settle_one(i);
    }

    // Moves the rows of a node to their sides and measures both.
    void settle(Branch& branch, OpenNode& open, Memory<C>& memory) {
        finder_->part(branch, rows_, memory);
        open.left = describe(branch.begin, branch.middle);
        open.right = describe(branch.middle, branch.end);
        const double w = branch.weight;
        branch.improvement =
            w / total_weight_ *
            (branch.impurity - open.right.weight / w * open.right.impurity - open.left.weight / w * open.left.impurity);
        if (settings_.min_decrease > 0 && branch.improvement * c_.unit() + kEps < settings_.min_decrease)
            branch.split = Split{};
        else if (branch.split.test == Test::subset)
            branch.split.right_codes = finder_->categories(
                branch.split, std::span(rows_.row).subspan(branch.middle, branch.end - branch.middle), memory.task);
    }

    // Carries out the splits, and opens those children that may be split further.
    std::vector<Waiting> divide(Grown& tree, std::span<Waiting> nodes, int threads) {
        std::vector<Waiting> opened;
        std::vector<Division<C>> divisions;
        opened.reserve(2 * nodes.size());
        for (Waiting& w : nodes) {
            if (w.branch->split) divisions.push_back(carry_out(tree, w, opened));
        }
        finder_->follow(divisions, threads);
        return opened;
    }

    Division<C> carry_out(Grown& tree, const Waiting& node, std::vector<Waiting>& opened) {
        Branch& parent = *node.branch;
        Branch left = child(parent, 0), right = child(parent, 1);
        bound(parent, *node.open, left, right);
        parent.first_child = static_cast<std::int32_t>(tree.branches.size());
        Division<C> d;
        d.parent = &parent;
        d.parent_open = node.open.get();
        std::tie(d.left, d.left_open) = add(tree, std::move(left), std::move(node.open->left), opened);
        std::tie(d.right, d.right_open) = add(tree, std::move(right), std::move(node.open->right), opened);
        return d;
    }

    // A new node; the second is null where the node stays a leaf.
    std::pair<const Branch*, OpenNode*> add(Grown& tree, Branch&& branch, Figures&& figures,
                                            std::vector<Waiting>& opened) {
        branch.weight = figures.weight;
        branch.impurity = figures.impurity;
        const bool pure = settings_.stop_on_pure && c_.pure(figures.sums.data(), figures.impurity);
        branch.serial = static_cast<std::int32_t>(tree.branches.size());
        tree.values.resize(tree.values.size() + c_.outputs());
        c_.value(figures.sums.data(), branch.lower, branch.upper,
                 tree.values.data() + tree.values.size() - c_.outputs());
        Branch& kept = tree.branches.push_back(std::move(branch));
        if (pure || stays_leaf(kept)) return {&kept, nullptr};
        auto open = std::make_unique<OpenNode>();
        open->sums = std::move(figures.sums);
        open->prepared = c_.prepare(std::span(rows_.what).subspan(kept.begin, kept.rows()));
        opened.push_back({&kept, std::move(open)});
        return {&kept, opened.back().open.get()};
    }

    bool stays_leaf(const Branch& b) const {
        return b.depth >= settings_.max_depth || b.rows() < settings_.min_rows_split ||
               b.rows() < 2 * std::max<Size>(settings_.min_rows_leaf, 1) || b.weight < 2 * settings_.min_weight_leaf;
    }

    static Branch child(const Branch& parent, std::uint64_t side) {
        Branch out;
        out.begin = side == 0 ? parent.begin : parent.middle;
        out.end = side == 0 ? parent.middle : parent.end;
        out.depth = parent.depth + 1;
        out.key = key_of_child(parent.key, side);
        out.parent = parent.serial;
        out.lower = parent.lower;
        out.upper = parent.upper;
        return out;
    }

    // Below a split on a monotone column, what one side answers stays below the middle of both answers, what the other
    // answers above it.
    void bound(const Branch& parent, const OpenNode& open, Branch& left, Branch& right) const {
        const int monotone = problem_.monotone.empty() ? 0 : problem_.monotone[static_cast<Size>(parent.split.feature)];
        if (monotone == 0) return;
        const double middle = c_.answer(open.left.sums.data()) / 2 + c_.answer(open.right.sums.data()) / 2;
        (monotone > 0 ? left : right).upper = middle;
        (monotone > 0 ? right : left).lower = middle;
    }

    // -------------------------------------------------------------------------------------------------------- rows

    std::span<std::uint32_t> rows_of(const Branch& branch) {
        return std::span(rows_.row).subspan(branch.begin, branch.rows());
    }

    Figures describe(Size begin, Size end) const {
        Figures out;
        out.sums.resize(c_.width());
        out.impurity = c_.describe(std::span(rows_.what).subspan(begin, end - begin), out.sums.data());
        out.weight = c_.weight(out.sums.data());
        return out;
    }

    static constexpr Size kCacheEntries = 32768;  // of 8 bytes: half of a second-level cache
    static constexpr Size kWorthAThread = 20000;  // rows times columns

    const Problem& problem_;
    const Settings& settings_;
    const C& c_;
    RowSet<C> rows_;
    std::unique_ptr<Finder<C>> finder_;
    Shelf<Memory<C>> workspaces_;
    double total_weight_ = 0;
};

}  // namespace pellucid::tree

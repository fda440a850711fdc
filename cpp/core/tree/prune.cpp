#include "core/tree/prune.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace pellucid::tree {
namespace {

using Link = std::pair<double, std::int32_t>;  // g of a node when it was last looked at, and the node
using Heap = std::priority_queue<Link, std::vector<Link>, std::greater<>>;

class Pruner {
  public:
    Pruner(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
           std::span<const std::int32_t> n_children, std::span<const double> risk)
        : parent_(parent),
          first_child_(first_child),
          n_children_(n_children),
          risk_(risk),
          below_(risk.begin(), risk.end()),
          leaves_(risk.size(), 1),
          inner_(risk.size(), 0) {
        for (Size i = 0; i < risk.size(); ++i) {
            if (n_children[i] == 0) continue;
            inner_[i] = 1;
            below_[i] = 0;
            leaves_[i] = 0;
        }
        for (Size i = risk.size(); i-- > 1;) {  // children before parents
            const auto up = static_cast<Size>(parent[i]);
            below_[up] += below_[i];
            leaves_[up] += leaves_[i];
        }
    }

    PruningPath run() {
        Heap heap = all_links();
        PruningPath path;
        while (!heap.empty()) {
            const auto [g, node] = heap.top();
            heap.pop();
            const auto t = static_cast<Size>(node);
            if (!inner_[t]) continue;  // it is gone, or a leaf by now
            // g of a node only grows while nodes below it become leaves, so that an old one is a lower bound.
            const double now = link(t);
            if (now > g) {
                heap.emplace(now, node);
                continue;
            }
            make_leaf(t);
            const double before = path.alpha.empty() ? 0.0 : path.alpha.back();
            path.node.push_back(node);
            path.alpha.push_back(std::max(before, now));
            path.risk.push_back(below_[0]);
            path.leaves.push_back(leaves_[0]);
        }
        return path;
    }

  private:
    double link(Size t) const { return (risk_[t] - below_[t]) / static_cast<double>(leaves_[t] - 1); }

    Heap all_links() const {
        std::vector<Link> links;
        for (Size i = 0; i < risk_.size(); ++i)
            if (inner_[i]) links.emplace_back(link(i), static_cast<std::int32_t>(i));
        return Heap(std::greater<>(), std::move(links));
    }

    void make_leaf(Size t) {
        const double more = risk_[t] - below_[t];
        const std::int64_t fewer = leaves_[t] - 1;
        forget_below(t);
        below_[t] = risk_[t];
        leaves_[t] = 1;
        for (std::int32_t up = parent_[t]; up >= 0; up = parent_[static_cast<Size>(up)]) {
            below_[static_cast<Size>(up)] += more;
            leaves_[static_cast<Size>(up)] -= fewer;
        }
    }

    // Every inner node is forgotten once.
    void forget_below(Size t) {
        waiting_.assign(1, t);
        while (!waiting_.empty()) {
            const Size node = waiting_.back();
            waiting_.pop_back();
            inner_[node] = 0;
            const auto first = static_cast<Size>(first_child_[node]);
            for (Size child = first; child < first + static_cast<Size>(n_children_[node]); ++child)
                if (inner_[child]) waiting_.push_back(child);
        }
    }

    std::span<const std::int32_t> parent_, first_child_, n_children_;
    std::span<const double> risk_;
    std::vector<double> below_;         // R(T_t)
    std::vector<std::int64_t> leaves_;  // |T_t|
    std::vector<char> inner_;
    std::vector<Size> waiting_;
};

}  // namespace

PruningPath weakest_links(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
                          std::span<const std::int32_t> n_children, std::span<const double> risk) {
    return Pruner(parent, first_child, n_children, risk).run();
}

}  // namespace pellucid::tree

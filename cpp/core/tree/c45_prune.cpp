#include "core/tree/c45_prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/pool.hpp"
#include "core/tree/c45_split.hpp"

namespace pellucid::tree::c45 {

double expected_errors(double N, double e, double confidence, double normal) {
    if (N <= 0) return 0;
    if (e < 1) {
        const double none = N * (1 - std::pow(confidence, 1 / N));
        return e <= 0 ? none : none + e * (expected_errors(N, 1, confidence, normal) - none);
    }
    if (e + 0.5 >= N) return std::fmax(N, e);
    const double z = normal, p = (e + 0.5) / N;
    const double r = (p + z * z / (2 * N) + z * std::sqrt(p / N - p * p / N + z * z / (4 * N * N))) / (1 + z * z / N);
    return r * N;
}

namespace {

constexpr double kNotWorse = 0.1;

void gather(const Draft& draft, Size root, Cases& out) {
    for (const Size node : subtree(draft, root))
        if (draft.is_leaf(node)) out.append(draft.kept, draft.nodes[node].begin, draft.nodes[node].end);
}

void make_leaf(Draft& draft, Size at) {
    Cases own;
    gather(draft, at, own);
    Draft::Node& node = draft.nodes[at];
    node.begin = draft.kept.size();
    draft.kept.append(own, 0, own.size());
    node.end = draft.kept.size();
    node.first_child = -1;
    node.n_children = 0;
}

class Pruner {
  public:
    Pruner(Draft& draft, const Columns& table, const MultiwayRules& rules)
        : draft_(draft), table_(table), rules_(rules), expected_(draft.nodes.size(), 0.0) {}

    // Children before their parent; a node whose branch took its place is looked at again with all that is below it.
    void run() {
        std::vector<std::pair<Size, bool>> waiting{{0, false}};
        while (!waiting.empty()) {
            check_interrupt();
            const auto [node, decide] = waiting.back();
            waiting.pop_back();
            if (draft_.is_leaf(node)) {
                expected_[node] = as_leaf(node);
            } else if (!decide) {
                waiting.push_back({node, true});
                for (std::int32_t b = 0; b < draft_.nodes[node].n_children; ++b)
                    waiting.push_back({child(node, b), false});
            } else if (prune(node)) {
                waiting.push_back({node, false});
            }
        }
    }

  private:
    Draft& draft_;
    const Columns& table_;
    const MultiwayRules& rules_;
    std::vector<double> expected_;  // errors of the subtree below each node

    Size child(Size node, std::int32_t b) const { return static_cast<Size>(draft_.nodes[node].first_child + b); }

    double expected(std::span<const double> classes) const {
        double sum = 0;
        for (const double w : classes) sum += w;
        const double wrong = std::fmax(sum - *std::max_element(classes.begin(), classes.end()), 0.0);
        return expected_errors(sum, wrong < kTie ? 0.0 : wrong, rules_.confidence, rules_.normal);
    }
    double as_leaf(Size node) const { return draft_.nodes[node].weight > 0 ? expected(draft_.value(node)) : 0.0; }

    // True if the largest branch took the node's place.
    bool prune(Size node) {
        double subtree_errors = 0;
        Size largest = child(node, 0);
        for (std::int32_t b = 0; b < draft_.nodes[node].n_children; ++b) {
            subtree_errors += expected_[child(node, b)];
            if (draft_.nodes[child(node, b)].weight > draft_.nodes[largest].weight + kTie) largest = child(node, b);
        }
        const double raised = rules_.raise ? if_raised(node, largest) : std::numeric_limits<double>::infinity();
        const double leaf = as_leaf(node);
        expected_[node] = subtree_errors;
        if (leaf <= subtree_errors + kNotWorse && leaf <= raised + kNotWorse) {
            make_leaf(draft_, node);
            expected_[node] = leaf;
            return false;
        }
        if (raised > subtree_errors + kNotWorse) return false;
        raise(node, largest);
        return true;
    }

    Dealing dealing() const { return {rules_.share, true, rules_.min_case}; }

    // Do all values that the tests below a node ask for exist?
    bool all_known(Size root) const {
        for (const Size node : subtree(draft_, root))
            if (!draft_.is_leaf(node) && table_.columns[static_cast<Size>(draft_.nodes[node].feature)].has_missing)
                return false;
        return true;
    }

    // Errors of the largest branch with all cases of the node. Where no value is missing below, its own cases stay
    // where they are, and only the others are sent down: without that, a chain of n nodes costs n^3.
    double if_raised(Size node, Size largest) {
        const bool others_only = all_known(largest);
        Cases cases;
        for (std::int32_t b = 0; b < draft_.nodes[node].n_children; ++b)
            if (!others_only || child(node, b) != largest) gather(draft_, child(node, b), cases);
        double sum = others_only ? expected_[largest] : 0.0;
        std::vector<double> classes(draft_.n_classes);
        send_down(draft_, table_, largest, std::move(cases), dealing(), [&](Size at, CaseSpan reached) {
            if (!draft_.is_leaf(at) || reached.size() == 0) return;
            count_classes(table_, reached, classes);
            if (others_only) {
                sum -= expected_[at];
                for (Size c = 0; c < classes.size(); ++c) classes[c] += draft_.value(at)[c];
            }
            sum += expected(classes);
        });
        return sum;
    }

    void raise(Size node, Size largest) {
        Cases cases;
        gather(draft_, node, cases);
        const Draft::Node from = draft_.nodes[largest];
        Draft::Node& to = draft_.nodes[node];
        const std::int32_t parent = to.parent;
        to = from;
        to.parent = parent;
        for (std::int32_t b = 0; b < to.n_children; ++b)
            draft_.nodes[child(node, b)].parent = static_cast<std::int32_t>(node);
        send_down(draft_, table_, node, std::move(cases), dealing(), [&](Size at, CaseSpan reached) {
            Draft::Node& own = draft_.nodes[at];
            own.weight = count_classes(table_, reached, draft_.value(at));
            if (!draft_.is_leaf(at)) return;
            own.begin = draft_.kept.size();
            draft_.kept.row.insert(draft_.kept.row.end(), reached.row.begin(), reached.row.end());
            draft_.kept.weight.insert(draft_.kept.weight.end(), reached.weight.begin(), reached.weight.end());
            own.end = draft_.kept.size();
        });
    }
};

}  // namespace

void collapse(Draft& draft) {
    std::vector<double> below(draft.nodes.size(), 0.0);  // errors of the leaves below a node
    for (Size i = draft.nodes.size(); i-- > 0;) {
        if (draft.is_leaf(i)) below[i] = draft.nodes[i].weight > 0 ? draft.errors(i) : 0.0;
        if (draft.nodes[i].parent >= 0) below[static_cast<Size>(draft.nodes[i].parent)] += below[i];
    }
    for (std::vector<Size> waiting{0}; !waiting.empty();) {
        const Size node = waiting.back();
        waiting.pop_back();
        if (draft.is_leaf(node)) continue;
        if (below[node] >= draft.errors(node) - 1e-3) {
            make_leaf(draft, node);
            continue;
        }
        for (std::int32_t b = 0; b < draft.nodes[node].n_children; ++b)
            waiting.push_back(static_cast<Size>(draft.nodes[node].first_child + b));
    }
}

void prune_by_expected_errors(Draft& draft, const Columns& table, const MultiwayRules& rules) {
    Pruner(draft, table, rules).run();
}

void prune_by_held_out(Draft& draft, const Columns& table, const MultiwayRules& rules, const Cases& held_out) {
    std::vector<double> leaf(draft.nodes.size(), 0.0), tree(draft.nodes.size(), 0.0), classes(draft.n_classes);
    send_down(draft, table, 0, held_out, {rules.share, false, 0.0}, [&](Size node, CaseSpan cases) {
        Size from = node;  // a leaf that no training case reached answers like its parent
        while (draft.nodes[from].weight <= 0 && draft.nodes[from].parent >= 0)
            from = static_cast<Size>(draft.nodes[from].parent);
        const std::span<const double> value = draft.value(from);
        const auto answer = static_cast<Size>(std::max_element(value.begin(), value.end()) - value.begin());
        const double sum = count_classes(table, cases, classes);
        leaf[node] = sum - classes[answer];
    });
    for (Size i = draft.nodes.size(); i-- > 0;) {
        if (draft.is_leaf(i) || leaf[i] <= tree[i] + kTie) {
            if (!draft.is_leaf(i)) make_leaf(draft, i);
            tree[i] = leaf[i];
        }
        if (draft.nodes[i].parent >= 0) tree[static_cast<Size>(draft.nodes[i].parent)] += tree[i];
    }
}

}  // namespace pellucid::tree::c45

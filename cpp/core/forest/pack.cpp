#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/forest/forest.hpp"

namespace pellucid::forest {
namespace {

using tree::Nodes;
using tree::Test;

double impurity_of(std::span<const double> classes, tree::Measure criterion) {
    double total = 0, found = criterion == tree::Measure::gini ? 1 : 0;
    for (const double w : classes) total += w;
    for (const double w : classes) {
        const double share = w / total;
        if (criterion == tree::Measure::gini)
            found -= share * share;
        else if (share > 0)
            found -= share * std::log2(share);
    }
    return std::max(found, 0.0);
}

// By how much each test lowers the impurity, weighted, as a share of the root's weight.
void add_importance(const Nodes& n, Size cols, std::vector<double>& out) {
    out.assign(cols, 0.0);
    for (Size i = 0; i < n.count(); ++i) {
        if (n.first_child[i] < 0) continue;
        const auto left = static_cast<Size>(n.first_child[i]), right = left + 1;
        out[static_cast<Size>(n.feature[i])] +=
            n.weight[i] * n.impurity[i] - (n.weight[left] * n.impurity[left] + n.weight[right] * n.impurity[right]);
    }
    for (double& gain : out) gain /= n.weight[0];
}

void pack_test(const Nodes& n, Size i, Node& to, Forest& out) {
    to.column = static_cast<std::uint32_t>(n.feature[i]);
    if (n.missing_child[i] == 1) to.column |= Node::kMissingRight;
    switch (static_cast<Test>(n.test[i])) {
        case Test::at_most:
            to.threshold = n.threshold[i];
            return;
        case Test::below:  // x < t is x <= the number before t
            to.threshold = std::nextafter(n.threshold[i], -HUGE_VAL);
            return;
        default:
            break;
    }
    require(n.test[i] == static_cast<std::uint8_t>(Test::subset), "forest: a test with two branches");
    if (out.set_start.empty()) out.set_start.push_back(0);
    to.column |= Node::kSet;
    to.threshold = Node::numbered(out.set_start.size() - 1);
    for (auto k = n.table_start[i]; k < n.table_start[i + 1]; ++k)
        out.words.push_back(static_cast<std::uint32_t>(n.table[static_cast<Size>(k)]));
    out.set_start.push_back(static_cast<std::int64_t>(out.words.size()));
}

// The nodes as they are kept: the first levels one after the other, below them each subtree for itself, the child with
// more rows first. The nodes of a way down lie close together. (Measured as in rows.hpp: walks take 0.85 of the time.)
std::vector<std::int32_t> near_order(const Nodes& n) {
    constexpr Size kLevels = 8;
    std::vector<std::int32_t> order{0};
    order.reserve(n.count());
    const auto add = [&](std::int32_t parent) {
        const std::int32_t first = n.first_child[static_cast<Size>(parent)];
        if (first >= 0) order.insert(order.end(), {first, first + 1});
        return first;
    };
    Size begin = 0;
    for (Size level = 0; level < kLevels && begin < order.size(); ++level)
        for (const Size end = order.size(); begin < end; ++begin) add(order[begin]);
    for (const Size end = order.size(); begin < end; ++begin) {
        std::vector<std::int32_t> waiting{order[begin]};
        while (!waiting.empty()) {
            const std::int32_t node = waiting.back();
            waiting.pop_back();
            const std::int32_t first = add(node);
            if (first < 0) continue;
            const bool left = n.n_rows[static_cast<Size>(first)] >= n.n_rows[static_cast<Size>(first) + 1];
            waiting.insert(waiting.end(), {first + left, first + !left});
        }
    }
    return order;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Forest pack(const Nodes& n, const Kind& kind, Size cols) {
    Forest out;
    const Size m = n.count(), width = n.width;
    const std::vector<std::int32_t> order = near_order(n);
    std::vector<std::int32_t> renumbered(m);
    for (Size i = 0; i < m; ++i) renumbered[static_cast<Size>(order[i])] = static_cast<std::int32_t>(i);
    out.width = width;
    out.nodes.resize(m);
    out.leaf_value.reserve((m + 1) / 2 * width);
    std::uint64_t leaf = 0;
    const auto put_value = [&](Size i, std::vector<double>& to) {
        const auto from = n.value.begin() + static_cast<std::ptrdiff_t>(i * width);
        to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(width));
    };
    for (Size k = 0; k < m; ++k) {
        const auto i = static_cast<Size>(order[k]);
        if (kind.figures_kept) {
            put_value(i, out.figures.node_value);
            out.figures.node_impurity.push_back(n.impurity[i]);
        }
        if (n.first_child[i] >= 0) {
            pack_test(n, i, out.nodes[k], out);
            out.nodes[k].first = renumbered[static_cast<Size>(n.first_child[i])];
            continue;
        }
        out.nodes[k] = {Node::numbered(leaf++), 0, static_cast<std::int32_t>(k)};
        put_value(i, out.leaf_value);
        out.figures.leaf_rows.push_back(static_cast<std::int32_t>(n.n_rows[i]));
        if (kind.n_classes.empty()) {
            out.figures.leaf_weight.push_back(n.weight[i]);
            out.figures.leaf_impurity.push_back(n.impurity[i]);
        }
    }
    out.tree_start.push_back(static_cast<std::int64_t>(m));
    out.leaf_start.push_back(static_cast<std::int64_t>(leaf));
    add_importance(n, cols, out.importance);
    return out;
}

Forest join(std::vector<Forest>& parts, int threads) {
    Forest out;
    if (parts.empty()) return out;
    out.width = parts.front().width;
    for (const Forest& part : parts) {
        out.tree_start.push_back(out.tree_start.back() + part.tree_start.back());
        out.leaf_start.push_back(out.leaf_start.back() + part.leaf_start.back());
        if (part.set_start.empty()) continue;
        if (out.set_start.empty()) out.set_start.push_back(0);
        const std::int64_t words = out.set_start.back();
        for (Size k = 1; k < part.set_start.size(); ++k) out.set_start.push_back(words + part.set_start[k]);
    }
    std::vector<std::uint64_t> sets_before(parts.size(), 0);
    for (Size t = 1; t < parts.size(); ++t)
        sets_before[t] = sets_before[t - 1] + (parts[t - 1].set_start.empty() ? 0 : parts[t - 1].set_start.size() - 1);
    out.nodes.resize(static_cast<Size>(out.tree_start.back()));
    out.leaf_value.resize(static_cast<Size>(out.leaf_start.back()) * out.width);
    parallel_for(parts.size(), threads, [&](Size t) {
        Forest& part = parts[t];
        Node* to = out.nodes.data() + out.tree_start[t];
        for (Size i = 0; i < part.nodes.size(); ++i) {
            to[i] = part.nodes[i];
            if (to[i].is_set()) to[i].threshold = Node::numbered(to[i].number() + sets_before[t]);
        }
        std::copy(part.leaf_value.begin(), part.leaf_value.end(),
                  out.leaf_value.begin() + out.leaf_start[t] * static_cast<std::ptrdiff_t>(out.width));
        part.nodes = {};
        part.leaf_value = {};
    });
    for (Forest& part : parts) {
        append(out.words, part.words);
        append(out.figures.leaf_rows, part.figures.leaf_rows);
        append(out.figures.leaf_weight, part.figures.leaf_weight);
        append(out.figures.leaf_impurity, part.figures.leaf_impurity);
        append(out.figures.node_value, part.figures.node_value);
        append(out.figures.node_impurity, part.figures.node_impurity);
        append(out.importance, part.importance);
        part = {};
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------- and back

namespace {

struct Unpacking {
    const ForestView& forest;
    const FiguresView& figures;
    const Kind& kind;
    Size t;
    Nodes out;

    void shape() {
        const Size m = forest.count(t);
        out.width = forest.width;
        const auto resize = [&](auto&... columns) { (columns.resize(m), ...); };
        resize(out.first_child, out.n_children, out.feature, out.test, out.missing_child, out.threshold, out.n_rows,
               out.weight, out.impurity);
        out.parent.assign(m, -1);
        out.value.assign(m * forest.width, 0.0);
        const Node* nodes = forest.tree(t);
        const bool sets = std::any_of(nodes, nodes + m, [](const Node& node) { return node.is_set(); });
        if (sets) out.table_start.assign(m + 1, 0);
        for (Size i = 0; i < m; ++i) {
            const Node& node = nodes[i];
            const bool leaf = node.first == static_cast<std::int32_t>(i);
            out.first_child[i] = leaf ? -1 : node.first;
            out.n_children[i] = leaf ? 0 : 2;
            out.feature[i] = leaf ? -1 : static_cast<std::int32_t>(node.asked());
            out.missing_child[i] = leaf ? tree::kStop : node.missing() - node.first;
            set_test(node, leaf, i);
            if (sets) out.table_start[i + 1] = static_cast<std::int64_t>(out.table.size());
            if (leaf) continue;
            out.parent[static_cast<Size>(node.first)] = out.parent[static_cast<Size>(node.first) + 1] =
                static_cast<std::int32_t>(i);
        }
    }

    void set_test(const Node& node, bool leaf, Size i) {
        out.threshold[i] = std::numeric_limits<double>::quiet_NaN();
        Test test = Test::leaf;
        if (!leaf && node.is_set()) {
            test = Test::subset;
            for (auto k = forest.set_start[node.number()]; k < forest.set_start[node.number() + 1]; ++k)
                out.table.push_back(static_cast<std::int32_t>(forest.words[static_cast<Size>(k)]));
        } else if (!leaf) {
            test = kind.below ? Test::below : Test::at_most;
            out.threshold[i] = kind.below ? std::nextafter(node.threshold, HUGE_VAL) : node.threshold;
        }
        out.test[i] = static_cast<std::uint8_t>(test);
    }

    std::span<double> value(Size i) { return std::span(out.value).subspan(i * out.width, out.width); }

    // Children come after their parents: from the last node to the first every child is known before its parent.
    void fill() {
        const Node* nodes = forest.tree(t);
        const auto leaves = static_cast<Size>(forest.leaf_start[t]);
        for (Size i = forest.count(t); i-- > 0;) {
            if (out.first_child[i] >= 0) {
                from_children(i, static_cast<Size>(nodes[i].first));
                continue;
            }
            const Size leaf = leaves + nodes[i].number();
            std::copy_n(forest.leaf_value.data() + leaf * out.width, out.width, value(i).data());
            out.n_rows[i] = figures.leaf_rows[leaf];
            out.weight[i] = figures.leaf_weight.empty() ? class_weight(i) : figures.leaf_weight[leaf];
            out.impurity[i] = figures.leaf_impurity.empty() ? class_impurity(i) : figures.leaf_impurity[leaf];
        }
        if (!kind.figures_kept) return;
        const auto first = static_cast<std::ptrdiff_t>(forest.tree_start[t]),
                   m = static_cast<std::ptrdiff_t>(forest.count(t));
        const auto width = static_cast<std::ptrdiff_t>(out.width);
        std::copy_n(figures.node_value.begin() + first * width, m * width, out.value.begin());
        std::copy_n(figures.node_impurity.begin() + first, m, out.impurity.begin());
    }

    double class_weight(Size i) {
        double w = 0;
        for (std::int32_t c = 0; c < kind.n_classes[0]; ++c) w += value(i)[static_cast<Size>(c)];
        return w;
    }
    // The mean over the outputs.
    double class_impurity(Size i) {
        double sum = 0;
        Size first = 0;
        for (const std::int32_t classes : kind.n_classes) {
            sum += impurity_of(value(i).subspan(first, static_cast<Size>(classes)), kind.criterion);
            first += static_cast<Size>(classes);
        }
        return sum / static_cast<double>(kind.n_classes.size());
    }

    void from_children(Size i, Size left) {
        const Size right = left + 1;
        const double wl = out.weight[left], wr = out.weight[right], w = wl + wr;
        out.n_rows[i] = out.n_rows[left] + out.n_rows[right];
        out.weight[i] = w;
        const auto own = value(i), l = value(left), r = value(right);
        if (!kind.n_classes.empty()) {
            for (Size c = 0; c < out.width; ++c) own[c] = l[c] + r[c];
            out.impurity[i] = class_impurity(i);
            return;
        }
        // w I = w_L (I_L + (m_L - m)²) + w_R (I_R + (m_R - m)²); for Poisson with m_L log(m_L / m) in place of squares.
        double apart = 0;
        for (Size c = 0; c < out.width; ++c) {
            own[c] = l[c] + (r[c] - l[c]) * (wr / w);
            apart += between(l[c], own[c]) * wl + between(r[c], own[c]) * wr;
        }
        out.impurity[i] =
            (wl * out.impurity[left] + wr * out.impurity[right] + apart / static_cast<double>(out.width)) / w;
    }
    double between(double part, double whole) const {
        if (kind.criterion == tree::Measure::poisson) return part > 0 ? part * std::log(part / whole) : 0.0;
        return (part - whole) * (part - whole);
    }
};

bool starts_agree(std::span<const std::int64_t> starts, Size count) {
    return !starts.empty() && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(count) &&
           std::is_sorted(starts.begin(), starts.end());
}

const char* fault_of_tree(const ForestView& f, Size t) {
    const Node* nodes = f.tree(t);
    const Size m = f.count(t), leaves = static_cast<Size>(f.leaf_start[t + 1] - f.leaf_start[t]);
    if (m == 0) return "a tree has no node";
    for (Size i = 0; i < m; ++i) {
        const Node& node = nodes[i];
        if (node.first == static_cast<std::int32_t>(i)) {
            if (!std::isnan(node.threshold) || node.column != 0 || node.number() >= leaves)
                return "a leaf has no answer";
            continue;
        }
        if (node.first <= static_cast<std::int32_t>(i) || static_cast<Size>(node.first) + 1 >= m)
            return "children must come after their parent and lie within the tree";
        if (node.asked() >= f.cols) return "a node asks a column that is not there";
        if (node.is_set() != std::isnan(node.threshold)) return "a test by a threshold has none";
        if (node.is_set() && node.number() + 1 >= f.set_start.size()) return "a test by a set has no set";
    }
    return nullptr;
}

}  // namespace

Nodes unpack(const ForestView& forest, const FiguresView& figures, const Kind& kind, Size t) {
    require(t < forest.trees(), "forest: no such tree");
    Unpacking work{forest, figures, kind, t, {}};
    work.shape();
    work.fill();
    return std::move(work.out);
}

ForestView view_of(const Forest& f, Size cols) {
    return {f.width, cols, f.nodes, f.tree_start, f.leaf_start, f.leaf_value, f.set_start, f.words, {}};
}

float rounded_down(double x) {
    constexpr double kMost = std::numeric_limits<float>::max();
    if (x > kMost) return std::isinf(x) ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::max();
    const auto near = static_cast<float>(std::max(x, -kMost));
    return near > x ? std::nextafterf(near, -HUGE_VALF) : near;
}

std::vector<QuickNode> quicken(const ForestView& f, int threads) {
    const int bits = f.column_bits();
    if (!f.set_start.empty()) return {};
    for (Size t = 0; t < f.trees(); ++t)
        if (std::bit_width(f.count(t)) + bits > 32 || f.leaf_start[t + 1] - f.leaf_start[t] > QuickNode::kMostLeaves)
            return {};
    std::vector<QuickNode> out(f.nodes.size());
    parallel_for(f.trees(), threads, [&](Size t) {
        const Node* nodes = f.tree(t);
        QuickNode* to = out.data() + f.tree_start[t];
        for (Size i = 0; i < f.count(t); ++i) {
            const Node& node = nodes[i];
            const bool leaf = node.first == static_cast<std::int32_t>(i);
            to[i].threshold = leaf ? std::bit_cast<float>(QuickNode::kNan | static_cast<std::uint32_t>(node.number()))
                                   : rounded_down(node.threshold);
            to[i].link = static_cast<std::uint32_t>(node.first) << bits | static_cast<std::uint32_t>(node.asked());
        }
    });
    return out;
}
FiguresView view_of(const Figures& f) {
    return {f.leaf_rows, f.leaf_weight, f.leaf_impurity, f.node_value, f.node_impurity};
}

const char* fault_of(const ForestView& f) {
    if (f.width == 0 || f.leaf_value.size() % f.width != 0) return "its answers differ in width";
    if (f.cols >= Node::kSet) return "it is too large";
    if (!starts_agree(f.tree_start, f.nodes.size()) || f.leaf_start.size() != f.tree_start.size() ||
        !starts_agree(f.leaf_start, f.leaf_value.size() / f.width))
        return "its arrays differ in length";
    if (!(f.set_start.empty() ? f.words.empty() : starts_agree(f.set_start, f.words.size())))
        return "its sets of categories do not fit its nodes";
    for (Size t = 0; t < f.trees(); ++t)
        if (const char* fault = fault_of_tree(f, t)) return fault;
    return nullptr;
}

}  // namespace pellucid::forest

#include "core/forest/grow.hpp"

#include <algorithm>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/tree/prune.hpp"

namespace pellucid::forest {
namespace {

using tree::Nodes;
using tree::Problem;

// Rows that are drawn in proportion to their weight count once a draw; others by their weight.
std::vector<double> weights_of(const Growing& g, std::span<const std::uint32_t> counts) {
    const bool by_weight = g.draw != Draw::replace && !g.problem.weight.empty();
    std::vector<double> out(counts.size());
    for (Size i = 0; i < counts.size(); ++i)
        out[i] = by_weight ? counts[i] * g.problem.weight[i] : static_cast<double>(counts[i]);
    return out;
}

// Each output's classes get the weight W / (k W_c), as far as they are in the sample; of several outputs the product.
void balance(const Problem& p, std::vector<double>& weight) {
    std::vector<double> factor(weight.size(), 1.0);
    for (Size o = 0; o < p.outputs; ++o) {
        std::vector<double> sizes(static_cast<Size>(p.n_classes[o]), 0.0);
        double total = 0, present = 0;
        for (Size i = 0; i < weight.size(); ++i) {
            sizes[static_cast<Size>(p.y[i * p.outputs + o])] += weight[i];
            total += weight[i];
        }
        for (const double size : sizes) present += size > 0;
        for (Size i = 0; i < weight.size(); ++i)
            if (weight[i] > 0) factor[i] *= total / (present * sizes[static_cast<Size>(p.y[i * p.outputs + o])]);
    }
    for (Size i = 0; i < weight.size(); ++i) weight[i] *= factor[i];
}

Nodes grow_one(const Growing& g, const Sampler& sampler, Size t) {
    Problem problem = g.problem;
    problem.seed = seed_of_tree(g.problem.seed, t);
    problem.threads = 1;
    // A forest in which nothing is drawn is its tree, many times over.
    problem.settings.draw_ties = sampler.draws_any() || g.tree_features < problem.cols() ||
                                 problem.settings.max_features < problem.cols() ||
                                 problem.settings.splitter == tree::Splitter::random;
    std::vector<std::uint32_t> among;
    if (g.tree_features < problem.cols()) {
        among = draw_distinct(problem.cols(), g.tree_features, Random{problem.seed, kColumnStream});
        std::sort(among.begin(), among.end());
        problem.among = among;
    }
    std::vector<double> weight;
    if (sampler.draws_any()) {
        std::vector<std::uint32_t> counts(problem.rows());
        sampler.draw(t, counts);
        weight = weights_of(g, counts);
        if (g.balanced) balance(problem, weight);
        problem.weight = weight;
    }
    Nodes nodes = tree::grow_tree(problem);
    return g.ccp_alpha > 0 ? cut_back(std::move(nodes), g.ccp_alpha) : nodes;
}

// Keeps the given nodes, in their order; those that lost their children are leaves.
Nodes keep(const Nodes& n, const std::vector<std::int32_t>& kept, const std::vector<bool>& leaf) {
    std::vector<std::int32_t> renumbered(n.count(), -1);
    for (Size i = 0; i < kept.size(); ++i) renumbered[static_cast<Size>(kept[i])] = static_cast<std::int32_t>(i);
    Nodes out;
    out.width = n.width;
    if (!n.table_start.empty()) out.table_start.push_back(0);
    for (const std::int32_t old : kept) {
        const auto i = static_cast<Size>(old);
        const bool ends = leaf[i];
        out.parent.push_back(n.parent[i] < 0 ? -1 : renumbered[static_cast<Size>(n.parent[i])]);
        out.first_child.push_back(ends ? -1 : renumbered[static_cast<Size>(n.first_child[i])]);
        out.n_children.push_back(ends ? 0 : n.n_children[i]);
        out.feature.push_back(ends ? -1 : n.feature[i]);
        out.test.push_back(ends ? std::uint8_t{0} : n.test[i]);
        out.missing_child.push_back(ends ? tree::kStop : n.missing_child[i]);
        out.threshold.push_back(ends ? std::numeric_limits<double>::quiet_NaN() : n.threshold[i]);
        out.n_rows.push_back(n.n_rows[i]);
        out.weight.push_back(n.weight[i]);
        out.impurity.push_back(n.impurity[i]);
        out.value.insert(out.value.end(), n.value.begin() + static_cast<std::ptrdiff_t>(i * n.width),
                         n.value.begin() + static_cast<std::ptrdiff_t>((i + 1) * n.width));
        if (n.table_start.empty()) continue;
        if (!ends)
            out.table.insert(out.table.end(), n.table.begin() + n.table_start[i],
                             n.table.begin() + n.table_start[i + 1]);
        out.table_start.push_back(static_cast<std::int64_t>(out.table.size()));
    }
    return out;
}

}  // namespace

Nodes cut_back(Nodes n, double alpha) {
    std::vector<double> risk(n.count());
    for (Size i = 0; i < n.count(); ++i) risk[i] = n.impurity[i] * (n.weight[i] / n.weight[0]);
    const tree::PruningPath path = tree::weakest_links(n.parent, n.first_child, n.n_children, risk);
    std::vector<bool> leaf(n.count()), gone(n.count());
    for (Size i = 0; i < n.count(); ++i) leaf[i] = n.first_child[i] < 0;
    bool any = false;
    for (Size k = 0; k < path.node.size() && path.alpha[k] <= alpha; ++k)
        any = leaf[static_cast<Size>(path.node[k])] = true;
    if (!any) return n;
    std::vector<std::int32_t> kept;
    for (Size i = 0; i < n.count(); ++i) {
        const auto parent = static_cast<Size>(n.parent[i]);
        gone[i] = i > 0 && (gone[parent] || leaf[parent]);
        if (!gone[i]) kept.push_back(static_cast<std::int32_t>(i));
    }
    return keep(n, kept, leaf);
}

Forest grow_forest(const Growing& g) {
    const Problem& p = g.problem;
    require(!g.balanced || p.classes(), "grow_forest: classes to be balanced");
    require(p.settings.surrogates == 0, "grow_forest: no surrogates");
    const Sampler sampler(p.rows(), g.draw, g.draws, p.weight, p.seed);
    Kind kind;
    kind.n_classes = p.n_classes;
    kind.criterion = p.settings.criterion;
    kind.below = p.settings.threshold == tree::Threshold::value && p.settings.splitter != tree::Splitter::random;
    kind.figures_kept = p.settings.criterion == tree::Measure::absolute_error || !p.monotone.empty();
    std::vector<Forest> trees(g.count);
    parallel_for(g.count, p.threads,
                 [&](Size t) { trees[t] = pack(grow_one(g, sampler, g.first + t), kind, p.cols()); });
    return join(trees, p.threads);
}

}  // namespace pellucid::forest

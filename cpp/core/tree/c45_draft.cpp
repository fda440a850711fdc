#include "core/tree/c45_draft.hpp"

#include <algorithm>
#include <limits>

#include "core/tree/c45_split.hpp"

namespace pellucid::tree::c45 {

double Draft::errors(Size node) const {
    const std::span<const double> classes = value(node);
    return std::fmax(nodes[node].weight - *std::max_element(classes.begin(), classes.end()), 0.0);
}

namespace {

// The share of each branch in a case whose value is missing; equal ones where no branch has any weight.
void find_shares(const Draft& draft, const Draft::Node& node, CaseSpan cases, bool own, Dealt& scratch) {
    scratch.share.assign(static_cast<Size>(node.n_children), 0.0);
    double sum = 0;
    if (own) {
        for (Size i = 0; i < cases.size(); ++i)
            if (scratch.branch[i] >= 0) scratch.share[static_cast<Size>(scratch.branch[i])] += cases.weight[i];
    } else {
        for (Size b = 0; b < scratch.share.size(); ++b)
            scratch.share[b] = draft.nodes[static_cast<Size>(node.first_child) + b].weight;
    }
    for (const double w : scratch.share) sum += w;
    for (double& w : scratch.share) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(scratch.share.size());
}

}  // namespace

void deal(const Draft& draft, const Columns& table, Size at, CaseSpan cases, const Dealing& how, Cases& out,
          std::vector<Size>& ends, Dealt& scratch) {
    const Draft::Node& node = draft.nodes[at];
    const auto branches = static_cast<Size>(node.n_children);
    bool missing = false;
    scratch.branch.resize(cases.size());
    scratch.place.assign(branches + 1, 0);
    for (Size i = 0; i < cases.size(); ++i) {
        scratch.branch[i] = branch_of(draft, node, table, cases.row[i]);
        if (scratch.branch[i] >= 0)
            ++scratch.place[static_cast<Size>(scratch.branch[i]) + 1];
        else
            missing = true;
    }
    missing = missing && how.share;
    if (missing) find_shares(draft, node, cases, how.own_shares, scratch);
    const auto takes = [&](Size i, Size b) {
        const double w = cases.weight[i] * scratch.share[b];
        return w > 0 && w >= how.min_case * table.weight[cases.row[i]];
    };
    if (missing)
        for (Size i = 0; i < cases.size(); ++i)
            for (Size b = 0; scratch.branch[i] < 0 && b < branches; ++b)
                if (takes(i, b)) ++scratch.place[b + 1];
    const Size begin = out.size();
    scratch.place[0] = begin;
    for (Size b = 1; b <= branches; ++b) scratch.place[b] += scratch.place[b - 1];
    for (Size b = 1; b <= branches; ++b) ends.push_back(scratch.place[b]);
    out.resize(scratch.place[branches]);
    const auto put = [&](Size b, Size i, double w) {
        const Size p = scratch.place[b]++;
        out.row[p] = cases.row[i];
        out.weight[p] = w;
    };
    for (Size i = 0; i < cases.size(); ++i) {
        if (scratch.branch[i] >= 0) {
            put(static_cast<Size>(scratch.branch[i]), i, cases.weight[i]);
        } else if (missing) {
            for (Size b = 0; b < branches; ++b)
                if (takes(i, b)) put(b, i, cases.weight[i] * scratch.share[b]);
        }
    }
}

std::vector<Size> subtree(const Draft& draft, Size root) {
    std::vector<Size> found{root};
    for (Size i = 0; i < found.size(); ++i)
        for (std::int32_t b = 0; b < draft.nodes[found[i]].n_children; ++b)
            found.push_back(static_cast<Size>(draft.nodes[found[i]].first_child + b));
    return found;
}

namespace {

void write_test(const Draft& draft, const Columns& table, const Draft::Node& node, Nodes& out) {
    const Column& column = table.columns[static_cast<Size>(node.feature)];
    if (node.test == Test::categories) {
        out.table.insert(out.table.end(), draft.tables.begin() + static_cast<std::ptrdiff_t>(node.table),
                         draft.tables.begin() + static_cast<std::ptrdiff_t>(node.table + column.levels));
    } else if (node.test == Test::subset) {
        const Size words = column.levels / 32 + 1, first = out.table.size();
        out.table.resize(first + words, 0);
        out.table[first + node.cut / 32] = static_cast<std::int32_t>(1u << (node.cut % 32));
    }
}

// A leaf that nothing reached answers like its parent.
void fill_empty(MultiwayTree& tree) {
    Nodes& n = tree.nodes;
    for (Size i = 1; i < n.count(); ++i) {
        if (n.weight[i] > 0) continue;
        const auto parent = static_cast<Size>(n.parent[i]);
        std::copy_n(n.value.begin() + static_cast<std::ptrdiff_t>(parent * n.width), n.width,
                    n.value.begin() + static_cast<std::ptrdiff_t>(i * n.width));
        n.impurity[i] = n.impurity[parent];
    }
}

}  // namespace

MultiwayTree finish(const Draft& draft, const Columns& table, const MultiwayRules& rules, const Cases& all) {
    const std::vector<Size> order = subtree(draft, 0);  // children of a node stand side by side in it
    std::vector<std::int32_t> number(draft.nodes.size(), -1);
    for (Size i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::int32_t>(i);
    MultiwayTree tree;
    Nodes& n = tree.nodes;
    n.width = draft.n_classes;
    const Size m = order.size();
    n.n_rows.assign(m, 0);
    n.weight.assign(m, 0.0);
    n.impurity.assign(m, 0.0);
    n.value.assign(m * n.width, 0.0);
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const Size at : order) {
        const Draft::Node& node = draft.nodes[at];
        const bool leaf = node.n_children == 0;
        n.parent.push_back(at == order[0] ? -1 : number[static_cast<Size>(node.parent)]);
        n.first_child.push_back(leaf ? -1 : number[static_cast<Size>(node.first_child)]);
        n.n_children.push_back(node.n_children);
        n.feature.push_back(leaf ? -1 : node.feature);
        n.test.push_back(static_cast<std::uint8_t>(leaf ? Test::leaf : node.test));
        n.missing_child.push_back(leaf || !rules.share ? kStop : kShare);
        n.threshold.push_back(!leaf && node.test == Test::at_most ? node.threshold : none);
        n.table_start.push_back(static_cast<std::int64_t>(n.table.size()));
        if (!leaf) write_test(draft, table, node, n);
        tree.gain.push_back(leaf ? none : node.gain);
        tree.split_info.push_back(leaf ? none : node.info);
    }
    n.table_start.push_back(static_cast<std::int64_t>(n.table.size()));
    const Dealing how{rules.share, true, rules.min_case};
    send_down(draft, table, 0, all, how, [&](Size at, CaseSpan cases) {
        const auto i = static_cast<Size>(number[at]);
        const std::span<double> value{n.value.data() + i * n.width, n.width};
        n.n_rows[i] = static_cast<std::int64_t>(cases.size());
        n.weight[i] = count_classes(table, cases, value);
        n.impurity[i] = entropy(value, n.weight[i]);
    });
    fill_empty(tree);
    return tree;
}

}  // namespace pellucid::tree::c45

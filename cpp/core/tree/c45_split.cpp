#include "core/tree/c45_split.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

namespace pellucid::tree::c45 {
namespace {

// The cases of one value: weight of each class, where it may differ from zero only for the classes listed.
struct Group {
    std::uint32_t code;
    const double* counts;
    std::span<const std::uint32_t> classes;
    double weight;
};

// By counting into one cell a code and class.
template <class Visit>
void visit_counted(const Columns& table, const Column& column, CaseSpan cases, Workspace& ws, const Visit& visit) {
    const Size k = table.n_classes;
    ws.counts.assign(column.levels * k, 0.0);
    for (Size i = 0; i < cases.size(); ++i) {
        const std::uint32_t r = cases.row[i], code = column.code[r];
        if (code != kMissing) ws.counts[code * k + static_cast<Size>(table.label[r])] += cases.weight[i];
    }
    for (std::uint32_t code = 0; code < column.levels; ++code) {
        const double* counts = ws.counts.data() + code * k;
        double sum = 0;
        for (Size c = 0; c < k; ++c) sum += counts[c];
        if (sum > 0) visit(Group{code, counts, ws.classes, sum});
    }
}

// Sorts keys by their upper half, the code, and leaves equal ones in order.
void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& swap, std::uint32_t levels) {
    constexpr int kDigit = 11;
    const int bits = static_cast<int>(std::bit_width(levels - 1));
    if (keys.size() < 512) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    swap.resize(keys.size());
    for (int shift = 0; shift < bits; shift += kDigit) {
        std::array<std::uint32_t, (1u << kDigit) + 1> start{};
        const auto digit = [shift](std::uint64_t key) { return (key >> (32 + shift)) & ((1u << kDigit) - 1); };
        for (const std::uint64_t key : keys) ++start[digit(key) + 1];
        for (Size d = 1; d < start.size(); ++d) start[d] += start[d - 1];
        for (const std::uint64_t key : keys) swap[start[digit(key)]++] = key;
        keys.swap(swap);
    }
}

// By sorting the codes: where they are many beside the cases.
template <class Visit>
void visit_sorted(const Columns& table, const Column& column, CaseSpan cases, Workspace& ws, const Visit& visit) {
    ws.keys.clear();
    for (Size i = 0; i < cases.size(); ++i) {
        const std::uint64_t code = column.code[cases.row[i]];
        if (code != kMissing) ws.keys.push_back(code << 32 | i);
    }
    sort_keys(ws.keys, ws.swap, column.levels);
    ws.counts.assign(table.n_classes, 0.0);
    for (Size at = 0; at < ws.keys.size();) {
        const std::uint64_t code = ws.keys[at] >> 32;
        double sum = 0;
        ws.touched.clear();
        for (; at < ws.keys.size() && ws.keys[at] >> 32 == code; ++at) {
            const auto i = static_cast<std::uint32_t>(ws.keys[at]);
            const auto c = static_cast<std::uint32_t>(table.label[cases.row[i]]);
            if (ws.counts[c] == 0) ws.touched.push_back(c);
            ws.counts[c] += cases.weight[i];
            sum += cases.weight[i];
        }
        visit(Group{static_cast<std::uint32_t>(code), ws.counts.data(), ws.touched, sum});
        for (const std::uint32_t c : ws.touched) ws.counts[c] = 0;
    }
}

template <class Visit>
void visit_groups(const Columns& table, const Column& column, CaseSpan cases, Workspace& ws, const Visit& visit) {
    if (column.levels * table.n_classes <= 4 * cases.size() + 256)
        visit_counted(table, column, cases, ws, visit);
    else
        visit_sorted(table, column, cases, ws, visit);
}

// Weights of the classes among the known cases, and what all formulas share.
struct Known {
    double N, K = 0, parts = 0;  // parts: sum_c f(K_c)

    double old_information() const { return f(K) - parts; }
    // Split information from sum_b f(K_b).
    double info(double branches) const { return std::fmax((f(N) - branches - f(N - K)) / N, 0.0); }
};

Known known_classes(const Columns& table, const Column& column, const NodeView& node, Workspace& ws) {
    ws.known.assign(node.value.begin(), node.value.end());
    Known known{.N = node.weight, .K = node.weight};
    if (column.has_missing) {
        std::fill(ws.known.begin(), ws.known.end(), 0.0);
        for (Size i = 0; i < node.cases.size(); ++i) {
            const std::uint32_t r = node.cases.row[i];
            if (column.code[r] != kMissing) ws.known[static_cast<Size>(table.label[r])] += node.cases.weight[i];
        }
        known.K = std::accumulate(ws.known.begin(), ws.known.end(), 0.0);
        if (known.N - known.K < kTie * known.N) known.K = known.N;  // nothing is missing here
    }
    for (const double w : ws.known) known.parts += f(w);
    return known;
}

double merit_of(Merit merit, double gain, double info) {
    return merit == Merit::gain ? gain : info > kTie ? gain / info : 0.0;
}

Split split_categories(const Columns& table, const MultiwayRules& rules, const Column& column, const NodeView& node,
                       Workspace& ws) {
    const Known known = known_classes(table, column, node, ws);
    double inside = 0, branches = 0;
    int large = 0;
    visit_groups(table, column, node.cases, ws, [&](const Group& g) {
        const double whole = f(g.weight);
        branches += whole;
        inside += whole;
        for (const std::uint32_t c : g.classes) inside -= f(g.counts[c]);
        large += g.weight + kTie >= rules.min_leaf ? 1 : 0;
    });
    Split split;
    split.admissible = large > 1;
    split.gain = std::fmax((known.old_information() - inside) / known.N, 0.0);
    split.info = known.info(branches);
    return split;
}

Split split_one_category(const Columns& table, const MultiwayRules& rules, const Column& column, const NodeView& node,
                         Workspace& ws) {
    const Known known = known_classes(table, column, node, ws);
    Split best;
    double best_merit = -1;
    visit_groups(table, column, node.cases, ws, [&](const Group& g) {
        const double rest = known.K - g.weight;
        if (g.weight + kTie < rules.min_leaf || rest + kTie < rules.min_leaf || rest <= kTie * known.K) return;
        double parts = known.parts;  // of the rest: only the classes of this category differ from the node's
        double own = 0;
        for (const std::uint32_t c : g.classes) {
            parts += f(ws.known[c] - g.counts[c]) - f(ws.known[c]);
            own += f(g.counts[c]);
        }
        const double inside = f(g.weight) - own + f(rest) - parts;
        const double gain = std::fmax((known.old_information() - inside) / known.N, 0.0);
        const double info = known.info(f(g.weight) + f(rest)), merit = merit_of(rules.merit, gain, info);
        if (merit <= best_merit + kTie) return;
        best_merit = merit;
        best = {true, gain, info, g.code, g.code, 0.0};
    });
    return best;
}

double least_side(const Columns& table, const MultiwayRules& rules, double known) {
    const double share = rules.min_cut_share * known / table.classes_met;
    return std::fmax(rules.min_leaf, std::fmin(share, 25.0));
}

Split split_numbers(const Columns& table, const MultiwayRules& rules, const Column& column, const NodeView& node,
                    Workspace& ws) {
    const Known known = known_classes(table, column, node, ws);
    const double least = least_side(table, rules, known.K);
    Split best;
    if (known.K + kTie < 2 * least) return best;
    ws.left.assign(table.n_classes, 0.0);
    double left = 0, left_parts = 0, right_parts = known.parts, best_merit = -1;
    std::uint32_t before = kMissing;
    visit_groups(table, column, node.cases, ws, [&](const Group& g) {
        const double right = known.K - left;
        if (before != kMissing && left + kTie >= least && right + kTie >= least) {
            const double inside = f(left) - left_parts + f(right) - right_parts;
            const double gain = std::fmax((known.old_information() - inside) / known.N, 0.0);
            const double info = known.info(f(left) + f(right)), merit = merit_of(rules.cut_merit, gain, info);
            best.cuts += 1;
            if (merit > best_merit + kTie) {
                best_merit = merit;
                best = {true, gain, info, before, g.code, best.cuts};
            }
        }
        before = g.code;
        left += g.weight;
        for (const std::uint32_t c : g.classes) {
            if (g.counts[c] == 0) continue;
            const double was = ws.left[c];
            ws.left[c] += g.counts[c];
            left_parts += f(ws.left[c]) - f(was);
            right_parts += f(ws.known[c] - ws.left[c]) - f(ws.known[c] - was);
        }
    });
    if (best.admissible && rules.mdl) {
        best.gain -= std::log2(best.cuts) / known.N;
        best.admissible = best.gain > 0;
    }
    return best;
}

double worth(const MultiwayRules& rules, Size column, const Split& split) {
    if (rules.cost_rule == CostRule::quadratic) return split.gain * split.gain / rules.costs[column];
    if (rules.cost_rule == CostRule::exponential)
        return (std::exp2(split.gain) - 1) / std::pow(rules.costs[column] + 1, rules.cost_power);
    return merit_of(rules.merit, split.gain, split.info);
}

// The least gain of a column that may be chosen: the mean of all that can be split, but for those with nearly as many
// categories as rows, unless only such can be.
double least_gain(const Columns& table, std::span<const Split> splits) {
    double sum = 0, count = 0, sum_many = 0, count_many = 0;
    for (Size j = 0; j < splits.size(); ++j) {
        if (!splits[j].admissible) continue;
        const Column& column = table.columns[j];
        const bool many = column.category && static_cast<double>(column.levels) >= 0.3 * table.total;
        (many ? sum_many : sum) += splits[j].gain;
        (many ? count_many : count) += 1;
    }
    return (count > 0 ? sum / count : sum_many / std::fmax(count_many, 1.0)) - 1e-3;
}

}  // namespace

Split best_split(const Columns& table, const MultiwayRules& rules, Size j, const NodeView& node, Workspace& ws) {
    if (ws.classes.size() != table.n_classes) {
        ws.classes.resize(table.n_classes);
        std::iota(ws.classes.begin(), ws.classes.end(), 0u);
    }
    const Column& column = table.columns[j];
    if (column.levels < 2) return {};
    if (!column.category) return split_numbers(table, rules, column, node, ws);
    return rules.one_against_rest ? split_one_category(table, rules, column, node, ws)
                                  : split_categories(table, rules, column, node, ws);
}

std::int32_t best_column(const Columns& table, const MultiwayRules& rules, std::span<const Split> splits) {
    const double least = rules.mean_gain ? least_gain(table, splits) : -1.0;
    std::int32_t best = -1;
    double merit = -1;
    for (Size j = 0; j < splits.size(); ++j) {
        const Split& split = splits[j];
        if (!split.admissible || split.gain < least || split.gain <= rules.gain_above) continue;
        const double own = worth(rules, j, split);
        if (own <= merit + (best < 0 ? 0.0 : kTie)) continue;
        merit = own;
        best = static_cast<std::int32_t>(j);
    }
    return best;
}

}  // namespace pellucid::tree::c45

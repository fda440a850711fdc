// What a column is worth at a node.
#pragma once

#include <cmath>
#include <vector>

#include "core/tree/c45_columns.hpp"

namespace pellucid::tree::c45 {

inline constexpr double kTie = 1e-9;  // what differs by less counts as equal: the first column, the lower cut wins

inline double f(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// Entropy in bits of class weights with this sum.
inline double entropy(std::span<const double> classes, double sum) {
    double parts = 0;
    for (const double w : classes) parts += f(w);
    return sum > 0 ? std::fmax((f(sum) - parts) / sum, 0.0) : 0.0;
}

// The best split of a node by one column.
struct Split {
    bool admissible = false;
    double gain = 0, info = 0;
    std::uint32_t low = 0, high = 0;  // ranks on either side of the cut; low: the category against the rest
    double cuts = 0;
};

// Scratch memory of one thread.
struct Workspace {
    std::vector<double> counts, known, left;
    std::vector<std::uint32_t> classes, touched;
    std::vector<std::uint64_t> keys, swap;
};

struct NodeView {
    CaseSpan cases;
    std::span<const double> value;  // weight of each class
    double weight = 0;
};

Split best_split(const Columns& table, const MultiwayRules& rules, Size column, const NodeView& node, Workspace& ws);

// Which column is best, -1 for none.
std::int32_t best_column(const Columns& table, const MultiwayRules& rules, std::span<const Split> splits);

}  // namespace pellucid::tree::c45

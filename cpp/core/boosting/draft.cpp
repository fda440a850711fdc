#include "core/boosting/draft.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/rng.hpp"

namespace pellucid::boosting {
namespace {

// A share of some columns, at least one, rising.
std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> from, double share, std::uint64_t key) {
    const auto count = std::max<Size>(static_cast<Size>(share * static_cast<double>(from.size()) + 0.5), 1);
    const Random random{key, 0};
    for (Size k = 0; k < count; ++k) std::swap(from[k], from[k + random.below(k, from.size() - k)]);
    from.resize(count);
    std::sort(from.begin(), from.end());
    return from;
}

// Takes out nodes that hang nowhere any more.
void drop_loose(std::vector<Draft>& nodes) {
    std::vector<std::int32_t> place(nodes.size(), -1);
    std::vector<Draft> kept;
    place[0] = 0;
    for (Size i = 0; i < nodes.size(); ++i) {
        const std::int32_t parent = nodes[i].parent;
        if (i > 0 && (place[static_cast<Size>(parent)] < 0 || nodes[static_cast<Size>(parent)].is_leaf())) continue;
        place[i] = static_cast<std::int32_t>(kept.size());
        kept.push_back(nodes[i]);
    }
    for (Draft& node : kept) {
        if (node.parent >= 0) node.parent = place[static_cast<Size>(node.parent)];
        if (node.left >= 0) node.left = place[static_cast<Size>(node.left)];
    }
    nodes = std::move(kept);
}

}  // namespace

std::uint64_t mixed(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void prune(std::vector<Draft>& nodes, double min_gain) {
    for (Size i = nodes.size(); i-- > 0;) {
        Draft& node = nodes[i];
        if (node.is_leaf()) continue;
        const auto left = static_cast<Size>(node.left);
        if (nodes[left].is_leaf() && nodes[left + 1].is_leaf() && node.split.gain < min_gain) node.left = -1;
    }
    drop_loose(nodes);
}

void prune_levels(std::vector<Draft>& nodes, std::span<const double> gains, double min_gain) {
    Size levels = gains.size();
    while (levels > 0 && gains[levels - 1] < min_gain) --levels;
    for (Draft& node : nodes)
        if (node.depth >= levels) node.left = -1;
    drop_loose(nodes);
}

ColumnDraw::ColumnDraw(const Settings& settings, Size cols, std::uint64_t key)
    : settings_(settings), key_(key), of_tree_(cols) {
    std::iota(of_tree_.begin(), of_tree_.end(), 0u);
    if (settings_.columns_by_tree < 1) of_tree_ = drawn(of_tree_, settings_.columns_by_tree, key_ ^ 1);
}

std::vector<std::uint32_t> ColumnDraw::of_node(Size node, Size depth) const {
    std::vector<std::uint32_t> out = of_tree_;
    if (settings_.columns_by_level < 1) out = drawn(out, settings_.columns_by_level, key_ ^ mixed(depth + 2));
    if (settings_.columns_by_node < 1)
        out = drawn(out, settings_.columns_by_node, key_ ^ mixed(node + (std::uint64_t{1} << 32)));
    return out;
}

}  // namespace pellucid::boosting

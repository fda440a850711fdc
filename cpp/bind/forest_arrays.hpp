// The arrays of a forest on their way to Python and back.
#pragma once

#include <vector>

#include "bind/arrays.hpp"
#include "bind/tree_columns.hpp"
#include "core/base/check.hpp"
#include "core/forest/forest.hpp"

namespace pellucid::bind {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> part(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}
template <class T>
nb::object column(std::vector<T> values) {
    const Size n = values.size();
    return to_numpy(std::move(values), {n});
}

// The arrays of a forest, kept alive. They are read-only: what was found right once stays so.
struct BoundForest {
    Words nodes;
    Column<std::int64_t> tree_start, leaf_start;
    Rows leaf_value;
    Column<std::int64_t> set_start;
    Column<std::uint32_t> words;
    Size cols;
    const char* fault = nullptr;
    std::vector<forest::QuickNode> quick = {};

    forest::ForestView view() const {
        return {leaf_value.shape(1),
                cols,
                {reinterpret_cast<const forest::Node*>(nodes.data()), nodes.shape(0)},
                part(tree_start),
                part(leaf_start),
                {leaf_value.data(), leaf_value.size()},
                part(set_start),
                part(words),
                quick};
    }
    forest::ForestView checked() const {
        require(fault == nullptr, "forest: its arrays do not fit");
        return view();
    }
};

inline nb::object nodes_array(std::vector<forest::Node> nodes) {
    auto* held = new std::vector<forest::Node>(std::move(nodes));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<forest::Node>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::uint64_t>(held->data(), {held->size(), Size{2}}, owner));
}

inline nb::dict forest_dict(forest::Forest&& f, Size cols) {
    const Size trees = f.trees(), leaves = static_cast<Size>(f.leaf_start.back()), width = f.width;
    nb::dict found;
    found["nodes"] = nodes_array(std::move(f.nodes));
    found["tree_start"] = column(std::move(f.tree_start));
    found["leaf_start"] = column(std::move(f.leaf_start));
    found["leaf_value"] = to_numpy(std::move(f.leaf_value), {leaves, width});
    found["set_start"] = column(std::move(f.set_start));
    found["words"] = column(std::move(f.words));
    found["leaf_rows"] = column(std::move(f.figures.leaf_rows));
    found["leaf_weight"] = column(std::move(f.figures.leaf_weight));
    found["leaf_impurity"] = column(std::move(f.figures.leaf_impurity));
    found["node_value"] = column(std::move(f.figures.node_value));
    found["node_impurity"] = column(std::move(f.figures.node_impurity));
    found["importance"] = to_numpy(std::move(f.importance), {trees, cols});
    return found;
}

}  // namespace pellucid::bind

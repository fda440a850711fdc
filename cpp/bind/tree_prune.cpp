#include "bind/arrays.hpp"
#include "core/tree/prune.hpp"

namespace pellucid::bind {
namespace {

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::int32_t> ints_of(const Ints& column) { return {column.data(), column.shape(0)}; }

// Children stand behind their parents and inside the arrays: nothing else would end.
bool is_tree(std::span<const std::int32_t> parent, std::span<const std::int32_t> first_child,
             std::span<const std::int32_t> n_children) {
    const auto m = static_cast<std::int64_t>(parent.size());
    if (m == 0 || parent[0] != -1) return false;
    for (std::int64_t i = 0; i < m; ++i) {
        const auto at = static_cast<Size>(i);
        const std::int64_t first = first_child[at], count = n_children[at];
        if (i > 0 && (parent[at] < 0 || parent[at] >= i)) return false;
        if (count < 0 || (count > 0 && (first <= i || first + count > m))) return false;
    }
    return true;
}

// (node, alpha, risk, leaves) of the steps
nb::tuple py_weakest_links(const Ints& parent, const Ints& first_child, const Ints& n_children, const Vector& risk) {
    const Size m = parent.shape(0);
    require(first_child.shape(0) == m && n_children.shape(0) == m && risk.shape(0) == m &&
                is_tree(ints_of(parent), ints_of(first_child), ints_of(n_children)),
            "weakest_links: these are not the nodes of a tree");
    tree::PruningPath path;
    {
        const nb::gil_scoped_release release;
        path = tree::weakest_links(ints_of(parent), ints_of(first_child), ints_of(n_children), span_of(risk));
    }
    const Size n = path.node.size();
    return nb::make_tuple(to_numpy(std::move(path.node), {n}), to_numpy(std::move(path.alpha), {n}),
                          to_numpy(std::move(path.risk), {n}), to_numpy(std::move(path.leaves), {n}));
}

}  // namespace

void bind_tree_prune(nb::module_& m) {
    m.def("weakest_links", &py_weakest_links, nb::arg("parent").noconvert(), nb::arg("first_child").noconvert(),
          nb::arg("n_children").noconvert(), nb::arg("risk").noconvert());
}

}  // namespace pellucid::bind

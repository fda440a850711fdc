// A grown tree as a dict of arrays, one for each field of TreeNodes (src/pellucid/models/tree/nodes.py).
#pragma once

#include "bind/arrays.hpp"
#include "core/tree/nodes.hpp"

namespace pellucid::bind {

inline nb::dict nodes_dict(tree::Nodes&& nodes) {
    const Size m = nodes.count(), width = nodes.width;
    const auto column = [](auto&& values) {
        const Size n = values.size();
        return to_numpy(std::move(values), {n});
    };
    nb::dict found;
    found["parent"] = column(std::move(nodes.parent));
    found["first_child"] = column(std::move(nodes.first_child));
    found["n_children"] = column(std::move(nodes.n_children));
    found["feature"] = column(std::move(nodes.feature));
    found["test"] = column(std::move(nodes.test));
    found["missing_child"] = column(std::move(nodes.missing_child));
    found["threshold"] = column(std::move(nodes.threshold));
    found["n_rows"] = column(std::move(nodes.n_rows));
    found["weight"] = column(std::move(nodes.weight));
    found["impurity"] = column(std::move(nodes.impurity));
    found["value"] = to_numpy(std::move(nodes.value), {m, width});
    found["table_start"] = column(std::move(nodes.table_start));
    found["table"] = column(std::move(nodes.table));
    found["cuts_start"] = column(std::move(nodes.cuts_start));
    found["cuts"] = column(std::move(nodes.cuts));
    found["surrogate_start"] = column(std::move(nodes.surrogate_start));
    found["surrogate_feature"] = column(std::move(nodes.surrogate_feature));
    found["surrogate_threshold"] = column(std::move(nodes.surrogate_threshold));
    found["surrogate_reverse"] = column(std::move(nodes.surrogate_reverse));
    return found;
}

}  // namespace pellucid::bind

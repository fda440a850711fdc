// A search for sets, cut into parts by their first items, which threads take one by one.
#pragma once

#include "core/base/pool.hpp"
#include "core/itemsets/prefix.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::itemsets {

// run(first, workspace, nodes) finds the sets that begin with an item. longest: see Nodes. items: of all baskets.
template <class Run>
Found search_first_items(const Ranked& db, std::uint64_t most, Size longest, Size items, int threads, const Run& run) {
    Limit limit(most);
    tree::Shelf<Workspace> shelf;
    std::vector<std::vector<Node>> parts(db.size());
    parallel_for(db.size(), threads, [&](Size first) {
        if (limit.reached()) return;
        const auto work = shelf.lend();
        if (work->counts.size() != db.size()) *work = Workspace(db.size());
        Nodes nodes(limit, longest);
        try {
            run(first, *work, nodes);
            nodes.close();
        } catch (const TooMany&) {
            return;
        }
        parts[first] = std::move(nodes.nodes());
    });
    if (limit.reached()) return {{}, false};
    return arranged(parts, db.code, items, threads);
}

}  // namespace pellucid::itemsets

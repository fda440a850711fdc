#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/distance/graph_index.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/scan_hot.hpp"

namespace pellucid {
namespace {

constexpr Size kNodesABlock = 256;

struct Link {
    float apart;
    std::uint32_t to;

    friend bool operator<(const Link& a, const Link& b) {
        return a.apart < b.apart || (a.apart == b.apart && a.to < b.to);
    }
};

// Links of every node, room for `most` each.
struct Links {
    Size most = 0;
    std::vector<Link> all;
    std::vector<std::uint32_t> counts;

    Links(Size nodes, Size most) : most(most), all(nodes * most), counts(nodes, 0) {}
    std::span<const Link> of(Size v) const { return {all.data() + v * most, counts[v]}; }
    void set(Size v, std::span<const Link> links) {
        std::copy(links.begin(), links.end(), all.begin() + static_cast<std::ptrdiff_t>(v * most));
        counts[v] = static_cast<std::uint32_t>(links.size());
    }
};

// Of links in order of distance those that the relative neighborhood rule keeps, `most` at most.
void prune(const std::vector<float>& table, Size d, std::span<const Link> sorted, Size most, std::vector<Link>& kept) {
    const ScanHot& hot = scan_hot();
    kept.clear();
    for (const Link& link : sorted) {
        if (kept.size() == most) return;
        const float* c = table.data() + link.to * d;
        const bool hidden = std::any_of(kept.begin(), kept.end(), [&](const Link& s) {
            return hot.apart(table.data() + s.to * d, c, d) <= link.apart;
        });
        if (!hidden) kept.push_back(link);
    }
}

// Rows as floats in the order of the cells.
std::vector<float> fill_table(const ListsView& lists, const Matrix& rows, Size wide, int threads) {
    std::vector<float> table(lists.order.size() * wide, 0.0f);
    with_rows(rows, [&](const auto& x) {
        parallel_for(blocks_of(lists.order.size(), kNodesABlock), threads, [&](Size block) {
            std::vector<double> framed(x.cols);
            const Size end = std::min(lists.order.size(), (block + 1) * kNodesABlock);
            for (Size v = block * kNodesABlock; v < end; ++v) {
                x.framed(static_cast<Size>(lists.order[v]), lists.center.data(), lists.scale, framed.data());
                std::copy(framed.begin(), framed.end(), table.begin() + static_cast<std::ptrdiff_t>(v * wide));
            }
        });
    });
    return table;
}

// Each node's links by the rule, chosen from its nearest rows.
Links chosen_links(const ListsView& lists, const Matrix& rows, const std::vector<float>& table, Size wide,
                   const GraphSettings& settings, int threads) {
    const Size nodes = lists.order.size(), k = std::min(settings.candidates + 1, nodes);
    std::vector<double> distances(nodes * k);
    std::vector<std::int64_t> near(nodes * k);
    lists_nearest(lists, rows, rows, k, settings.probes, {}, distances, near, threads);
    std::vector<std::uint32_t> place(nodes);
    for (Size v = 0; v < nodes; ++v) place[static_cast<Size>(lists.order[v])] = static_cast<std::uint32_t>(v);
    Links links(nodes, settings.links);
    parallel_for(blocks_of(nodes, kNodesABlock), threads, [&](Size block) {
        std::vector<Link> sorted, kept;
        const Size end = std::min(nodes, (block + 1) * kNodesABlock);
        for (Size v = block * kNodesABlock; v < end; ++v) {
            sorted.clear();
            for (Size i = 0; i < k; ++i) {
                const std::uint32_t to = place[static_cast<Size>(near[static_cast<Size>(lists.order[v]) * k + i])];
                if (to != v) sorted.push_back({scan_hot().apart(&table[v * wide], &table[to * wide], wide), to});
            }
            std::sort(sorted.begin(), sorted.end());
            prune(table, wide, sorted, settings.links, kept);
            links.set(v, kept);
        }
    });
    return links;
}

// Adds the way back to every link; where that makes too many, the rule chooses.
Links mutual_links(const Links& links, const std::vector<float>& table, Size wide, int threads) {
    const Size nodes = links.counts.size();
    std::vector<std::int64_t> starts(nodes + 1, 0);
    for (Size v = 0; v < nodes; ++v)
        for (const Link& link : links.of(v)) ++starts[link.to + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    std::vector<Link> back(static_cast<Size>(starts[nodes]));
    for (Size v = 0; v < nodes; ++v)
        for (const Link& link : links.of(v))
            back[static_cast<Size>(next[link.to]++)] = {link.apart, static_cast<std::uint32_t>(v)};
    Links both(nodes, links.most);
    parallel_for(blocks_of(nodes, kNodesABlock), threads, [&](Size block) {
        std::vector<Link> all, kept;
        const Size end = std::min(nodes, (block + 1) * kNodesABlock);
        for (Size v = block * kNodesABlock; v < end; ++v) {
            const auto own = links.of(v);
            all.assign(own.begin(), own.end());
            all.insert(all.end(), back.begin() + starts[v], back.begin() + starts[v + 1]);
            std::sort(all.begin(), all.end());
            all.erase(std::unique(all.begin(), all.end(), [](const Link& a, const Link& b) { return a.to == b.to; }),
                      all.end());
            if (all.size() > links.most) {
                prune(table, wide, all, links.most, kept);
                both.set(v, kept);
            } else {
                both.set(v, all);
            }
        }
    });
    return both;
}

// The row nearest to the center of each cell, the first of equals.
std::vector<std::uint32_t> entries_of(const ListsView& lists) {
    std::vector<std::uint32_t> entries(lists.count());
    for (Size c = 0; c < lists.count(); ++c) {
        const auto first = static_cast<Size>(lists.panel_starts[c]) * 16;
        const auto sizes = lists.sizes.begin() + static_cast<std::ptrdiff_t>(first);
        const auto nearest = std::min_element(sizes, sizes + static_cast<std::ptrdiff_t>(lists.rows_in(c)));
        entries[c] = static_cast<std::uint32_t>(lists.starts[c] + (nearest - sizes));
    }
    return entries;
}

// Links beyond the chosen ones, which make every node reachable from every entry: (from, to).
std::vector<std::pair<std::uint32_t, std::uint32_t>> repair(const Links& links, const ListsView& lists,
                                                            const std::vector<std::uint32_t>& entries) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> extra;
    std::vector<char> reached(links.counts.size(), 0);
    std::vector<std::uint32_t> open;
    const auto spread = [&](std::uint32_t from) {
        if (reached[from]) return;
        reached[from] = 1;
        open.push_back(from);
        while (!open.empty()) {
            const std::uint32_t v = open.back();
            open.pop_back();
            for (const Link& link : links.of(v)) {
                if (reached[link.to]) continue;
                reached[link.to] = 1;
                open.push_back(link.to);
            }
        }
    };
    for (const std::uint32_t entry : entries) spread(entry);
    for (Size c = 0; c < entries.size() && entries.size() > 1; ++c)
        extra.push_back({entries[c], entries[(c + 1) % entries.size()]});
    for (Size c = 0; c < entries.size(); ++c)
        for (auto v = static_cast<std::uint32_t>(lists.starts[c]); v < lists.starts[c + 1]; ++v) {
            if (reached[v]) continue;
            const auto own = links.of(v);
            const auto near = std::find_if(own.begin(), own.end(), [&](const Link& link) { return reached[link.to]; });
            extra.push_back({near == own.end() ? entries[c] : near->to, v});
            spread(v);
        }
    std::stable_sort(extra.begin(), extra.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return extra;
}

}  // namespace

Graph build_graph(const ListsView& lists, const Matrix& rows, const GraphSettings& settings, int threads) {
    require(rows_of(rows) == lists.order.size() && settings.links >= 1, "rows of the lists, and at least one link");
    const Size nodes = lists.order.size(), wide = blocks_of(lists.cols(), 16) * 16;
    Graph graph;
    graph.table = fill_table(lists, rows, wide, threads);
    const Links links =
        mutual_links(chosen_links(lists, rows, graph.table, wide, settings, threads), graph.table, wide, threads);
    graph.entries = entries_of(lists);
    const auto extra = repair(links, lists, graph.entries);
    auto next = extra.begin();
    graph.starts.push_back(0);
    for (Size v = 0; v < nodes; ++v) {
        for (const Link& link : links.of(v)) graph.links.push_back(link.to);
        for (; next != extra.end() && next->first == v; ++next) graph.links.push_back(next->second);
        graph.starts.push_back(static_cast<std::int64_t>(graph.links.size()));
    }
    return graph;
}

void first_equal_rows(const Matrix& rows, std::span<std::int64_t> first, int threads) {
    require(first.size() == rows_of(rows), "one number a row");
    with_rows(rows, [&]<class T>(const PointedRows<T>& x) {
        const auto bits = [](T v) {
            v += T(0);  // one zero
            std::uint64_t word = 0;
            std::memcpy(&word, &v, sizeof v);
            return word;
        };
        std::vector<std::pair<std::uint64_t, std::int64_t>> keys(x.rows);
        parallel_for(blocks_of(x.rows, kNodesABlock), threads, [&](Size block) {
            const Size end = std::min(x.rows, (block + 1) * kNodesABlock);
            for (Size r = block * kNodesABlock; r < end; ++r) {
                std::uint64_t key = 0x9E3779B97F4A7C15u;
                for (Size j = 0; j < x.cols; ++j) {
                    key = (key ^ bits(x.row(r)[j])) * 0xFF51AFD7ED558CCDu;
                    key ^= key >> 32;
                }
                keys[r] = {key, static_cast<std::int64_t>(r)};
            }
        });
        std::sort(keys.begin(), keys.end());
        const auto same = [&](std::int64_t a, std::int64_t b) {
            return std::equal(x.row(static_cast<Size>(a)), x.row(static_cast<Size>(a)) + x.cols,
                              x.row(static_cast<Size>(b)));
        };
        for (Size i = 0; i < keys.size();) {  // rows of one key, ascending; nearly always of one value
            Size end = i;
            while (end < keys.size() && keys[end].first == keys[i].first) ++end;
            std::vector<std::int64_t> distinct;
            for (; i < end; ++i) {
                const std::int64_t row = keys[i].second;
                const auto known = std::find_if(distinct.begin(), distinct.end(),
                                                [&](std::int64_t other) { return same(other, row); });
                first[static_cast<Size>(row)] = known == distinct.end() ? row : *known;
                if (known == distinct.end()) distinct.push_back(row);
            }
        }
    });
}

}  // namespace pellucid

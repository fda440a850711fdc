// Nearest rows by walking a graph: every row has links to rows nearby, and a search goes from row to row, always on
// from the nearest one that it has not gone on from yet, until the `reach` nearest rows it knows have all been gone on
// from.
//
// The links of a row v: of its nearest rows, nearest first, c is kept if it is nearer to v than to every s that was
// kept before it (the rule of the relative neighborhood graph):
//
//   |v - c| < |s - c|   for all kept s
//
// so that links go out in all directions instead of into one crowd. Links are then made mutual, and where a row has too
// many the rule is applied again. Every cell of k-means (inverted_lists.hpp) has an entry, its row nearest to the
// center; a search begins at the entries of the cells nearest to the query. The entries form a ring, and a row that
// cannot be reached from them gets a link from one that can: with a reach of all rows the answer is exact.
//
// Every step reads what the step before left and writes what belongs to one row: the graph does not depend on the
// threads. Ideas: Malkov and Yashunin (HNSW, 2018); Fu et al. (NSG, 2019); Subramanya et al. (Vamana, 2019).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/distance/inverted_lists.hpp"

namespace pellucid {

// Nodes are rows that differ, in the order of the cells; d is filled up to a multiple of sixteen.
struct Graph {
    std::vector<float> table;          // nodes x d, in the units of the lists
    std::vector<std::int64_t> starts;  // links of node v: links[starts[v]] to links[starts[v + 1] - 1]
    std::vector<std::uint32_t> links;
    std::vector<std::uint32_t> entries;  // one node a cell
};

struct GraphSettings {
    Size links = 32;       // most links of a row, but for those that make it reachable
    Size candidates = 32;  // nearest rows that links are chosen from
    Size probes = 8;       // cells in which they are looked for
};

// `lists` are of the rows, which must differ.
Graph build_graph(const ListsView& lists, const Matrix& rows, const GraphSettings& settings, int threads);

struct GraphView {
    ListsView cells;  // centers of the cells alone
    std::span<const float> table;
    std::span<const std::int64_t> starts;
    std::span<const std::uint32_t> links, entries;
    // Rows of node v, all equal: members[member_starts[v]] to members[member_starts[v + 1] - 1], ascending.
    std::span<const std::int64_t> member_starts, members;
    std::span<const std::int64_t> always;  // rows that are in no graph and offered to every query

    Size nodes() const { return starts.size() - 1; }
};

struct GraphReach {
    Size reach = 64;   // nodes that a search keeps
    Size entries = 4;  // cells that it begins in
    // A node for each query that its search does not see, or -1: a row of the graph is asked about as if it were new.
    std::span<const std::int64_t> hidden = {};
};

// The k nearest rows that a search finds; `rows` are all rows, with the equal ones. reach is raised to k.
void graph_nearest(const GraphView& graph, const Matrix& rows, const Matrix& queries, Size k, const GraphReach& reach,
                   const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads);

// The rows within a radius that are linked to what a search finds, through rows within the radius.
Neighborhoods graph_within(const GraphView& graph, const Matrix& rows, const Matrix& queries, double radius,
                           const GraphReach& reach, const Metric& metric, int threads);

// The first row of those equal to each row.
void first_equal_rows(const Matrix& rows, std::span<std::int64_t> first, int threads);

}  // namespace pellucid

// Isolation forests (Liu, Ting, Zhou 2008): rows that random cuts part from the others after few cuts are outliers.
//
// A tree is grown on a sample of rows: a column that varies in the node is drawn, and a cut between its smallest and
// largest value there; a node of one row, of rows that are all alike, or at the depth limit is a leaf. The path length
// of a row is the depth of its leaf plus what m rows left together would still take on average,
//
//   c(m) = 2 (ln(m - 1) + 0.5772...) - 2 (m - 1) / m,   c(2) = 1, c(1) = 0.
//
// A tree's sample, columns and cuts depend on the seed and its number alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

double average_path(double m);  // c(m)

struct IsolationSettings {
    Size trees = 100;
    Size samples = 256;      // rows of a tree
    Size columns = 1;        // that a tree may cut
    bool bootstrap = false;  // rows drawn with replacement?
    std::uint64_t seed = 0;
    int threads = 1;
};

// Nodes of tree t from starts[t] to starts[t + 1]; children side by side. A leaf has column -1, and its path length
// stands as threshold. A row goes left if its value is at most the threshold.
struct IsolationTrees {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> column, left;  // left: counted from the tree's first node
    std::vector<double> threshold;
    std::vector<std::int32_t> rows;  // of the sample, in the node
};
IsolationTrees grow_isolation(const Matrix& X, const IsolationSettings& settings);

struct IsolationView {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> column, left;
    std::span<const double> threshold;
};
// The mean path length of every row.
void mean_paths(const Matrix& X, const IsolationView& trees, std::span<double> out, int threads);

}  // namespace pellucid

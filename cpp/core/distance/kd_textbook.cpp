#include "core/distance/kd_textbook.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "core/distance/collect.hpp"

namespace pellucid {
namespace {

// The first column, from `axis` on and around, in which the rows differ; their number if there is none.
Size column_that_differs(const Dense<double>& x, std::span<const std::int32_t> rows, Size axis) {
    for (Size step = 0; step < x.cols; ++step) {
        const Size j = (axis + step) % x.cols;
        const double first = x.at(static_cast<Size>(rows[0]), j);
        for (const auto row : rows)
            if (x.at(static_cast<Size>(row), j) != first) return step;
    }
    return x.cols;
}

double upper_median(const Dense<double>& x, std::span<const std::int32_t> rows, Size axis) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto row : rows) values.push_back(x.at(static_cast<Size>(row), axis));
    std::sort(values.begin(), values.end());
    const double middle = values[values.size() / 2];
    return middle > values.front() ? middle : *std::upper_bound(values.begin(), values.end(), middle);
}

// A cut `away` from the query as a reduced distance, which no row beyond the cut comes below: the square of one
// difference is at most the sum of all. pow() alone is not promised to be monotone.
double gap_reduced(const Metric& metric, double away) {
    const double zero = 0, found = metric.functions<double>().pair(&away, &zero, 1, metric.p);
    return metric.kind == MetricKind::minkowski ? found * (1 - 1e-13) : found;
}

struct Build {
    const Dense<double>& x;
    Size leaf_size;
    TextbookTree& tree;

    // Nodes wait on a stack, the right child below the left: rows that differ in one value of many make a deep tree.
    void run() {
        struct Waiting {
            std::int32_t node;
            Size axis;
        };
        tree.nodes.push_back({});
        tree.nodes[0].count = static_cast<std::int32_t>(x.rows);
        std::vector<Waiting> stack{{0, 0}};
        while (!stack.empty()) {
            const auto [at, axis] = stack.back();
            stack.pop_back();
            if (!cut(at, axis)) continue;
            const TextbookNode& node = tree.nodes[static_cast<Size>(at)];
            const Size next = (static_cast<Size>(node.axis) + 1) % x.cols;
            stack.push_back({node.right, next});
            stack.push_back({node.left, next});
        }
    }

    // Cuts a node in two; answers false for a leaf.
    bool cut(std::int32_t at, Size axis) {
        TextbookNode node = tree.nodes[static_cast<Size>(at)];
        const auto rows = std::span(tree.order).subspan(static_cast<Size>(node.first), static_cast<Size>(node.count));
        if (rows.size() <= leaf_size) return false;
        const Size skipped = column_that_differs(x, rows, axis);
        if (skipped == x.cols) return false;
        const Size j = (axis + skipped) % x.cols;
        node.axis = static_cast<std::int32_t>(j);
        node.skipped = static_cast<std::int32_t>(skipped);
        node.threshold = upper_median(x, rows, j);
        const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](std::int32_t row) {
            return x.at(static_cast<Size>(row), j) < node.threshold;
        });
        const auto below = static_cast<std::int32_t>(middle - rows.begin());
        node.left = static_cast<std::int32_t>(tree.nodes.size());
        node.right = node.left + 1;
        tree.nodes[static_cast<Size>(at)] = node;
        tree.nodes.push_back({-1, 0, -1, -1, node.first, below, 0});
        tree.nodes.push_back({-1, 0, -1, -1, node.first + below, node.count - below, 0});
        return true;
    }
};

}  // namespace

TextbookTree textbook_tree(const Dense<double>& x, Size leaf_size) {
    require(x.rows >= 1 && x.cols >= 1 && leaf_size >= 1, "a tree has rows, columns and leaves");
    TextbookTree tree;
    tree.order.resize(x.rows);
    std::iota(tree.order.begin(), tree.order.end(), 0);
    Build{x, leaf_size, tree}.run();
    return tree;
}

void textbook_nearest(const Dense<double>& x, std::span<const TextbookNode> nodes, std::span<const std::int32_t> order,
                      const Metric& metric, const double* query, Size k, double* distances, std::int64_t* numbers,
                      std::vector<Visit>* visits) {
    struct Branch {
        std::int32_t node;
        double bound, reduced;
    };
    std::vector<Neighbor> room(k);
    Nearest nearest(room);
    std::vector<double> row(x.cols);
    std::vector<Branch> stack{{0, 0.0, 0.0}};
    while (!stack.empty()) {
        const auto [at, bound, reduced] = stack.back();
        stack.pop_back();
        const bool enter = !(reduced > nearest.bound());
        if (visits != nullptr) visits->push_back({at, bound, metric.distance(nearest.bound()), enter});
        if (!enter) continue;
        const TextbookNode& node = nodes[static_cast<Size>(at)];
        if (node.axis < 0) {
            for (const auto number : order.subspan(static_cast<Size>(node.first), static_cast<Size>(node.count))) {
                for (Size j = 0; j < x.cols; ++j) row[j] = x.at(static_cast<Size>(number), j);
                nearest.offer(metric.functions<double>().pair(query, row.data(), x.cols, metric.p), number);
            }
            continue;
        }
        const double value = query[node.axis], away = std::fabs(value - node.threshold);
        const bool left = value < node.threshold;
        stack.push_back({left ? node.right : node.left, away, gap_reduced(metric, away)});
        stack.push_back({left ? node.left : node.right, 0.0, 0.0});
    }
    const auto found = nearest.finish();
    for (Size j = 0; j < k; ++j) {
        distances[j] = metric.distance(found[j].reduced);
        numbers[j] = found[j].row;
    }
}

}  // namespace pellucid

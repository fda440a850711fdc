#include "core/tree/view.hpp"

#include <algorithm>
#include <cmath>

namespace pellucid::tree {
namespace {

constexpr Size kMostNodes = Size{1} << 31;

bool sizes_agree(const NodesView& t) {
    const Size m = t.count();
    return t.first_child.size() == m && t.n_children.size() == m && t.feature.size() == m && t.test.size() == m &&
           t.missing_child.size() == m && t.threshold.size() == m && t.weight.size() == m &&
           t.value.size() == m * t.width;
}

// Do `starts` cut `entries` things into a run for each of m nodes, or are both empty?
bool runs_agree(std::span<const std::int64_t> starts, Size entries, Size m) {
    if (starts.empty()) return entries == 0;
    return starts.size() == m + 1 && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(entries) &&
           std::is_sorted(starts.begin(), starts.end());
}

const char* fault_of_leaf(const NodesView& t, Size i) {
    if (t.test[i] != static_cast<std::uint8_t>(Test::leaf)) return "a node without children has a test";
    return nullptr;
}

const char* fault_of_children(const NodesView& t, Size i) {
    const auto first = static_cast<std::int64_t>(t.first_child[i]), count = static_cast<std::int64_t>(t.n_children[i]);
    if (count < 2) return "a node has one child";
    if (first <= static_cast<std::int64_t>(i) || first + count > static_cast<std::int64_t>(t.count()))
        return "children must come after their parent and lie within the tree";
    for (std::int64_t child = first; child < first + count; ++child)
        if (t.parent[static_cast<Size>(child)] != static_cast<std::int32_t>(i)) return "a child names another parent";
    return nullptr;
}

const char* fault_of_test(const NodesView& t, Size i) {
    const std::int32_t branches = t.n_children[i];
    switch (static_cast<Test>(t.test[i])) {
        case Test::at_most:
        case Test::below:
            if (branches != 2) return "a test by a threshold has two branches";
            return std::isnan(t.threshold[i]) ? "a test by a threshold has none" : nullptr;
        case Test::subset:
            if (branches != 2) return "a test by a set has two branches";
            return t.table_start.empty() ? "a test by a set has no table" : nullptr;
        case Test::categories: {
            if (t.table_start.empty()) return "a test by categories has no table";
            for (auto k = t.table_start[i]; k < t.table_start[i + 1]; ++k)
                if (const std::int32_t b = t.table[static_cast<Size>(k)]; b < -1 || b >= branches)
                    return "a category takes a branch that is not there";
            return nullptr;
        }
        case Test::intervals: {
            if (t.cuts_start.empty() || t.cuts_start[i + 1] - t.cuts_start[i] != branches - 1)
                return "a test by intervals needs a cut between any two branches";
            const auto cuts = t.cuts.subspan(static_cast<Size>(t.cuts_start[i]), static_cast<Size>(branches - 1));
            for (Size k = 0; k < cuts.size(); ++k)
                if (std::isnan(cuts[k]) || (k > 0 && cuts[k] < cuts[k - 1])) return "cuts must ascend";
            return nullptr;
        }
        default:
            return "a node with children has no test that is known";
    }
}

const char* fault_of_surrogates(const NodesView& t, Size i, Size cols) {
    if (t.surrogate_start.empty() || t.surrogate_start[i] == t.surrogate_start[i + 1]) return nullptr;
    if (t.n_children[i] != 2) return "only a test with two branches may have surrogates";
    for (auto k = static_cast<Size>(t.surrogate_start[i]); k < static_cast<Size>(t.surrogate_start[i + 1]); ++k)
        if (t.surrogate_feature[k] < 0 || static_cast<Size>(t.surrogate_feature[k]) >= cols)
            return "a surrogate asks a column that is not there";
    return nullptr;
}

const char* fault_of_node(const NodesView& t, Size i, Size cols) {
    if (i > 0 && (t.parent[i] < 0 || static_cast<Size>(t.parent[i]) >= i)) return "parents must come before children";
    if (t.n_children[i] == 0) return fault_of_leaf(t, i);
    if (const char* fault = fault_of_children(t, i)) return fault;
    if (t.feature[i] < 0 || static_cast<Size>(t.feature[i]) >= cols) return "a node asks a column that is not there";
    if (t.missing_child[i] < kStop || t.missing_child[i] >= t.n_children[i])
        return "missing values take a branch that is not there";
    if (const char* fault = fault_of_test(t, i)) return fault;
    return fault_of_surrogates(t, i, cols);
}

}  // namespace

NodesView view_of(const Nodes& n) {
    NodesView t;
    t.width = n.width;
    t.parent = n.parent;
    t.first_child = n.first_child;
    t.n_children = n.n_children;
    t.feature = n.feature;
    t.test = n.test;
    t.missing_child = n.missing_child;
    t.threshold = n.threshold;
    t.weight = n.weight;
    t.value = n.value;
    t.table_start = n.table_start;
    t.table = n.table;
    t.cuts_start = n.cuts_start;
    t.cuts = n.cuts;
    t.surrogate_start = n.surrogate_start;
    t.surrogate_feature = n.surrogate_feature;
    t.surrogate_threshold = n.surrogate_threshold;
    t.surrogate_reverse = n.surrogate_reverse;
    return t;
}

const char* fault_of(const NodesView& t, Size cols) {
    const Size m = t.count();
    if (m == 0) return "it has no node";
    if (m >= kMostNodes || cols >= kMostColumns) return "it is too large";
    if (!sizes_agree(t)) return "its arrays differ in length";
    if (!runs_agree(t.table_start, t.table.size(), m)) return "its tables of categories do not fit its nodes";
    if (!runs_agree(t.cuts_start, t.cuts.size(), m)) return "its cuts do not fit its nodes";
    if (!runs_agree(t.surrogate_start, t.surrogate_feature.size(), m) ||
        t.surrogate_threshold.size() != t.surrogate_feature.size() ||
        t.surrogate_reverse.size() != t.surrogate_feature.size())
        return "its surrogates do not fit its nodes";
    if (t.parent[0] != -1) return "node 0 must be the root";
    for (Size i = 0; i < m; ++i)
        if (const char* fault = fault_of_node(t, i, cols)) return fault;
    return nullptr;
}

}  // namespace pellucid::tree

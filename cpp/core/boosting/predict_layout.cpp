#include "core/boosting/predict_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace pellucid::boosting {
namespace {

using forest::ForestView;
using forest::Node;

constexpr std::uint32_t kLinesOfLane = kLane / kLine;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

float single_of(double edge) {
    return edge == kInfinity ? std::numeric_limits<float>::infinity() : forest::rounded_down(edge);
}

bool goes_right_missing(const Node& node) { return node.missing() != node.first; }

// A test of a tree, as far as it is about bytes.
struct Test {
    std::uint32_t lane = 0;
    std::uint8_t bits = 255, cut = 0;
};

// ---------------------------------------------------------------------------------------------------- codes of columns

// What the nodes of all trees ask: tests by a threshold and by a set, column by column.
class Asking {
  public:
    Asking(const ForestView& forest, Size first, Size last, Layout& out) : forest_(forest), out_(out) {
        begin_ = static_cast<Size>(forest.tree_start[first]);
        const auto end = static_cast<Size>(forest.tree_start[last]);
        tests_.resize(end - begin_);
        Size root = begin_;
        for (Size t = first; t < last; ++t, root = static_cast<Size>(forest.tree_start[t]))
            for (Size i = 0; i < forest.count(t); ++i) {
                const Node& node = forest.nodes[root + i];
                if (node.first != static_cast<std::int32_t>(i)) inner_.push_back(root + i);
            }
        sort_by_column();
    }

    // Writes the columns, and gives the test of each node.
    std::vector<Test> answer() {
        for (Size k = 0; k < inner_.size();) {
            const Size column = node(inner_[k]).asked();
            thresholds_.clear();
            sets_.clear();
            for (; k < inner_.size() && node(inner_[k]).asked() == column; ++k)
                if (node(inner_[k]).is_set())
                    sets_.push_back(inner_[k]);
                else
                    thresholds_.push_back({node(inner_[k]).threshold, inner_[k]});
            AskedColumn asked;
            asked.column = column;
            asked.first_search = out_.searches.size();
            asked.first_set = out_.sets.size();
            put_thresholds();
            put_sets(asked);
            asked.last_search = out_.searches.size();
            asked.last_set = out_.sets.size();
            out_.columns.push_back(asked);
        }
        out_.edges.resize(out_.edges.size() + kLine);  // vectors read beyond
        out_.singles.resize(out_.edges.size());
        std::transform(out_.edges.begin(), out_.edges.end(), out_.singles.begin(), single_of);
        return std::move(tests_);
    }

  private:
    struct Threshold {
        double value;
        Size node;
    };

    const Node& node(Size i) const { return forest_.nodes[i]; }
    Test& test(Size i) { return tests_[i - begin_]; }
    std::uint32_t new_lane() { return static_cast<std::uint32_t>(out_.lanes++); }

    void sort_by_column() {
        std::vector<Size> start(forest_.cols + 1, 0), sorted(inner_.size());
        for (const Size i : inner_) ++start[node(i).asked() + 1];
        for (Size j = 0; j < forest_.cols; ++j) start[j + 1] += start[j];
        for (const Size i : inner_) sorted[start[node(i).asked()]++] = i;
        inner_ = std::move(sorted);
    }

    void put_thresholds() {
        std::sort(thresholds_.begin(), thresholds_.end(),
                  [](const Threshold& a, const Threshold& b) { return a.value < b.value; });
        std::vector<double> edges;
        for (Size k = 0; k < thresholds_.size();) {
            edges.clear();
            EdgeSearch search;
            for (; k < thresholds_.size(); ++k) {
                const Threshold& one = thresholds_[k];
                if (edges.empty() || one.value > edges.back()) {
                    if (edges.size() == kMostEdges) break;
                    edges.push_back(one.value);
                }
                std::uint32_t& lane = goes_right_missing(node(one.node)) ? search.high : search.low;
                if (lane == 0) lane = new_lane();
                test(one.node) = {lane, 255, static_cast<std::uint8_t>(edges.size() - 1)};
            }
            put_search(search, edges);
        }
    }

    void put_search(EdgeSearch& search, const std::vector<double>& edges) {
        search.edges = out_.edges.size();
        search.levels = std::bit_width(edges.size());
        for (int level = 0; level < search.levels; ++level)
            for (Size k = 0; k < Size{1} << level; ++k) {
                const Size place = ((2 * k + 1) << (search.levels - 1 - level)) - 1;
                out_.edges.push_back(place < edges.size() ? edges[place] : kInfinity);
            }
        out_.searches.push_back(search);
    }

    Size words_of(const Node& n) const {
        return static_cast<Size>(forest_.set_start[n.number() + 1] - forest_.set_start[n.number()]);
    }

    void put_sets(AskedColumn& asked) {
        for (const Size i : sets_) asked.categories = std::max(asked.categories, 32 * words_of(node(i)));
        for (Size k = 0; k < sets_.size(); k += 8) {
            const SetBits set{out_.tables.size(), new_lane()};
            out_.tables.resize(out_.tables.size() + asked.categories + 1);
            std::uint8_t* table = out_.tables.data() + set.table;
            for (Size b = 0; b < std::min<Size>(8, sets_.size() - k); ++b) {
                const Node& n = node(sets_[k + b]);
                const auto bit = static_cast<std::uint8_t>(1u << b);
                const Size known = 32 * words_of(n);
                const std::uint32_t* words = forest_.words.data() + forest_.set_start[n.number()];
                for (Size c = 0; c <= asked.categories; ++c) {
                    const bool right = c < known ? (words[c / 32] >> (c % 32) & 1u) == 0 : goes_right_missing(n);
                    if (right) table[c] = static_cast<std::uint8_t>(table[c] | bit);
                }
                test(sets_[k + b]) = {set.lane, bit, 0};
            }
            out_.sets.push_back(set);
        }
    }

    const ForestView& forest_;
    Layout& out_;
    Size begin_ = 0;
    std::vector<Size> inner_, sets_;
    std::vector<Threshold> thresholds_;
    std::vector<Test> tests_;  // of the nodes from begin_ on
};

// ---------------------------------------------------------------------------------------------------- choices of a
// tree

class Laying {
  public:
    Laying(const ForestView& forest, Size t, const Test* tests, Layout& out)
        : forest_(forest), nodes_(forest.tree(t)), tests_(tests), t_(t), out_(out) {}

    // False where the tree is too large, or none.
    bool lay() {
        const auto leaves = static_cast<Size>(forest_.leaf_start[t_ + 1] - forest_.leaf_start[t_]);
        if (leaves > kMostLeaves) return false;
        leaf_.resize(leaves);
        std::iota(leaf_.begin(), leaf_.end(), Size{0});
        name_ = leaf_;
        LaidTree tree;
        put_levels(tree);
        tree.first_choice = out_.choices.size();
        if (!tree.levelled_missing) {
            count_lanes();
            if (!choose(0, 0)) return false;
        }
        tree.choices = out_.choices.size() - tree.first_choice;
        put_values(tree);
        out_.trees.push_back(tree);
        return true;
    }

  private:
    using Level = std::vector<std::int32_t>;  // its nodes, from left to right

    const Node& node(std::int32_t i) const { return nodes_[i]; }
    bool is_leaf(std::int32_t i) const { return nodes_[i].first == i; }
    template <class Is>
    static bool all(const Level& level, const Is& is) {
        return std::all_of(level.begin(), level.end(), is);
    }

    void put_levels(LaidTree& tree) {
        Level level{0};
        Level firsts;  // a node of each level
        bool same_missing = true;
        while (level.size() < kMostLeaves && is_alike(level)) {
            const Node& one = node(level[0]);
            same_missing &= all(level, [&](std::int32_t i) { return node(i).column == one.column; });
            firsts.push_back(level[0]);
            level = children_of(level);
        }
        tree.levelled = all(level, [&](std::int32_t i) { return is_leaf(i); });
        tree.levelled_missing = tree.levelled && same_missing;
        if (!tree.levelled) return;
        leaf_.resize(level.size());
        for (Size k = 0; k < level.size(); ++k) {
            leaf_[k] = node(level[k]).number();
            name_[leaf_[k]] = k;
        }
        tree.first_level = out_.choices.size();
        tree.levels = firsts.size();
        for (const std::int32_t i : firsts)
            out_.choices.push_back({tests_[i].lane * kLinesOfLane, 0, 0, 0, 0, 0, tests_[i].bits, tests_[i].cut});
    }

    // Do all nodes of a level make the same test, of values that are there?
    bool is_alike(const Level& level) const {
        const Node& one = node(level[0]);
        return !one.is_set() && all(level, [&](std::int32_t i) {
            return !is_leaf(i) && node(i).asked() == one.asked() && node(i).threshold == one.threshold;
        });
    }
    Level children_of(const Level& level) const {
        Level out;
        for (const std::int32_t i : level) out.insert(out.end(), {node(i).first, node(i).first + 1});
        return out;
    }

    // How many lanes of answers a node's subtree needs at a time: the child that needs more goes first.
    void count_lanes() {
        need_.assign(forest_.count(t_), 0);
        for (auto i = static_cast<std::int32_t>(need_.size()); i-- > 0;) {
            if (is_leaf(i)) continue;
            const int left = need_[static_cast<Size>(node(i).first)],
                      right = need_[static_cast<Size>(node(i).first) + 1];
            need_[static_cast<Size>(i)] = left == right ? left + 1 : std::max(left, right);
        }
        out_.answers = std::max(out_.answers, static_cast<Size>(need_[0]));
    }

    std::uint16_t line_of(int lane) const {
        return static_cast<std::uint16_t>(kMostLeaves + static_cast<Size>(lane) * kLinesOfLane);
    }

    // The answer of node i into lane `into`, with the lanes behind it at hand. False where nodes have several parents.
    bool choose(std::int32_t i, int into) {
        if (++visits_ > forest_.count(t_)) return false;
        const std::int32_t left = node(i).first, right = left + 1;
        const bool left_first = need_[static_cast<Size>(left)] >= need_[static_cast<Size>(right)];
        const std::int32_t order[2] = {left_first ? left : right, left_first ? right : left};
        int lanes[2] = {into, into + 1};
        for (int k = 0; k < 2; ++k)
            if (!is_leaf(order[k]) && !choose(order[k], lanes[k])) return false;
        const auto source = [&](std::int32_t child, int lane) {
            return is_leaf(child) ? static_cast<std::uint16_t>(name_[node(child).number()]) : line_of(lane);
        };
        const Test& test = tests_[i];
        Choice c{test.lane * kLinesOfLane, 0, 0, line_of(into), 0, 0, test.bits, test.cut};
        c.left = source(left, lanes[left_first ? 0 : 1]);
        c.right = source(right, lanes[left_first ? 1 : 0]);
        c.left_step = is_leaf(left) ? 0 : 1;
        c.right_step = is_leaf(right) ? 0 : 1;
        out_.choices.push_back(c);
        return true;
    }

    void put_values(LaidTree& tree) {
        const double* answers = forest_.answers(t_);
        tree.values = out_.values.size();
        tree.room = std::bit_ceil(std::max<Size>(leaf_.size(), 8));
        out_.values.resize(tree.values + tree.room * forest_.width);
        for (Size k = 0; k < forest_.width; ++k)
            for (Size name = 0; name < leaf_.size(); ++name)
                out_.values[tree.values + k * tree.room + name] = answers[leaf_[name] * forest_.width + k];
    }

    const ForestView& forest_;
    const Node* nodes_;
    const Test* tests_;
    Size t_;
    Layout& out_;
    std::vector<Size> name_, leaf_;  // of each leaf, and the leaf of each name
    std::vector<int> need_;
    Size visits_ = 0;
};

}  // namespace

std::optional<Layout> layout_of(const ForestView& forest, Size first, Size last) {
    for (Size t = first; t < last; ++t)
        if (forest.count(t) >= 2 * kMostLeaves) return std::nullopt;
    Layout out;
    const std::vector<Test> tests = Asking(forest, first, last, out).answer();
    for (Size t = first; t < last; ++t) {
        const auto place = static_cast<Size>(forest.tree_start[t] - forest.tree_start[first]);
        if (!Laying(forest, t, tests.data() + place, out).lay()) return std::nullopt;
    }
    return out;
}

std::uint8_t Layout::code(const EdgeSearch& search, double x) const {
    Size at = 0;
    for (int level = 0; level < search.levels; ++level)
        at = 2 * at + (x > edges[search.edges + (Size{1} << level) - 1 + at]);
    return static_cast<std::uint8_t>(at);
}

Size Layout::category(const AskedColumn& column, double x) {
    const bool is_one = x >= 0 && x < static_cast<double>(column.categories) && std::trunc(x) == x;
    return is_one ? static_cast<Size>(x) : column.categories;
}

}  // namespace pellucid::boosting

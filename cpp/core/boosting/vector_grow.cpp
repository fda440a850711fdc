#include "core/boosting/vector_grow.hpp"

#include <algorithm>
#include <memory>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/boosting/growth_order.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kMostHistograms = 1ull << 29;  // bytes of all histograms that wait

// A node that waits for its split to be carried out.
struct Leaf {
    std::int32_t node = 0;
    std::vector<double> total, left;             // its sums, and those of the left side of its split
    std::unique_ptr<std::vector<double>> cells;  // null: not kept
};

struct Pair {
    Leaf parent, left, right;
    bool open_left = false, open_right = false;  // may they be split?
};

}  // namespace

// The growing of one tree.
class VectorGrower::Work {
  public:
    Work(VectorGrower& grower, const Table& table, const VectorSlopes& slopes, std::uint64_t seed, Size tree)
        : g_(grower),
          table_(table),
          settings_(grower.settings_),
          slopes_(slopes),
          shape_(slopes.shape),
          width_(slopes.shape.width()),
          search_(settings_, table, shape_),
          draw_(settings_, table.cols(), mixed(seed ^ mixed(tree))) {}

    VectorGrown grow() {
        std::vector<Leaf> waiting;
        waiting.push_back(root());
        if (!may_split(nodes_[0])) {
            give_back(waiting[0]);
            waiting.clear();
        }
        if (settings_.growth == Growth::oblivious) {
            by_test(std::move(waiting));
        } else {
            seek(waiting);
            split_in_order(
                nodes_, std::move(waiting), settings_,
                [&](std::vector<Leaf> leaves, bool last) { return expand(std::move(leaves), last); },
                [&](Leaf& leaf) { give_back(leaf); });
        }
        if (settings_.prune && settings_.min_gain > 0 && settings_.growth != Growth::oblivious)
            prune(nodes_, settings_.min_gain);
        return finish();
    }

  private:
    Draft& node_of(const Leaf& leaf) { return nodes_[static_cast<Size>(leaf.node)]; }
    const Draft& node_of(const Leaf& leaf) const { return nodes_[static_cast<Size>(leaf.node)]; }
    int threads_for(Size rows) const { return rows * draw_.of_tree().size() < kWorthAThread ? 1 : g_.threads_; }

    // -------------------------------------------------------------------------------------------------------- order

    // One test for all nodes of a level: the one with the greatest sum of gains. Nodes without rows are split too, so
    // that a tree of depth d has 2^d leaves.
    void by_test(std::vector<Leaf> level) {
        std::vector<double> gains;
        for (Size depth = 0; !level.empty() && depth < settings_.max_depth; ++depth) {
            check_interrupt();
            if (settings_.max_leaves > 0 && 2 * level.size() > settings_.max_leaves) break;
            const LevelTest test = best_test(level);
            if (!(test.gain > (settings_.prune ? test.noise : settings_.min_gain))) break;
            gains.push_back(test.gain);
            for (Leaf& leaf : level) {
                VectorFound split = search_.split_at(test.column, test.cut, cells_of(leaf, test.column));
                split.gain = test.gain / static_cast<double>(level.size());
                take(leaf, std::move(split));
            }
            std::vector<Pair> pairs = divide(std::move(level));
            for (Pair& pair : pairs) {
                pair.open_left = node_of(pair.left).rows() > 0;
                pair.open_right = node_of(pair.right).rows() > 0;
            }
            measure(pairs);
            level.clear();
            for (Pair& pair : pairs) {
                level.push_back(std::move(pair.left));
                level.push_back(std::move(pair.right));
            }
        }
        for (Leaf& leaf : level) give_back(leaf);
        if (settings_.prune && settings_.min_gain > 0) prune_levels(nodes_, gains, settings_.min_gain);
    }

    struct LevelTest {
        Size column = 0, cut = 0;
        double gain = 0;
        double noise = 0;  // what rounding alone may gain
    };
    LevelTest best_test(std::span<const Leaf> level) {
        double worth = 0;
        for (const Leaf& leaf : level) worth += node_of(leaf).worth;
        const std::vector<std::uint32_t> columns =
            draw_.of_node(static_cast<Size>(level[0].node), node_of(level[0]).depth);
        std::vector<LevelTest> found(columns.size());
        parallel_for(columns.size(), level.size() * columns.size() < 8 ? 1 : g_.threads_, [&](Size k) {
            const Size column = columns[k];
            const auto room = g_.rooms_.lend();
            std::vector<double> sums(search_.cuts(column), 0.0);
            if (sums.empty()) return;
            for (const Leaf& leaf : level)
                if (leaf.cells)
                    search_.add_worths({leaf.total.data(), node_of(leaf).worth}, column, cells_of(leaf, column), sums,
                                       *room);
            const auto most = std::max_element(sums.begin(), sums.end());
            found[k] = {column, static_cast<Size>(most - sums.begin()), *most - worth};
        });
        LevelTest best;
        for (const LevelTest& test : found)
            if (test.gain > best.gain && std::isfinite(test.gain)) best = test;
        best.noise = rounding_gain(Packing::of_sums(), 0, 0, worth);
        return best;
    }

    // --------------------------------------------------------------------------------------------------------- root

    Leaf root() {
        g_.partition_.start(table_.rows(), slopes_.rows);
        Draft draft;
        draft.end = g_.partition_.size();
        nodes_.push_back(std::move(draft));
        Leaf leaf;
        leaf.total = gather_vectors();
        value(nodes_[0], leaf);
        Leaf* one = &leaf;
        count({&one, 1});
        return leaf;
    }

    // What each row in use adds to a cell, side by side; and their sum.
    std::vector<double> gather_vectors() {
        const std::span<const std::uint32_t> rows = g_.partition_.rows();
        const Size n = table_.rows(), curvatures = width_ - 1 - shape_.targets, pieces = blocks_of(rows.size(), kPiece);
        g_.vectors_.resize(n * width_);
        std::vector<double> sums(pieces * width_, 0.0), total(width_, 0.0);
        parallel_for(pieces, threads_for(rows.size()), [&](Size p) {
            double* sum = sums.data() + p * width_;
            for (const std::uint32_t row : rows.subspan(p * kPiece, std::min(kPiece, rows.size() - p * kPiece))) {
                float* vector = g_.vectors_.data() + row * width_;
                for (Size k = 0; k < shape_.targets; ++k) vector[k] = slopes_.of_target[k * n + row].gradient;
                for (Size k = 0; k < curvatures; ++k)
                    vector[shape_.targets + k] = slopes_.of_target[k * n + row].curvature;
                vector[width_ - 1] = 1;
                for (Size i = 0; i < width_; ++i) sum[i] += static_cast<double>(vector[i]);
            }
        });
        for (Size i = 0; i < sums.size(); ++i) total[i % width_] += sums[i];
        return total;
    }

    // ------------------------------------------------------------------------------------------------------- search

    bool may_split(const Draft& node) const {
        return node.depth < settings_.max_depth && node.rows() >= 2 * std::max<Size>(settings_.min_rows_leaf, 1) &&
               node.curvature >= 2 * settings_.least_weight();
    }

    void value(Draft& node, const Leaf& leaf) const {
        node.curvature = shape_.weight(leaf.total.data());
        node.worth = search_.worth(leaf.total.data(), settings_.l2);
    }

    const double* cells_of(const Leaf& leaf, Size column) const {
        return leaf.cells ? leaf.cells->data() + table_.first_cell(column) * width_ : nullptr;
    }

    void take(Leaf& leaf, VectorFound split) {
        leaf.left = std::move(split.left);
        node_of(leaf).split = std::move(split);
    }

    // Looks for the split of each leaf, and drops leaves that have none. They have histograms.
    void seek(std::vector<Leaf>& leaves) {
        constexpr Size kTogether = 4;  // columns of a task
        struct Look {
            Leaf* leaf;
            std::span<const std::uint32_t> columns;
            VectorFound found;
        };
        std::vector<std::vector<std::uint32_t>> drawn;
        for (const Leaf& leaf : leaves)
            drawn.push_back(draw_.of_node(static_cast<Size>(leaf.node), node_of(leaf).depth));
        std::vector<Look> looks;
        for (Size i = 0; i < leaves.size(); ++i)
            for (Size first = 0; first < drawn[i].size(); first += kTogether)
                looks.push_back({&leaves[i],
                                 std::span<const std::uint32_t>(drawn[i]).subspan(
                                     first, std::min(kTogether, drawn[i].size() - first)),
                                 {}});
        parallel_for(looks.size(), looks.size() < 8 ? 1 : g_.threads_, [&](Size t) {
            Look& l = looks[t];
            const VectorNode searched{l.leaf->total.data(), node_of(*l.leaf).worth};
            const auto room = g_.rooms_.lend();
            for (const std::uint32_t column : l.columns) {
                VectorFound found = search_.best(searched, column, cells_of(*l.leaf, column), *room);
                if (better(found, l.found)) l.found = std::move(found);
            }
        });
        for (Look& l : looks)
            if (better(l.found, node_of(*l.leaf).split)) take(*l.leaf, std::move(l.found));
        std::erase_if(leaves, [&](Leaf& leaf) {
            if (node_of(leaf).split) return false;
            give_back(leaf);
            return true;
        });
    }

    // ----------------------------------------------------------------------------------------------------- division

    // Carries out the splits of some leaves; gives back the new leaves that may be split, with their splits. last:
    // there will be no more splits, and nothing is counted for them.
    std::vector<Leaf> expand(std::vector<Leaf> leaves, bool last) {
        std::vector<Pair> pairs = divide(std::move(leaves));
        if (last)
            for (Pair& pair : pairs) pair.open_left = pair.open_right = false;
        measure(pairs);
        std::vector<Leaf> next;
        for (Pair& pair : pairs) {
            if (pair.open_left) next.push_back(std::move(pair.left));
            if (pair.open_right) next.push_back(std::move(pair.right));
        }
        seek(next);
        // Histograms that wait take no more than their share of memory: others are counted again when needed.
        if (table_.cells() * width_ * sizeof(double) * (nodes_.size() / 2 + 2) > kMostHistograms)
            for (Leaf& leaf : next) give_back(leaf);
        return next;
    }

    std::vector<Pair> divide(std::vector<Leaf> leaves) {
        std::vector<Partition::Cut> cuts;
        for (const Leaf& leaf : leaves) cuts.push_back({node_of(leaf).begin, node_of(leaf).end, &node_of(leaf).split});
        const std::vector<Size> left_rows = g_.partition_.part(table_, cuts, g_.threads_);
        std::vector<Pair> pairs;
        for (Size i = 0; i < leaves.size(); ++i) pairs.push_back(divide(std::move(leaves[i]), left_rows[i]));
        return pairs;
    }

    Pair divide(Leaf parent, Size left_rows) {
        Draft& node = node_of(parent);
        Draft left, right;
        left.parent = right.parent = parent.node;
        left.begin = node.begin;
        left.end = right.begin = node.begin + left_rows;
        right.end = node.end;
        left.depth = right.depth = node.depth + 1;
        Pair pair;
        pair.left.node = node.left = static_cast<std::int32_t>(nodes_.size());
        pair.right.node = pair.left.node + 1;
        pair.left.total = std::move(parent.left);
        pair.right.total = parent.total;
        for (Size i = 0; i < width_; ++i) pair.right.total[i] -= pair.left.total[i];
        value(left, pair.left);
        value(right, pair.right);
        pair.open_left = may_split(left);
        pair.open_right = may_split(right);
        const auto column = static_cast<Size>(node.split.column);
        if (table_.bins(column).is_category())
            node.right_bins =
                table_.bins_among(g_.partition_.rows().subspan(right.begin, right.end - right.begin), column);
        pair.parent = std::move(parent);
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
        return pair;
    }

    // --------------------------------------------------------------------------------------------------- histograms

    void give_back(Leaf& leaf) {
        if (leaf.cells) g_.histograms_.take_back(std::move(leaf.cells));
    }

    void count(std::span<Leaf* const> leaves) {
        std::vector<VectorTask> tasks;
        Size rows = 0;
        for (Leaf* leaf : leaves) {
            const Draft& node = node_of(*leaf);
            leaf->cells = g_.histograms_.fresh(table_.cells() * width_);
            tasks.push_back(
                {g_.partition_.rows().subspan(node.begin, node.rows()), leaf->cells->data(), leaf->total.data()});
            rows += node.rows();
        }
        g_.histograms_.count(table_, shape_, g_.vectors_, tasks, draw_.of_tree(), threads_for(rows));
    }

    // Histograms of the children that may be split. Of two siblings the one with fewer rows is counted; the other's is
    // the parent's less that one's.
    void measure(std::vector<Pair>& pairs) {
        struct Rest {
            Leaf *whole, *part;
            bool keep;
        };
        std::vector<Leaf*> counted;
        std::vector<Rest> rests;
        for (Pair& pair : pairs) {
            const bool left_is_small = node_of(pair.left).rows() <= node_of(pair.right).rows();
            Leaf &small = left_is_small ? pair.left : pair.right, &large = left_is_small ? pair.right : pair.left;
            const bool open_small = left_is_small ? pair.open_left : pair.open_right;
            const bool open_large = left_is_small ? pair.open_right : pair.open_left;
            if (open_large && pair.parent.cells) {
                large.cells = std::move(pair.parent.cells);
                counted.push_back(&small);
                rests.push_back({&large, &small, open_small});
                continue;
            }
            give_back(pair.parent);
            if (open_large) counted.push_back(&large);
            if (open_small) counted.push_back(&small);
        }
        count(counted);
        parallel_for(rests.size(), rests.size() < 2 ? 1 : g_.threads_, [&](Size r) {
            std::vector<double>& whole = *rests[r].whole->cells;
            for (const std::uint32_t j : draw_.of_tree())
                for (Size i = table_.first_cell(j) * width_; i < table_.first_cell(j + 1) * width_; ++i)
                    whole[i] -= (*rests[r].part->cells)[i];
        });
        for (const Rest& rest : rests)
            if (!rest.keep) give_back(*rest.part);
    }

    // --------------------------------------------------------------------------------------------------------- end

    // What the nodes answer, by the sums of their rows' slopes; those of inner nodes are their children's.
    VectorGrown finish() {
        std::vector<double> sums = sums_of_leaves();
        VectorGrown out;
        out.answers.resize(nodes_.size() * shape_.targets);
        for (Size i = nodes_.size(); i-- > 0;) {
            Draft& node = nodes_[i];
            double* own = sums.data() + i * width_;
            if (node.is_leaf())
                node.split = Found{};
            else
                for (Size k = 0; k < width_; ++k)
                    own[k] = own[(static_cast<Size>(node.left) - i) * width_ + k] +
                             own[(static_cast<Size>(node.left) + 1 - i) * width_ + k];
            node.curvature = shape_.weight(own);
            node.worth = search_.worth(own, settings_.l2);
            for (Size k = 0; k < shape_.targets; ++k) out.answers[i * shape_.targets + k] = search_.answer(own, k);
        }
        out.nodes = std::move(nodes_);
        out.rows = g_.partition_.rows();
        return out;
    }

    // A cell for each node; those of inner nodes are 0.
    std::vector<double> sums_of_leaves() const {
        struct Piece {
            Size node, begin, end;
        };
        std::vector<Piece> pieces;
        for (Size i = 0; i < nodes_.size(); ++i)
            for (Size b = nodes_[i].begin; nodes_[i].is_leaf() && b < nodes_[i].end; b += kPiece)
                pieces.push_back({i, b, std::min(b + kPiece, nodes_[i].end)});
        std::vector<double> of_pieces(pieces.size() * width_, 0.0), sums(nodes_.size() * width_, 0.0);
        const auto rows = g_.partition_.rows();
        parallel_for(pieces.size(), rows.size() < kRowsWorthAThread ? 1 : g_.threads_, [&](Size p) {
            for (Size i = pieces[p].begin; i < pieces[p].end; ++i) {
                const float* vector = g_.vectors_.data() + rows[i] * width_;
                for (Size k = 0; k < width_; ++k) of_pieces[p * width_ + k] += static_cast<double>(vector[k]);
            }
        });
        for (Size p = 0; p < pieces.size(); ++p)
            for (Size k = 0; k < width_; ++k) sums[pieces[p].node * width_ + k] += of_pieces[p * width_ + k];
        return sums;
    }

    VectorGrower& g_;
    const Table& table_;
    const Settings& settings_;
    const VectorSlopes& slopes_;
    const Shape shape_;
    const Size width_;
    const VectorSearch search_;
    const ColumnDraw draw_;
    std::vector<Draft> nodes_;
};

VectorGrown VectorGrower::grow(const Table& table, const VectorSlopes& slopes, std::uint64_t seed, Size tree) {
    require(slopes.of_target.size() == table.rows() * slopes.shape.targets, "boosting: slopes");
    return Work(*this, table, slopes, seed, tree).grow();
}

}  // namespace pellucid::boosting

// The nodes of a tree that is being grown: their rows, histograms, splits and sums. For grow.cpp alone, which says in
// what order they are split.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>

#include "core/base/pool.hpp"
#include "core/boosting/grow.hpp"
#include "core/boosting/waiting_leaf.hpp"

namespace pellucid::boosting {

inline constexpr Size kColumnsWorthAThread = 128;
inline constexpr Size kMostHistograms = 1ull << 29;  // bytes of all histograms that wait

template <class Cell>
class Grower::Nodes {
  protected:
    using Leaf = WaitingLeaf<Cell>;
    static constexpr bool kWords = std::is_same_v<Cell, Word>;

    Nodes(Grower& grower, Memory<Cell>& memory, const Table& table, const Slopes& slopes, std::uint64_t seed, Size tree)
        : g_(grower),
          m_(memory),
          table_(table),
          settings_(grower.settings_),
          slopes_(slopes),
          tree_(tree),
          draw_(grower.settings_, table.cols(), mixed(seed ^ mixed(tree))),
          columns_(std::make_shared<const std::vector<std::uint32_t>>(draw_.of_tree())) {}

    int threads_for(Size rows) const { return rows * columns_->size() < kWorthAThread ? 1 : g_.threads_; }

    void drop_hopeless(std::vector<Leaf>& leaves) {
        std::erase_if(leaves, [&](Leaf& leaf) {
            if (nodes_[static_cast<Size>(leaf.node)].split) return false;
            give_back(leaf);
            return true;
        });
    }

    // --------------------------------------------------------------------------------------------------------- root

    Leaf root() {
        g_.partition_.start(table_.rows(), slopes_.rows);
        Leaf leaf;
        leaf.columns = columns_;
        Draft draft;
        draft.end = g_.partition_.size();
        nodes_.push_back(std::move(draft));
        choose_packing(leaf);
        Leaf* one = &leaf;
        count({&one, 1});
        value(nodes_[0], leaf);
        return leaf;
    }

    // A sparse table has many columns with few rows, which are only known to be of no use where rows are counted.
    Size small_node() const { return table_.is_sparse() ? 8 * kSmallNode : kSmallNode; }

    // Null: all rows of the table, in its order.
    const std::uint32_t* rows_of(const Draft& node) const {
        return g_.partition_.in_order() ? nullptr : g_.partition_.at(node.begin);
    }

    // Steps of the node's own; its total is found when it is counted.
    void choose_packing(Leaf& leaf) {
        leaf.has_total = false;
        leaf.total = Cell{};
        if constexpr (!kWords) {
            leaf.packing = std::make_shared<const Packing>(Packing::of_sums());
        } else {
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            const std::uint32_t* rows = rows_of(node);
            std::vector<Extent> extents(blocks_of(node.rows(), kPiece));
            parallel_for(extents.size(), threads_for(node.rows()), [&](Size p) {
                Extent e;
                for (Size i = p * kPiece; i < std::min((p + 1) * kPiece, node.rows()); ++i) {
                    const Slope& s = slopes_.of_row[rows == nullptr ? i : Size{rows[i]}];
                    e.cover(std::abs(s.gradient), s.curvature);
                }
                extents[p] = e;
            });
            Extent most;
            for (const Extent& e : extents) most.cover(e.gradient, e.curvature);
            Packing packing = Packing::of(node.rows(), most, slopes_.constant, small_node());
            // By the numbers of tree, node and row alone: where nothing is drawn, no seed changes anything.
            packing.key =
                static_cast<std::uint32_t>(mixed(tree_)) ^ (static_cast<std::uint32_t>(leaf.node) * 0x85EBCA6Bu);
            leaf.packing = std::make_shared<const Packing>(packing);
        }
    }

    // ------------------------------------------------------------------------------------------------------- search

    bool may_split(const Draft& node) const {
        return node.depth < settings_.max_depth && node.rows() >= 2 * std::max<Size>(settings_.min_rows_leaf, 1) &&
               node.curvature >= 2 * settings_.least_weight();
    }

    // Sums, worth and answer of a node by its words.
    void value(Draft& node, const Leaf& leaf) const {
        node.gradient = leaf.packing->gradient(leaf.total);
        node.curvature = leaf.packing->curvature(leaf.total);
        const Judge judge{&settings_};
        node.worth = judge.worth(node.gradient, node.curvature, settings_.l2, node.bounds);
        node.answer = judge.answer(node.gradient, node.curvature, settings_.l2, node.bounds);
    }

    // A search costs some hundred bins a column, whatever the rows: about 0.2 us. To wake a thread costs 10 us.
    // Categories are put in order first.
    bool is_worth_a_thread(std::span<const std::span<const std::uint32_t>> columns) const {
        constexpr Size kOrder = 16;
        Size cost = 0;
        for (const auto& of_leaf : columns)
            for (const std::uint32_t j : of_leaf)
                if ((cost += table_.bins(j).is_category() ? kOrder : 1) >= kColumnsWorthAThread) return true;
        return false;
    }

    // Looks for the split of each leaf. Those asked have histograms.
    void seek(std::span<Leaf* const> leaves) {
        struct Look {
            Leaf* leaf;
            std::span<const std::uint32_t> columns;
            FoundIn<Cell> found;
            std::vector<std::uint32_t> open;  // columns that may split a child
        };
        std::vector<std::vector<std::uint32_t>> drawn(leaves.size());
        std::vector<std::span<const std::uint32_t>> columns;
        for (Size i = 0; i < leaves.size(); ++i) {
            nodes_[static_cast<Size>(leaves[i]->node)].split = Found{};
            columns.push_back(columns_of(*leaves[i], drawn[i]));
        }
        // Without threads all columns of a node are one task: one that gains less than another is soon done.
        const bool alone = g_.threads_ == 1 || !is_worth_a_thread(columns);
        std::vector<Look> looks;
        for (Size i = 0; i < leaves.size(); ++i) {
            const Size n = columns[i].size(), together = alone ? n : std::max<Size>(4, n / 64);
            for (Size first = 0; first < n; first += together)
                looks.push_back({leaves[i], columns[i].subspan(first, std::min(together, n - first)), {}, {}});
        }
        const auto look = [&](Size t) {
            Look& l = looks[t];
            const Leaf& leaf = *l.leaf;
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            const SearchedNode<Cell> searched{leaf.total, node.rows(), leaf.packing.get(), node.bounds, node.worth};
            const auto room = m_.rooms.lend();
            l.found = g_.search_.best(searched, l.columns, leaf.cells->data(),
                                      leaf.counts.empty() ? nullptr : leaf.counts.data(), *room, l.open);
        };
        if (alone)
            for (Size t = 0; t < looks.size(); ++t) look(t);
        else
            parallel_for(looks.size(), g_.threads_, look);
        for (Look& l : looks) {
            Found& best = nodes_[static_cast<Size>(l.leaf->node)].split;
            if (!better(l.found, best)) continue;
            l.leaf->left = l.found.left;
            best = std::move(l.found);
        }
        if (!draw_.all()) return;
        for (Size t = 0; t < looks.size();) {
            Leaf& leaf = *looks[t].leaf;
            std::vector<std::uint32_t> open;
            for (; t < looks.size() && looks[t].leaf == &leaf; ++t)
                open.insert(open.end(), looks[t].open.begin(), looks[t].open.end());
            if (open.size() < leaf.columns->size())
                leaf.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(open));
        }
    }

    // The columns that a node asks. `room` is memory for them.
    std::span<const std::uint32_t> columns_of(const Leaf& leaf, std::vector<std::uint32_t>& room) const {
        if (draw_.all()) return *leaf.columns;
        room = draw_.of_node(static_cast<Size>(leaf.node), nodes_[static_cast<Size>(leaf.node)].depth);
        return room;
    }

    // ----------------------------------------------------------------------------------------------------- division

    struct Pair {
        Leaf parent;
        Leaf left, right;
        bool open_left = false, open_right = false;
    };

    // Carries out the splits of some leaves; gives back the new leaves that may be split, with their splits. last:
    // there will be no more splits, and nothing is counted for them.
    std::vector<Leaf> expand(std::vector<Leaf> leaves, bool last) {
        std::vector<Size> left_rows = part(leaves);
        std::vector<Leaf> next;
        std::vector<Pair> pairs;
        std::vector<Leaf> again;
        for (Size i = 0; i < leaves.size(); ++i) {
            const Draft& node = nodes_[static_cast<Size>(leaves[i].node)];
            const Size least = std::min(left_rows[i], node.rows() - left_rows[i]);
            if (least < std::max<Size>(settings_.min_rows_leaf, 1))
                again.push_back(std::move(leaves[i]));
            else
                pairs.push_back(divide(std::move(leaves[i]), left_rows[i]));
        }
        if (last)
            for (Pair& pair : pairs) pair.open_left = pair.open_right = false;
        measure(pairs);
        for (Pair& pair : pairs) {
            if (pair.open_left) next.push_back(std::move(pair.left));
            if (pair.open_right) next.push_back(std::move(pair.right));
        }
        for (Leaf& leaf : again) {
            count_rows(leaf);
            next.push_back(std::move(leaf));
        }
        std::vector<Leaf*> asked;
        for (Leaf& leaf : next) asked.push_back(&leaf);
        seek(asked);
        limit_memory(next);
        drop_hopeless(next);
        return next;
    }

    // Moves the rows of leaves to their sides. How many go left.
    std::vector<Size> part(std::span<const Leaf> leaves) {
        std::vector<Partition::Cut> cuts;
        for (const Leaf& leaf : leaves) {
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            cuts.push_back({node.begin, node.end, &node.split});
        }
        return g_.partition_.part(table_, cuts, g_.threads_);
    }

    Pair divide(Leaf parent, Size left_rows) {
        const auto at = static_cast<Size>(parent.node);
        Draft left, right;
        left.parent = right.parent = parent.node;
        left.begin = nodes_[at].begin;
        left.end = right.begin = left.begin + left_rows;
        right.end = nodes_[at].end;
        left.depth = right.depth = nodes_[at].depth + 1;
        left.bounds = right.bounds = nodes_[at].bounds;
        Pair pair;
        pair.left.node = static_cast<std::int32_t>(nodes_.size());
        pair.right.node = pair.left.node + 1;
        pair.left.total = parent.left;
        pair.right.total = parent.total - pair.left.total;
        pair.left.has_total = pair.right.has_total = true;
        pair.left.packing = pair.right.packing = parent.packing;
        pair.left.columns = pair.right.columns = parent.columns;
        value(left, pair.left);
        value(right, pair.right);
        const auto column = static_cast<Size>(nodes_[at].split.column);
        if (const int monotone = g_.monotone_.empty() ? 0 : g_.monotone_[column]; monotone != 0) {
            const double middle = left.answer / 2 + right.answer / 2;
            (monotone > 0 ? left : right).bounds.high = middle;
            (monotone > 0 ? right : left).bounds.low = middle;
            value(left, pair.left);
            value(right, pair.right);
        }
        pair.open_left = may_split(left);
        pair.open_right = may_split(right);
        if (table_.bins(column).is_category())
            nodes_[at].right_bins =
                table_.bins_among(g_.partition_.rows().subspan(right.begin, right.end - right.begin), column);
        nodes_[at].left = pair.left.node;
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
        pair.parent = std::move(parent);
        return pair;
    }

    // --------------------------------------------------------------------------------------------------- histograms

    std::unique_ptr<std::vector<Cell>> fresh(std::span<const std::uint32_t> columns) {
        if (columns.size() == table_.cols()) return m_.histograms.fresh(table_.cells());
        auto cells = m_.histograms.any(table_.cells());
        for (const std::uint32_t j : columns)
            std::fill_n(cells->begin() + static_cast<std::ptrdiff_t>(table_.first_cell(j)), table_.bins(j).cells(),
                        Cell{});
        return cells;
    }
    void give_back(Leaf& leaf) {
        if (leaf.cells) m_.histograms.take_back(std::move(leaf.cells));
    }
    void count(std::span<Leaf* const> leaves) {
        std::vector<CountTask<Cell>> tasks;
        for (Leaf* leaf : leaves) {
            leaf->cells = fresh(*leaf->columns);
            tasks.push_back(task_of(*leaf));
        }
        if (table_.records() == nullptr) write_words_of(tasks);
        // Together where they ask the same columns.
        for (Size begin = 0, end = 0; begin < tasks.size(); begin = end) {
            Size rows = 0;
            for (; end < tasks.size() && leaves[end]->columns == leaves[begin]->columns; ++end) rows += tasks[end].n;
            m_.histograms.count(table_, std::span(tasks).subspan(begin, end - begin), *leaves[begin]->columns,
                                threads_for(rows));
        }
        for (Size i = 0; i < leaves.size(); ++i) {
            leaves[i]->total = tasks[i].total;
            leaves[i]->has_total = true;
        }
    }
    CountTask<Cell> task_of(const Leaf& leaf) const {
        const Draft& node = nodes_[static_cast<Size>(leaf.node)];
        CountTask<Cell> task;
        task.rows = rows_of(node);
        task.n = node.rows();
        task.slopes = slopes_.of_row.data();
        task.packing = leaf.packing.get();
        task.into = leaf.cells->data();
        task.total = leaf.total;
        task.sum_up = !leaf.has_total;
        return task;
    }
    // The words of all rows of nodes one after the other, where several groups of columns are to read them. They are
    // lost when rows are parted.
    void write_words_of(std::span<CountTask<Cell>> tasks) {
        struct Piece {
            const CountTask<Cell>* task;
            Size begin;
            Cell* to;
        };
        Size n = 0;
        for (const CountTask<Cell>& task : tasks) n += task.n;
        Cell* to = g_.partition_.template room<Cell>(n);
        std::vector<Piece> pieces;
        for (CountTask<Cell>& task : tasks) {
            task.words = to;
            for (Size b = 0; b < task.n; b += kPiece) pieces.push_back({&task, b, to + b});
            to += task.n;
        }
        parallel_for(pieces.size(), n < kRowsWorthAThread ? 1 : g_.threads_, [&](Size p) {
            const auto [task, begin, into] = pieces[p];
            write_words(*task->packing, task->slopes, task->rows == nullptr ? nullptr : task->rows + begin, begin,
                        std::min(kPiece, task->n - begin), into);
        });
    }

    // Histograms of the children that may be split. Of two siblings the one with fewer rows is counted; the other's is
    // the parent's less that one's. A child that is small enough gets words with steps of its own, and is counted.
    void measure(std::vector<Pair>& pairs) {
        std::vector<Leaf*> counted, repacked;
        struct Rest {
            Leaf *whole, *part;
            bool keep;
        };
        std::vector<Rest> rests;
        for (Pair& pair : pairs) {
            const Size left_rows = nodes_[static_cast<Size>(pair.left.node)].rows();
            const Size right_rows = nodes_[static_cast<Size>(pair.right.node)].rows();
            const bool left_is_small = left_rows <= right_rows;
            Leaf &small = left_is_small ? pair.left : pair.right, &large = left_is_small ? pair.right : pair.left;
            const bool open_small = left_is_small ? pair.open_left : pair.open_right;
            const bool open_large = left_is_small ? pair.open_right : pair.open_left;
            const bool changes = !pair.parent.packing->counts();
            const bool small_changes = changes && std::min(left_rows, right_rows) <= small_node();
            const bool large_changes = changes && std::max(left_rows, right_rows) <= small_node();
            if (open_large && !large_changes && pair.parent.cells) {
                large.cells = std::move(pair.parent.cells);
                counted.push_back(&small);
                rests.push_back({&large, &small, open_small && !small_changes});
            } else {
                give_back(pair.parent);
                if (open_large && !large_changes) counted.push_back(&large);
                if (open_small && !small_changes) counted.push_back(&small);
            }
            if (open_small && small_changes) repacked.push_back(&small);
            if (open_large && large_changes) repacked.push_back(&large);
        }
        count(counted);
        for (const Rest& rest : rests) {
            m_.histograms.subtract(table_, *rest.whole->cells, *rest.part->cells, *rest.part->columns);
            if (!rest.keep) give_back(*rest.part);
        }
        for (Leaf* leaf : repacked) choose_packing(*leaf);
        count(repacked);
        for (Leaf* leaf : repacked) value(nodes_[static_cast<Size>(leaf->node)], *leaf);
    }

    // Histograms that wait take no more than their share of memory: the last ones are counted again when needed.
    void limit_memory(std::vector<Leaf>& leaves) {
        const Size bytes = table_.cells() * sizeof(Cell);
        if (bytes * (nodes_.size() / 2 + 2) <= kMostHistograms) return;
        for (Leaf& leaf : leaves) give_back(leaf);
    }

    // Where a split left too few rows on a side: the rows of all cells, so that the next search knows.
    void count_rows(Leaf& leaf) {
        const Draft& node = nodes_[static_cast<Size>(leaf.node)];
        if (!leaf.cells) {
            Leaf* one = &leaf;
            count({&one, 1});
        }
        leaf.counts.assign(table_.cells(), 0);
        const auto rows = g_.partition_.rows().subspan(node.begin, node.rows());
        parallel_for(leaf.columns->size(), threads_for(node.rows()), [&](Size k) {
            const Size column = (*leaf.columns)[k];
            std::vector<std::uint8_t> room;
            const ColumnCodes codes = table_.codes(column, room);
            std::uint32_t* counts = leaf.counts.data() + table_.first_cell(column);
            for (const std::uint32_t row : rows) ++counts[codes.bin(codes.stored(row))];
        });
    }

    Grower& g_;
    Memory<Cell>& m_;
    const Table& table_;
    const Settings& settings_;
    const Slopes& slopes_;
    const Size tree_;
    const ColumnDraw draw_;
    const Columns columns_;  // drawn for the tree
    std::vector<Draft> nodes_;
};

}  // namespace pellucid::boosting

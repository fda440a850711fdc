#include "core/boosting/grow.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kPiece = Size{1} << 15;        // rows of one piece of work
constexpr Size kWorthAThread = 20000;         // rows times columns
constexpr Size kMostHistograms = 1ull << 29;  // bytes of all histograms that wait

// The rows of a node and their words, and where its histogram goes.
struct Task {
    const std::uint32_t* rows;  // null: all rows of the table, in their order
    Size n;
    const Word* words;
    Word* into;
};

std::uint64_t mixed(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

}  // namespace

std::array<bool, 256> sides_of(const Found& split, const ColumnBins& bins) {
    std::array<bool, 256> left{};
    if (bins.is_category())
        for (const std::uint8_t bin : split.subset) left[bin] = true;
    else
        std::fill_n(left.begin(), split.cut + 1, true);
    left[bins.count] = split.missing_left;
    return left;
}

// A node that waits for its split to be carried out.
struct Grower::Leaf {
    std::int32_t node = 0;
    Word total = 0;
    std::shared_ptr<const Packing> packing;
    std::unique_ptr<std::vector<Word>> cells;  // null: not kept
    std::vector<std::uint32_t> counts;         // rows of each cell, where they had to be counted
};

// The growing of one tree.
class Grower::Work {
  public:
    Work(Grower& grower, const BinnedTable& table, const Slopes& slopes, std::uint64_t seed, Size tree)
        : g_(grower), table_(table), settings_(grower.settings_), slopes_(slopes) {
        key_ = mixed(seed ^ mixed(tree));
        tree_ = tree;
        draw_columns();
    }

    std::vector<Draft> grow() {
        std::vector<Leaf> waiting;
        waiting.push_back(root());
        std::vector<Leaf*> asked{&waiting[0]};
        if (!may_split(nodes_[0])) {
            give_back(waiting[0]);
            waiting.clear();
        } else if (settings_.growth != Growth::oblivious) {
            seek(asked);
        }
        switch (settings_.growth) {
            case Growth::leaf:
                by_leaf(std::move(waiting));
                break;
            case Growth::depth:
                by_level(std::move(waiting));
                break;
            case Growth::oblivious:
                by_test(std::move(waiting));
        }
        if (settings_.prune && settings_.min_gain > 0 && settings_.growth != Growth::oblivious) prune();
        finish();
        return std::move(nodes_);
    }

  private:
    int threads_for(Size rows) const { return rows * columns_.size() < kWorthAThread ? 1 : g_.threads_; }

    // -------------------------------------------------------------------------------------------------------- order

    void by_leaf(std::vector<Leaf> heap) {
        const auto worse = [&](const Leaf& a, const Leaf& b) {
            const double x = nodes_[static_cast<Size>(a.node)].split.gain,
                         y = nodes_[static_cast<Size>(b.node)].split.gain;
            return x != y ? x < y : a.node > b.node;
        };
        drop_hopeless(heap);
        Size leaves = 1;
        while (!heap.empty() && (settings_.max_leaves == 0 || leaves < settings_.max_leaves)) {
            check_interrupt();
            std::pop_heap(heap.begin(), heap.end(), worse);
            std::vector<Leaf> taken;
            taken.push_back(std::move(heap.back()));
            heap.pop_back();
            const Size before = nodes_.size();
            std::vector<Leaf> next = expand(std::move(taken));
            leaves += (nodes_.size() - before) / 2;
            for (Leaf& leaf : next) {
                heap.push_back(std::move(leaf));
                std::push_heap(heap.begin(), heap.end(), worse);
            }
        }
    }

    void by_level(std::vector<Leaf> level) {
        drop_hopeless(level);
        Size leaves = 1;
        while (!level.empty()) {
            check_interrupt();
            if (settings_.max_leaves > 0 && leaves + level.size() > settings_.max_leaves) {
                std::stable_sort(level.begin(), level.end(), [&](const Leaf& a, const Leaf& b) {
                    return nodes_[static_cast<Size>(a.node)].split.gain > nodes_[static_cast<Size>(b.node)].split.gain;
                });
                level.resize(settings_.max_leaves - leaves);
                std::sort(level.begin(), level.end(), [](const Leaf& a, const Leaf& b) { return a.node < b.node; });
            }
            const Size before = nodes_.size();
            level = expand(std::move(level));
            leaves += (nodes_.size() - before) / 2;
        }
    }

    // One test for all nodes of a level: the one with the greatest sum of gains. Nodes without rows are split too, so
    // that a tree of depth d has 2^d leaves.
    void by_test(std::vector<Leaf> level) {
        std::vector<double> gains;
        for (Size depth = 0; !level.empty() && depth < settings_.max_depth; ++depth) {
            check_interrupt();
            if (settings_.max_leaves > 0 && 2 * level.size() > settings_.max_leaves) break;
            const auto [column, cut, gain] = best_test(level);
            if (!(gain > (settings_.prune ? level_noise(level) : settings_.min_gain))) break;
            gains.push_back(gain);
            for (Leaf& leaf : level) {
                Found split = g_.search_.split_at(
                    column, cut, leaf.cells ? leaf.cells->data() + table_.first_cell(column) : nullptr);
                split.gain = gain / static_cast<double>(level.size());
                nodes_[static_cast<Size>(leaf.node)].split = std::move(split);
            }
            const std::vector<Size> left_rows = part(level);
            std::vector<Pair> pairs;
            for (Size i = 0; i < level.size(); ++i) pairs.push_back(divide(std::move(level[i]), left_rows[i]));
            for (Pair& pair : pairs) {
                pair.open_left = nodes_[static_cast<Size>(pair.left.node)].rows() > 0;
                pair.open_right = nodes_[static_cast<Size>(pair.right.node)].rows() > 0;
            }
            measure(pairs);
            level.clear();
            for (Pair& pair : pairs) {
                level.push_back(std::move(pair.left));
                level.push_back(std::move(pair.right));
            }
        }
        for (Leaf& leaf : level) give_back(leaf);
        if (!settings_.prune || settings_.min_gain <= 0) return;
        Size levels = gains.size();
        while (levels > 0 && gains[levels - 1] < settings_.min_gain) --levels;
        for (Draft& node : nodes_)
            if (node.depth >= levels) node.left = -1;
        drop_loose();
    }

    // See Search: what rounding alone may gain.
    double level_noise(std::span<const Leaf> level) const {
        double noise = 0;
        for (const Leaf& leaf : level) {
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            noise += rounding_gain(*leaf.packing, node.rows(), node.curvature + settings_.l2, node.worth);
        }
        return noise;
    }

    struct LevelTest {
        Size column = 0, cut = 0;
        double gain = 0;
    };
    LevelTest best_test(std::span<const Leaf> level) {
        double worth = 0;
        for (const Leaf& leaf : level) worth += nodes_[static_cast<Size>(leaf.node)].worth;
        std::vector<std::uint32_t> drawn;
        const std::span<const std::uint32_t> columns = columns_of(level[0].node, drawn);
        std::vector<LevelTest> found(columns.size());
        parallel_for(columns.size(), level.size() * columns.size() < 8 ? 1 : g_.threads_, [&](Size k) {
            const Size column = columns[k];
            const auto room = g_.rooms_.lend();
            std::vector<double> sums(g_.search_.cuts(column), 0.0);
            if (sums.empty()) return;
            for (const Leaf& leaf : level) {
                if (!leaf.cells) continue;
                const Draft& node = nodes_[static_cast<Size>(leaf.node)];
                const SearchedNode searched{leaf.total, node.rows(), leaf.packing.get(), node.bounds, node.worth};
                g_.search_.add_worths(searched, column, leaf.cells->data() + table_.first_cell(column), sums, *room);
            }
            const auto most = std::max_element(sums.begin(), sums.end());
            found[k] = {column, static_cast<Size>(most - sums.begin()), *most - worth};
        });
        LevelTest best;
        for (const LevelTest& test : found)
            if (test.gain > best.gain && std::isfinite(test.gain)) best = test;
        return best;
    }

    void drop_hopeless(std::vector<Leaf>& leaves) {
        std::erase_if(leaves, [&](Leaf& leaf) {
            if (nodes_[static_cast<Size>(leaf.node)].split) return false;
            give_back(leaf);
            return true;
        });
    }

    // --------------------------------------------------------------------------------------------------------- root

    Leaf root() {
        const Size all = table_.rows(), n = slopes_.rows.empty() ? all : slopes_.rows.size();
        g_.rows_.resize(n);
        if (slopes_.rows.empty())
            std::iota(g_.rows_.begin(), g_.rows_.end(), 0u);
        else
            std::copy(slopes_.rows.begin(), slopes_.rows.end(), g_.rows_.begin());
        g_.left_room_.resize(n);
        g_.right_room_.resize(n);
        g_.words_.resize(all);
        g_.word_room_.resize(n);
        Leaf leaf;
        Draft draft;
        draft.end = n;
        nodes_.push_back(std::move(draft));
        repack(leaf, slopes_.rows.empty());
        value(nodes_[0], leaf);
        leaf.cells = fresh();
        const bool whole = slopes_.rows.empty();
        const Task task{whole ? nullptr : g_.rows_.data(), n, whole ? g_.words_.data() : g_.word_room_.data(),
                        leaf.cells->data()};
        build({&task, 1});
        return leaf;
    }

    // New words for the rows of a node, with steps of its own; they lie in word_room_ too, side by side, unless `all`
    // rows are in use in their order. Sets the node's total.
    void repack(Leaf& leaf, bool all) {
        const Draft& node = nodes_[static_cast<Size>(leaf.node)];
        const Size begin = node.begin, n = node.rows(), pieces = blocks_of(n, kPiece);
        const int threads = threads_for(n);
        std::vector<Extent> extents(pieces);
        const auto rows = std::span(g_.rows_).subspan(begin, n);
        parallel_for(pieces, threads, [&](Size p) {
            Extent e;
            for (Size i = p * kPiece; i < std::min((p + 1) * kPiece, n); ++i) {
                const Slope& s = slopes_.of_row[rows[i]];
                e.gradient = std::max(e.gradient, std::abs(s.gradient));
                e.curvature = std::max(e.curvature, s.curvature);
            }
            extents[p] = e;
        });
        Extent most;
        for (const Extent& e : extents) {
            most.gradient = std::max(most.gradient, e.gradient);
            most.curvature = std::max(most.curvature, e.curvature);
        }
        auto packing = std::make_shared<const Packing>(Packing::of(n, most, slopes_.constant));
        const double per_curvature = slopes_.constant ? 0 : 1 / packing->curvature_step;
        // By the numbers of tree, node and row alone: where nothing is drawn, no seed changes anything.
        const auto key =
            static_cast<std::uint32_t>(mixed(tree_)) ^ (static_cast<std::uint32_t>(leaf.node) * 0x85EBCA6Bu);
        std::vector<Word> totals(pieces);
        parallel_for(pieces, threads, [&](Size p) {
            const Size first = p * kPiece, some = std::min(kPiece, n - first);
            Word* into = all ? g_.words_.data() + first : g_.word_room_.data() + begin + first;
            boost_hot().pack(slopes_.of_row.data(), all ? nullptr : rows.data() + first, first, some,
                             1 / packing->gradient_step, per_curvature, &packing->fields, key, packing->counts(), into);
            Word total = 0;
            for (Size i = 0; i < some; ++i) total += into[i];
            if (!all)
                for (Size i = 0; i < some; ++i) g_.words_[rows[first + i]] = into[i];
            totals[p] = total;
        });
        leaf.total = std::accumulate(totals.begin(), totals.end(), Word{0});
        leaf.packing = std::move(packing);
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

    // Looks for the split of each leaf. Those asked have histograms.
    void seek(std::span<Leaf* const> leaves) {
        struct Look {
            Leaf* leaf;
            std::span<const std::uint32_t> columns;
            Found found;
        };
        constexpr Size kTogether = 4;  // columns of a task
        std::vector<std::vector<std::uint32_t>> drawn(leaves.size());
        std::vector<Look> looks;
        for (Size i = 0; i < leaves.size(); ++i) {
            nodes_[static_cast<Size>(leaves[i]->node)].split = Found{};
            const std::span<const std::uint32_t> columns = columns_of(leaves[i]->node, drawn[i]);
            for (Size first = 0; first < columns.size(); first += kTogether)
                looks.push_back({leaves[i], columns.subspan(first, std::min(kTogether, columns.size() - first)), {}});
        }
        const auto look = [&](Size t) {
            Look& l = looks[t];
            const Leaf& leaf = *l.leaf;
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            const SearchedNode searched{leaf.total, node.rows(), leaf.packing.get(), node.bounds, node.worth};
            const auto room = g_.rooms_.lend();
            for (const std::uint32_t column : l.columns) {
                const Size at = table_.first_cell(column);
                Found f = g_.search_.best(searched, column, leaf.cells->data() + at,
                                          leaf.counts.empty() ? nullptr : leaf.counts.data() + at, *room);
                if (better(f, l.found)) l.found = std::move(f);
            }
        };
        // A search costs some hundred bins a column, whatever the rows.
        if (looks.size() < 8 || g_.threads_ == 1)
            for (Size t = 0; t < looks.size(); ++t) look(t);
        else
            parallel_for(looks.size(), g_.threads_, look);
        for (Look& l : looks) {
            Found& best = nodes_[static_cast<Size>(l.leaf->node)].split;
            if (better(l.found, best)) best = std::move(l.found);
        }
    }

    // ------------------------------------------------------------------------------------------------------ columns

    void draw_columns() {
        const Size cols = table_.cols();
        columns_.resize(cols);
        std::iota(columns_.begin(), columns_.end(), 0u);
        if (settings_.columns_by_tree >= 1) return;
        columns_ = drawn(columns_, settings_.columns_by_tree, key_ ^ 1);
        for (const std::uint32_t j : columns_)
            if (groups_.empty() || groups_.back() != j / kCodesTogether)
                groups_.push_back(static_cast<std::uint32_t>(j / kCodesTogether));
    }

    // A share of some columns, at least one, rising.
    static std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> from, double share, std::uint64_t key) {
        const auto count = std::max<Size>(static_cast<Size>(share * static_cast<double>(from.size()) + 0.5), 1);
        const Random random{key, 0};
        for (Size k = 0; k < count; ++k) std::swap(from[k], from[k + random.below(k, from.size() - k)]);
        from.resize(count);
        std::sort(from.begin(), from.end());
        return from;
    }

    // The columns that a node may ask: drawn by level, and of those by node. `room` is memory for them.
    std::span<const std::uint32_t> columns_of(std::int32_t node, std::vector<std::uint32_t>& room) const {
        if (settings_.columns_by_level >= 1 && settings_.columns_by_node >= 1) return columns_;
        const auto i = static_cast<Size>(node);
        room = columns_;
        if (settings_.columns_by_level < 1)
            room = drawn(room, settings_.columns_by_level, key_ ^ mixed(nodes_[i].depth + 2));
        if (settings_.columns_by_node < 1)
            room = drawn(room, settings_.columns_by_node, key_ ^ mixed(i + (std::uint64_t{1} << 32)));
        return room;
    }

    // ----------------------------------------------------------------------------------------------------- division

    struct Pair {
        Leaf parent;
        Leaf left, right;
        bool open_left = false, open_right = false;
    };

    // Carries out the splits of some leaves; gives back the new leaves that may be split, with their splits.
    std::vector<Leaf> expand(std::vector<Leaf> leaves) {
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

    // Moves the rows of leaves to their sides; both keep their order. How many go left.
    std::vector<Size> part(std::span<const Leaf> leaves) {
        struct Piece {
            Size leaf, begin, end, left = 0;
        };
        std::vector<Piece> pieces;
        std::vector<std::array<bool, 256>> sides;
        Size rows = 0;
        for (Size i = 0; i < leaves.size(); ++i) {
            const Draft& node = nodes_[static_cast<Size>(leaves[i].node)];
            sides.push_back(sides_of(node.split, table_.bins(static_cast<Size>(node.split.column))));
            rows += node.rows();
            for (Size begin = node.begin; begin < node.end; begin += kPiece)
                pieces.push_back({i, begin, std::min(begin + kPiece, node.end)});
        }
        const int threads = rows < kWorthAThread ? 1 : g_.threads_;
        parallel_for(pieces.size(), threads, [&](Size p) {
            Piece& piece = pieces[p];
            const auto column = static_cast<Size>(nodes_[static_cast<Size>(leaves[piece.leaf].node)].split.column);
            const std::uint8_t* codes = table_.group_codes(column / kCodesTogether) + column % kCodesTogether;
            const bool* left_side = sides[piece.leaf].data();
            const std::uint32_t* from = g_.rows_.data() + piece.begin;
            std::uint32_t *left = g_.left_room_.data() + piece.begin, *right = g_.right_room_.data() + piece.begin;
            const Size n = piece.end - piece.begin;
            Size to_left = 0, to_right = 0;
            for (Size i = 0; i < n; ++i) {
                const std::uint32_t row = from[i];
                const bool side = left_side[codes[Size{row} * kCodesTogether]];
                left[to_left] = row;
                right[to_right] = row;
                to_left += side;
                to_right += !side;
            }
            piece.left = to_left;
        });
        std::vector<Size> left_rows(leaves.size(), 0);
        for (const Piece& piece : pieces) left_rows[piece.leaf] += piece.left;
        struct Target {
            Size left, right;
        };
        std::vector<Target> targets;
        for (Size p = 0; p < pieces.size(); ++p) {
            const Draft& node = nodes_[static_cast<Size>(leaves[pieces[p].leaf].node)];
            if (pieces[p].begin == node.begin)
                targets.push_back({node.begin, node.begin + left_rows[pieces[p].leaf]});
            else
                targets.push_back(
                    {targets.back().left + pieces[p - 1].left,
                     targets.back().right + (pieces[p - 1].end - pieces[p - 1].begin - pieces[p - 1].left)});
        }
        parallel_for(pieces.size(), threads, [&](Size p) {
            const Piece& piece = pieces[p];
            std::copy_n(g_.left_room_.data() + piece.begin, piece.left, g_.rows_.data() + targets[p].left);
            std::copy_n(g_.right_room_.data() + piece.begin, piece.end - piece.begin - piece.left,
                        g_.rows_.data() + targets[p].right);
        });
        return left_rows;
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
        pair.left.total = nodes_[at].split.left;
        pair.right.total = parent.total - pair.left.total;
        pair.left.packing = pair.right.packing = parent.packing;
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
        if (table_.bins(column).is_category()) nodes_[at].right_bins = bins_among(right, column);
        nodes_[at].left = pair.left.node;
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
        pair.parent = std::move(parent);
        return pair;
    }

    // Bins of a column in which rows of a node lie, without the missing ones.
    std::vector<std::uint8_t> bins_among(const Draft& node, Size column) const {
        std::array<bool, 256> met{};
        const std::uint8_t* codes = table_.group_codes(column / kCodesTogether) + column % kCodesTogether;
        for (Size i = node.begin; i < node.end; ++i) met[codes[Size{g_.rows_[i]} * kCodesTogether]] = true;
        std::vector<std::uint8_t> out;
        for (Size b = 0; b < table_.bins(column).count; ++b)
            if (met[b]) out.push_back(static_cast<std::uint8_t>(b));
        return out;
    }

    // --------------------------------------------------------------------------------------------------- histograms

    std::unique_ptr<std::vector<Word>> fresh() {
        auto cells = g_.histograms_.take();
        cells->assign(table_.cells(), Word{0});
        return cells;
    }
    void give_back(Leaf& leaf) {
        if (leaf.cells) g_.histograms_.take_back(std::move(leaf.cells));
    }
    // Pieces of a long node are counted apart where threads share it, and added up: whole numbers have no order.
    void build(std::span<const Task> tasks) {
        struct Piece {
            Task task;
            Word* total;  // of the node, where this is a later piece of it
        };
        Size rows = 0;
        for (const Task& task : tasks) rows += task.n;
        const int threads = threads_for(rows);
        const Size size = threads == 1 ? std::numeric_limits<Size>::max() : std::max(kPiece, rows / 8 + 1);
        std::vector<Piece> pieces;
        for (const Task& task : tasks)
            for (Size begin = 0; begin < task.n; begin += std::min(size, task.n - begin)) {
                Task part = task;
                part.n = std::min(size, task.n - begin);
                part.words += begin;
                if (part.rows != nullptr) part.rows += begin;
                pieces.push_back({part, begin == 0 ? nullptr : task.into});
            }
        const Size groups = groups_.empty() ? table_.groups() : groups_.size();
        std::vector<std::unique_ptr<std::vector<Word>>> aside;
        for (Piece& piece : pieces)
            if (piece.total != nullptr) {
                aside.push_back(fresh());
                piece.task.into = aside.back()->data();
            }
        const auto count = [&](Size i) {
            const Piece& piece = pieces[i / groups];
            const Size group = groups_.empty() ? i % groups : groups_[i % groups];
            const Size first = group * kCodesTogether, columns = std::min(kCodesTogether, table_.cols() - first);
            std::array<Word*, kCodesTogether> cells{};
            for (Size k = 0; k < columns; ++k) cells[k] = piece.task.into + table_.first_cell(first + k);
            const auto begin = piece.task.rows == nullptr ? static_cast<Size>(piece.task.words - g_.words_.data()) : 0;
            boost_hot().count(table_.group_codes(group), piece.task.rows, begin, piece.task.words, piece.task.n,
                              cells.data(), columns);
        };
        if (threads == 1)
            for (Size i = 0; i < pieces.size() * groups; ++i) count(i);
        else
            parallel_for(pieces.size() * groups, threads, count);
        for (Piece& piece : pieces)
            if (piece.total != nullptr)
                for (Size i = 0; i < table_.cells(); ++i) piece.total[i] += piece.task.into[i];
        for (auto& cells : aside) g_.histograms_.take_back(std::move(cells));
    }

    // The words of a node's rows side by side.
    void gather(std::span<const Leaf* const> leaves) {
        struct Piece {
            Size begin, end;
        };
        std::vector<Piece> pieces;
        Size rows = 0;
        for (const Leaf* leaf : leaves) {
            const Draft& node = nodes_[static_cast<Size>(leaf->node)];
            for (Size b = node.begin; b < node.end; b += kPiece) pieces.push_back({b, std::min(b + kPiece, node.end)});
            rows += node.rows();
        }
        parallel_for(pieces.size(), rows < kWorthAThread ? 1 : g_.threads_, [&](Size p) {
            for (Size i = pieces[p].begin; i < pieces[p].end; ++i) g_.word_room_[i] = g_.words_[g_.rows_[i]];
        });
    }
    Task task_of(const Leaf& leaf) const {
        const Draft& node = nodes_[static_cast<Size>(leaf.node)];
        return {g_.rows_.data() + node.begin, node.rows(), g_.word_room_.data() + node.begin, leaf.cells->data()};
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
            const bool small_changes = changes && std::min(left_rows, right_rows) <= kSmallNode;
            const bool large_changes = changes && std::max(left_rows, right_rows) <= kSmallNode;
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
        std::vector<const Leaf*> gathered(counted.begin(), counted.end());
        gather(gathered);
        std::vector<Task> tasks;
        for (Leaf* leaf : counted) {
            leaf->cells = fresh();
            tasks.push_back(task_of(*leaf));
        }
        if (!tasks.empty()) build(tasks);
        for (const Rest& rest : rests) {
            std::vector<Word>&whole = *rest.whole->cells, &part = *rest.part->cells;
            for (Size i = 0; i < whole.size(); ++i) whole[i] -= part[i];
            if (!rest.keep) give_back(*rest.part);
        }
        tasks.clear();
        for (Leaf* leaf : repacked) {
            repack(*leaf, false);
            Draft& node = nodes_[static_cast<Size>(leaf->node)];
            value(node, *leaf);
            leaf->cells = fresh();
            tasks.push_back(task_of(*leaf));
        }
        if (!tasks.empty()) build(tasks);
    }

    // Histograms that wait take no more than their share of memory: the last ones are counted again when needed.
    void limit_memory(std::vector<Leaf>& leaves) {
        const Size bytes = table_.cells() * sizeof(Word);
        if (bytes * (nodes_.size() / 2 + 2) <= kMostHistograms) return;
        for (Leaf& leaf : leaves) give_back(leaf);
    }

    // Where a split left too few rows on a side: the rows of all cells, so that the next search knows.
    void count_rows(Leaf& leaf) {
        const Draft& node = nodes_[static_cast<Size>(leaf.node)];
        if (!leaf.cells) {
            leaf.cells = fresh();
            const Leaf* one = &leaf;
            gather({&one, 1});
            const Task task = task_of(leaf);
            build({&task, 1});
        }
        leaf.counts.assign(table_.cells(), 0);
        parallel_for(columns_.size(), threads_for(node.rows()), [&](Size k) {
            const Size column = columns_[k];
            const std::uint8_t* codes = table_.group_codes(column / kCodesTogether) + column % kCodesTogether;
            std::uint32_t* counts = leaf.counts.data() + table_.first_cell(column);
            for (Size i = node.begin; i < node.end; ++i) ++counts[codes[Size{g_.rows_[i]} * kCodesTogether]];
        });
    }

    // --------------------------------------------------------------------------------------------------------- end

    // From below: a split whose gain is too small and whose children are leaves is taken back.
    void prune() {
        for (Size i = nodes_.size(); i-- > 0;) {
            Draft& node = nodes_[i];
            if (node.is_leaf()) continue;
            const auto left = static_cast<Size>(node.left);
            if (nodes_[left].is_leaf() && nodes_[left + 1].is_leaf() && node.split.gain < settings_.min_gain)
                node.left = -1;
        }
        drop_loose();
    }

    // Nodes that hang nowhere any more.
    void drop_loose() {
        std::vector<std::int32_t> place(nodes_.size(), -1);
        std::vector<Draft> kept;
        place[0] = 0;
        for (Size i = 0; i < nodes_.size(); ++i) {
            const std::int32_t parent = nodes_[i].parent;
            if (i > 0 && (place[static_cast<Size>(parent)] < 0 || nodes_[static_cast<Size>(parent)].is_leaf()))
                continue;
            place[i] = static_cast<std::int32_t>(kept.size());
            kept.push_back(nodes_[i]);
        }
        for (Draft& node : kept) {
            if (node.parent >= 0) node.parent = place[static_cast<Size>(node.parent)];
            if (node.left >= 0) node.left = place[static_cast<Size>(node.left)];
        }
        nodes_ = std::move(kept);
    }

    // What the nodes answer, by their rows' slopes themselves.
    void finish() {
        struct Piece {
            Size node, begin, end;
            double gradient = 0, curvature = 0;
        };
        std::vector<Piece> pieces;
        for (Size i = 0; i < nodes_.size(); ++i) {
            Draft& node = nodes_[i];
            if (!node.is_leaf()) continue;
            node.split = Found{};
            node.gradient = node.curvature = 0;
            for (Size b = node.begin; b < node.end; b += kPiece)
                pieces.push_back({i, b, std::min(b + kPiece, node.end)});
        }
        parallel_for(pieces.size(), nodes_[0].rows() < kWorthAThread ? 1 : g_.threads_, [&](Size p) {
            Piece& piece = pieces[p];
            double g = 0, h = 0;
            for (Size i = piece.begin; i < piece.end; ++i) {
                const Slope& s = slopes_.of_row[g_.rows_[i]];
                g += static_cast<double>(s.gradient);
                h += static_cast<double>(s.curvature);
            }
            piece.gradient = g;
            piece.curvature = h;
        });
        for (const Piece& piece : pieces) {
            nodes_[piece.node].gradient += piece.gradient;
            nodes_[piece.node].curvature += piece.curvature;
        }
        const Judge judge{&settings_};
        for (Size i = nodes_.size(); i-- > 0;) {
            Draft& node = nodes_[i];
            if (!node.is_leaf()) {
                const Draft &left = nodes_[static_cast<Size>(node.left)],
                            &right = nodes_[static_cast<Size>(node.left) + 1];
                node.gradient = left.gradient + right.gradient;
                node.curvature = left.curvature + right.curvature;
            }
            node.worth = judge.worth(node.gradient, node.curvature, settings_.l2, node.bounds);
            node.answer = judge.answer(node.gradient, node.curvature, settings_.l2, node.bounds);
        }
    }

    Grower& g_;
    const BinnedTable& table_;
    const Settings& settings_;
    const Slopes& slopes_;
    std::uint64_t key_ = 0;  // of what is drawn
    Size tree_ = 0;
    std::vector<std::uint32_t> columns_, groups_;  // drawn for the tree; groups empty: all
    std::vector<Draft> nodes_;
};

Grower::Grower(const BinnedTable& table, const Settings& settings, std::span<const std::int8_t> monotone, int threads)
    : settings_(settings), monotone_(monotone), threads_(threads), search_(settings_, table, monotone) {}
Grower::~Grower() = default;

Grown Grower::grow(const BinnedTable& table, const Slopes& slopes, std::uint64_t seed, Size tree) {
    require(slopes.of_row.size() == table.rows(), "boosting: slopes");
    Grown out;
    out.nodes = Work(*this, table, slopes, seed, tree).grow();
    out.rows = rows_;
    return out;
}

}  // namespace pellucid::boosting

#include "core/tree/c45.hpp"

#include <algorithm>
#include <mutex>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/tree/c45_draft.hpp"
#include "core/tree/c45_prune.hpp"
#include "core/tree/c45_split.hpp"

namespace pellucid::tree {
namespace {

using namespace c45;

// Scratch memory that blocks of work take and give back.
class Workspaces {
  public:
    Workspace take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return {};
        Workspace ws = std::move(free_.back());
        free_.pop_back();
        return ws;
    }
    void give(Workspace&& ws) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(ws));
    }

  private:
    std::mutex mutex_;
    std::vector<Workspace> free_;
};

class Grower {
  public:
    Grower(const Columns& table, const MultiwayRules& rules, int threads, bool keep)
        : table_(table), rules_(rules), threads_(threads), keep_(keep) {
        draft_.n_classes = table.n_classes;
    }

    Draft grow(const Cases& all) {
        Level level, next;
        level.nodes = {draft_.add(-1)};
        level.ends = {all.size()};
        level.cases = all;
        draft_.nodes[0].weight = count_classes(table_, level.of(0), draft_.value(0));
        for (Size depth = 0; !level.nodes.empty(); ++depth) {
            find_splits(level, depth);
            next.clear();
            for (Size i = 0; i < level.nodes.size(); ++i) branch_out(level, i, next);
            std::swap(level, next);
        }
        return std::move(draft_);
    }

  private:
    const Columns& table_;
    const MultiwayRules& rules_;
    const int threads_;
    const bool keep_;  // the cases of the leaves, for pruning
    Draft draft_;
    Workspaces workspaces_;
    Dealt scratch_;
    std::vector<Split> splits_;  // a row a node of the level, an entry a column

    // A block of work: columns [first, last) of nodes [begin, end) of a level.
    struct Block {
        Size begin, end, first, last;
    };

    bool may_split(Size node, Size depth) const {
        const double weight = draft_.nodes[node].weight;
        if (depth >= rules_.max_depth || weight + kTie < 2 * rules_.min_leaf || weight + kTie < rules_.min_split)
            return false;
        return draft_.errors(node) > kTie * weight;
    }

    // Large nodes are one block a column, small ones go together: borders depend on the data alone.
    std::vector<Block> cut(const Level& level, std::span<const std::uint8_t> open) const {
        constexpr Size kLarge = 4096;
        std::vector<Block> blocks;
        Size begin = 0, gathered = 0;
        const auto close = [&](Size end) {
            if (gathered > 0) blocks.push_back({begin, end, 0, table_.count()});
            gathered = 0;
        };
        for (Size i = 0; i < level.nodes.size(); ++i) {
            const Size size = level.of(i).size();
            if (open[i] && size >= kLarge) {
                close(i);
                for (Size j = 0; j < table_.count(); ++j) blocks.push_back({i, i + 1, j, j + 1});
                begin = i + 1;
                continue;
            }
            gathered += open[i] ? size : 0;
            if (gathered >= kLarge) {
                close(i + 1);
                begin = i + 1;
            }
        }
        close(level.nodes.size());
        return blocks;
    }

    void find_splits(const Level& level, Size depth) {
        const Size p = table_.count();
        std::vector<std::uint8_t> open(level.nodes.size());
        for (Size i = 0; i < open.size(); ++i) open[i] = may_split(level.nodes[i], depth) ? 1 : 0;
        splits_.assign(open.size() * p, Split{});
        const std::vector<Block> blocks = cut(level, open);
        parallel_for(blocks.size(), threads_, [&](Size b) {
            Workspace ws = workspaces_.take();
            for (Size i = blocks[b].begin; i < blocks[b].end; ++i) {
                if (!open[i]) continue;
                const Size node = level.nodes[i];
                const NodeView view{level.of(i), draft_.value(node), draft_.nodes[node].weight};
                for (Size j = blocks[b].first; j < blocks[b].last; ++j)
                    splits_[i * p + j] = best_split(table_, rules_, j, view, ws);
            }
            workspaces_.give(std::move(ws));
        });
    }

    // Splits node i of a level if a column is worth it, and puts its children into the next level.
    void branch_out(const Level& level, Size i, Level& next) {
        const Size node = level.nodes[i], p = table_.count();
        const std::int32_t column = best_column(table_, rules_, {splits_.data() + i * p, p});
        if (column < 0) {
            keep(node, level.of(i));
            return;
        }
        const Split& split = splits_[i * p + static_cast<Size>(column)];
        set_test(node, column, split, level.of(i));
        draft_.nodes[node].gain = split.gain;
        draft_.nodes[node].info = split.info;
        const Size children = draft_.nodes.size();
        draft_.nodes[node].first_child = static_cast<std::int32_t>(children);
        for (std::int32_t b = 0; b < draft_.nodes[node].n_children; ++b) {
            next.nodes.push_back(draft_.add(static_cast<std::int32_t>(node)));
        }
        const Size first = next.ends.size();
        deal(draft_, table_, node, level.of(i), {rules_.share, true, rules_.min_case}, next.cases, next.ends, scratch_);
        for (Size b = first; b < next.ends.size(); ++b)
            draft_.nodes[next.nodes[b]].weight = count_classes(table_, next.of(b), draft_.value(next.nodes[b]));
    }

    void keep(Size node, CaseSpan cases) {
        if (!keep_) return;
        draft_.nodes[node].begin = draft_.kept.size();
        draft_.kept.row.insert(draft_.kept.row.end(), cases.row.begin(), cases.row.end());
        draft_.kept.weight.insert(draft_.kept.weight.end(), cases.weight.begin(), cases.weight.end());
        draft_.nodes[node].end = draft_.kept.size();
    }

    void set_test(Size at, std::int32_t feature, const Split& split, CaseSpan cases) {
        Draft::Node& node = draft_.nodes[at];
        const Column& column = table_.columns[static_cast<Size>(feature)];
        node.feature = feature;
        node.n_children = 2;
        if (!column.category) {
            node.test = Test::at_most;
            set_threshold(node, column, split);
        } else if (rules_.one_against_rest) {
            node.test = Test::subset;
            node.cut = split.low;
        } else {
            node.test = Test::categories;
            set_branches(node, column, cases);
        }
    }

    void set_threshold(Draft::Node& node, const Column& column, const Split& split) const {
        const double low = column.values[split.low], high = column.values[split.high];
        double middle = 0.5 * low + 0.5 * high;
        if (!(middle >= low && middle < high)) middle = low;
        const auto above = std::upper_bound(column.values.begin(), column.values.end(), middle);
        node.cut = static_cast<std::uint32_t>(above - column.values.begin()) - 1;
        node.threshold = rules_.midpoint ? middle : column.values[node.cut];
    }

    // A branch for every category among the cases; those that only other nodes have share one more, which is empty.
    void set_branches(Draft::Node& node, const Column& column, CaseSpan cases) {
        std::vector<std::int32_t>& tables = draft_.tables;
        node.table = tables.size();
        tables.resize(tables.size() + column.levels, -1);
        std::int32_t* branch = tables.data() + node.table;
        for (const std::uint32_t row : cases.row)
            if (column.code[row] != kMissing) branch[column.code[row]] = 0;
        std::int32_t branches = 0;
        for (std::uint32_t c = 0; c < column.levels; ++c)
            if (branch[c] == 0) branch[c] = branches++;
        const std::vector<std::uint8_t>& met = met_in(column);
        bool elsewhere = false;
        for (std::uint32_t c = 0; c < column.levels; ++c) {
            if (branch[c] >= 0 || !met[c]) continue;
            branch[c] = branches;
            elsewhere = true;
        }
        node.n_children = branches + (elsewhere ? 1 : 0);
    }

    // Categories that any row of the table has.
    const std::vector<std::uint8_t>& met_in(const Column& column) {
        const auto j = static_cast<Size>(&column - table_.columns.data());
        met_.resize(table_.count());
        if (met_[j].empty()) {
            met_[j].assign(column.levels, 0);
            for (Size r = 0; r < column.code.size(); ++r)
                if (table_.weight[r] > 0 && column.code[r] != kMissing) met_[j][column.code[r]] = 1;
        }
        return met_[j];
    }
    std::vector<std::vector<std::uint8_t>> met_;
};

}  // namespace

MultiwayTree grow_multiway(const MultiwayProblem& problem, const MultiwayRules& rules, int threads) {
    const Columns table = code_columns(problem, threads);
    const Cases all = all_cases(problem.weight);
    require(all.size() > 0, "no row has a weight");
    const bool keep = rules.collapse || rules.pruning == Pruning::error;
    Draft draft = Grower(table, rules, threads, keep).grow(all);
    if (rules.pruning == Pruning::reduced_error) {
        prune_by_held_out(draft, table, rules, all_cases(problem.validation));
    } else {
        if (rules.collapse) collapse(draft);
        if (rules.pruning == Pruning::error) prune_by_expected_errors(draft, table, rules);
    }
    return finish(draft, table, rules, all);
}

}  // namespace pellucid::tree

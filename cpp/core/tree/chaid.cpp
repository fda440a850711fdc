#include "core/tree/chaid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::tree {
namespace {

constexpr Size kParallelCells = 20'000;  // rows times columns of a node below which threads cost more than they bring

// What a look at one column of one node finds: its categories that occur, and how they merge.
struct Look {
    std::vector<std::uint32_t> codes;  // ascending; a missing value is the largest
    Merged merged;
};

// Room for one thread at one column.
struct Room {
    std::vector<std::int32_t> slot;  // of a code, -1 where it has none
    std::vector<std::uint32_t> codes;
    std::vector<double> summaries, sorted;
    std::vector<std::int64_t> n_rows, sorted_rows;
    std::vector<std::int32_t> order;
};

template <class Target, class Y>
class Growing {
  public:
    Growing(const ChaidProblem& problem, const Target& target, std::span<const Y> y)
        : p_(problem), target_(target), y_(y), rows_(problem.rows), rooms_(problem.columns.size()) {
        std::iota(rows_.begin(), rows_.end(), 0U);
    }

    ChaidTree run() {
        tree_.nodes.width = p_.classes > 0 ? p_.classes : 1;
        tree_.nodes.table_start.push_back(0);
        tree_.nodes.cuts_start.push_back(0);
        add_node(-1, 0, p_.rows, 0);
        for (Size node = 0; node < tree_.nodes.count(); ++node) {  // grows while it is read
            check_interrupt();
            grow(node);
            tree_.nodes.table_start.push_back(static_cast<std::int64_t>(tree_.nodes.table.size()));
            tree_.nodes.cuts_start.push_back(static_cast<std::int64_t>(tree_.nodes.cuts.size()));
        }
        return std::move(tree_);
    }

  private:
    double weight(std::uint32_t row) const { return p_.weight.empty() ? 1.0 : p_.weight[row]; }

    void add_node(std::int32_t parent, Size begin, Size end, Size depth) {
        Nodes& n = tree_.nodes;
        n.parent.push_back(parent);
        n.first_child.push_back(-1);
        n.n_children.push_back(0);
        n.feature.push_back(-1);
        n.test.push_back(static_cast<std::uint8_t>(Test::leaf));
        n.missing_child.push_back(kStop);
        n.threshold.push_back(std::numeric_limits<double>::quiet_NaN());
        n.n_rows.push_back(static_cast<std::int64_t>(end - begin));
        begin_.push_back(begin);
        depth_.push_back(depth);
        tree_.column.push_back(-1);
        for (auto* column :
             {&tree_.statistic, &tree_.df1, &tree_.df2, &tree_.log_p, &tree_.log_multiplier, &tree_.log_adjusted}) {
            column->push_back(0.0);
        }
        tree_.groups.push_back(0);
        summarize(begin, end);
    }

    // What a node answers, its weight and how mixed it is.
    void summarize(Size begin, Size end) {
        Nodes& n = tree_.nodes;
        std::vector<double> sum(target_.width(), 0.0);
        for (Size i = begin; i < end; ++i) target_.add_row(sum.data(), y_[rows_[i]], weight(rows_[i]));
        const double all = target_.weight(sum.data());
        n.weight.push_back(all);
        if constexpr (std::is_same_v<Target, ClassTarget>) {
            double squares = 0;
            for (Size k = 0; k < p_.classes; ++k) {
                n.value.push_back(sum[k]);
                squares += sum[k] / all * (sum[k] / all);
            }
            n.impurity.push_back(std::max(1 - squares, 0.0));  // Gini
        } else {
            n.value.push_back(sum[1]);
            n.impurity.push_back(sum[2] / all);  // variance
        }
    }

    bool pure(Size node) const {
        const Nodes& n = tree_.nodes;
        if constexpr (std::is_same_v<Target, ClassTarget>) {
            const double* value = &n.value[node * n.width];
            return std::count_if(value, value + n.width, [](double v) { return v > 0; }) < 2;
        } else {
            return !(n.impurity[node] > 0);
        }
    }

    void grow(Size node) {
        const Size rows = static_cast<Size>(tree_.nodes.n_rows[node]);
        if (pure(node) || rows < p_.min_split || depth_[node] >= p_.max_depth) return;
        std::vector<Look> looks(p_.columns.size());
        const int threads = rows * looks.size() < kParallelCells ? 1 : p_.threads;
        const std::span<const std::uint32_t> here(&rows_[begin_[node]], rows);
        parallel_for(looks.size(), threads, [&](Size j) { looks[j] = look(j, here); });
        const std::int32_t best = choose(looks);
        if (best < 0) return;
        const Merged& merged = looks[static_cast<Size>(best)].merged;
        tree_.column[node] = best;
        tree_.statistic[node] = merged.tested.statistic;
        tree_.df1[node] = merged.tested.df1;
        tree_.df2[node] = merged.tested.df2;
        tree_.log_p[node] = merged.tested.log_p;
        tree_.log_multiplier[node] = merged.log_multiplier;
        tree_.log_adjusted[node] = merged.log_adjusted;
        tree_.groups[node] = static_cast<std::int32_t>(merged.groups);
        if (on_grid(merged.log_adjusted) <= on_grid(p_.log_alpha_split))
            split(node, best, looks[static_cast<Size>(best)]);
    }

    // The column of the least adjusted p value (or the largest statistic), the first of equals; -1 where none can
    // split.
    std::int32_t choose(const std::vector<Look>& looks) const {
        std::int32_t best = -1;
        double least = 0;
        for (Size j = 0; j < looks.size(); ++j) {
            const Merged& merged = looks[j].merged;
            if (!merged.allowed) continue;
            const double key = p_.by_statistic ? -on_grid(merged.tested.statistic) : on_grid(merged.log_adjusted);
            if (best < 0 || key < least) best = static_cast<std::int32_t>(j), least = key;
        }
        return best;
    }

    // ------------------------------------------------------------------------------------------------------- a column

    Look look(Size j, std::span<const std::uint32_t> rows) {
        const CodedColumn& column = p_.columns[j];
        Room& room = rooms_[j];
        count(column, rows, room);
        Look found;
        const Size c = room.codes.size(), width = target_.width();
        if (c < 2) return found;
        room.order.resize(c);
        std::iota(room.order.begin(), room.order.end(), 0);
        std::ranges::sort(room.order, {}, [&](std::int32_t i) { return room.codes[static_cast<Size>(i)]; });
        found.codes.resize(c);
        room.sorted.resize(c * width);
        room.sorted_rows.resize(c);
        for (Size i = 0; i < c; ++i) {
            const auto from = static_cast<Size>(room.order[i]);
            found.codes[i] = room.codes[from];
            room.sorted_rows[i] = room.n_rows[from];
            std::copy_n(&room.summaries[from * width], width, &room.sorted[i * width]);
        }
        const bool missing = found.codes.back() == column.count;
        const Categories categories{c, room.sorted, room.sorted_rows, column.ordinal,
                                    missing ? static_cast<std::int32_t>(c) - 1 : -1};
        found.merged = merge_categories(target_, categories, p_.merge);
        return found;
    }

    // The categories that occur, as they come: nothing here takes longer for a column of a million categories.
    void count(const CodedColumn& column, std::span<const std::uint32_t> rows, Room& room) {
        const Size width = target_.width();
        room.slot.resize(column.count + Size{1}, -1);
        room.codes.clear();
        room.summaries.clear();
        room.n_rows.clear();
        for (const std::uint32_t row : rows) {
            const std::uint32_t code = column.codes[row];
            std::int32_t& slot = room.slot[code];
            if (slot < 0) {
                slot = static_cast<std::int32_t>(room.codes.size());
                room.codes.push_back(code);
                room.summaries.resize(room.summaries.size() + width, 0.0);
                room.n_rows.push_back(0);
            }
            ++room.n_rows[static_cast<Size>(slot)];
            target_.add_row(&room.summaries[static_cast<Size>(slot) * width], y_[row], weight(row));
        }
        for (const std::uint32_t code : room.codes) room.slot[code] = -1;
    }

    // -------------------------------------------------------------------------------------------------------- a split

    void split(Size node, std::int32_t feature, const Look& look) {
        const CodedColumn& column = p_.columns[static_cast<Size>(feature)];
        Nodes& n = tree_.nodes;
        n.feature[node] = feature;
        n.n_children[node] = static_cast<std::int32_t>(look.merged.groups);
        n.first_child[node] = static_cast<std::int32_t>(n.count());
        const bool missing = look.codes.back() == column.count;
        n.missing_child[node] = missing ? look.merged.group.back() : kStop;
        n.test[node] = static_cast<std::uint8_t>(column.numeric ? Test::intervals : Test::categories);
        if (column.numeric) {
            write_cuts(column, look, missing);
        } else {
            const Size start = n.table.size();
            n.table.resize(start + column.count, -1);
            for (Size i = 0; i < look.codes.size() - Size{missing}; ++i)
                n.table[start + look.codes[i]] = look.merged.group[i];
        }
        arrange(node, column, look);
    }

    // Between two groups of intervals: the upper end of the last interval of the first that occurs in the node. Where
    // missing values have a branch of their own, no number is above the last cut.
    void write_cuts(const CodedColumn& column, const Look& look, bool missing) {
        const std::vector<std::int32_t>& group = look.merged.group;
        const Size present = group.size() - Size{missing};
        for (Size i = 0; i + 1 < present; ++i) {
            if (group[i] != group[i + 1]) tree_.nodes.cuts.push_back(column.edges[look.codes[i]]);
        }
        if (missing && group.back() != group[present - 1] &&
            std::find(group.begin(), group.end() - 1, group.back()) == group.end() - 1) {
            tree_.nodes.cuts.push_back(std::numeric_limits<double>::infinity());
        }
    }

    // Puts the rows of a node in order of its branches, and adds a node for each.
    void arrange(Size node, const CodedColumn& column, const Look& look) {
        const Size begin = begin_[node], end = begin + static_cast<Size>(tree_.nodes.n_rows[node]);
        branch_.resize(column.count + Size{1});
        for (Size i = 0; i < look.codes.size(); ++i) branch_[look.codes[i]] = look.merged.group[i];
        std::vector<Size> start(look.merged.groups + 1, 0);
        for (Size i = begin; i < end; ++i) ++start[static_cast<Size>(branch_[column.codes[rows_[i]]]) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Size> next(start.begin(), start.end() - 1);
        moved_.resize(end - begin);
        for (Size i = begin; i < end; ++i)
            moved_[next[static_cast<Size>(branch_[column.codes[rows_[i]]])]++] = rows_[i];
        std::ranges::copy(moved_, rows_.begin() + static_cast<std::ptrdiff_t>(begin));
        for (Size g = 0; g + 1 < start.size(); ++g) {
            add_node(static_cast<std::int32_t>(node), begin + start[g], begin + start[g + 1], depth_[node] + 1);
        }
    }

    const ChaidProblem& p_;
    const Target target_;
    std::span<const Y> y_;
    std::vector<std::uint32_t> rows_, moved_;
    std::vector<Room> rooms_;  // one a column: no column is looked at twice at a time
    std::vector<std::int32_t> branch_;
    std::vector<Size> begin_, depth_;
    ChaidTree tree_;
};

}  // namespace

ChaidTree grow_chaid(const ChaidProblem& problem) {
    require(problem.rows > 0 && problem.rows < 0xffffffffU, "grow_chaid: rows");
    if (problem.classes > 0) {
        require(problem.labels.size() == problem.rows, "grow_chaid: labels");
        return Growing<ClassTarget, std::int32_t>(problem, {problem.classes, problem.likelihood}, problem.labels).run();
    }
    require(problem.numbers.size() == problem.rows, "grow_chaid: numbers");
    return Growing<NumberTarget, double>(problem, {}, problem.numbers).run();
}

}  // namespace pellucid::tree

#include "core/ensemble/stumps.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/ensemble/stump_sweep.hpp"
#include "core/tree/class_criteria.hpp"
#include "core/tree/exact_look.hpp"
#include "core/tree/grow.hpp"

namespace pellucid::ensemble {
namespace {

using tree::Branch;
using tree::Entry;
using tree::kMissing;
using Row = tree::WeightedClassRow;

constexpr double kLeast = 0x1p-52;  // no weight is below it

template <tree::Criterion C>
class Booster {
  public:
    static constexpr bool kTwo = std::is_same_v<C, tree::GiniOfTwo<Row>>;

    Booster(const StumpProblem& problem, const C& criterion)
        : problem_(problem), c_(criterion), columns_(problem.X, problem.n_categories) {
        out_.table_start.push_back(0);
        for (Size i = 0; i < problem.rows(); ++i)
            if (problem.weight[i] > 0) {
                row_.push_back(static_cast<std::uint32_t>(i));
                what_.push_back(Row::of(static_cast<std::uint32_t>(problem.codes[i]), problem.weight[i]));
            }
        require(!row_.empty(), "boost_stumps: no row of positive weight");
        require(row_.size() < kCutBit, "boost_stumps: rows");
        goes_left_.resize(row_.size());
        columns_.make_ranks(problem.threads);
        sort_columns();
    }

    Stumps run() {
        double sum = 0;
        for (const Row& row : what_) sum += row.mass;
        scale(sum);
        for (Size t = 0; t < problem_.rounds; ++t) {
            check_interrupt();
            raise_small();
            record();
            fit_stump();
            if (!weigh(t + 1 == problem_.rounds)) break;
        }
        return std::move(out_);
    }

  private:
    struct Found {
        Branch root, left, right;
        std::vector<double> values;  // of the three
        Size nodes = 1;
    };

    // ------------------------------------------------------------------------------------------------------ weights

    void scale(double sum) {
        for (Row& row : what_) row.mass /= sum;
    }
    void raise_small() {
        for (Row& row : what_) row.mass = std::max(row.mass, kLeast);
    }
    void record() {
        if (!problem_.record) return;
        const Size start = out_.row_weight.size();
        out_.row_weight.resize(start + problem_.rows(), 0.0);
        for (Size i = 0; i < row_.size(); ++i) out_.row_weight[start + row_[i]] = what_[i].mass;
    }

    // Error and stage of the last stump, and the next weights; whether there is a next round.
    bool weigh(bool last) {
        const Size k = problem_.classes, at = (out_.count() - 1) * 3 * k;
        const bool split = out_.feature.back() >= 0;
        const std::uint32_t left = winner(at + (split ? k : 0)), right = split ? winner(at + 2 * k) : left;
        double wrong = 0, sum = 0;
        for (Size i = 0; i < row_.size(); ++i) {
            sum += what_[i].mass;
            wrong += what_[i].mass * is_wrong(i, left, right);
        }
        const double error = wrong / sum, classes = static_cast<double>(k);
        out_.error.push_back(error);
        if (error <= 0) {
            out_.stage.push_back(1);
            out_.ending = Ending::perfect;
            return false;
        }
        if (error >= 1 - 1 / classes) {
            drop_last();
            out_.ending = Ending::chance;
            return false;
        }
        const double stage = problem_.rate * (std::log((1 - error) / error) + std::log(classes - 1));
        out_.stage.push_back(problem_.half ? stage / 2 : stage);
        return !last && reweigh(left, right);
    }

    // 1 or 0, to multiply by: a branch would be guessed wrongly for every second row.
    int is_wrong(Size i, std::uint32_t left, std::uint32_t right) const {
        const std::uint32_t sides[2] = {right, left};
        return what_[i].code != sides[goes_left_[i]];
    }

    bool reweigh(std::uint32_t left, std::uint32_t right) {
        const double stage = out_.stage.back(), up = std::exp(stage), down = problem_.half ? std::exp(-stage) : 1.0;
        const double factor[2] = {down, up};
        double sum = 0;
        for (Size i = 0; i < row_.size(); ++i) {
            what_[i].mass *= factor[is_wrong(i, left, right)];
            sum += what_[i].mass;
        }
        // Where weights are not divided by their sum they may only grow so far that squares of sums stay in range.
        if (!std::isfinite(sum) || (!problem_.normalize && sum > kHeaviest)) {
            out_.ending = Ending::overflow;
            return false;
        }
        if (problem_.normalize) scale(sum);
        return true;
    }

    // The class with the largest share of a node, the first of equals.
    std::uint32_t winner(Size at) const {
        const double* value = out_.value.data() + at;
        double sum = 0;
        for (Size k = 0; k < problem_.classes; ++k) sum += value[k];
        std::uint32_t best = 0;
        for (std::uint32_t k = 1; k < problem_.classes; ++k)
            if (value[k] / sum > value[best] / sum) best = k;
        return best;
    }

    // ------------------------------------------------------------------------------------------------------- stumps

    void fit_stump() {
        Found found;
        std::vector<double> sums(c_.width());
        found.root.end = row_.size();
        measure(found.root, what_, sums, found.values);
        if (row_.size() > 1 && !c_.pure(sums.data(), found.root.impurity)) {
            found.root.split = look(sums);
            if (found.root.split) divide(found);
        }
        if (found.nodes == 1) std::fill(goes_left_.begin(), goes_left_.end(), std::uint8_t{1});
        keep(found);
    }

    void measure(Branch& branch, std::span<const Row> rows, std::vector<double>& sums, std::vector<double>& values) {
        branch.impurity = c_.describe(rows, sums.data());
        finish(branch, sums, values);
    }
    void finish(Branch& branch, const std::vector<double>& sums, std::vector<double>& values) const {
        branch.weight = c_.weight(sums.data());
        values.resize(values.size() + problem_.classes);
        c_.value(sums.data(), branch.lower, branch.upper, values.data() + values.size() - problem_.classes);
    }

    // The best split over all columns, the first of equals.
    tree::Split look(const std::vector<double>& sums) {
        std::vector<tree::Split> found(problem_.cols());
        BestKnown known;
        if constexpr (kTwo)
            for (Size i = 0; i < row_.size(); ++i) pairs_[i] = Pair{what_[i].mass, what_[i].code ? what_[i].mass : 0.0};
        const tree::Nothing nothing;
        const tree::NodeRows<C> node{what_, sums.data(), &nothing};
        tree::for_tasks(tasks_.size(), row_.size() * problem_.cols(), problem_.threads, workspaces_,
                        [&](Size task, tree::Workspace& ws) { look_at(tasks_[task], node, known, found, ws); });
        tree::Split best;
        for (tree::Split& split : found)
            if (split && (!best || split.score > best.score)) best = std::move(split);
        return best;
    }

    // One column, or a pair of those that are swept side by side.
    struct Task {
        Size first, second;
        bool quick;
    };

    void look_at(const Task& task, const tree::NodeRows<C>& node, BestKnown& known, std::vector<tree::Split>& found,
                 tree::Workspace& ws) {
        if (!task.quick) {
            found[task.first] = look_slowly(task.first, node, ws);
            known.raise(found[task.first].score);
            return;
        }
        const Pair all{node.sums[0], node.sums[1]};
        ColumnSweep first(quick(task.first), pairs_.data(), all), second(quick(task.second), pairs_.data(), all);
        if (task.first == task.second)
            sweep_column(row_.size(), known, first);
        else
            sweep_columns(row_.size(), known, first, second);
        found[task.first] = by_number(first.best(), task.first);
        if (task.first != task.second) found[task.second] = by_number(second.best(), task.second);
    }

    // By the sweeps and searches of the tree engine: missing values, categories, more classes.
    tree::Split look_slowly(Size column, const tree::NodeRows<C>& node, tree::Workspace& ws) const {
        const tree::Ordered in =
            tree::split_missing(std::span(entries_).subspan(place_[column], row_.size()), 0, kMissing);
        if (in.present.empty() || (in.missing.empty() && in.present.front().rank == in.present.back().rank)) return {};
        tree::Limits limits;
        tree::Split split;
        if (columns_.is_category(column)) {
            split = tree::CategorySearch<C>(c_, node, in, limits, ws).best(tree::CategorySplit::ordered);
            split.test = tree::Test::subset;
            split.feature = split.score == tree::kNone ? -1 : static_cast<std::int32_t>(column);
        } else if (const tree::Cut cut = tree::best_cut(c_, node, in, limits)) {
            const std::uint32_t low = in.present[cut.after - 1].rank;
            split =
                cut_between(cut, column, low, cut.after < in.present.size() ? in.present[cut.after].rank : kMissing);
        }
        split.has_missing = !in.missing.empty();
        return split;
    }

    tree::Split by_number(const tree::Cut& cut, Size column) const {
        if (!cut) return {};
        const std::span<const std::uint32_t> rows = quick(column);
        const auto rank = [&](Size i) { return columns_.ranks(column)[row_[rows[i] & ~kCutBit]]; };
        return cut_between(cut, column, rank(cut.after - 1), rank(cut.after));
    }

    // Ranks on both sides of the cut; none above it: values against missing ones.
    tree::Split cut_between(const tree::Cut& cut, Size column, std::uint32_t low, std::uint32_t high) const {
        const std::span<const double> values = columns_.values(column);
        tree::Split split;
        split.score = cut.score;
        split.feature = static_cast<std::int32_t>(column);
        split.test = tree::Test::at_most;
        split.cut = low;
        split.missing_left = cut.missing_left;
        split.threshold =
            high == kMissing ? std::numeric_limits<double>::infinity() : tree::midpoint(values[low], values[high]);
        return split;
    }

    // Both sides of the split, measured in the order of the rows.
    void divide(Found& found) {
        Branch& root = found.root;
        const tree::RankSides sides(columns_, root.split);
        std::vector<double> left(c_.width(), 0.0), right(c_.width(), 0.0);
        Size count = 0;
        sides.with([&](auto&& goes_left) {
            for (Size i = 0; i < row_.size(); ++i) {
                const bool side = goes_left(row_[i]);
                goes_left_[i] = side;
                count += side;
            }
        });
        add_sides(left, right);
        root.middle = count;
        root.first_child = 1;
        found.left.end = count;
        found.right.begin = count;
        found.right.end = row_.size();
        found.left.impurity = c_.impurity(left.data());
        found.right.impurity = c_.impurity(right.data());
        finish(found.left, left, found.values);
        finish(found.right, right, found.values);
        if (root.split.test == tree::Test::subset) {
            std::vector<std::uint32_t> others;
            for (Size i = 0; i < row_.size(); ++i)
                if (!goes_left_[i]) others.push_back(row_[i]);
            root.split.right_codes = sides.categories_among(others);
        }
        found.nodes = 3;
    }

    // The criterion's sums of both sides, row after row. Two classes: a row of the other side adds 0, and nothing has
    // to be guessed or read back from memory.
    void add_sides(std::vector<double>& left, std::vector<double>& right) const {
        if constexpr (kTwo) {
            double l = 0, l1 = 0, r = 0, r1 = 0;
            for (Size i = 0; i < row_.size(); ++i) {
                const double w = what_[i].mass, w1 = w * what_[i].code, side = goes_left_[i];
                l += w * side;
                l1 += w1 * side;
                r += w * (1 - side);
                r1 += w1 * (1 - side);
            }
            left = {l, l1};
            right = {r, r1};
        } else {
            for (Size i = 0; i < row_.size(); ++i) c_.add((goes_left_[i] ? left : right).data(), what_[i]);
        }
    }

    // ------------------------------------------------------------------------------------------------------ results

    void keep(const Found& found) {
        tree::Grown grown;
        grown.branches = {found.root};
        if (found.nodes == 3) {
            grown.branches.push_back(found.left);
            grown.branches.push_back(found.right);
        }
        grown.values = found.values;
        const tree::Nodes nodes = tree::lay_out(grown, columns_, problem_.classes, 1.0);
        out_.feature.push_back(nodes.feature[0]);
        out_.test.push_back(nodes.test[0]);
        out_.missing_child.push_back(nodes.missing_child[0]);
        out_.threshold.push_back(nodes.threshold[0]);
        append(out_.n_rows, nodes.n_rows, 3);
        append(out_.node_weight, nodes.weight, 3);
        append(out_.impurity, nodes.impurity, 3);
        append(out_.value, nodes.value, 3 * problem_.classes);
        append(out_.table, nodes.table, nodes.table.size());
        out_.table_start.push_back(static_cast<std::int64_t>(out_.table.size()));
    }
    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from, Size width) {
        const Size start = to.size();
        to.resize(start + width);
        std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(start));
    }
    void drop_last() {
        const Size k = problem_.classes, m = out_.count() - 1;
        out_.feature.resize(m);
        out_.test.resize(m);
        out_.missing_child.resize(m);
        out_.threshold.resize(m);
        out_.n_rows.resize(3 * m);
        out_.node_weight.resize(3 * m);
        out_.impurity.resize(3 * m);
        out_.value.resize(3 * k * m);
        out_.table_start.resize(m + 1);
        out_.table.resize(static_cast<Size>(out_.table_start.back()));
    }

    // ------------------------------------------------------------------------------------------------------ columns

    bool is_quick(Size j) const { return kTwo && !columns_.is_category(j) && columns_.missing(j) == 0; }
    std::span<const std::uint32_t> quick(Size j) const { return std::span(quick_).subspan(place_[j], row_.size()); }

    // The rows in use in the order of each column: as entries of the tree engine, or packed for the quick sweep.
    void sort_columns() {
        const Size n = row_.size(), cols = problem_.cols();
        std::vector<std::uint32_t> place(problem_.rows(), kMissing);
        for (Size i = 0; i < n; ++i) place[row_[i]] = static_cast<std::uint32_t>(i);
        place_.resize(cols);
        Size n_quick = 0, n_slow = 0, waiting = kNone;
        for (Size j = 0; j < cols; ++j) {
            place_[j] = n * (is_quick(j) ? n_quick++ : n_slow++);
            if (!is_quick(j)) {
                tasks_.push_back({j, j, false});
            } else if (waiting == kNone) {
                waiting = j;
            } else {
                tasks_.push_back({waiting, j, true});
                waiting = kNone;
            }
        }
        if (waiting != kNone) tasks_.push_back({waiting, waiting, true});
        quick_.resize(n * n_quick);
        entries_.resize(n * n_slow);
        pairs_.resize(kTwo ? n : 0);
        tree::for_tasks(cols, n * cols, problem_.threads, workspaces_, [&](Size j, tree::Workspace&) {
            const std::uint32_t *order = columns_.order(j), *ranks = columns_.ranks(j);
            Size at = place_[j];
            std::uint32_t before = kMissing;
            for (Size i = 0; i < problem_.rows(); ++i) {
                const std::uint32_t here = place[order[i]], rank = ranks[order[i]];
                if (here == kMissing) continue;
                if (!is_quick(j)) {
                    entries_[at++] = {rank, here};
                    continue;
                }
                if (at > place_[j] && rank != before) quick_[at - 1] |= kCutBit;
                quick_[at++] = here;
                before = rank;
            }
        });
    }

    static constexpr Size kNone = ~Size{0};
    static constexpr double kHeaviest = 0x1p300;

    const StumpProblem& problem_;
    const C c_;
    tree::Columns columns_;
    tree::Workspaces workspaces_;
    std::vector<std::uint32_t> row_;  // of the table, those in use
    std::vector<Row> what_;
    std::vector<std::uint8_t> goes_left_;
    std::vector<Size> place_;           // where a column begins in one of the next two
    std::vector<std::uint32_t> quick_;  // see stump_sweep.hpp
    std::vector<Entry> entries_;
    std::vector<Pair> pairs_;  // weight of a row, and that of class 1
    std::vector<Task> tasks_;
    Stumps out_;
};

}  // namespace

Stumps boost_stumps(const StumpProblem& problem) {
    if (problem.classes == 2) return Booster(problem, tree::GiniOfTwo<Row>()).run();
    return Booster(problem, tree::Gini<Row>(problem.classes)).run();
}

// -----------------------------------------------------------------------------------------------------------
// prediction

namespace {

// Rows at a time: their numbers, and their votes, stay in the first-level cache while all stumps look at them.
constexpr Size kBlock = 512;

template <class T>
void read_column(const Dense<T>& X, Size column, Size begin, Size count, double* to) {
    for (Size i = 0; i < count; ++i) to[i] = static_cast<double>(X.at(begin + i, column));
}

template <class T>
void vote_block(const Dense<T>& X, const StumpVotes& stumps, std::span<double> votes, Size begin, Size count) {
    std::vector<double> numbers;  // of the columns that are asked
    std::vector<std::ptrdiff_t> place(X.cols, -1);
    for (Size t = 0; t < stumps.count(); ++t) {
        const std::int32_t feature = stumps.feature[t];
        if (feature < 0 || place[static_cast<Size>(feature)] >= 0) continue;
        place[static_cast<Size>(feature)] = static_cast<std::ptrdiff_t>(numbers.size());
        numbers.resize(numbers.size() + kBlock);
        read_column(X, static_cast<Size>(feature), begin, count, numbers.data() + numbers.size() - kBlock);
    }
    for (Size t = 0; t < stumps.count(); ++t) {
        const double stage = stumps.stage[t], cut = stumps.threshold[t];
        double* left = votes.data() + static_cast<Size>(stumps.left[t]) * X.rows + begin;
        double* right = votes.data() + static_cast<Size>(stumps.right[t]) * X.rows + begin;
        if (stumps.feature[t] < 0 || left == right) {
            for (Size i = 0; i < count; ++i) left[i] += stage;
            continue;
        }
        const double* x = numbers.data() + place[static_cast<Size>(stumps.feature[t])];
        const auto vote = [&](auto&& goes_left) {
            for (Size i = 0; i < count; ++i) {
                const bool side = goes_left(x[i]);
                left[i] += side ? stage : 0.0;
                right[i] += side ? 0.0 : stage;
            }
        };
        if (stumps.missing_left[t])
            vote([cut](double value) { return !(value > cut); });
        else
            vote([cut](double value) { return value <= cut; });
    }
}

}  // namespace

void add_stump_votes(const Matrix& X, const StumpVotes& stumps, std::span<double> votes, int threads) {
    const auto add = [&]<class T>(const Dense<T>& x) {
        parallel_for((x.rows + kBlock - 1) / kBlock, x.rows < 4 * kBlock ? 1 : threads, [&](Size block) {
            vote_block(x, stumps, votes, block * kBlock, std::min(kBlock, x.rows - block * kBlock));
        });
    };
    if (const auto* x = std::get_if<Dense<double>>(&X)) return add(*x);
    const auto* x = std::get_if<Dense<float>>(&X);
    require(x != nullptr, "add_stump_votes: a sparse table");
    add(*x);
}

}  // namespace pellucid::ensemble

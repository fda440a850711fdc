#include "core/boosting/booster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/boosting/grown_tree.hpp"
#include "core/boosting/rows_in_use.hpp"

namespace pellucid::boosting {
namespace {

std::vector<std::int32_t> leaves_of(const Grown& grown, const Table& table) {
    const LeafFinder leaf(grown.nodes, table);
    std::vector<std::int32_t> out(table.rows());
    for (Size row = 0; row < table.rows(); ++row) out[row] = static_cast<std::int32_t>(leaf(row));
    return out;
}

}  // namespace

Booster::Booster(std::vector<const Table*> tables, std::span<const double> y, std::span<const double> weight,
                 std::span<const std::uint8_t> held, std::span<const std::int8_t> monotone,
                 std::span<const double> start, const Plan& plan, std::span<const std::uint32_t> orders)
    : tables_(std::move(tables)),
      plan_(plan),
      in_use_(rows_in_use(tables_.at(0)->rows(), weight, held)),
      loss_(plan.loss, y, weight, in_use_),
      growers_([this, monotone] {
          return std::make_unique<Grower>(table(), plan_.trees, monotone, side_by_side() ? 1 : plan_.threads);
      }),
      start_(start.begin(), start.end()) {
    const Size n = table().rows();
    require(y.size() == n && (held.empty() || held.size() == n), "boosting: targets");
    require(monotone.empty() || monotone.size() == table().cols(), "boosting: monotone");
    for (const Table* other : tables_)
        require(other->rows() == n && other->cells() == table().cells(), "boosting: tables");
    if (start_.empty()) start_ = loss_.start();
    require(start_.size() == plan.loss.outputs, "boosting: start");
    scores_.resize(n * start_.size());
    slopes_.resize(scores_.size());
    for (Size k = 0; k < start_.size(); ++k)
        std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(k * n), n, start_[k]);
    if (orders.empty()) return;
    require(orders.size() == n * tables_.size(), "boosting: orders");
    std::vector<std::uint8_t> used(n, in_use_.empty() ? 1 : 0);
    for (const std::uint32_t row : in_use_) used[row] = 1;
    for (Size t = 0; t < tables_.size(); ++t) {
        std::vector<std::uint32_t> order;
        std::vector<std::uint8_t> met(n, 0);
        for (const std::uint32_t row : orders.subspan(t * n, n)) {
            require(row < n && !met[row], "boosting: orders");
            met[row] = 1;
            if (used[row]) order.push_back(row);
        }
        ordered_.emplace_back(plan.loss, y, weight, std::move(order), start_[0]);
    }
    plain_.resize(n);
}

void Booster::round() {
    const Size n = table().rows();
    if (!ordered_.empty()) {
        loss_.slopes(scores_, 0, plain_, plan_.threads);
        ordered_[which_table()].slopes(slopes_, plan_.threads);
        return add_trees();
    }
    loss_.prepare(scores_, plan_.threads);
    for (Size k = 0; k < start_.size(); ++k)
        loss_.slopes(scores_, k, std::span(slopes_).subspan(k * n, n), plan_.threads);
    add_trees();
}

void Booster::round_on(std::span<const Slope> slopes) {
    require(slopes.size() == slopes_.size() && ordered_.empty(), "boosting: slopes");
    std::copy(slopes.begin(), slopes.end(), slopes_.begin());
    add_trees();
}

Size Booster::which_table() const {
    if (tables_.size() == 1) return 0;
    return static_cast<Size>(Random{plan_.seed, std::uint64_t{1} << 42}.below(rounds_, tables_.size()));
}

void Booster::add_trees() {
    const std::vector<std::uint32_t> rows = sample_rows(plan_.sampling, table().rows(), start_.size(), in_use_, slopes_,
                                                        plan_.seed, rounds_, plan_.threads);
    const bool weighted =
        plan_.sampling.draw == Draw::goss || plan_.sampling.draw == Draw::mvs || plan_.sampling.draw == Draw::bayesian;
    const Size which = which_table();
    const Size outputs = start_.size();
    std::vector<forest::Forest> of_round(outputs);
    const auto add = [&](Size k) { of_round[k] = add_tree(k, rows, loss_.constant() && !weighted, which); };
    if (side_by_side())
        parallel_for(outputs, plan_.threads, add);
    else
        for (Size k = 0; k < outputs; ++k) add(k);
    std::move(of_round.begin(), of_round.end(), std::back_inserter(trees_));
    ++rounds_;
}

bool Booster::side_by_side() const {
    // A tree that is grown takes about 20 bytes a row.
    constexpr Size kMostRows = Size{1} << 22;
    const Size outputs = start_.size(), threads = static_cast<Size>(std::max(plan_.threads, 1));
    const Size turns = blocks_of(outputs, threads);
    return threads > 1 && ordered_.empty() && 4 * outputs >= 3 * turns * threads &&
           threads * table().rows() <= kMostRows;
}

forest::Forest Booster::add_tree(Size output, std::span<const std::uint32_t> rows, bool constant, Size which) {
    const Table& used = *tables_[which];
    const Size n = used.rows();
    const Slopes slopes{std::span(slopes_).subspan(output * n, n), rows, constant, rounds_};
    const auto grower = growers_.lend();
    Grown grown = grower->grow(used, slopes, plan_.seed, rounds_ * start_.size() + output);
    if (!ordered_.empty()) answer_in_order(grown, used);
    if (loss_.by_residuals()) answer_by_residuals(grown, output);
    move_scores(grown, used, output, rows.empty());
    forest::Kind kind;
    kind.criterion = tree::Measure::squared_error;
    kind.figures_kept = true;
    std::vector<double> answers;
    for (const Draft& node : grown.nodes) answers.push_back(node.answer);
    forest::Forest out =
        forest::pack(nodes_of(grown.nodes, answers, 1, used, plan_.trees.learning_rate), kind, used.cols());
    out.importance = gains_of(grown.nodes, used.cols());
    return out;
}

void Booster::answer_in_order(Grown& grown, const Table& used) {
    const std::vector<std::int32_t> leaf_of_row = leaves_of(grown, used);
    std::vector<double> g(grown.nodes.size(), 0.0), h(grown.nodes.size(), 0.0);
    const auto add = [&](std::uint32_t row) {
        g[static_cast<Size>(leaf_of_row[row])] += static_cast<double>(plain_[row].gradient);
        h[static_cast<Size>(leaf_of_row[row])] += static_cast<double>(plain_[row].curvature);
    };
    if (in_use_.empty())
        for (Size row = 0; row < used.rows(); ++row) add(static_cast<std::uint32_t>(row));
    else
        for (const std::uint32_t row : in_use_) add(row);
    const Judge judge{&plan_.trees};
    for (Size i = grown.nodes.size(); i-- > 0;) {
        Draft& node = grown.nodes[i];
        if (!node.is_leaf()) {
            g[i] = g[static_cast<Size>(node.left)] + g[static_cast<Size>(node.left) + 1];
            h[i] = h[static_cast<Size>(node.left)] + h[static_cast<Size>(node.left) + 1];
        }
        node.gradient = g[i];
        node.curvature = h[i];
        node.worth = judge.worth(g[i], h[i], plan_.trees.l2, node.bounds);
        node.answer = judge.answer(g[i], h[i], plan_.trees.l2, node.bounds);
    }
    for (OrderedModels& models : ordered_) models.add(leaf_of_row, grown.nodes.size(), plan_.trees, plan_.threads);
}

void Booster::answer_by_residuals(Grown& grown, Size output) const {
    const std::span<const double> scores = std::span(scores_).subspan(output * table().rows(), table().rows());
    parallel_for(grown.nodes.size(), table().rows() < kPiece ? 1 : plan_.threads, [&](Size i) {
        Draft& node = grown.nodes[i];
        if (!node.is_leaf()) return;
        node.answer = loss_.answer(scores, grown.rows.subspan(node.begin, node.rows()));
        node.answer = std::min(std::max(node.answer, node.bounds.low), node.bounds.high);
    });
}

void Booster::move_scores(const Grown& grown, const Table& used, Size output, bool all) {
    double* scores = scores_.data() + output * used.rows();
    const double rate = plan_.trees.learning_rate;
    struct Piece {
        Size begin, end;
        double step;
    };
    std::vector<Piece> pieces;
    for (const Draft& node : grown.nodes)
        if (node.is_leaf())
            for (Size b = node.begin; b < node.end; b += kPiece)
                pieces.push_back({b, std::min(b + kPiece, node.end), node.answer * rate});
    const int threads = used.rows() < kPiece ? 1 : plan_.threads;
    parallel_for(pieces.size(), threads, [&](Size p) {
        for (Size i = pieces[p].begin; i < pieces[p].end; ++i) scores[grown.rows[i]] += pieces[p].step;
    });
    if (all) return;
    // Rows that the tree has not seen.
    std::vector<std::uint8_t> seen(used.rows(), 0);
    for (const std::uint32_t row : grown.rows) seen[row] = 1;
    const LeafFinder leaf(grown.nodes, used);
    parallel_for(blocks_of(used.rows(), kPiece), threads, [&](Size b) {
        for (Size row = b * kPiece; row < std::min((b + 1) * kPiece, used.rows()); ++row)
            if (!seen[row]) scores[row] += grown.nodes[leaf(row)].answer * rate;
    });
}

void Booster::resume(std::span<const double> scores, Size rounds) {
    require(scores.size() == scores_.size() && trees_.empty() && ordered_.empty(), "boosting: scores");
    std::copy(scores.begin(), scores.end(), scores_.begin());
    rounds_ = rounds;
}

forest::Forest Booster::trees(Size first) const {
    std::vector<forest::Forest> some(trees_.begin() + static_cast<std::ptrdiff_t>(std::min(first, trees_.size())),
                                     trees_.end());
    return forest::join(some, plan_.threads);
}

}  // namespace pellucid::boosting

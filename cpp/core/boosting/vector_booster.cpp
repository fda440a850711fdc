#include "core/boosting/vector_booster.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/boosting/grown_tree.hpp"
#include "core/boosting/rows_in_use.hpp"

namespace pellucid::boosting {
namespace {

std::vector<Loss> losses_of(const LossSettings& settings, Size rows, std::span<const double> y,
                            std::span<const double> weight, std::span<const std::uint32_t> in_use) {
    std::vector<Loss> out;
    if (settings.kind == LossKind::softmax) {
        require(y.size() == rows, "boosting: targets");
        out.emplace_back(settings, y, weight, in_use);
        return out;
    }
    require(settings.outputs >= 1 && y.size() == rows * settings.outputs, "boosting: targets");
    LossSettings one = settings;
    one.outputs = 1;
    for (Size k = 0; k < settings.outputs; ++k) out.emplace_back(one, y.subspan(k * rows, rows), weight, in_use);
    return out;
}

// Does a row have the same curvature for all targets?
bool shares_curvature(LossKind kind) {
    return kind == LossKind::squared || kind == LossKind::absolute || kind == LossKind::quantile ||
           kind == LossKind::huber;
}

}  // namespace

VectorBooster::VectorBooster(std::vector<const Table*> tables, std::span<const double> y,
                             std::span<const double> weight, std::span<const std::uint8_t> held,
                             std::span<const double> start, const Plan& plan)
    : tables_(std::move(tables)),
      plan_(plan),
      in_use_(rows_in_use(tables_.at(0)->rows(), weight, held)),
      losses_(losses_of(plan.loss, tables_[0]->rows(), y, weight, in_use_)),
      grower_(plan_.trees, plan.threads),
      start_(start.begin(), start.end()) {
    const Size n = table().rows();
    require(held.empty() || held.size() == n, "boosting: rows held out");
    for (const Table* other : tables_)
        require(other->rows() == n && other->cells() == table().cells(), "boosting: tables");
    if (start_.empty())
        for (const Loss& loss : losses_) {
            const std::vector<double> some = loss.start();
            start_.insert(start_.end(), some.begin(), some.end());
        }
    require(start_.size() == outputs(), "boosting: start");
    scores_.resize(n * outputs());
    slopes_.resize(scores_.size());
    for (Size i = 0; i < scores_.size(); ++i) scores_[i] = start_[i / n];
}

std::span<const double> VectorBooster::scores_of(Size l) const {
    if (plan_.loss.kind == LossKind::softmax) return scores_;
    return std::span<const double>(scores_).subspan(l * table().rows(), table().rows());
}

void VectorBooster::round() {
    const Size n = table().rows();
    for (Size l = 0; l < losses_.size(); ++l) losses_[l].prepare(scores_of(l), plan_.threads);
    for (Size k = 0; k < outputs(); ++k) {
        const bool softmax = plan_.loss.kind == LossKind::softmax;
        const Size l = softmax ? 0 : k;
        losses_[l].slopes(scores_of(l), softmax ? k : 0, std::span(slopes_).subspan(k * n, n), plan_.threads);
    }
    add_tree(shares_curvature(plan_.loss.kind));
}

void VectorBooster::round_on(std::span<const Slope> slopes) {
    require(slopes.size() == slopes_.size(), "boosting: slopes");
    std::copy(slopes.begin(), slopes.end(), slopes_.begin());
    add_tree(false);
}

void VectorBooster::add_tree(bool shared) {
    const std::vector<std::uint32_t> rows =
        sample_rows(plan_.sampling, table().rows(), outputs(), in_use_, slopes_, plan_.seed, rounds_, plan_.threads);
    const Random random{plan_.seed, std::uint64_t{1} << 42};
    const Table& used = *tables_[tables_.size() == 1 ? 0 : random.below(rounds_, tables_.size())];
    VectorGrown grown = grower_.grow(used, {slopes_, {outputs(), shared}, rows}, plan_.seed, rounds_);
    if (losses_[0].by_residuals()) answer_by_residuals(grown);
    move_scores(grown, used, rows.empty());
    forest::Kind kind;
    kind.criterion = tree::Measure::squared_error;
    kind.figures_kept = true;
    trees_.push_back(forest::pack(nodes_of(grown.nodes, grown.answers, outputs(), used, plan_.trees.learning_rate),
                                  kind, used.cols()));
    trees_.back().importance = gains_of(grown.nodes, used.cols());
    ++rounds_;
}

void VectorBooster::answer_by_residuals(VectorGrown& grown) const {
    parallel_for(grown.nodes.size() * outputs(), table().rows() < kPiece ? 1 : plan_.threads, [&](Size t) {
        const Draft& node = grown.nodes[t / outputs()];
        const Size k = t % outputs();
        if (node.is_leaf())
            grown.answers[t] = losses_[k].answer(scores_of(k), grown.rows.subspan(node.begin, node.rows()));
    });
}

void VectorBooster::move_scores(const VectorGrown& grown, const Table& used, bool all) {
    const Size n = used.rows();
    const int threads = n < kPiece ? 1 : plan_.threads;
    const auto move = [&](Size row, Size leaf) {
        for (Size k = 0; k < outputs(); ++k)
            scores_[k * n + row] += grown.answers[leaf * outputs() + k] * plan_.trees.learning_rate;
    };
    struct Piece {
        Size leaf, begin, end;
    };
    std::vector<Piece> pieces;
    for (Size i = 0; i < grown.nodes.size(); ++i)
        for (Size b = grown.nodes[i].begin; grown.nodes[i].is_leaf() && b < grown.nodes[i].end; b += kPiece)
            pieces.push_back({i, b, std::min(b + kPiece, grown.nodes[i].end)});
    parallel_for(pieces.size(), threads, [&](Size p) {
        for (Size i = pieces[p].begin; i < pieces[p].end; ++i) move(grown.rows[i], pieces[p].leaf);
    });
    if (all) return;
    // Rows that the tree has not seen.
    std::vector<std::uint8_t> seen(n, 0);
    for (const std::uint32_t row : grown.rows) seen[row] = 1;
    const LeafFinder leaf(grown.nodes, used);
    parallel_for(blocks_of(n, kPiece), threads, [&](Size b) {
        for (Size row = b * kPiece; row < std::min((b + 1) * kPiece, n); ++row)
            if (!seen[row]) move(row, leaf(row));
    });
}

void VectorBooster::resume(std::span<const double> scores, Size rounds) {
    require(scores.size() == scores_.size() && trees_.empty(), "boosting: scores");
    std::copy(scores.begin(), scores.end(), scores_.begin());
    rounds_ = rounds;
}

double VectorBooster::mean_loss(bool held) const {
    double sum = 0;
    for (Size l = 0; l < losses_.size(); ++l) sum += losses_[l].mean(scores_of(l), !held, plan_.threads);
    return sum / static_cast<double>(losses_.size());
}

forest::Forest VectorBooster::trees(Size first) const {
    std::vector<forest::Forest> some(trees_.begin() + static_cast<std::ptrdiff_t>(std::min(first, trees_.size())),
                                     trees_.end());
    return forest::join(some, plan_.threads);
}

}  // namespace pellucid::boosting

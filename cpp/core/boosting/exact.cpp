#include "core/boosting/exact.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/rng.hpp"
#include "core/boosting/rows_in_use.hpp"
#include "core/forest/sample.hpp"
#include "core/tree/predict.hpp"
#include "core/tree/view.hpp"

namespace pellucid::boosting {

ExactBooster::ExactBooster(const Matrix& X, std::span<const double> y, std::span<const std::uint8_t> held,
                           std::span<const double> start, const ExactPlan& plan)
    : X_(X),
      plan_(plan),
      in_use_(rows_in_use(plan.problem.rows(), plan.problem.weight, held)),
      loss_(plan.loss, y, plan.problem.weight, in_use_),
      start_(start.begin(), start.end()) {
    const Size n = plan.problem.rows();
    require(y.size() == n && rows_of(X) == n, "boosting: targets");
    if (start_.empty()) start_ = loss_.start();
    require(start_.size() == plan.loss.outputs, "boosting: start");
    scores_.resize(n * start_.size());
    gradient_.resize(n);
    curvature_.resize(n);
    for (Size k = 0; k < start_.size(); ++k)
        std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(k * n), n, start_[k]);
}

void ExactBooster::round() {
    Sampling sampling;
    sampling.draw = plan_.subsample < 1 ? Draw::share : Draw::all;
    sampling.share = plan_.subsample;
    const std::vector<std::uint32_t> rows =
        sample_rows(sampling, plan_.problem.rows(), 1, in_use_, {}, plan_.problem.seed, rounds_);
    loss_.prepare(scores_, plan_.problem.threads);
    for (Size k = 0; k < start_.size(); ++k) add_tree(k, rows);
    ++rounds_;
}

void ExactBooster::add_tree(Size output, std::span<const std::uint32_t> rows) {
    const Size n = plan_.problem.rows();
    loss_.slopes(scores_, output, gradient_, curvature_, plan_.problem.threads);
    std::vector<double> residual(n), weight;
    for (Size i = 0; i < n; ++i) residual[i] = -gradient_[i];
    tree::Problem problem = plan_.problem;
    problem.y = residual;
    problem.outputs = 1;
    problem.n_classes = {};
    problem.seed = forest::seed_of_tree(plan_.problem.seed, rounds_ * start_.size() + output);
    if (!rows.empty()) {  // rows that are not looked at weigh nothing
        weight.assign(n, 0.0);
        for (const std::uint32_t i : rows) weight[i] = plan_.problem.weight.empty() ? 1 : plan_.problem.weight[i];
        problem.weight = weight;
    }
    tree::Nodes nodes = tree::grow_tree(problem);
    std::vector<std::int32_t> leaf(n);
    tree::apply(tree::view_of(nodes), X_, leaf, problem.threads);
    answer(nodes, leaf, output, rows);
    for (double& value : nodes.value) value *= plan_.learning_rate;
    double* scores = scores_.data() + output * n;
    for (Size i = 0; i < n; ++i) scores[i] += nodes.value[static_cast<Size>(leaf[i])];
    forest::Kind kind;
    kind.criterion = tree::Measure::squared_error;
    kind.figures_kept = true;
    trees_.push_back(forest::pack(nodes, kind, problem.cols()));
}

void ExactBooster::answer(tree::Nodes& nodes, std::span<const std::int32_t> leaf_of_row, Size output,
                          std::span<const std::uint32_t> rows) const {
    if (plan_.loss.kind == LossKind::squared) return;
    const Size n = leaf_of_row.size(), used = rows.empty() ? n : rows.size();
    const auto row = [&](Size i) { return rows.empty() ? static_cast<std::uint32_t>(i) : rows[i]; };
    if (loss_.by_residuals()) {
        std::vector<std::vector<std::uint32_t>> members(nodes.count());
        for (Size i = 0; i < used; ++i) members[static_cast<Size>(leaf_of_row[row(i)])].push_back(row(i));
        const std::span<const double> scores = std::span(scores_).subspan(output * n, n);
        for (Size leaf = 0; leaf < nodes.count(); ++leaf)
            if (!members[leaf].empty()) nodes.value[leaf] = loss_.answer(scores, members[leaf]);
        return;
    }
    constexpr double kLeast = 1e-150;
    const bool softmax = plan_.loss.kind == LossKind::softmax;
    std::vector<double> above(nodes.count(), 0.0), below(nodes.count(), 0.0);
    for (Size i = 0; i < used; ++i) {
        const std::uint32_t r = row(i);
        const double w = plan_.problem.weight.empty() ? 1 : plan_.problem.weight[r], g = -gradient_[r];
        const auto leaf = static_cast<Size>(leaf_of_row[r]);
        above[leaf] += w * g;
        below[leaf] += w * (softmax ? std::abs(g) * (1 - std::abs(g)) : curvature_[r]);
    }
    const auto K = static_cast<double>(start_.size());
    for (Size leaf = 0; leaf < nodes.count(); ++leaf)
        if (nodes.first_child[leaf] < 0)
            nodes.value[leaf] = below[leaf] < kLeast ? 0 : above[leaf] / below[leaf] * (softmax ? (K - 1) / K : 1);
}

void ExactBooster::resume(std::span<const double> scores, Size rounds) {
    require(scores.size() == scores_.size() && trees_.empty(), "boosting: scores");
    std::copy(scores.begin(), scores.end(), scores_.begin());
    rounds_ = rounds;
}

forest::Forest ExactBooster::trees(Size first) const {
    std::vector<forest::Forest> some(trees_.begin() + static_cast<std::ptrdiff_t>(std::min(first, trees_.size())),
                                     trees_.end());
    return forest::join(some, plan_.problem.threads);
}

}  // namespace pellucid::boosting

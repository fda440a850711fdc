#include "core/solvers/saga.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/linalg/products.hpp"
#include "core/linalg/reduce.hpp"
#include "core/losses/logistic.hpp"
#include "core/losses/softmax.hpp"
#include "core/losses/squared.hpp"
#include "core/penalties/elastic_net.hpp"
#include "core/solvers/passes.hpp"
#include "core/solvers/row_chances.hpp"
#include "core/solvers/saga_epochs.hpp"
#include "core/solvers/saga_hot.hpp"

namespace pellucid {

extern const SagaHot saga_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const SagaHot saga_hot_v3;
extern const SagaHot saga_hot_v4;
#endif

const SagaHot& saga_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return saga_hot_v4;
        case Level::v3:
            return saga_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return saga_hot_baseline;
}

namespace {

using saga_detail::DenseEpochs;
using saga_detail::Epochs;
using saga_detail::kBlockRows;
using saga_detail::SparseEpochs;
using saga_detail::StepRule;

// The losses with one face: slopes(y, f) overwrites the scores of a row by dl/df; value(y, f) may spoil them.
template <class Loss>
struct OneScore {
    static constexpr Size outputs(Size) { return 1; }
    static void slopes(double y, std::span<double> f) { f[0] = Loss::gradient(y, f[0]); }
    static double value(double y, std::span<double> f) { return Loss::value(y, f[0]); }
};
struct SquaredRows : OneScore<SquaredLoss> {
    static bool wrong(double, std::span<const double>) { return true; }
};
struct LogisticRows : OneScore<LogisticLoss> {
    static bool wrong(double y, std::span<const double> f) { return !(y > 0.5 ? f[0] > 0 : f[0] < 0); }
};
struct SoftmaxRows {
    static constexpr Size outputs(Size k) { return k; }
    static void slopes(double y, std::span<double> f) { value(y, f); }
    static double value(double y, std::span<double> f) {
        return SoftmaxLoss::value_and_gradient(static_cast<Size>(y), f);
    }
    static bool wrong(double y, std::span<const double> f) {
        const Size own = static_cast<Size>(y);
        for (Size t = 0; t < f.size(); ++t)
            if (t != own && !(f[own] > f[t])) return true;
        return false;
    }
};

double squared_length(const auto& x, Size r) {
    double sum = 0;
    if constexpr (requires { x.starts; }) {
        for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) sum += x.values[k] * x.values[k];
    } else {
        for (Size c = 0; c < x.cols; ++c) sum += static_cast<double>(x.at(r, c)) * static_cast<double>(x.at(r, c));
    }
    return sum;
}

StepRule rule_of(const LinearProblem& problem, const LinearSettings& s, const RowChances& chances, LinearLoss loss,
                 AverageKind kind) {
    const Size n = rows_of(*problem.X);
    const double constant = s.intercept ? 1 : 0;
    std::vector<double> longest(blocks_of(n, kBlockRows), 0.0);
    std::visit(
        [&](const auto& x) {
            parallel_for(longest.size(), s.threads, [&](Size block) {
                for (Size r = block * kBlockRows; r < std::min(n, (block + 1) * kBlockRows); ++r)
                    longest[block] = std::max(longest[block], chances.lift(r) * (squared_length(x, r) + constant));
            });
        },
        *problem.X);
    const bool sag = kind == AverageKind::sag;
    const double c = loss == LinearLoss::squared ? 1 : loss == LinearLoss::softmax && sag ? 0.5 : 0.25;
    const double L = c * *std::max_element(longest.begin(), longest.end()) + s.l2;
    StepRule rule;
    rule.sag = sag;
    rule.eta = L > 0 ? 1 / (sag ? L : 2 * L + std::min(2 * static_cast<double>(n) * s.l2, L)) : 1;
    rule.l1 = rule.eta * s.l1;
    rule.shrink = 1 / (1 + rule.eta * s.l2);
    return rule;
}

template <class Loss>
std::unique_ptr<Epochs> epochs_of(const LinearProblem& problem, const LinearSettings& s, const StepRule& rule,
                                  const RowChances& chances, std::span<const double> W, std::span<const double> b) {
    return std::visit(
        [&]<class View>(const View& x) -> std::unique_ptr<Epochs> {
            if constexpr (requires { x.starts; })
                return std::make_unique<SparseEpochs<std::remove_cvref_t<decltype(*x.indices)>, Loss>>(
                    problem, s, rule, chances, x, W, b);
            else
                return std::make_unique<DenseEpochs<std::remove_cvref_t<decltype(*x.data)>, Loss>>(problem, s, rule,
                                                                                                   chances, x, W, b);
        },
        *problem.X);
}

struct Finding {
    double objective = 0;
    bool parted = false;  // every row is on its own side
};

template <class Loss>
Finding judge(const LinearProblem& problem, const LinearSettings& s, const RowChances& chances,
              std::span<const double> W, std::span<const double> b) {
    const Size n = problem.y.size(), k = problem.outputs;
    std::vector<double> scores(n * k);
    multiply(*problem.X, W, b, scores, s.threads);
    std::array<double, 2> sums;
    ordered_sum(blocks_of(n, kBlockRows), sums.size(), s.threads, sums.data(), [&](Size block, double* into) {
        for (Size i = block * kBlockRows; i < std::min(n, (block + 1) * kBlockRows); ++i) {
            if (chances.share(i) == 0) continue;
            const std::span<double> f = std::span(scores).subspan(i * k, k);
            into[1] += Loss::wrong(problem.y[i], f);
            into[0] += chances.share(i) * Loss::value(problem.y[i], f);
        }
    });
    Finding found{sums[0], sums[1] == 0};
    for (const double w : W) found.objective += ElasticNet{s.l1, s.l2}.value(w);
    for (const double c : b) found.objective += ElasticNet{0, s.intercept_l2}.value(c);
    return found;
}

double largest_size(std::span<const double> values) {
    double size = 0;
    for (const double v : values) size = std::max(size, std::abs(v));
    return size;
}
double largest_change(std::span<const double> before, std::span<const double> now) {
    double change = 0;
    for (Size j = 0; j < now.size(); ++j) change = std::max(change, std::abs(now[j] - before[j]));
    return change;
}

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

template <class Loss, class Trace>
class AverageDescent {
  public:
    AverageDescent(const LinearProblem& problem, const LinearSettings& s, LinearLoss loss, AverageKind kind,
                   std::span<double> W, std::span<double> b, Trace& trace)
        : problem_(problem),
          s_(s),
          W_(W),
          b_(b),
          trace_(trace),
          chances_(problem.weight, problem.y.size(), s.seed),
          rule_(rule_of(problem, s, chances_, loss, kind)),
          epochs_(epochs_of<Loss>(problem, s, rule_, chances_, W, b)),
          before_(W.size() + b.size()),
          theta_(W.size() + b.size()) {
        read();
    }
    LinearResult run() {
        if (!note() && !(rule_.eta > 0)) result_.stop = LinearStop::overflow;  // rows too long for any step
        while (result_.stop == LinearStop::count && result_.passes < s_.most_passes) {
            std::swap(before_, theta_);
            epochs_->epoch(result_.passes++);
            read();
            measure();
            const bool told = note();
            if (!all_finite(theta_))
                result_.stop = LinearStop::overflow;
            else if (result_.measure <= s_.tol)
                result_.stop = LinearStop::converged;
            else if (told)
                result_.stop = LinearStop::told;
        }
        finish();
        return result_;
    }

  private:
    void read() {
        epochs_->read(W_);
        const std::span<const double> b = epochs_->intercepts();
        std::copy(b.begin(), b.end(), b_.begin());
        std::copy(b_.begin(), b_.end(), std::copy(W_.begin(), W_.end(), theta_.begin()));
    }
    void measure() {
        const std::span<const double> before(before_), old_W = before.first(W_.size()), old_b = before.last(b_.size());
        const double size = largest_size(W_), change = largest_change(old_W, W_), move = largest_change(old_b, b_);
        result_.measure = change == 0 ? 0 : change / size;
        if (move > 0) result_.measure = std::max(result_.measure, move / std::max(size, largest_size(b_)));
    }
    // Answers whether a listener wished to stop.
    bool note() {
        if constexpr (std::is_same_v<Trace, NoTrace>) return false;
        result_.objective = judge<Loss>(problem_, s_, chances_, W_, b_).objective;
        tell_pass(trace_, kSparsePass, result_, used_of(theta_, problem_.outputs), theta_, problem_.outputs);
        return result_.passes > 0 && stop_after(trace_, result_.passes, theta_);
    }
    void finish() {
        const Finding found = judge<Loss>(problem_, s_, chances_, W_, b_);
        const bool free = s_.l1 == 0 && s_.l2 == 0 && s_.intercept_l2 == 0;
        result_.objective = found.objective;
        if (!std::isfinite(found.objective))
            result_.stop = LinearStop::overflow;
        else if (free && found.parted && result_.stop != LinearStop::told)
            result_.stop = LinearStop::separated;
    }

    const LinearProblem& problem_;
    const LinearSettings& s_;
    std::span<double> W_, b_;
    Trace& trace_;
    RowChances chances_;
    StepRule rule_;
    std::unique_ptr<Epochs> epochs_;
    std::vector<double> before_, theta_;  // W and then b
    LinearResult result_;
};

}  // namespace

template <class Trace>
LinearResult saga(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss, AverageKind kind,
                  std::span<double> W, std::span<double> b, Trace& trace) {
    check_problem(problem, loss, W, b);
    require(problem.y.size() < std::numeric_limits<std::uint32_t>::max(), "saga: rows");
    require(kind == AverageKind::saga || settings.l1 == 0, "saga: SAG takes no l1");
    if (loss == LinearLoss::squared)
        return AverageDescent<SquaredRows, Trace>(problem, settings, loss, kind, W, b, trace).run();
    if (loss == LinearLoss::logistic)
        return AverageDescent<LogisticRows, Trace>(problem, settings, loss, kind, W, b, trace).run();
    return AverageDescent<SoftmaxRows, Trace>(problem, settings, loss, kind, W, b, trace).run();
}

template LinearResult saga(const LinearProblem&, const LinearSettings&, LinearLoss, AverageKind, std::span<double>,
                           std::span<double>, NoTrace&);
template LinearResult saga(const LinearProblem&, const LinearSettings&, LinearLoss, AverageKind, std::span<double>,
                           std::span<double>, Record&);
template LinearResult saga(const LinearProblem&, const LinearSettings&, LinearLoss, AverageKind, std::span<double>,
                           std::span<double>, Watch&);

}  // namespace pellucid

#include "core/svm/sparse_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/rows.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kShare = 0.01;  // of the promised fall that a step must bring
constexpr int kMostHalvings = 20;

// What a column misses of its optimality condition.
double miss(double w, double slope) {
    return w > 0 ? std::abs(slope + 1) : w < 0 ? std::abs(slope - 1) : std::max(0.0, std::abs(slope) - 1);
}

template <class View>
class ColumnDescent {
  public:
    ColumnDescent(const View& columns, const LinearSvmProblem& problem, const LinearSvmSettings& settings)
        : columns_(columns), problem_(problem), s_(settings), n_(columns.cols), width_(columns.rows + 1) {
        bend_.assign(width_, 0.0);
        for (Size j = 0; j < width_; ++j) each(j, [&](Size i, double x) { bend_[j] += problem_.cost[i] * (x * x); });
    }

    template <class Trace>
    void run(Size number, Trace& trace, LinearSvmResult& result) {
        std::vector<Size> at = all();
        score(result.w);
        double slack = kInfinity, first = 0;
        while (result.passes < s_.most_passes && !result.converged) {
            const Missed missed = pass(result, at, slack);
            if (result.passes++ == 0) first = missed.sum;
            result.measure = missed.sum;
            emit(trace, SvmPass{static_cast<double>(number), static_cast<double>(result.passes), missed.sum,
                                static_cast<double>(at.size())});
            slack = missed.most / static_cast<double>(n_);
            if (missed.sum > s_.tol * first) continue;
            result.converged = at.size() == all_.size();
            at = all();
            score(result.w);  // without what rounding has left in it
            slack = kInfinity;
        }
        finish(result);
    }

  private:
    struct Slope {
        double first = 0, second = 0;
    };
    struct Missed {
        double most = 0, sum = 0;
    };

    // f(i, x_ij) over the rows; the last column is the constant one.
    template <class F>
    void each(Size j, const F& f) const {
        if (j + 1 < width_) return each_in_row(columns_, j, f);
        if (problem_.constant == 0) return;
        for (Size i = 0; i < n_; ++i) f(i, problem_.constant);
    }
    const std::vector<Size>& all() {
        if (all_.empty())
            for (Size j = 0; j < width_; ++j)
                if (bend_[j] > 0) all_.push_back(j);  // without a bend the cost does not hang on the column
        return all_;
    }
    double off(Size i, double f) const { return outside(f, problem_.from[i], problem_.to[i]); }

    void score(const std::vector<double>& w) {
        f_.assign(n_, 0.0);
        for (Size j = 0; j < width_; ++j)
            if (w[j] != 0) each(j, [&](Size i, double x) { f_[i] += w[j] * x; });
    }
    // One visit to every column at work; settled ones leave `at`.
    Missed pass(LinearSvmResult& result, std::vector<Size>& at, double slack) {
        shuffle(at, s_.seed, result.passes);
        Missed missed;
        Size kept = 0;
        for (Size k = 0; k < at.size(); ++k) {
            if (k % 64 == 0) check_interrupt();
            const Size j = at[k];
            const Slope slope = slope_of(j);
            double& w = result.w[j];
            if (w == 0 && slack < kInfinity && std::abs(slope.first) < 1 - slack) continue;
            at[kept++] = j;
            const double off_by = miss(w, slope.first);
            missed.most = std::max(missed.most, off_by);
            missed.sum += off_by;
            const double step = step_of(j, w, slope);
            if (w + step == w) continue;
            w += step;
            each(j, [&](Size i, double x) { f_[i] += step * x; });
        }
        at.resize(kept);
        return missed;
    }
    Slope slope_of(Size j) const {
        Slope out;
        each(j, [&](Size i, double x) {
            const double o = off(i, f_[i]), cx = 2 * problem_.cost[i] * x;
            out.first += cx * o;
            if (o != 0) out.second += cx * x;
        });
        return out;
    }
    double step_of(Size j, double w, const Slope& slope) const {
        const double up = slope.first + 1, down = slope.first - 1;
        const double bend = std::max(slope.second, 1e-12 * bend_[j]);
        double step = up < bend * w ? -up / bend : down > bend * w ? -down / bend : -w;
        for (int halving = 0; halving < kMostHalvings; ++halving, step /= 2) {
            const double size = std::abs(w + step) - std::abs(w);
            const double wanted = kShare * (size + slope.first * step);
            // The loss rises by no more than the first, which costs nothing to work out.
            if (size + slope.first * step + bend_[j] * step * step <= wanted) return step;
            if (size + rise(j, step) <= wanted) return step;
        }
        return 0;
    }
    double rise(Size j, double step) const {
        double sum = 0;
        each(j, [&](Size i, double x) {
            const double before = off(i, f_[i]), after = off(i, f_[i] + step * x);
            sum += problem_.cost[i] * (after - before) * (after + before);
        });
        return sum;
    }
    void finish(LinearSvmResult& result) {
        score(result.w);
        result.beta.resize(n_);
        for (const double w : result.w) result.objective += std::abs(w);
        for (Size i = 0; i < n_; ++i) {
            const double o = off(i, f_[i]);
            result.beta[i] = -2 * problem_.cost[i] * o;
            result.objective += problem_.cost[i] * o * o;
        }
    }

    const View& columns_;
    const LinearSvmProblem& problem_;
    const LinearSvmSettings& s_;
    Size n_, width_;
    std::vector<double> bend_, f_;  // sum_i C_i x_ij^2, and scores
    std::vector<Size> all_;
};

}  // namespace

template <class Trace>
LinearSvmResult sparse_svm(const LinearSvmProblem& problem, const LinearSvmSettings& settings, Size number,
                           Trace& trace) {
    const Size n = cols_of(*problem.X);
    require(problem.from.size() == n && problem.to.size() == n && problem.cost.size() == n, "sparse_svm: sizes");
    require(problem.squared && settings.primal, "sparse_svm: the squared loss, in the primal");
    LinearSvmResult result;
    result.w.assign(rows_of(*problem.X) + 1, 0.0);
    std::visit([&](const auto& X) { ColumnDescent(X, problem, settings).run(number, trace, result); }, *problem.X);
    return result;
}

template LinearSvmResult sparse_svm<NoTrace>(const LinearSvmProblem&, const LinearSvmSettings&, Size, NoTrace&);
template LinearSvmResult sparse_svm<Watch>(const LinearSvmProblem&, const LinearSvmSettings&, Size, Watch&);

}  // namespace pellucid

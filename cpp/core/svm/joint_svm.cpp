#include "core/svm/joint_svm.hpp"

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

template <class View>
class JointDescent {
  public:
    JointDescent(const View& X, const JointSvmProblem& problem, const LinearSvmSettings& settings)
        : X_(X),
          problem_(problem),
          s_(settings),
          n_(X.rows),
          width_(X.cols + 1),
          k_(problem.classes),
          length_(n_),
          a_(n_ * k_, 0.0),
          score_(k_),
          next_(k_),
          ends_(k_) {
        for (Size i = 0; i < n_; ++i) {
            length_[i] = problem.constant * problem.constant;
            each_in_row(X, i, [&](Size, double x) { length_[i] += x * x; });
        }
    }

    template <class Trace>
    void run(Trace& trace, LinearSvmResult& result) {
        std::vector<Size> at(n_);
        std::iota(at.begin(), at.end(), Size{0});
        double slack = kInfinity;
        while (result.passes < s_.most_passes && !result.converged) {
            result.measure = pass(result, at, slack);
            ++result.passes;
            emit(trace, SvmPass{0, static_cast<double>(result.passes), result.measure, static_cast<double>(at.size())});
            slack = result.measure;
            if (result.measure > s_.tol) continue;
            result.converged = at.size() == n_;
            at.resize(n_);
            std::iota(at.begin(), at.end(), Size{0});
            slack = kInfinity;
        }
        finish(result);
    }

  private:
    // One visit to every row at work, in an order of its own; how far the worst is from its optimum.
    double pass(LinearSvmResult& result, std::vector<Size>& at, double slack) {
        shuffle(at, s_.seed, result.passes);
        double worst = 0;
        Size kept = 0;
        for (Size k = 0; k < at.size(); ++k) {
            if (k % 1024 == 0) check_interrupt();
            const Size i = at[k];
            measure(i, result.w);
            if (is_settled(i, slack)) continue;
            at[kept++] = i;
            const double off_by = missed(i);
            worst = std::max(worst, off_by);
            if (off_by > 0 && length_[i] > 0) move(i, result.w);
        }
        at.resize(kept);
        return worst;
    }
    double most(Size i, Size m) const { return own(i) == m ? problem_.cost[i] : 0.0; }
    Size own(Size i) const { return static_cast<Size>(problem_.label[i]); }

    // score_ = G
    void measure(Size i, const std::vector<double>& w) {
        for (Size m = 0; m < k_; ++m) {
            const double* of = w.data() + m * width_;
            score_[m] = dot_row(X_, i, of) + of[width_ - 1] * problem_.constant + (own(i) == m ? 0.0 : 1.0);
        }
    }
    // Can one a_im alone move, so that none does, and is its class well ahead of the others?
    bool is_settled(Size i, double slack) const {
        Size free = 0;
        double lead = -kInfinity, rest = -kInfinity;
        for (Size m = 0; m < k_; ++m) {
            const bool moves = a_[i * k_ + m] < most(i, m);
            free += moves ? 1 : 0;
            (moves ? lead : rest) = std::max(moves ? lead : rest, score_[m]);
        }
        return free == 1 && lead - rest > slack;
    }
    double missed(Size i) const {
        double high = -kInfinity, low = kInfinity;
        for (Size m = 0; m < k_; ++m) {
            high = std::max(high, score_[m]);
            if (a_[i * k_ + m] < most(i, m)) low = std::min(low, score_[m]);
        }
        return low < kInfinity ? high - low : 0.0;
    }
    void move(Size i, std::vector<double>& w) {
        const double A = length_[i];
        double* a = a_.data() + i * k_;
        for (Size m = 0; m < k_; ++m) {
            next_[m] = score_[m] - A * a[m];
            ends_[m] = next_[m] + A * most(i, m);
        }
        // sum over m of max(0, end_m - beta) = A C
        std::sort(ends_.begin(), ends_.end(), std::greater<>());
        double sum = ends_[0] - A * problem_.cost[i];
        Size above = 1;
        while (above < k_ && sum < static_cast<double>(above) * ends_[above]) sum += ends_[above++];
        const double beta = sum / static_cast<double>(above);
        for (Size m = 0; m < k_; ++m) {
            const double value = std::min(most(i, m), (beta - next_[m]) / A), step = value - a[m];
            if (step == 0) continue;
            a[m] = value;
            add_row(X_, i, step, w.data() + m * width_);
            w[m * width_ + width_ - 1] += step * problem_.constant;
        }
    }
    void finish(LinearSvmResult& result) {
        result.beta.resize(k_ * n_);
        for (const double w : result.w) result.objective += w * w / 2;
        for (Size i = 0; i < n_; ++i) {
            measure(i, result.w);
            result.objective += problem_.cost[i] * (*std::max_element(score_.begin(), score_.end()) - score_[own(i)]);
            for (Size m = 0; m < k_; ++m) result.beta[m * n_ + i] = a_[i * k_ + m];
        }
    }

    const View& X_;
    const JointSvmProblem& problem_;
    const LinearSvmSettings& s_;
    Size n_, width_, k_;
    std::vector<double> length_, a_;           // |x|^2 + c^2; rows x classes
    std::vector<double> score_, next_, ends_;  // of one row
};

}  // namespace

template <class Trace>
LinearSvmResult joint_svm(const JointSvmProblem& problem, const LinearSvmSettings& settings, Trace& trace) {
    const Size n = rows_of(*problem.X);
    require(problem.label.size() == n && problem.cost.size() == n && problem.classes >= 2, "joint_svm: sizes");
    for (const std::int64_t label : problem.label)
        require(label >= 0 && label < static_cast<std::int64_t>(problem.classes), "joint_svm: labels");
    LinearSvmResult result;
    result.w.assign(problem.classes * (cols_of(*problem.X) + 1), 0.0);
    std::visit([&](const auto& X) { JointDescent(X, problem, settings).run(trace, result); }, *problem.X);
    return result;
}

template LinearSvmResult joint_svm<NoTrace>(const JointSvmProblem&, const LinearSvmSettings&, NoTrace&);
template LinearSvmResult joint_svm<Watch>(const JointSvmProblem&, const LinearSvmSettings&, Watch&);

}  // namespace pellucid

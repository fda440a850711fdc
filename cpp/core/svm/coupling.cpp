#include "core/svm/coupling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kRows = 64;  // of a block
constexpr int kMostTurns = 10000;
constexpr double kTolerance = 1e-13;

class Coupling {
  public:
    explicit Coupling(Size classes) : k_(classes), q_(classes * classes), qp_(classes) {}

    void solve(const double* r, double* p) {
        fill(r);
        std::fill_n(p, k_, 1.0 / static_cast<double>(k_));
        for (int turn = 0; turn < kMostTurns; ++turn) {
            double value = multiply(p), worst = 0;
            for (Size t = 0; t < k_; ++t) worst = std::max(worst, std::abs(qp_[t] - value));
            if (worst <= kTolerance) return;
            for (Size t = 0; t < k_; ++t) value = move(t, value, p);
        }
    }

  private:
    void fill(const double* r) {
        std::fill(q_.begin(), q_.end(), 0.0);
        for (Size i = 0; i < k_; ++i)
            for (Size j = i + 1; j < k_; ++j, ++r) {
                const double first = *r, second = 1 - *r;
                q_[i * k_ + i] += second * second;
                q_[j * k_ + j] += first * first;
                q_[i * k_ + j] = q_[j * k_ + i] = -first * second;
            }
    }
    double multiply(const double* p) {
        double value = 0;
        for (Size i = 0; i < k_; ++i) {
            qp_[i] = 0;
            for (Size j = 0; j < k_; ++j) qp_[i] += q_[i * k_ + j] * p[j];
            value += p[i] * qp_[i];
        }
        return value;
    }
    // p_t to where (Qp)_t is p'Qp, which is `value`; what p'Qp is then.
    double move(Size t, double value, double* p) {
        const double own = q_[t * k_ + t], step = (value - qp_[t]) / own, sum = 1 + step;
        value = (value + step * (step * own + 2 * qp_[t])) / (sum * sum);
        p[t] += step;
        for (Size j = 0; j < k_; ++j) {
            qp_[j] = (qp_[j] + step * q_[t * k_ + j]) / sum;
            p[j] /= sum;
        }
        return value;
    }

    Size k_;
    std::vector<double> q_, qp_;
};

}  // namespace

void couple_pairs(std::span<const double> r, Size classes, int threads, std::span<double> out) {
    const Size n = out.size() / classes, pairs = classes * (classes - 1) / 2;
    require(r.size() == n * pairs, "couple_pairs: sizes");
    parallel_for(blocks_of(n, kRows), threads, [&](Size b) {
        Coupling coupling(classes);
        for (Size i = b * kRows; i < std::min(n, (b + 1) * kRows); ++i)
            coupling.solve(r.data() + i * pairs, out.data() + i * classes);
    });
}

}  // namespace pellucid

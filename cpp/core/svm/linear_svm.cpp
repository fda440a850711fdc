#include "core/svm/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/reduce.hpp"
#include "core/linalg/rows.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class View>
double squared_length(const View& X, Size r) {
    double sum = 0;
    each_in_row(X, r, [&](Size, double x) { sum += x * x; });
    return sum;
}

// out_j += a x_rj^2
template <class View>
void add_squares(const View& X, Size r, double a, double* out) {
    each_in_row(X, r, [&](Size j, double x) { out[j] += a * (x * x); });
}

// ------------------------------------------------------------------------------------------------------------- dual

template <class View>
class DualDescent {
  public:
    DualDescent(const View& X, const LinearSvmProblem& problem, const LinearSvmSettings& settings)
        : X_(X), problem_(problem), s_(settings), n_(X.rows), p_(X.cols), bend_(n_) {
        for (Size i = 0; i < n_; ++i) bend_[i] = squared_length(X, i) + problem.constant * problem.constant + ridge(i);
    }

    template <class Trace>
    void run(Size number, Trace& trace, LinearSvmResult& result) {
        result.beta.assign(n_, 0.0);
        std::vector<Size> at(n_);
        std::iota(at.begin(), at.end(), Size{0});
        double slack = kInfinity;  // how far a row must be on its side to leave
        while (result.passes < s_.most_passes) {
            const Worst worst = pass(result, at, slack);
            ++result.passes;
            result.measure = worst.rise + worst.fall;
            const double told = static_cast<double>(at.size());
            emit(trace, SvmPass{static_cast<double>(number), static_cast<double>(result.passes), result.measure, told});
            if (result.measure <= s_.tol) {
                if (at.size() == n_) {
                    result.converged = true;
                    return;
                }
                at.resize(n_);
                std::iota(at.begin(), at.end(), Size{0});
                slack = kInfinity;
                continue;
            }
            slack = std::max(worst.rise, worst.fall);
        }
    }

  private:
    struct Worst {
        double rise = 0, fall = 0;
    };

    double ridge(Size i) const { return problem_.squared && problem_.cost[i] > 0 ? 1 / (2 * problem_.cost[i]) : 0.0; }
    double most(Size i) const { return problem_.squared && problem_.cost[i] > 0 ? kInfinity : problem_.cost[i]; }

    // One visit to every row at work, in an order of its own; settled rows leave `at`.
    Worst pass(LinearSvmResult& result, std::vector<Size>& at, double slack) const {
        shuffle(at, s_.seed, result.passes);
        Worst worst;
        Size kept = 0;
        for (Size k = 0; k < at.size(); ++k) {
            if (k % 4096 == 0) check_interrupt();
            const Size i = at[k];
            const double f = dot_row(X_, i, result.w.data()) + result.w[p_] * problem_.constant;
            if (is_settled(i, result.beta[i], f + ridge(i) * result.beta[i], slack)) continue;
            at[kept++] = i;
            visit(i, f, result, worst);
        }
        at.resize(kept);
        return worst;
    }
    bool is_settled(Size i, double beta, double g, double slack) const {
        const double a = problem_.from[i], b = problem_.to[i], end = most(i);
        if (beta == 0) return g - a > slack && b - g > slack;
        return (beta >= end && a - g > slack) || (beta <= -end && g - b > slack);
    }
    void visit(Size i, double f, LinearSvmResult& result, Worst& worst) const {
        const double a = problem_.from[i], b = problem_.to[i], end = most(i), beta = result.beta[i];
        const double g = f + ridge(i) * beta;
        if (beta < end) worst.rise = std::max(worst.rise, (beta < 0 ? b : a) - g);
        if (beta > -end) worst.fall = std::max(worst.fall, g - (beta > 0 ? a : b));
        const double next = best_place(i, beta, g);
        if (next == beta) return;
        result.beta[i] = next;
        add_row(X_, i, next - beta, result.w.data());
        result.w[p_] += (next - beta) * problem_.constant;
    }
    double best_place(Size i, double beta, double g) const {
        const double a = problem_.from[i], b = problem_.to[i], end = most(i), h = bend_[i];
        if (!(h > 0)) return g < a ? end : g > b ? -end : 0.0;
        const double above = beta - (g - a) / h, below = beta - (g - b) / h;
        return above > 0 ? std::min(above, end) : below < 0 ? std::max(below, -end) : 0.0;
    }

    const View& X_;
    const LinearSvmProblem& problem_;
    const LinearSvmSettings& s_;
    Size n_, p_;
    std::vector<double> bend_;
};

// ----------------------------------------------------------------------------------------------------------- primal

template <class View>
class PrimalNewton {
  public:
    PrimalNewton(const View& X, const LinearSvmProblem& problem, const LinearSvmSettings& settings)
        : X_(X), problem_(problem), s_(settings), n_(X.rows), width_(X.cols + 1), f_(n_, 0.0), move_(n_), off_(n_) {
        const Size most = std::clamp<Size>((Size{1} << 22) / width_, 1, 64);
        block_ = std::max<Size>(512, blocks_of(n_, most));
    }

    template <class Trace>
    void run(Size number, Trace& trace, LinearSvmResult& result) {
        std::vector<double>& w = result.w;
        double value = measure_at(w, 0.0, w);
        std::vector<double> gradient = gradient_at(w);
        const double first = length(gradient);
        const double target = s_.tol * first;
        while (length(gradient) > target && result.passes < s_.most_passes) {
            const std::vector<double> step = direction(gradient);
            scores(step, move_);
            const double slope = dot(gradient, step);
            // Near the end P falls by less than its rounding: there the gradient has to become shorter instead.
            const double rounding = 1e-14 * value;
            double t = 1, next = value;
            for (; t > 1e-12; t /= 2) {
                next = measure_at(w, t, step);
                if (next <= value + 1e-4 * t * slope + rounding) break;
            }
            const std::vector<double> before_w = w, before_f = f_;
            for (Size j = 0; j < width_; ++j) w[j] += t * step[j];
            for (Size i = 0; i < n_; ++i) f_[i] += t * move_[i];
            std::vector<double> found = gradient_at(w);
            if (!(next < value - rounding) && !(length(found) < length(gradient))) {
                w = before_w;
                f_ = before_f;
                gradient = gradient_at(w);
                break;
            }
            value = next;
            gradient = std::move(found);
            ++result.passes;
            result.measure = length(gradient);
            emit(trace, SvmPass{static_cast<double>(number), static_cast<double>(result.passes), result.measure,
                                static_cast<double>(n_)});
        }
        result.measure = length(gradient);
        result.converged = result.measure <= target || result.passes < s_.most_passes;
        result.beta.resize(n_);
        for (Size i = 0; i < n_; ++i) result.beta[i] = -2 * problem_.cost[i] * off_[i];
    }

  private:
    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (Size j = 0; j < a.size(); ++j) sum += a[j] * b[j];
        return sum;
    }
    static double length(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }

    void scores(const std::vector<double>& w, std::vector<double>& out) const {
        parallel_for(blocks_of(n_, block_), s_.threads, [&](Size b) {
            for (Size i = b * block_; i < std::min(n_, (b + 1) * block_); ++i)
                out[i] = dot_row(X_, i, w.data()) + w[width_ - 1] * problem_.constant;
        });
    }
    // P at w + t step, whose scores are f + t move.
    double measure_at(const std::vector<double>& w, double t, const std::vector<double>& step) {
        double cost = 0, penalty = 0;
        for (Size i = 0; i < n_; ++i) {
            const double f = t == 0 ? f_[i] : f_[i] + t * move_[i];
            const double off = outside(f, problem_.from[i], problem_.to[i]);
            cost += problem_.cost[i] * off * off;
        }
        for (Size j = 0; j < width_; ++j) {
            const double v = t == 0 ? w[j] : w[j] + t * step[j];
            penalty += v * v;
        }
        return penalty / 2 + cost;
    }
    // out = sum over the rows outside of a_i x_i, where part(i) = a_i.
    template <class Part>
    std::vector<double> sum_rows(const Part& part) const {
        std::vector<double> out(width_);
        ordered_sum(blocks_of(n_, block_), width_, s_.threads, out.data(), [&](Size b, double* into) {
            for (Size i = b * block_; i < std::min(n_, (b + 1) * block_); ++i) {
                if (off_[i] == 0 || problem_.cost[i] == 0) continue;
                const double a = part(i);
                add_row(X_, i, a, into);
                into[width_ - 1] += a * problem_.constant;
            }
        });
        return out;
    }
    std::vector<double> gradient_at(const std::vector<double>& w) {
        for (Size i = 0; i < n_; ++i) off_[i] = outside(f_[i], problem_.from[i], problem_.to[i]);
        std::vector<double> out = sum_rows([&](Size i) { return 2 * problem_.cost[i] * off_[i]; });
        for (Size j = 0; j < width_; ++j) out[j] += w[j];
        return out;
    }
    std::vector<double> curved(const std::vector<double>& v) const {
        std::vector<double> out = sum_rows([&](Size i) {
            return 2 * problem_.cost[i] * (dot_row(X_, i, v.data()) + v[width_ - 1] * problem_.constant);
        });
        for (Size j = 0; j < width_; ++j) out[j] += v[j];
        return out;
    }
    std::vector<double> diagonal() const {
        std::vector<double> out(width_);
        ordered_sum(blocks_of(n_, block_), width_, s_.threads, out.data(), [&](Size b, double* into) {
            for (Size i = b * block_; i < std::min(n_, (b + 1) * block_); ++i) {
                if (off_[i] == 0) continue;
                add_squares(X_, i, 2 * problem_.cost[i], into);
                into[width_ - 1] += 2 * problem_.cost[i] * problem_.constant * problem_.constant;
            }
        });
        for (double& d : out) d += 1;
        return out;
    }
    // H d = -gradient by preconditioned conjugate gradients.
    std::vector<double> direction(const std::vector<double>& gradient) const {
        const std::vector<double> scale = diagonal();
        std::vector<double> d(width_, 0.0), r(width_), z(width_);
        for (Size j = 0; j < width_; ++j) {
            r[j] = -gradient[j];
            z[j] = r[j] / scale[j];
        }
        std::vector<double> along = z;
        double rz = dot(r, z);
        const double start = rz;
        for (Size turn = 0; turn < 2 * width_ + 20 && rz > 1e-6 * start; ++turn) {
            check_interrupt();
            const std::vector<double> Ha = curved(along);
            const double alpha = rz / dot(along, Ha);
            for (Size j = 0; j < width_; ++j) {
                d[j] += alpha * along[j];
                r[j] -= alpha * Ha[j];
                z[j] = r[j] / scale[j];
            }
            const double next = dot(r, z);
            for (Size j = 0; j < width_; ++j) along[j] = z[j] + next / rz * along[j];
            rz = next;
        }
        return d;
    }

    const View& X_;
    const LinearSvmProblem& problem_;
    const LinearSvmSettings& s_;
    Size n_, width_, block_ = 0;
    std::vector<double> f_, move_, off_;
};

template <class View>
double objective_of(const View& X, const LinearSvmProblem& problem, const std::vector<double>& w) {
    double cost = 0, penalty = 0;
    for (Size i = 0; i < X.rows; ++i) {
        const double f = dot_row(X, i, w.data()) + w[X.cols] * problem.constant;
        const double off = std::abs(outside(f, problem.from[i], problem.to[i]));
        cost += problem.cost[i] * (problem.squared ? off * off : off);
    }
    for (const double v : w) penalty += v * v;
    return penalty / 2 + cost;
}

}  // namespace

template <class Trace>
LinearSvmResult linear_svm(const LinearSvmProblem& problem, const LinearSvmSettings& settings, Size number,
                           Trace& trace) {
    const Size n = rows_of(*problem.X);
    require(problem.from.size() == n && problem.to.size() == n && problem.cost.size() == n, "linear_svm: sizes");
    require(problem.squared || !settings.primal, "linear_svm: Newton needs the squared loss");
    LinearSvmResult result;
    result.w.assign(cols_of(*problem.X) + 1, 0.0);
    std::visit(
        [&](const auto& X) {
            if (settings.primal)
                PrimalNewton(X, problem, settings).run(number, trace, result);
            else
                DualDescent(X, problem, settings).run(number, trace, result);
            result.objective = objective_of(X, problem, result.w);
        },
        *problem.X);
    return result;
}

template LinearSvmResult linear_svm<NoTrace>(const LinearSvmProblem&, const LinearSvmSettings&, Size, NoTrace&);
template LinearSvmResult linear_svm<Watch>(const LinearSvmProblem&, const LinearSvmSettings&, Size, Watch&);

}  // namespace pellucid

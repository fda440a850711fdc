#include "core/solvers/curvature_bound.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/pool.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"
#include "core/linalg/moments.hpp"
#include "core/solvers/smooth_hot.hpp"

namespace pellucid {
namespace {

constexpr Size kMostWhole = 4096;  // columns
constexpr Size kRowsAColumn = 8, kLeastRows = 1024;
constexpr Size kSampledNumbers = Size{1} << 20;  // that a diagonal is made of, about
constexpr double kShare = 1e-6;  // of the mean spread, added to all: columns that the sample sees little of
constexpr Size kSolvedTogether = 64, kRowsTogether = 64;

double typical_bend(LinearLoss loss, Size k) {
    if (loss == LinearLoss::squared) return 1;
    if (loss == LinearLoss::logistic) return 0.25;
    return (1 - 1 / static_cast<double>(k)) / static_cast<double>(k);
}

// p^2 numbers a sampled row against 4 k p a row and pass: it pays when there are passes to save.
bool is_worth_it(Size n, Size p, Size k) { return p > 0 && p <= kMostWhole && (p <= 256 || p * p <= 25 * n * k); }

// Every step-th row. Csr has no such view.
Matrix every(const Matrix& X, Size step) {
    return std::visit(
        [&](const auto& x) -> Matrix {
            auto view = x;
            if constexpr (requires { view.row_stride; }) {
                view.rows = blocks_of(x.rows, step);
                view.row_stride *= static_cast<std::ptrdiff_t>(step);
            }
            return view;
        },
        X);
}

// sum += s x_r, squares += s x_r^2; answers how many numbers there were.
template <class T>
Size add_squares(const Dense<T>& x, Size r, double s, std::span<double> sum, std::span<double> squares) {
    for (Size j = 0; j < x.cols; ++j) {
        const double value = static_cast<double>(x.at(r, j));
        sum[j] += s * value;
        squares[j] += s * value * value;
    }
    return x.cols;
}
template <class Index>
Size add_squares(const Csr<Index>& x, Size r, double s, std::span<double> sum, std::span<double> squares) {
    for (auto i = x.starts[r]; i < x.starts[r + 1]; ++i) {
        sum[static_cast<Size>(x.indices[i])] += s * x.values[i];
        squares[static_cast<Size>(x.indices[i])] += s * x.values[i] * x.values[i];
    }
    return static_cast<Size>(x.starts[r + 1] - x.starts[r]);
}

Size numbers_of(const Matrix& X) {
    return std::visit(
        [](const auto& x) -> Size {
            if constexpr (requires { x.starts; })
                return static_cast<Size>(x.starts[x.rows]);
            else
                return x.rows * x.cols;
        },
        X);
}

}  // namespace

CurvatureBound::CurvatureBound(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss,
                               bool diagonal)
    : p_(cols_of(*problem.X)),
      k_(problem.outputs),
      threads_(settings.threads),
      bend_(typical_bend(loss, k_)),
      mean_(p_, 0.0) {
    if (settings.intercept) of_intercept_ = 1 / (bend_ + settings.intercept_l2);
    if (diagonal || !take_whole(problem, settings)) take_diagonal(problem, settings);
}

bool CurvatureBound::take_whole(const LinearProblem& problem, const LinearSettings& settings) {
    const Size n = rows_of(*problem.X), wanted = std::min(n, std::max(kRowsAColumn * p_, kLeastRows));
    if (problem.X->index() > 1 || !is_worth_it(n, p_, k_)) return false;
    const Size step = n / wanted;
    const Matrix sample = every(*problem.X, step);
    const Dense<double> no_targets{nullptr, rows_of(sample), 0, 0, 0};
    std::vector<double> weight;
    for (Size i = 0; !problem.weight.empty() && i < n; i += step) weight.push_back(problem.weight[i]);
    const Moments m = moments(sample, no_targets, weight, settings.intercept, threads_);
    if (m.status != Status::ok || !(m.weight > 0)) return false;
    std::vector<double> curvature(p_ * p_);
    double spread = 0;
    for (Size i = 0; i < p_; ++i)
        for (Size j = 0; j < p_; ++j) {
            curvature[i * p_ + j] = bend_ * m.cross[i * p_ + j] / m.weight / m.scale[i] / m.scale[j];
            if (i == j) spread += curvature[i * p_ + i] / static_cast<double>(p_);
        }
    const double least = settings.l2 + (spread > 0 ? kShare * spread : 1.0);
    for (Size i = 0; i < p_; ++i) curvature[i * p_ + i] += least;
    if (settings.intercept) std::copy_n(m.mean.begin(), p_, mean_.begin());
    return invert(std::move(curvature));
}

bool CurvatureBound::invert(std::vector<double> curvature) {
    if (!cholesky_factor(curvature, p_, threads_)) return false;
    inverse_.assign(p_ * p_, 0.0);
    for (Size i = 0; i < p_; ++i) inverse_[i * p_ + i] = 1;
    parallel_for(blocks_of(p_, kSolvedTogether), threads_, [&](Size block) {
        const Size begin = block * kSolvedTogether;
        char lower = 'L';
        int n = static_cast<int>(p_), columns = static_cast<int>(std::min(kSolvedTogether, p_ - begin)), info = 0;
        lapack().dpotrs(&lower, &n, &columns, curvature.data(), &n, &inverse_[begin * p_], &n, &info);
    });
    return true;
}

// A column that the sampled rows do not show counts as seen once.
void CurvatureBound::take_diagonal(const LinearProblem& problem, const LinearSettings& settings) {
    const Size n = rows_of(*problem.X), step = std::clamp<Size>(numbers_of(*problem.X) / kSampledNumbers, 1, n);
    std::vector<double> sum(p_, 0.0), squares(p_, 0.0);
    double total = 0, numbers = 0, all = 0;
    for (Size r = 0; r < n; r += step) {
        const double s = problem.weight_at(r);
        total += s;
        numbers += s * static_cast<double>(
                           std::visit([&](const auto& x) { return add_squares(x, r, s, sum, squares); }, *problem.X));
    }
    for (const double square : squares) all += square;
    const double once = numbers > 0 && all > 0 ? all / numbers : 1.0;
    inverse_.resize(p_);
    for (Size j = 0; j < p_; ++j) {
        const double mean = settings.intercept && total > 0 ? sum[j] / total : 0.0;
        const double spread = total > 0 ? std::max(squares[j] - mean * sum[j], once) / total : once;
        inverse_[j] = 1 / (bend_ * spread + settings.l2);
        mean_[j] = mean;
    }
}

void CurvatureBound::apply(std::span<double> v, std::span<const char> free) const {
    const double* b = v.data() + k_ * p_;
    for (Size t = 0; t < k_; ++t)
        for (Size j = 0; j < p_; ++j) {
            double& w = v[t * p_ + j];
            w = free.empty() || free[t * p_ + j] ? w - mean_[j] * b[t] : 0.0;
        }
    if (inverse_.size() == p_) {
        for (Size i = 0; i < k_ * p_; ++i) v[i] *= inverse_[i % p_];
    } else {
        const std::vector<double> from(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(k_ * p_));
        std::fill_n(v.begin(), k_ * p_, 0.0);
        parallel_for(blocks_of(p_, kRowsTogether), threads_, [&](Size block) {
            const Size begin = block * kRowsTogether, rows = std::min(kRowsTogether, p_ - begin);
            smooth_hot().f64.along(&inverse_[begin * p_], static_cast<std::ptrdiff_t>(p_), rows, p_, from.data(), p_,
                                   k_, &v[begin], p_);
        });
    }
    for (Size t = 0; t < k_; ++t) {
        double& own = v[k_ * p_ + t];
        own = of_intercept_ > 0 ? of_intercept_ * own - hot().dot(mean_.data(), &v[t * p_], p_) : 0.0;
    }
}

}  // namespace pellucid

#include "core/solvers/linear_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/linalg/rows.hpp"
#include "core/losses/squared.hpp"
#include "core/solvers/smooth_hot.hpp"

namespace pellucid {

extern const SmoothHot smooth_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const SmoothHot smooth_hot_v3;
extern const SmoothHot smooth_hot_v4;
#endif

const SmoothHot& smooth_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return smooth_hot_v4;
        case Level::v3:
            return smooth_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return smooth_hot_baseline;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Size kMostParts = 64, kMostPartNumbers = Size{4} << 20;
constexpr Size kSumChunk = 4096;

// Rows that fill half of a second-level cache, in whole groups.
Size rows_of_block(const Matrix& X) {
    return std::visit(
        [](const auto& x) {
            if constexpr (requires { x.starts; })
                return Size{256};
            else
                return std::clamp<Size>((Size{256} << 10) / (std::max<Size>(x.cols, 1) * sizeof(*x.data)), kRowGroup,
                                        512) /
                       kRowGroup * kRowGroup;
        },
        X);
}

// Parts cost memory and an addition each: sparse tables, whose sums are long against their rows, get few.
Size parts_of(const Matrix& X, Size width, Size blocks) {
    Size most = std::min(kMostParts, kMostPartNumbers / width);
    std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.starts; })
                most = std::min(most, static_cast<Size>(x.starts[x.rows]) / (8 * width));
        },
        X);
    return std::clamp<Size>(most, 1, blocks);
}

Matrix in_rows_of(const Matrix& X, std::vector<double>& wide, std::vector<float>& narrow, int threads) {
    if (const auto* x = std::get_if<Dense<double>>(&X)) return in_rows(*x, wide, threads);
    if (const auto* x = std::get_if<Dense<float>>(&X)) return in_rows(*x, narrow, threads);
    return X;
}

template <class T, class U>
const BlockProducts<T, U>& products() {
    if constexpr (std::is_same_v<T, double>)
        return smooth_hot().f64;
    else if constexpr (std::is_same_v<U, double>)
        return smooth_hot().f32;
    else
        return smooth_hot().single;
}

void softmax(Size k, Size rows, double* f, Size ld, double* largest, double* sum) {
    smooth_hot().softmax_f64(k, rows, f, ld, largest, sum);
}
void softmax(Size k, Size rows, float* f, Size ld, float* largest, float* sum) {
    smooth_hot().softmax_f32(k, rows, f, ld, largest, sum);
}

}  // namespace

LinearObjective::LinearObjective(const LinearProblem& problem, const LinearSettings& settings, LinearLoss loss)
    : problem_(problem),
      s_(settings),
      X_(in_rows_of(*problem.X, wide_copy_, narrow_copy_, settings.threads)),
      loss_(loss),
      classes_(loss != LinearLoss::squared),
      sparse_(problem.X->index() > 1),
      n_(rows_of(*problem.X)),
      p_(cols_of(*problem.X)),
      k_(problem.outputs),
      total_(total_weight(problem.weight, n_)),
      block_(rows_of_block(*problem.X)) {
    require(loss == LinearLoss::softmax || k_ == 1, "linear objective: one output");
    const Size blocks = blocks_of(n_, block_), width = size() + 2;
    parts_ = parts_of(*problem.X, width, blocks);
    sums_.resize(parts_ * width);
}

bool LinearObjective::can_be_rough() const {
    return loss_ == LinearLoss::softmax && std::holds_alternative<Dense<float>>(X_);
}

// Scores of a block (k lines of ld, padded to whole groups) become slopes. `into`: sums of slopes (k), the loss, the
// least margin.
template <class U>
void LinearObjective::lose(Size begin, Size rows, U* f, Size ld, double* into) const {
    double s[512 + kRowGroup] = {};  // padded rows have none
    for (Size r = 0; r < rows; ++r) s[r] = problem_.weight_at(begin + r);
    const double* y = problem_.y.data() + begin;
    double &value = into[k_], &least = into[k_ + 1];
    if (loss_ == LinearLoss::squared) {
        for (Size r = 0; r < rows; ++r) {
            const double score = static_cast<double>(f[r]);
            value += s[r] * SquaredLoss::value(y[r], score);
            f[r] = static_cast<U>(s[r] * SquaredLoss::gradient(y[r], score));
        }
    } else if (loss_ == LinearLoss::logistic) {
        if constexpr (std::is_same_v<U, double>) {
            double bend[512 + kRowGroup], target[512 + kRowGroup] = {};
            std::copy_n(y, rows, target);
            value += smooth_hot().logistic(target, s, ld, f, bend, &least);
        }
    } else {
        U largest[512 + kRowGroup], sum[512 + kRowGroup], own[512 + kRowGroup];
        for (Size r = 0; r < rows; ++r) own[r] = f[static_cast<Size>(y[r]) * ld + r];
        if (can_run_away())
            for (Size r = 0; r < rows; ++r)
                for (Size t = 0; t < k_; ++t)
                    if (t != static_cast<Size>(y[r]) && s[r] > 0)
                        least = std::min(least, static_cast<double>(own[r] - f[t * ld + r]));
        softmax(k_, ld, f, ld, largest, sum);
        for (Size r = 0; r < rows; ++r) {
            value += s[r] * (std::log(static_cast<double>(sum[r])) + static_cast<double>(largest[r] - own[r]));
            sum[r] = static_cast<U>(s[r]) / sum[r];
        }
        for (Size t = 0; t < k_; ++t)
            for (Size r = 0; r < rows; ++r) f[t * ld + r] *= sum[r];
        for (Size r = 0; r < rows; ++r) f[static_cast<Size>(y[r]) * ld + r] -= static_cast<U>(s[r]);
    }
    for (Size t = 0; t < k_; ++t) {
        double sum = 0;
        for (Size r = 0; r < rows; ++r) sum += static_cast<double>(f[t * ld + r]);
        into[t] += sum;
    }
}

template <class T, class U>
void LinearObjective::add_dense(const Dense<T>& x, Size begin, Size end, std::span<const double> theta,
                                double* into) const {
    const BlockProducts<T, U>& hot = products<T, U>();
    const U* W;
    if constexpr (std::is_same_v<U, double>)
        W = theta.data();
    else
        W = theta_rough_.data();
    const U* b = W + k_ * p_;
    std::vector<U> f(k_ * blocks_of(block_, kRowGroup) * kRowGroup), rough(std::is_same_v<U, double> ? 0 : k_ * p_);
    for (; begin < end; begin += block_) {
        const Size rows = std::min(block_, end - begin), ld = blocks_of(rows, kRowGroup) * kRowGroup;
        U* slopes;
        if constexpr (std::is_same_v<U, double>)
            slopes = into;
        else
            slopes = rough.data(), std::fill(rough.begin(), rough.end(), U{0});
        for (Size t = 0; t < k_; ++t) std::fill_n(&f[t * ld], ld, b[t]);
        const T* from = &x.at(begin, 0);
        hot.along(from, x.row_stride, rows, p_, W, p_, k_, f.data(), ld);
        lose(begin, rows, f.data(), ld, into + k_ * p_);
        hot.across(from, x.row_stride, rows, p_, f.data(), ld, k_, slopes, p_);
        for (Size i = 0; i < rough.size(); ++i) into[i] += static_cast<double>(rough[i]);
    }
}

template <class Index>
void LinearObjective::add_sparse(const Csr<Index>& x, Size begin, Size end, double* into) const {
    const double* b = turned_.data() + k_ * p_;
    std::vector<double> f(k_ * blocks_of(block_, kRowGroup) * kRowGroup), row(k_);
    for (; begin < end; begin += block_) {
        const Size rows = std::min(block_, end - begin), ld = blocks_of(rows, kRowGroup) * kRowGroup;
        for (Size r = 0; r < rows; ++r) {
            if (k_ == 1) {
                double sum = *b;
                for (auto i = x.starts[begin + r]; i < x.starts[begin + r + 1]; ++i)
                    sum += x.values[i] * turned_[static_cast<Size>(x.indices[i])];
                f[r] = sum;
                continue;
            }
            std::copy_n(b, k_, row.begin());
            for (auto i = x.starts[begin + r]; i < x.starts[begin + r + 1]; ++i) {
                const double value = x.values[i], *w = &turned_[static_cast<Size>(x.indices[i]) * k_];
                for (Size t = 0; t < k_; ++t) row[t] += value * w[t];
            }
            for (Size t = 0; t < k_; ++t) f[t * ld + r] = row[t];
        }
        for (Size t = 0; t < k_; ++t) std::fill(&f[t * ld + rows], &f[t * ld] + ld, 0.0);
        lose(begin, rows, f.data(), ld, into + k_ * p_);
        for (Size r = 0; r < rows; ++r) {
            if (k_ == 1) {
                const double slope = f[r];
                for (auto i = x.starts[begin + r]; i < x.starts[begin + r + 1]; ++i)
                    into[static_cast<Size>(x.indices[i])] += x.values[i] * slope;
                continue;
            }
            for (Size t = 0; t < k_; ++t) row[t] = f[t * ld + r];
            for (auto i = x.starts[begin + r]; i < x.starts[begin + r + 1]; ++i) {
                const double value = x.values[i];
                double* to = into + static_cast<Size>(x.indices[i]) * k_;
                for (Size t = 0; t < k_; ++t) to[t] += value * row[t];
            }
        }
    }
}

template <class View>
void LinearObjective::add_part(const View& x, Size part, std::span<const double> theta, double* into) const {
    const Size blocks = blocks_of(n_, block_);
    const Size begin = part * blocks / parts_ * block_, end = std::min(n_, (part + 1) * blocks / parts_ * block_);
    if constexpr (requires { x.starts; }) {
        add_sparse(x, begin, end, into);
    } else if constexpr (std::is_same_v<View, Dense<float>>) {
        if (rough_)
            add_dense<float, float>(x, begin, end, theta, into);
        else
            add_dense<float, double>(x, begin, end, theta, into);
    } else {
        add_dense<double, double>(x, begin, end, theta, into);
    }
}

Evaluation LinearObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
    const Size width = size() + 2;
    if (rough_) theta_rough_.assign(theta.begin(), theta.end());
    if (sparse_) {
        turned_.assign(theta.begin(), theta.end());
        if (k_ > 1)
            for (Size t = 0; t < k_; ++t)
                for (Size j = 0; j < p_; ++j) turned_[j * k_ + t] = theta[t * p_ + j];
    }
    parallel_for(parts_, s_.threads, [&](Size part) {
        double* into = &sums_[part * width];
        std::fill_n(into, width - 1, 0.0);
        into[width - 1] = kInfinity;
        std::visit([&](const auto& x) { add_part(x, part, theta, into); }, X_);
    });
    return finish(theta, gradient);
}

// Adds the parts up in order, and the penalty.
Evaluation LinearObjective::finish(std::span<const double> theta, std::span<double> gradient) const {
    const Size width = size() + 2, coefficients = k_ * p_;
    parallel_for(blocks_of(size(), kSumChunk), s_.threads, [&](Size chunk) {
        const Size begin = chunk * kSumChunk, end = std::min(size(), begin + kSumChunk);
        double total[kSumChunk] = {};
        for (Size part = 0; part < parts_; ++part)
            for (Size i = begin; i < end; ++i) total[i - begin] += sums_[part * width + i];
        for (Size i = begin; i < end; ++i) {
            const Size at = sparse_ && k_ > 1 && i < coefficients ? i % k_ * p_ + i / k_ : i;
            const bool of_w = at < coefficients;
            const double l2 = of_w ? s_.l2 : s_.intercept_l2;
            gradient[at] = of_w || s_.intercept ? total[i - begin] / total_ + l2 * theta[at] : 0.0;
        }
    });
    Evaluation found{0, kInfinity};
    for (Size part = 0; part < parts_; ++part) {
        found.value += sums_[part * width + size()];
        found.least_margin = std::min(found.least_margin, sums_[part * width + size() + 1]);
    }
    double squares = 0, of_b = 0;
    for (Size i = 0; i < coefficients; ++i) squares += theta[i] * theta[i];
    for (Size i = coefficients; i < size(); ++i) of_b += theta[i] * theta[i];
    found.value = found.value / total_ + 0.5 * s_.l2 * squares + 0.5 * s_.intercept_l2 * of_b;
    return found;
}

}  // namespace pellucid

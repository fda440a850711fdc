#include "core/boosting/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/solvers/smooth_hot.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kBlock = Size{1} << 14;  // rows of a piece of work
constexpr Size kRun = 512;              // rows whose exponentials are worked out at once; a multiple of any vector

template <class F>
void for_rows(Size rows, int threads, F&& f) {
    parallel_for(blocks_of(rows, kBlock), rows < 2 * kBlock ? 1 : threads,
                 [&](Size b) { f(b, b * kBlock, std::min((b + 1) * kBlock, rows)); });
}

// f(row, e^-|score|) for rows begin .. end - 1.
template <class F>
void with_small_exponentials(const double* scores, Size begin, Size end, F&& f) {
    double room[kRun];
    for (Size first = begin; first < end; first += kRun) {
        const Size n = std::min(kRun, end - first);
        for (Size i = 0; i < n; ++i) room[i] = -std::abs(scores[first + i]);
        std::fill(room + n, room + kRun, 0.0);
        smooth_hot().exp_f64(room, kRun, room);
        for (Size i = 0; i < n; ++i) f(first + i, room[i]);
    }
}

}  // namespace

Loss::Loss(const LossSettings& settings, std::span<const double> y, std::span<const double> weight,
           std::span<const std::uint32_t> in_use)
    : s_(settings), y_(y), weight_(weight) {
    if (!in_use.empty()) used_.resize(y.size(), 0);
    for (const std::uint32_t row : in_use) used_[row] = 1;
    require(weight.empty() || weight.size() == y.size(), "loss: weights");
    require(s_.outputs >= 1 && (s_.kind == LossKind::softmax || s_.outputs == 1), "loss: outputs");
}

bool Loss::constant() const {
    return weight_.empty() && s_.kind != LossKind::poisson && s_.kind != LossKind::logistic &&
           s_.kind != LossKind::softmax;
}

bool Loss::by_residuals() const {
    return s_.kind == LossKind::absolute || s_.kind == LossKind::quantile || s_.kind == LossKind::huber;
}

// The smallest value at which the weights reach the share.
double Loss::quantile_of(std::vector<std::pair<double, double>>& values, double level) const {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    double total = 0;
    for (const auto& v : values) total += v.second;
    double sum = 0;
    for (Size i = 0; i < values.size(); ++i) {
        sum += values[i].second;
        if (sum >= level * total) return values[i].first;
    }
    return values.back().first;
}

std::vector<double> Loss::start() const {
    std::vector<double> out(s_.outputs, 0.0);
    double total = 0, sum = 0;
    for (Size i = 0; i < rows(); ++i) {
        total += used(i);
        sum += used(i) * y_[i];
    }
    const double mean = total > 0 ? sum / total : 0;
    constexpr double kLeast = 1e-15;
    switch (s_.kind) {
        case LossKind::squared:
            out[0] = mean;
            break;
        case LossKind::poisson:
            out[0] = std::log(std::max(mean, kLeast));
            break;
        case LossKind::logistic: {
            const double p = std::clamp(mean, kLeast, 1 - kLeast);
            out[0] = std::log(p / (1 - p));
            break;
        }
        case LossKind::softmax: {
            std::vector<double> of_class(s_.outputs, 0.0);
            for (Size i = 0; i < rows(); ++i) of_class[static_cast<Size>(y_[i])] += used(i);
            double middle = 0;
            for (Size k = 0; k < s_.outputs; ++k) {
                out[k] = std::log(std::max(of_class[k] / total, kLeast));
                middle += out[k] / static_cast<double>(s_.outputs);
            }
            for (double& f : out) f -= middle;
            break;
        }
        default: {
            std::vector<std::pair<double, double>> values;
            for (Size i = 0; i < rows(); ++i)
                if (used(i) > 0) values.emplace_back(y_[i], used(i));
            const double level = s_.kind == LossKind::quantile ? s_.level : 0.5;
            if (weight_.empty()) {  // between two values in proportion
                std::sort(values.begin(), values.end());
                const double at = level * static_cast<double>(values.size() - 1);
                const auto below = static_cast<Size>(at);
                const Size above = std::min(below + 1, values.size() - 1);
                const double share = at - static_cast<double>(below);
                out[0] = values[below].first * (1 - share) + values[above].first * share;
            } else {
                out[0] = quantile_of(values, level);
            }
        }
    }
    return out;
}

void Loss::prepare(std::span<const double> scores, int threads) {
    const Size n = rows(), K = s_.outputs;
    if (s_.kind == LossKind::huber) {
        std::vector<std::pair<double, double>> values;
        for (Size i = 0; i < n; ++i)
            if (used(i) > 0) values.emplace_back(std::abs(y_[i] - scores[i]), used(i));
        delta_ = quantile_of(values, s_.level);
    }
    if (s_.kind != LossKind::softmax) return;
    probabilities_.resize(n * K);
    for_rows(n, threads, [&](Size, Size begin, Size end) {
        double most[kRun], sum[kRun], room[kRun];
        for (Size first = begin; first < end; first += kRun) {
            const Size some = std::min(kRun, end - first);
            std::copy_n(scores.data() + first, some, most);
            for (Size k = 1; k < K; ++k)
                for (Size i = 0; i < some; ++i) most[i] = std::max(most[i], scores[k * n + first + i]);
            std::fill_n(sum, some, 0.0);
            for (Size k = 0; k < K; ++k) {
                for (Size i = 0; i < some; ++i) room[i] = scores[k * n + first + i] - most[i];
                std::fill(room + some, room + kRun, 0.0);
                smooth_hot().exp_f64(room, kRun, room);
                for (Size i = 0; i < some; ++i) {
                    sum[i] += room[i];
                    probabilities_[k * n + first + i] = room[i];
                }
            }
            for (Size k = 0; k < K; ++k)
                for (Size i = 0; i < some; ++i) probabilities_[k * n + first + i] /= sum[i];
        }
    });
}

// put(row, first derivative, second derivative), from several threads.
template <class Put>
void Loss::for_slopes(std::span<const double> scores, Size output, Size n, int threads, const Put& put) const {
    const double* f = scores.data() + output * n;
    for_rows(n, threads, [&](Size, Size begin, Size end) {
        switch (s_.kind) {
            case LossKind::squared:
                for (Size i = begin; i < end; ++i) put(i, f[i] - y_[i], 1);
                return;
            case LossKind::absolute:
                for (Size i = begin; i < end; ++i) put(i, f[i] > y_[i] ? 1 : -1, 1);
                return;
            case LossKind::quantile:
                for (Size i = begin; i < end; ++i) put(i, f[i] > y_[i] ? 1 - s_.level : -s_.level, 1);
                return;
            case LossKind::huber:
                for (Size i = begin; i < end; ++i) put(i, std::clamp(f[i] - y_[i], -delta_, delta_), 1);
                return;
            case LossKind::poisson:
                for (Size i = begin; i < end; ++i) {
                    const double e = std::exp(f[i]);
                    put(i, e - y_[i], e * std::exp(s_.most_poisson_step));
                }
                return;
            case LossKind::logistic:
                with_small_exponentials(f, begin, end, [&](Size i, double e) {
                    const double share = 1 / (1 + e), p = f[i] >= 0 ? share : e * share;
                    put(i, p - y_[i], e * share * share);
                });
                return;
            case LossKind::softmax:
                for (Size i = begin; i < end; ++i) {
                    const double p = probabilities_[output * n + i];
                    const bool is = static_cast<Size>(y_[i]) == output;
                    put(i, p - (is ? 1 : 0), s_.curvature_factor * p * (1 - p));
                }
        }
    });
}

void Loss::slopes(std::span<const double> scores, Size output, std::span<Slope> out, int threads) const {
    const double least = s_.least_curvature;
    for_slopes(scores, output, out.size(), threads, [&](Size i, double g, double h) {
        const double w = weight(i);
        out[i] = {static_cast<float>(g * w), static_cast<float>(std::max(h, least) * w)};
    });
}

void Loss::slopes(std::span<const double> scores, Size output, std::span<double> gradient, std::span<double> curvature,
                  int threads) const {
    for_slopes(scores, output, gradient.size(), threads, [&](Size i, double g, double h) {
        gradient[i] = g;
        curvature[i] = h;
    });
}

double Loss::mean(std::span<const double> scores, bool in_use, int threads) const {
    const Size n = rows(), K = s_.outputs;
    std::vector<double> sums(blocks_of(std::max<Size>(n, 1), kBlock), 0.0), weights(sums.size(), 0.0);
    const auto value = [&](Size i) {
        const double y = y_[i], f = scores[i], r = y - f;
        switch (s_.kind) {
            case LossKind::squared:
                return r * r / 2;
            case LossKind::absolute:
                return std::abs(r);
            case LossKind::quantile:
                return r * (s_.level - (r < 0 ? 1 : 0));
            case LossKind::huber:
                return std::abs(r) <= delta_ ? r * r / 2 : delta_ * (std::abs(r) - delta_ / 2);
            case LossKind::poisson:
                return std::exp(f) - y * f;
            case LossKind::logistic:
                return std::max(f, 0.0) - y * f + std::log1p(std::exp(-std::abs(f)));
            case LossKind::softmax: {
                double most = scores[i], sum = 0;
                for (Size k = 1; k < K; ++k) most = std::max(most, scores[k * n + i]);
                for (Size k = 0; k < K; ++k) sum += std::exp(scores[k * n + i] - most);
                return most + std::log(sum) - scores[static_cast<Size>(y) * n + i];
            }
        }
        return 0.0;
    };
    for_rows(n, threads, [&](Size b, Size begin, Size end) {
        double sum = 0, total = 0;
        for (Size i = begin; i < end; ++i) {
            const double w = in_use ? used(i) : weight(i) - used(i);
            if (w == 0) continue;
            sum += w * value(i);
            total += w;
        }
        sums[b] = sum;
        weights[b] = total;
    });
    double sum = 0, total = 0;
    for (Size b = 0; b < sums.size(); ++b) {
        sum += sums[b];
        total += weights[b];
    }
    return total > 0 ? sum / total : 0;
}

double Loss::answer(std::span<const double> scores, std::span<const std::uint32_t> rows) const {
    std::vector<std::pair<double, double>> values;
    values.reserve(rows.size());
    for (const std::uint32_t i : rows)
        if (weight(i) > 0) values.emplace_back(y_[i] - scores[i], weight(i));
    const double middle = quantile_of(values, s_.kind == LossKind::quantile ? s_.level : 0.5);
    if (s_.kind != LossKind::huber) return middle;
    double sum = 0, total = 0;
    for (const auto& [r, w] : values) {
        sum += w * std::copysign(std::min(delta_, std::abs(r - middle)), r - middle);
        total += w;
    }
    return total > 0 ? middle + sum / total : 0;
}

}  // namespace pellucid::boosting

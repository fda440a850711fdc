#include "core/svm/kernel_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/svm/svm_hot.hpp"

namespace pellucid {

extern const SvmHot svm_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const SvmHot svm_hot_v3;
extern const SvmHot svm_hot_v4;
#endif

const SvmHot& svm_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return svm_hot_v4;
        case Level::v3:
            return svm_hot_v3;
        default:
            return svm_hot_baseline;
    }
#else
    return svm_hot_baseline;
#endif
}

namespace {

constexpr Size kBlockWork = 1 << 15;     // numbers that a block of panels reads: below that a thread is not worth it
constexpr Size kParallelWork = 1 << 17;  // and below that the pool is not asked at all

double power(double x, int degree) {
    double result = 1;
    for (int bit = degree; bit > 0; bit >>= 1, x *= x)
        if (bit & 1) result *= x;
    return result;
}

void read_row(const Dense<double>& X, Size r, double* out) {
    for (Size j = 0; j < X.cols; ++j) out[j] = X.at(r, j);
}
void read_row(const Dense<float>& X, Size r, double* out) {
    for (Size j = 0; j < X.cols; ++j) out[j] = static_cast<double>(X.at(r, j));
}
template <class Index>
void read_row(const Csr<Index>& X, Size r, double* out) {
    std::fill(out, out + X.cols, 0.0);
    for (auto k = X.starts[r]; k < X.starts[r + 1]; ++k) out[X.indices[k]] = X.values[k];
}

void measure(const KernelFunction& kernel, const double* panels, Size count, Size p, const double* x, double* out) {
    const SvmHot& hot = svm_hot();
    (kernel.kind == KernelKind::radial ? hot.squares : hot.products)(panels, count, p, x, out);
    apply_kernel(kernel, count * kSvmPanel, out);
}

}  // namespace

void apply_kernel(const KernelFunction& kernel, Size n, double* values) {
    const double gamma = kernel.gamma, coef0 = kernel.coef0;
    switch (kernel.kind) {
        case KernelKind::polynomial:
            for (Size i = 0; i < n; ++i) values[i] = power(gamma * values[i] + coef0, kernel.degree);
            return;
        case KernelKind::radial:
            return svm_hot().bells(gamma, n, values);
        case KernelKind::sigmoid:
            for (Size i = 0; i < n; ++i) values[i] = std::tanh(gamma * values[i] + coef0);
            return;
        case KernelKind::linear:
        case KernelKind::given:
            return;
    }
}

void read_row(const Matrix& X, Size r, double* out) {
    std::visit([&](const auto& x) { read_row(x, r, out); }, X);
}

std::vector<double> panels_of(const Matrix& X, std::span<const Size> chosen) {
    const Size p = cols_of(X), count = blocks_of(chosen.size(), kSvmPanel);
    std::vector<double> panels(count * p * kSvmPanel, 0.0), row(p);
    for (Size k = 0; k < chosen.size(); ++k) {
        read_row(X, chosen[k], row.data());
        double* panel = panels.data() + k / kSvmPanel * p * kSvmPanel + k % kSvmPanel;
        for (Size j = 0; j < p; ++j) panel[j * kSvmPanel] = row[j];
    }
    return panels;
}

KernelRows::KernelRows(const Matrix& X, const KernelFunction& kernel, std::span<const Size> chosen, int threads)
    : X_(X), kernel_(kernel), threads_(threads), p_(cols_of(X)) {
    require(kernel.kind != KernelKind::given || std::holds_alternative<Dense<double>>(X), "kernel rows: Gram matrix");
    restart(chosen);
}

void KernelRows::restart(std::span<const Size> chosen) {
    rows_.assign(chosen.begin(), chosen.end());
    diagonal_.resize(rows_.size());
    if (kernel_.kind == KernelKind::given) {
        const auto& gram = std::get<Dense<double>>(X_);
        for (Size k = 0; k < rows_.size(); ++k) diagonal_[k] = gram.at(rows_[k], rows_[k]);
        return;
    }
    panels_ = panels_of(X_, rows_);
    std::vector<double> values(padded(), 0.0);
    if (kernel_.kind != KernelKind::radial)
        for (Size k = 0; k < rows_.size(); ++k) {
            const double* panel = panels_.data() + k / kSvmPanel * p_ * kSvmPanel + k % kSvmPanel;
            for (Size j = 0; j < p_; ++j) values[k] += panel[j * kSvmPanel] * panel[j * kSvmPanel];
        }
    apply_kernel(kernel_, values.size(), values.data());
    std::copy_n(values.begin(), rows_.size(), diagonal_.begin());
}

void KernelRows::keep(std::span<const Size> places) {
    std::vector<Size> chosen(places.size());
    for (Size k = 0; k < places.size(); ++k) chosen[k] = rows_[places[k]];
    restart(chosen);
}

void KernelRows::fill(Size i, double* out) const {
    if (kernel_.kind == KernelKind::given) {
        const auto& gram = std::get<Dense<double>>(X_);
        for (Size k = 0; k < rows_.size(); ++k) out[k] = gram.at(rows_[i], rows_[k]);
        return;
    }
    std::vector<double> x(p_);
    const double* own = panels_.data() + i / kSvmPanel * p_ * kSvmPanel + i % kSvmPanel;
    for (Size j = 0; j < p_; ++j) x[j] = own[j * kSvmPanel];
    const Size count = padded() / kSvmPanel, work = kSvmPanel * (p_ + 8);
    if (count * work < kParallelWork) return measure(kernel_, panels_.data(), count, p_, x.data(), out);
    const Size together = std::max<Size>(1, kBlockWork / work);
    parallel_for(blocks_of(count, together), threads_, [&](Size b) {
        const Size first = b * together, here = std::min(together, count - first);
        measure(kernel_, panels_.data() + first * p_ * kSvmPanel, here, p_, x.data(), out + first * kSvmPanel);
    });
}

void kernel_decisions(const Matrix& X, const KernelFunction& kernel, std::span<const double> supports,
                      std::span<const double> coef, std::span<const double> bias, int threads, std::span<double> out) {
    const Size n = rows_of(X), p = cols_of(X), outputs = bias.size(), m = p == 0 ? 0 : supports.size() / p;
    require(out.size() == n * outputs && coef.size() == outputs * m, "kernel decisions: sizes");
    constexpr Size kRows = 4 * kSvmPanel;  // rows of a block: four panels share a support vector
    parallel_for(blocks_of(n, kRows), threads, [&](Size b) {
        const Size first = b * kRows, here = std::min(kRows, n - first);
        std::vector<Size> chosen(here);
        for (Size k = 0; k < here; ++k) chosen[k] = first + k;
        const std::vector<double> panels = panels_of(X, chosen);
        const Size count = blocks_of(here, kSvmPanel), width = count * kSvmPanel;
        std::vector<double> values(width), sums(outputs * width);
        for (Size o = 0; o < outputs; ++o)
            std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(o * width), width, bias[o]);
        for (Size s = 0; s < m; ++s) {
            measure(kernel, panels.data(), count, p, supports.data() + s * p, values.data());
            for (Size o = 0; o < outputs; ++o) {
                const double a = coef[o * m + s];
                if (a == 0) continue;
                double* sum = sums.data() + o * width;
                for (Size k = 0; k < width; ++k) sum[k] += a * values[k];
            }
        }
        for (Size k = 0; k < here; ++k)
            for (Size o = 0; o < outputs; ++o) out[(first + k) * outputs + o] = sums[o * width + k];
    });
}

}  // namespace pellucid

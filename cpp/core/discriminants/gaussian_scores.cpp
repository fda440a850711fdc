#include "core/discriminants/gaussian_scores.hpp"

#include <algorithm>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/discriminants/hot.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {
namespace {

HotRows<double> rows_from(const Dense<double>& x, Size begin) { return {&x.at(begin, 0), x.row_stride, x.col_stride}; }
HotRows<float> rows_from(const Dense<float>& x, Size begin) { return {&x.at(begin, 0), x.row_stride, x.col_stride}; }

void center(HotRows<double> x, Size rows, Size cols, const double* offset, const double* scale, double* out) {
    discriminant_hot().center_f64(x, rows, cols, offset, scale, out);
}
void center(HotRows<float> x, Size rows, Size cols, const double* offset, const double* scale, double* out) {
    discriminant_hot().center_f32(x, rows, cols, offset, scale, out);
}
void turn(HotRows<double> x, Size rows, Size cols, const double* scale, double* out) {
    discriminant_hot().turn_f64(x, rows, cols, scale, out);
}
void turn(HotRows<float> x, Size rows, Size cols, const double* scale, double* out) {
    discriminant_hot().turn_f32(x, rows, cols, scale, out);
}

// f(dense view), for the two layouts that the discriminants read.
template <class F>
void visit_dense(const Matrix& X, F&& f) {
    std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.at(Size{0}, Size{0}); })
                f(x);
            else
                require(false, "discriminants: X must be dense");
        },
        X);
}

// Every T by blocks of eight rows, each from its first column on (see hot.hpp).
std::vector<double> packed_factors(std::span<const double> factors, Size classes, Size p, Size length) {
    std::vector<double> packed(classes * length);
    for (Size c = 0; c < classes; ++c) {
        const double* T = factors.data() + c * p * p;
        double* to = packed.data() + c * length;
        for (Size first = 0; first < p; first += kPanel)
            for (Size j = first; j < p; ++j)
                for (Size i = first; i < first + kPanel; ++i) *to++ = i <= j && i < p ? T[i * p + j] : 0.0;
    }
    return packed;
}

Size packed_length(Size p) {
    Size length = 0;
    for (Size first = 0; first < p; first += kPanel) length += (p - first) * kPanel;
    return length;
}

}  // namespace

void centered_scores(const Matrix& X, std::span<const double> scale, std::span<const double> offset,
                     std::span<const double> W, std::span<const double> b, std::span<double> out, int threads) {
    const Size n = rows_of(X), p = cols_of(X), k = b.size();
    require(scale.size() == p && offset.size() == p && W.size() == k * p && out.size() == n * k,
            "centered_scores: sizes");
    const Size step = std::clamp<Size>((Size{128} << 10) / (p * sizeof(double) + 1), 16, 512);
    parallel_for(blocks_of(n, step), threads, [&](Size block) {
        const Size begin = block * step, rows = std::min(step, n - begin);
        std::vector<double> z(rows * p), column(rows);
        visit_dense(
            X, [&](const auto& x) { center(rows_from(x, begin), rows, p, offset.data(), scale.data(), z.data()); });
        for (Size c = 0; c < k; ++c) {
            std::fill(column.begin(), column.end(), b[c]);
            hot().rows_dot_f64(z.data(), static_cast<std::ptrdiff_t>(p), rows, p, W.data() + c * p, column.data());
            for (Size r = 0; r < rows; ++r) out[(begin + r) * k + c] = column[r];
        }
    });
}

void quadratic_scores(const Matrix& X, std::span<const double> scale, std::span<const double> mean,
                      std::span<const double> factors, std::span<const double> level, std::span<double> out,
                      int threads) {
    const Size n = rows_of(X), p = cols_of(X), k = level.size(), length = packed_length(p);
    require(scale.size() == p && mean.size() == k * p && factors.size() == k * p * p && out.size() == n * k,
            "quadratic_scores: sizes");
    const std::vector<double> packed = packed_factors(factors, k, p, length);
    // Few enough rows that they stay in the first-level cache beside one class's triangle.
    constexpr Size kRows = 64;
    parallel_for(blocks_of(n, kRows), threads, [&](Size block) {
        const Size begin = block * kRows, rows = std::min(kRows, n - begin), panels = blocks_of(rows, kPanel);
        std::vector<double> turned(panels * p * kPanel), room(p * kPanel);
        visit_dense(X, [&](const auto& x) {
            for (Size i = 0; i < panels; ++i)
                turn(rows_from(x, begin + i * kPanel), std::min(kPanel, rows - i * kPanel), p, scale.data(),
                     &turned[i * p * kPanel]);
        });
        for (Size c = 0; c < k; ++c)
            for (Size i = 0; i < panels; ++i) {
                double lengths[kPanel];
                discriminant_hot().squared_lengths(&turned[i * p * kPanel], mean.data() + c * p,
                                                   packed.data() + c * length, p, room.data(), lengths);
                for (Size r = i * kPanel; r < std::min(rows, (i + 1) * kPanel); ++r)
                    out[(begin + r) * k + c] = level[c] - 0.5 * lengths[r % kPanel];
            }
    });
}

}  // namespace pellucid

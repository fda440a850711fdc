#include "core/recommend/factors.hpp"

#include <algorithm>
#include <atomic>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"
#include "core/recommend/factor_hot.hpp"
#include "core/recommend/small_systems.hpp"

namespace pellucid {

extern const FactorHot<float> factor_f32_baseline;
extern const FactorHot<double> factor_f64_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const FactorHot<float> factor_f32_v3, factor_f32_v4;
extern const FactorHot<double> factor_f64_v3, factor_f64_v4;
#endif

template <>
const FactorHot<float>& factor_hot<float>() {
#ifdef PELLUCID_X86_LEVELS
    if (current_level() == Level::v4) return factor_f32_v4;
    if (current_level() == Level::v3) return factor_f32_v3;
#endif
    return factor_f32_baseline;
}

template <>
const FactorHot<double>& factor_hot<double>() {
#ifdef PELLUCID_X86_LEVELS
    if (current_level() == Level::v4) return factor_f64_v4;
    if (current_level() == Level::v3) return factor_f64_v3;
#endif
    return factor_f64_baseline;
}

namespace {

constexpr Size kRows = 32;    // of a block
constexpr Size kChunk = 256;  // ratings whose factors are packed at a time
constexpr Size kPairs = 4096;

double penalty_of(const FactorSettings& s, const Rated& rows, Size r) {
    return s.by_count ? s.penalty * static_cast<double>(rows.count(r)) : s.penalty;
}

// Columns of a packed row: the factors, 1 where there are biases, and what is left of the rating.
void pack_ratings(const Rated& rows, Size from, Size to, const FactorSide& other, const FactorSettings& s,
                  double* panels) {
    const Size n = to - from, target = s.factors + (s.biases ? 1 : 0);
    const auto put = [&](Size r, Size c, double value) { panels[(c / kPanel * n + r) * kPanel + c % kPanel] = value; };
    for (Size r = 0; r < n; ++r) {
        const Size column = rows.column(from + r);
        const double* factors = other.row(column);
        for (Size c = 0; c < s.factors; ++c) put(r, c, factors[c]);
        if (s.biases) put(r, s.factors, 1.0);
        put(r, target, rows.values[from + r] - s.mean - other.bias[column]);
    }
}

bool solve_row(const Rated& rows, Size r, const FactorSide& other, const FactorSettings& s, SmallSystem& system,
               FactorSide& own) {
    double* factors = own.row(r);
    if (rows.count(r) == 0) {
        std::fill_n(factors, s.factors, 0.0);
        if (s.biases) own.bias[r] = 0;
        return true;
    }
    system.clear();
    for (Size from = rows.first(r); from < rows.last(r); from += kChunk) {
        const Size to = std::min(rows.last(r), from + kChunk);
        pack_ratings(rows, from, to, other, s, system.panels());
        system.add(system.panels(), system.panels(), to - from);
    }
    if (!system.solve(penalty_of(s, rows, r))) return false;
    std::copy_n(system.answer().begin(), s.factors, factors);
    if (s.biases) own.bias[r] = system.answer()[s.factors];
    return true;
}

double squares(std::span<const double> values) {
    double sum = 0;
    for (const double v : values) sum += v * v;
    return sum;
}

double penalty_sum(const Rated& rows, const FactorSide& side, const FactorSettings& s) {
    double sum = 0;
    for (Size r = 0; r < rows.rows(); ++r) {
        const double own = s.biases ? side.bias[r] * side.bias[r] : 0.0;
        sum += penalty_of(s, rows, r) * (squares({side.row(r), s.factors}) + own);
    }
    return sum;
}

}  // namespace

bool refresh_factors(const Rated& rows, const FactorSide& other, const FactorSettings& s, FactorSide& own) {
    const Size n = rows.rows();
    std::atomic<bool> good = true;
    parallel_for(blocks_of(n, kRows), s.threads, [&](Size block) {
        SmallSystem system(s.factors + (s.biases ? 1 : 0), kChunk);
        for (Size r = block * kRows; r < std::min(n, (block + 1) * kRows); ++r)
            if (!solve_row(rows, r, other, s, system, own)) good = false;
    });
    return good;
}

double factor_objective(const Rated& users, const Rated& items, const FactorSide& p, const FactorSide& q,
                        const FactorSettings& s) {
    const FactorHot<double>& hot = factor_hot<double>();
    double sum = 0;
    const Size n = users.rows(), size = std::max<Size>(256, blocks_of(n, 64));
    ordered_sum(blocks_of(n, size), 1, s.threads, &sum, [&](Size block, double* into) {
        for (Size u = block * size; u < std::min(n, (block + 1) * size); ++u)
            for (Size at = users.first(u); at < users.last(u); ++at) {
                const Size i = users.column(at);
                const double e =
                    users.values[at] - s.mean - p.bias[u] - q.bias[i] - hot.dot(p.row(u), q.row(i), p.stride);
                *into += e * e;
            }
    });
    return sum + penalty_sum(users, p, s) + penalty_sum(items, q, s);
}

std::vector<double> all_numbers(const FactorSide& p, const FactorSide& q, Size factors) {
    std::vector<double> found;
    for (const FactorSide* side : {&p, &q}) {
        for (Size r = 0; r < side->bias.size(); ++r) found.insert(found.end(), side->row(r), side->row(r) + factors);
        found.insert(found.end(), side->bias.begin(), side->bias.end());
    }
    return found;
}

template <class T>
void pair_products(const T* x, const T* y, Size stride, std::span<const std::int32_t> rows,
                   std::span<const std::int32_t> columns, std::span<double> out, int threads) {
    const FactorHot<T>& hot = factor_hot<T>();
    const Size n = rows.size();
    require(columns.size() == n && out.size() == n, "pair_products: lengths differ");
    parallel_for(blocks_of(n, kPairs), threads, [&](Size block) {
        for (Size i = block * kPairs; i < std::min(n, (block + 1) * kPairs); ++i)
            out[i] = static_cast<double>(
                hot.dot(x + static_cast<Size>(rows[i]) * stride, y + static_cast<Size>(columns[i]) * stride, stride));
    });
}

template <class T>
void all_products(const T* x, const T* y, Size n, Size stride, std::span<const std::int32_t> rows,
                  std::span<double> out, int threads) {
    const FactorHot<T>& hot = factor_hot<T>();
    require(out.size() == rows.size() * n, "all_products: a place for every product");
    constexpr Size kTile = 512;  // rows of y that stay in cache while the rows of x go by
    parallel_for(blocks_of(n, kTile), threads, [&](Size block) {
        const Size from = block * kTile, count = std::min(n, from + kTile) - from;
        T found[kTile];
        for (Size r = 0; r < rows.size(); ++r) {
            hot.dots(x + static_cast<Size>(rows[r]) * stride, y + from * stride, count, stride, found);
            for (Size i = 0; i < count; ++i) out[r * n + from + i] = static_cast<double>(found[i]);
        }
    });
}

template void pair_products<float>(const float*, const float*, Size, std::span<const std::int32_t>,
                                   std::span<const std::int32_t>, std::span<double>, int);
template void pair_products<double>(const double*, const double*, Size, std::span<const std::int32_t>,
                                    std::span<const std::int32_t>, std::span<double>, int);
template void all_products<float>(const float*, const float*, Size, Size, std::span<const std::int32_t>,
                                  std::span<double>, int);
template void all_products<double>(const double*, const double*, Size, Size, std::span<const std::int32_t>,
                                   std::span<double>, int);

}  // namespace pellucid

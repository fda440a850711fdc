// Powers, logarithms and roots against their formulas, and the power of greatest likelihood against a search by
// sections.
#include "core/preprocessing/power.hpp"

#include "core/base/check.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using Real = long double;

Real raised(Real l, Real a) { return a == 0 ? l : std::expm1(a * l) / a; }

Real power_of(Real x, Real lambda, PowerFamily family) {
    if (family == PowerFamily::box_cox) return raised(std::log(x), lambda);
    return x < 0 ? -raised(std::log1p(-x), 2 - lambda) : raised(std::log1p(x), lambda);
}

// -log var(y) / 2 + (lambda - 1) S / n
Real likelihood(const std::vector<double>& x, Real lambda, PowerFamily family) {
    Real n = 0, sum = 0, square = 0, logs = 0;
    for (const double v : x) {
        if (v != v) continue;
        n += 1, sum += power_of(v, lambda, family);
        logs +=
            family == PowerFamily::box_cox ? std::log(Real{v}) : std::copysign(std::log1p(std::abs(Real{v})), Real{v});
    }
    for (const double v : x)
        if (v == v) square += std::pow(power_of(v, lambda, family) - sum / n, 2);
    return -std::log(square / n) / 2 + (lambda - 1) * logs / n;
}

Real best_power(const std::vector<double>& x, PowerFamily family) {
    Real low = -30, high = 30;
    while (high - low > 1e-8L) {
        const Real left = low + (high - low) * 0.45L, right = low + (high - low) * 0.55L;
        (likelihood(x, left, family) > likelihood(x, right, family) ? high : low) =
            likelihood(x, left, family) > likelihood(x, right, family) ? right : left;
    }
    return (low + high) / 2;
}

// Numbers of one sign or both, skewed, some missing.
std::vector<double> column(Size n, int kind) {
    std::vector<double> x = random_vector(n, 7 + static_cast<std::uint64_t>(kind), -1, 1);
    for (Size i = 0; i < n; ++i) {
        const double v = x[i];
        x[i] = kind == 0 ? std::exp(2 * v) : kind == 1 ? 5 * v * v * v : kind == 2 ? -std::exp(v) : v * v + 0.01;
        if (i % 11 == 5) x[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return x;
}

struct Ends {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};
Ends ends_of(const std::vector<double>& x) {
    Ends found;
    for (const double v : x)
        if (v == v) found.low = std::min(found.low, v), found.high = std::max(found.high, v);
    return found;
}

}  // namespace

TEST(the_power_of_greatest_likelihood_is_found) {
    for (const PowerFamily family : {PowerFamily::box_cox, PowerFamily::yeo_johnson})
        for (const int kind : {0, 1, 2, 3}) {
            if (family == PowerFamily::box_cox && (kind == 1 || kind == 2)) continue;
            const std::vector<double> x = column(400, kind);
            const Ends ends = ends_of(x);
            where = std::to_string(kind);
            const PowerFit fit =
                fit_powers(Dense<double>{x.data(), x.size(), 1, 1, 1}, family, {&ends.low, 1}, {&ends.high, 1}, 1);
            CHECK(fit.held[0] == 0);
            CHECK_NEAR(Real{fit.lambda[0]}, best_power(x, family), 1e-6L);
            Real n = 0, sum = 0, square = 0;
            for (const double v : x)
                if (v == v) n += 1, sum += power_of(v, fit.lambda[0], family);
            for (const double v : x)
                if (v == v) square += std::pow(power_of(v, fit.lambda[0], family) - sum / n, 2);
            CHECK(fit.center[0] == 0);
            CHECK_NEAR(Real{fit.mean[0]}, sum / n, 1e-13L * (1 + std::abs(sum / n)));
            CHECK_NEAR(Real{fit.scale[0]}, std::sqrt(square / n), 1e-13L * std::sqrt(square / n));
        }
    where.clear();
}

TEST(powers_have_the_same_bits_in_every_layout_and_on_any_number_of_threads) {
    const Size n = 33'000;  // more than are solved without a part of them first
    Table table(n, 3);
    for (Size c = 0; c < 3; ++c) {
        const std::vector<double> x = column(n, static_cast<int>(c));
        for (Size r = 0; r < n; ++r) table.at(r, c) = static_cast<float>(x[r]);
    }
    std::vector<double> low(3), high(3);
    for (Size c = 0; c < 3; ++c) {
        std::vector<double> x(n);
        for (Size r = 0; r < n; ++r) x[r] = table.at(r, c);
        const Ends ends = ends_of(x);
        low[c] = ends.low, high[c] = ends.high;
    }
    const PowerFit want = fit_powers(table.view(), PowerFamily::yeo_johnson, low, high, 1);
    for (const Layout& layout : layouts(table)) {
        if (!std::holds_alternative<Dense<double>>(layout.view) && !std::holds_alternative<Dense<float>>(layout.view))
            continue;
        where = layout.name;
        const PowerFit found = fit_powers(layout.view, PowerFamily::yeo_johnson, low, high, 3);
        CHECK(same_bits(found.lambda, want.lambda) && same_bits(found.mean, want.mean));
        CHECK(same_bits(found.scale, want.scale));
    }
    where.clear();
}

TEST(values_are_raised_and_lowered_by_the_formula) {
    const std::vector<double> x{0.001, 0.5, 1, 2.5, 1e10, 3, 7, 0.3};
    const std::vector<double> mean(1, 0.25), scale(1, 2.0);
    for (const double lambda : {-2.0, -0.5, 0.0, 1e-12, 0.5, 1.0, 2.0, 3.0})
        for (const double sign : {1.0, -1.0})
            for (const PowerFamily family : {PowerFamily::box_cox, PowerFamily::yeo_johnson}) {
                if (family == PowerFamily::box_cox && sign < 0) continue;
                for (const double center : {0.0, 0.75 * sign}) {
                    std::vector<double> values = x, out(x.size());
                    for (double& v : values) v *= sign;
                    const Powers powers{family, {&lambda, 1}, {&center, 1}, mean, scale};
                    const Dense<double> view{values.data(), values.size(), 1, 1, 1};
                    CHECK(power_columns(view, powers, Written<double>{out.data(), out.size(), 1, 1, 1}, 1) == kNothing);
                    const double a = sign < 0 ? 2 - lambda : lambda, c = std::abs(center);
                    for (Size i = 0; i < x.size(); ++i) {
                        const Real l = family == PowerFamily::box_cox ? std::log(Real{x[i]}) : std::log1p(Real{x[i]});
                        const Real want = (sign * raised(l - c, a) - 0.25L) / 2;
                        CHECK_NEAR(Real{out[i]}, want, 1e-13L * (1 + std::abs(want)));
                    }
                }
            }
}

TEST(what_lies_outside_is_told) {
    std::vector<double> x{1, 2, 0}, out(3);
    const Dense<double> view{x.data(), 3, 1, 1, 1};
    const Written<double> written{out.data(), 3, 1, 1, 1};
    const std::vector<double> zero(1, 0.0), one(1, 1.0);
    CHECK(power_columns(view, Powers{PowerFamily::box_cox, zero, zero, zero, one}, written, 1) == kOutside);
    CHECK(log_columns(view, Logs{zero, LogBase::e}, written, 1) == kOutside);
    CHECK(log_columns(view, Logs{one, LogBase::e}, written, 1) == kNothing);
    CHECK(root_columns(view, 2, written, 1) == kNothing);
    x[2] = -1;
    CHECK(root_columns(view, 2, written, 1) == kOutside);
    CHECK(root_columns(view, 3, written, 1) == kNothing);
    x[1] = std::numeric_limits<double>::infinity();
    CHECK(root_columns(view, 2, written, 1) == (kOutside | kInfinite));
}

}  // namespace pellucid::test

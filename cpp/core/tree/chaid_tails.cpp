#include "core/tree/chaid_tails.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace pellucid::tree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;
constexpr int kMostTerms = 1'000'000;  // the fractions need about the root of their largest parameter
constexpr double kMostCells = 4e6;     // of a table of Stirling numbers: a tenth of a second
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// ln Gamma(z) - [(z - 1/2) ln z - z + ln(2 pi)/2]: what Stirling's formula leaves out. Small, so that sums in which the
// large parts cancel keep their digits (Loader, Fast and accurate computation of binomial probabilities, 2000).
double stirling_rest(double z) {
    if (z < 16) {
        double product = 1, shifted = z;
        while (shifted < 16) product *= shifted++;
        const double at_shifted = (shifted - 0.5) * std::log(shifted) - shifted + stirling_rest(shifted);
        return at_shifted - std::log(product) - ((z - 0.5) * std::log(z) - z);
    }
    const double s = 1 / (z * z);
    return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / z;
}

// r - 1 - ln r >= 0 of a ratio r = x / a
double log_gap(double x, double a) {
    const double u = (x - a) / a;
    return u - (u < -0.5 ? std::log(x / a) : std::log1p(u));
}

// ln(1 - e^a), a <= 0
double log_complement(double a) { return a > -std::numbers::ln2 ? std::log(-std::expm1(a)) : std::log1p(-std::exp(a)); }

// sum over n of x^n / ((a + 1) ... (a + n))
double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; n < kMostTerms && term > sum * kEpsilon; ++n) sum += term *= x / (a + n);
    return sum;
}

// Gamma(a, x) / (x^a e^-x) as a continued fraction (Lentz's method)
double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
    for (int n = 1; n < kMostTerms; ++n) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        if (std::abs(d) < kTiny) d = kTiny;
        c = b + an / c;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1 / d;
        const double step = d * c;
        h *= step;
        if (std::abs(step - 1) < kEpsilon) break;
    }
    return h;
}

// I_x(a, b) a B(a, b) / (x^a (1 - x)^b) as a continued fraction (Lentz's method), for x < (a + 1) / (a + b + 2)
double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (std::abs(d) < kTiny) d = kTiny;
    d = 1 / d;
    double h = d;
    const auto next = [&](double part) {
        d = 1 + part * d;
        if (std::abs(d) < kTiny) d = kTiny;
        c = 1 + part / c;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1 / d;
        h *= d * c;
    };
    for (int m = 1; m < kMostTerms; ++m) {
        const double am = a + 2.0 * m;
        next(m * (b - m) * x / ((am - 1) * am));
        next(-(a + m) * (a + b + m) * x / (am * (am + 1)));
        if (std::abs(d * c - 1) < kEpsilon) break;
    }
    return h;
}

// ln [x^a y^b / B(a, b)], y = 1 - x
double log_beta_front(double a, double b, double x, double y) {
    const double n = a + b;
    const double off = -a * log_gap(n * x, a) - b * log_gap(n * y, b);
    const double rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
    return off + 0.5 * (std::log(a) + std::log(b / n)) - kHalfLogTwoPi + rest;
}

// ln I_x(a, b), y = 1 - x
double log_beta_below(double a, double b, double x, double y) {
    if (x <= 0) return -kInfinity;
    if (y <= 0) return 0;
    const double front = log_beta_front(a, b, x, y);
    if (x < (a + 1) / (a + b + 2)) return front - std::log(a) + std::log(beta_fraction(a, b, x));
    return log_complement(front - std::log(b) + std::log(beta_fraction(b, a, y)));
}

// ln S(n, k) to 0.066 / n (Temme, Asymptotic estimates of Stirling numbers, 1993): with v = n / k and G in (0, 1) such
// that G e^-G = v e^-v,  S ~ sqrt((v - 1) / (v (1 - G))) ((v - 1) / (v - G))^(n - k) (k^n / n^k) e^(k (1 - G)) (n over
// k)
double log_stirling_of_many(double n, double k) {
    const double v = n / k, target = std::log(v) - v;
    double g = std::exp(target);
    for (int i = 0; i < 100; ++i) {  // Newton on ln G - G, which is concave: never too far
        const double step = (std::log(g) - g - target) / (1 / g - 1);
        g -= step;
        if (std::abs(step) < 1e-15 * g) break;
    }
    return 0.5 * std::log((v - 1) / (v * (1 - g))) + (n - k) * std::log((v - 1) / (v - g)) + n * std::log(k) -
           k * std::log(n) + k * (1 - g) + log_binomial(n, k);
}

}  // namespace

double log_gamma(double z) { return (z - 0.5) * std::log(z) - z + kHalfLogTwoPi + stirling_rest(z); }

double log_chi_squared_tail(double chi, double df) {
    const double a = df / 2, x = chi / 2;
    if (!(x > 0) || !(a > 0)) return 0;
    if (x == kInfinity) return -kInfinity;
    // ln [x^a e^-x / Gamma(a)]
    const double front = -a * log_gap(x, a) + 0.5 * std::log(a) - kHalfLogTwoPi - stirling_rest(a);
    if (x < a + 1) return log_complement(front - std::log(a) + std::log(gamma_series(a, x)));
    return front + std::log(gamma_fraction(a, x));
}

double log_f_tail(double f, double df1, double df2) {
    if (!(f > 0) || !(df1 > 0) || !(df2 > 0)) return 0;
    if (f == kInfinity) return -kInfinity;
    const double ratio = df1 / df2 * f;
    return log_beta_below(df2 / 2, df1 / 2, 1 / (1 + ratio), ratio == kInfinity ? 1 : ratio / (1 + ratio));
}

double log_binomial(double n, double k) {
    if (k < 0 || k > n) return -kInfinity;
    if (k == 0 || k == n) return 0;
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

double log_stirling(Size n, Size k) {
    if (k < 1 || k > n) return -kInfinity;
    if (k == 1 || k == n) return 0;
    const double r = static_cast<double>(k), c = static_cast<double>(n);
    // S(n, k) = 1/k! sum_i (-1)^i (k over i) (k - i)^n: where the first term is by far the largest
    if (c / r > std::log(r) + 8) {
        double sum = 0, sign = 1;
        for (double i = 0; i < r; ++i, sign = -sign) {
            const double term = std::exp(log_binomial(r, i) + c * std::log1p(-i / r));
            sum += sign * term;
            if (term < kEpsilon) break;
        }
        return c * std::log(r) - log_gamma(r + 1) + std::log(sum);
    }
    if (c * r > kMostCells) return log_stirling_of_many(c, r);
    // else S(n, k) = k S(n - 1, k) + S(n - 1, k - 1), a row of n after the other
    std::vector<double> row(k + 1, -kInfinity);
    row[0] = 0;
    for (Size i = 1; i <= n; ++i) {
        for (Size j = std::min(i, k); j >= 1; --j) {
            const double a = row[j] + std::log(static_cast<double>(j)), b = row[j - 1];
            const double high = std::max(a, b), low = std::min(a, b);
            row[j] = low == -kInfinity ? high : high + std::log1p(std::exp(low - high));
        }
        row[0] = -kInfinity;
    }
    return row[k];
}

}  // namespace pellucid::tree

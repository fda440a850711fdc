#include "core/preprocessing/power.hpp"

#include <cmath>
#include <limits>

namespace pellucid {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmall = std::numeric_limits<double>::epsilon();

// y of a positive side:  (e^(a l) - 1) / a  of the logarithm l.
double raised(double l, double a) { return std::abs(a) < kSmall ? l : std::expm1(a * l) / a; }

// The logarithm again; NaN of a y that there is not.
double lowered(double y, double a) { return std::abs(a) < kSmall ? y : std::log1p(a * y) / a; }

// A power as functions of one number, of lambda and of c; inside() says where it is defined.
struct BoxCox {
    static bool inside(double x) { return !(x <= 0); }
    static double apply(double x, double l, double c) { return l == 1 && c == 0 ? x - 1 : raised(std::log(x) - c, l); }
    static double invert(double y, double l, double c) {
        return l == 1 && c == 0 ? y + 1 : std::exp(lowered(y, l) + c);
    }
};

// For c of 0 or more; else it is minus the same of -x, -c and 2 - l.
struct UpperSide {
    static double apply(double x, double l, double c) {
        if (!(x < 0)) return raised(std::log1p(x) - c, l);
        const double y = -raised(std::log1p(-x), 2 - l);
        return c == 0 ? y : (y - raised(c, l)) * std::exp(-l * c);
    }
    static double invert(double y, double l, double c) {
        const double ground = c == 0 ? 0 : raised(-c, l);  // y of 0
        if (!(y < ground)) return std::expm1(lowered(y, l) + c);
        return -std::expm1(lowered(c == 0 ? -y : (ground - y) * std::exp(l * c), 2 - l));
    }
};
struct YeoJohnson {
    static bool inside(double) { return true; }
    static double apply(double x, double l, double c) {
        if (l == 1 && c == 0) return x;
        return c < 0 ? -UpperSide::apply(-x, 2 - l, -c) : UpperSide::apply(x, l, c);
    }
    static double invert(double y, double l, double c) {
        if (l == 1 && c == 0) return y;
        return c < 0 ? -UpperSide::invert(-y, 2 - l, -c) : UpperSide::invert(y, l, c);
    }
};

// What is learned of one column.
struct Learned {
    double lambda, center, mean, scale;
};
Learned learned(const Powers& p, Size c) { return {p.lambda[c], p.center[c], p.mean[c], p.scale[c]}; }

template <class Power>
bool apply_power(Learned p, double* values, Size n) {
    bool inside = true;
    for (Size i = 0; i < n; ++i) {
        inside &= Power::inside(values[i]);
        values[i] = (Power::apply(values[i], p.lambda, p.center) - p.mean) / p.scale;
    }
    return inside;
}

template <class Power>
bool invert_power(Learned p, double* values, Size n) {
    bool inside = true;
    for (Size i = 0; i < n; ++i) {
        const double x = Power::invert(values[i] * p.scale + p.mean, p.lambda, p.center);
        inside &= x == x || values[i] != values[i];
        values[i] = x;
    }
    return inside;
}

// Logarithms to a base: powers of 2 and 10 have whole ones.
double log_to(double x, LogBase base) {
    return base == LogBase::e ? std::log(x) : base == LogBase::two ? std::log2(x) : std::log10(x);
}
double power_to(double y, LogBase base) {
    return base == LogBase::e ? std::exp(y) : base == LogBase::two ? std::exp2(y) : std::pow(10.0, y);
}
double log_of(LogBase base) { return base == LogBase::e ? 1.0 : std::log(base == LogBase::two ? 2.0 : 10.0); }

// Near zero, 1 + x would drop the digits of x.
constexpr double kNear = 0.25;

bool take_logs(double shift, LogBase base, double* values, Size n) {
    bool inside = true;
    const double unit = log_of(base);
    for (Size i = 0; i < n; ++i) {
        const double v = values[i];
        inside &= !(v + shift <= 0);
        values[i] = shift == 1 && std::abs(v) < kNear ? std::log1p(v) / unit : log_to(v + shift, base);
    }
    return inside;
}

void undo_logs(double shift, LogBase base, double* values, Size n) {
    const double unit = log_of(base);
    for (Size i = 0; i < n; ++i) {
        const double y = values[i];
        values[i] = shift == 1 && std::abs(y * unit) < kNear ? std::expm1(y * unit) : power_to(y, base) - shift;
    }
}

double signed_power(double x, int degree) {
    if (degree == 2) return x * x;
    return degree == 3 ? x * x * x : std::pow(x, degree);
}

// With one step of Newton's method, after which whole roots are whole.
double signed_root(double x, int degree) {
    if (degree == 2) return std::sqrt(x);
    const double root = degree == 3 ? std::cbrt(x) : std::copysign(std::pow(std::abs(x), 1.0 / degree), x);
    const double step = (signed_power(root, degree) - x) / (degree * signed_power(root, degree - 1));
    return std::isfinite(step) ? root - step : root;
}

void check_sizes(const Powers& powers, Size cols) {
    for (const auto& numbers : {powers.lambda, powers.center, powers.mean, powers.scale})
        require(numbers.size() == cols, "powers: one number a column");
}

}  // namespace

template <class T>
int power_columns(const Dense<T>& x, const Powers& p, const Written<T>& out, int threads) {
    check_sizes(p, x.cols);
    const auto apply = p.family == PowerFamily::box_cox ? &apply_power<BoxCox> : &apply_power<YeoJohnson>;
    return map_columns(x, out, threads,
                       [&](Size c, double* values, Size n) { return apply(learned(p, c), values, n); });
}

template <class T>
int unpower_columns(const Dense<T>& x, const Powers& p, const Written<T>& out, int threads) {
    check_sizes(p, x.cols);
    const auto invert = p.family == PowerFamily::box_cox ? &invert_power<BoxCox> : &invert_power<YeoJohnson>;
    return map_columns(x, out, threads,
                       [&](Size c, double* values, Size n) { return invert(learned(p, c), values, n); });
}

template <class T>
int log_columns(const Dense<T>& x, const Logs& logs, const Written<T>& out, int threads) {
    require(logs.shift.size() == x.cols, "logs: one shift a column");
    return map_columns(x, out, threads,
                       [&](Size c, double* values, Size n) { return take_logs(logs.shift[c], logs.base, values, n); });
}

template <class T>
int unlog_columns(const Dense<T>& x, const Logs& logs, const Written<T>& out, int threads) {
    require(logs.shift.size() == x.cols, "logs: one shift a column");
    return map_columns(x, out, threads, [&](Size c, double* values, Size n) {
        undo_logs(logs.shift[c], logs.base, values, n);
        return true;
    });
}

template <class T>
int root_columns(const Dense<T>& x, int degree, const Written<T>& out, int threads) {
    require(degree >= 1, "root_columns: degree");
    const bool even = degree % 2 == 0;
    return map_columns(x, out, threads, [&](Size, double* values, Size n) {
        bool inside = true;
        for (Size i = 0; i < n; ++i) {
            const bool out_of_it = even && values[i] < 0;
            inside &= !out_of_it;
            values[i] = out_of_it ? kNaN : signed_root(values[i], degree);
        }
        return inside;
    });
}

// Of even degree, a root is not negative.
template <class T>
int unroot_columns(const Dense<T>& x, int degree, const Written<T>& out, int threads) {
    require(degree >= 1, "unroot_columns: degree");
    return map_columns(x, out, threads, [&](Size, double* values, Size n) {
        for (Size i = 0; i < n; ++i) values[i] = signed_power(values[i], degree);
        return true;
    });
}

#define PELLUCID_INSTANTIATE(T)                                                           \
    template int power_columns(const Dense<T>&, const Powers&, const Written<T>&, int);   \
    template int unpower_columns(const Dense<T>&, const Powers&, const Written<T>&, int); \
    template int log_columns(const Dense<T>&, const Logs&, const Written<T>&, int);       \
    template int unlog_columns(const Dense<T>&, const Logs&, const Written<T>&, int);     \
    template int root_columns(const Dense<T>&, int, const Written<T>&, int);              \
    template int unroot_columns(const Dense<T>&, int, const Written<T>&, int)
PELLUCID_INSTANTIATE(double);
PELLUCID_INSTANTIATE(float);
#undef PELLUCID_INSTANTIATE

}  // namespace pellucid

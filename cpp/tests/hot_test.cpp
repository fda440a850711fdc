// The innermost loops at every SIMD level of this machine, against a plain loop and against the baseline level.
//
// The levels agree to the last bit, with each other and with the plain loop. gram_tile alone fuses products and sums
// where the level can: its whole-number data is summed exactly either way, so that an element left out, counted twice
// or written beside its place cannot hide in a tolerance.
#include "core/linalg/hot.hpp"

#include <functional>
#include <limits>
#include <utility>

#include "core/base/simd.hpp"
#include "core/linalg/rows.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr Size kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67, 128, 131};
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr Size kMargin = 3;  // elements before and after an output that must stay as they are; odd, so never aligned

using Numbers = std::vector<double>;
using Kernel = std::function<void(const Hot&, Numbers&)>;

// `out` goes through the kernel at every level; `want` is what the plain loop made of it.
void at_every_level(const Numbers& out, const Numbers& want, double tolerance, const Kernel& kernel) {
    const KeepLevel keep;
    const std::string place = where;
    Numbers baseline;
    for (const std::string& level : levels()) {
        CHECK(set_level(level));
        where = place + ", " + level;
        Numbers got = out;
        kernel(hot(), got);
        if (level == "baseline") baseline = got;
        for (Size i = 0; i < got.size(); ++i) {
            CHECK_NEAR(got[i], want[i], tolerance);
            CHECK_NEAR(got[i], baseline[i], tolerance);
        }
    }
    where = place;
}

std::vector<double> numbers(Size n, std::uint64_t seed, bool whole) {
    std::vector<double> out = random_vector(n, seed, -8, 8);
    if (whole)
        for (double& v : out) v = std::trunc(v);
    return out;
}

template <class T>
std::vector<T> as(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

// Error of a sum of `terms` products of numbers below eight, in any order; nothing for whole numbers.
double sum_error(Size terms, bool whole) { return whole ? 0 : kEps * 64 * static_cast<double>(terms + 2); }

// Powers of two, as packing wants them: then its result is one rounding of z * scale - offset at every level.
std::vector<double> powers_of_two(Size n, std::uint64_t seed) {
    std::vector<double> out = random_vector(n, seed, -9, 9);
    for (double& v : out) v = std::exp2(std::trunc(v));
    return out;
}

template <class T>
using Pack = void (*Hot::*)(const T*, std::ptrdiff_t, Size, Size, const double*, const double*, double*);

template <class T>
void check_pack(Pack<T> pack, Size rows, Size panels, std::ptrdiff_t stride) {
    where = std::to_string(rows) + " rows, " + std::to_string(panels) + " panels, stride " + std::to_string(stride);
    const Size cols = panels * kPanel, steps = rows > 0 ? rows - 1 : 0;
    const auto reach = static_cast<std::ptrdiff_t>(steps) * stride;
    const std::vector<T> x = as<T>(numbers(1 + static_cast<Size>(std::abs(reach)) + cols, 3, false));
    const T* first = x.data() + 1 + (stride < 0 ? -reach : 0);
    const std::vector<double> offset = numbers(1 + cols, 1, false), scale = powers_of_two(1 + cols, 2);
    const Numbers out = numbers(rows * cols + 2 * kMargin, 4, false);
    Numbers want = out;
    for (Size r = 0; r < rows; ++r)
        for (Size c = 0; c < cols; ++c) {
            const auto value = first[static_cast<std::ptrdiff_t>(r) * stride + static_cast<std::ptrdiff_t>(c)];
            want[kMargin + (c / kPanel * rows + r) * kPanel + c % kPanel] =
                static_cast<double>(value) * scale[1 + c] - offset[1 + c];
        }
    at_every_level(out, want, 0, [&](const Hot& h, Numbers& o) {
        (h.*pack)(first, stride, rows, panels, offset.data() + 1, scale.data() + 1, o.data() + kMargin);
    });
}

template <class T>
using PackColumns = void (*Hot::*)(const T*, std::ptrdiff_t, Size, const double*, const double*, double*);

template <class T>
void check_pack_columns(PackColumns<T> pack, Size rows, std::ptrdiff_t stride) {
    where = std::to_string(rows) + " rows, stride " + std::to_string(stride);
    const auto reach = static_cast<std::ptrdiff_t>(kPanel - 1) * stride;
    const std::vector<T> x = as<T>(numbers(1 + static_cast<Size>(std::abs(reach)) + rows, 3, false));
    const T* first = x.data() + 1 + (stride < 0 ? -reach : 0);
    const std::vector<double> offset = numbers(1 + kPanel, 1, false), scale = powers_of_two(1 + kPanel, 2);
    const Numbers out = numbers(rows * kPanel + 2 * kMargin, 4, false);
    Numbers want = out;
    for (Size r = 0; r < rows; ++r)
        for (Size c = 0; c < kPanel; ++c) {
            const auto value = first[static_cast<std::ptrdiff_t>(c) * stride + static_cast<std::ptrdiff_t>(r)];
            want[kMargin + r * kPanel + c] = static_cast<double>(value) * scale[1 + c] - offset[1 + c];
        }
    at_every_level(out, want, 0, [&](const Hot& h, Numbers& o) {
        (h.*pack)(first, stride, rows, offset.data() + 1, scale.data() + 1, o.data() + kMargin);
    });
}

template <class T, class Dots>
void check_rows_dot(Dots rows_dot) {
    for (const Size cols : kSizes)
        for (const Size rows : {0, 1, 3, 4, 9}) {
            where = std::to_string(rows) + " x " + std::to_string(cols);
            const Size stride = cols + 2;
            const std::vector<T> x = as<T>(numbers(1 + rows * stride, 5, false));
            const std::vector<double> w = numbers(cols + 1, 6, false);
            const Numbers out = numbers(rows + 2 * kMargin, 7, false);
            for (const bool backwards : {false, true}) {
                const T* first = x.data() + 1 + (backwards && rows > 0 ? (rows - 1) * stride : 0);
                const auto step =
                    backwards ? -static_cast<std::ptrdiff_t>(stride) : static_cast<std::ptrdiff_t>(stride);
                Numbers want = out;
                for (Size r = 0; r < rows; ++r)
                    want[kMargin + r] +=
                        ordered_dot(first + static_cast<std::ptrdiff_t>(r) * step, 1, cols, w.data() + 1);
                at_every_level(out, want, 0, [&](const Hot& h, Numbers& o) {
                    (h.*rows_dot)(first, step, rows, cols, w.data() + 1, o.data() + kMargin);
                });
            }
        }
}

template <class T, class Dots>
void check_columns_dot(Dots columns_dot) {
    for (const Size cols : kSizes)
        for (const Size rows : {0, 1, 9, 255, 256, 260, 513}) {
            where = std::to_string(rows) + " x " + std::to_string(cols);
            const auto stride = static_cast<std::ptrdiff_t>(rows + 1);
            const std::vector<T> x = as<T>(numbers(1 + cols * (rows + 1), 5, false));
            const std::vector<double> w = numbers(cols + 1, 6, false);
            const Numbers out = numbers(rows + 2 * kMargin, 7, false);
            Numbers want = out;
            for (Size r = 0; r < rows; ++r)
                want[kMargin + r] += ordered_dot(x.data() + 1 + r, stride, cols, w.data() + 1);
            at_every_level(out, want, 0, [&](const Hot& h, Numbers& o) {
                (h.*columns_dot)(x.data() + 1, stride, rows, cols, w.data() + 1, o.data() + kMargin);
            });
        }
}

// The definition itself: every product once, close to the exact sum, and in the order that hot.hpp states.
void check_ordered_dot(Size n, std::ptrdiff_t stride) {
    where = "length " + std::to_string(n) + ", stride " + std::to_string(stride);
    const std::vector<double> x = numbers(1 + n * static_cast<Size>(stride), 16, false), w = numbers(n, 17, false);
    long double want = 0;
    for (Size c = 0; c < n; ++c) want += static_cast<long double>(x[c * static_cast<Size>(stride)]) * w[c];
    CHECK_NEAR(ordered_dot(x.data(), stride, n, w.data()), want, sum_error(n, false));
}

template <class T, class Axpy>
void check_axpy(Axpy axpy) {
    for (const Size n : kSizes) {
        where = "length " + std::to_string(n);
        const std::vector<T> x = as<T>(numbers(n + 1, 8, false));
        const Numbers out = numbers(n + 2 * kMargin, 9, false);
        const double a = 0.7;
        Numbers want = out;
        for (Size i = 0; i < n; ++i) want[kMargin + i] += a * static_cast<double>(x[1 + i]);
        at_every_level(out, want, 0,
                       [&](const Hot& h, Numbers& o) { (h.*axpy)(a, x.data() + 1, n, o.data() + kMargin); });
    }
}

template <class T, class Finite>
void check_finite(Finite finite) {
    using Limits = std::numeric_limits<T>;
    const KeepLevel keep;
    const T good[] = {0, T(-0.0), 1, -2, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()};
    const T bad[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
    for (const Size n : kSizes) {
        std::vector<T> x(n + 2, Limits::quiet_NaN());  // what lies beside the range does not count
        for (Size i = 0; i < n; ++i) x[1 + i] = good[i % 8];
        for (const std::string& level : levels()) {
            where = level + ", length " + std::to_string(n);
            CHECK(set_level(level));
            CHECK((hot().*finite)(x.data() + 1, n));
            for (Size i = 1; i <= n; ++i)
                for (const T value : bad) {
                    const T kept = std::exchange(x[i], value);
                    CHECK(!(hot().*finite)(x.data() + 1, n));
                    x[i] = kept;
                }
        }
    }
}

void check_gram_tile(Size rows, Size ld, bool whole) {
    where = std::to_string(rows) + " rows, ld " + std::to_string(ld);
    const std::vector<double> a = numbers(1 + rows * kPanel, 10, whole), b = numbers(1 + rows * kPanel, 11, whole);
    const Numbers out = numbers(2 * kMargin + kPanel * ld, 12, whole);
    Numbers want = out;
    for (Size i = 0; i < kPanel; ++i)
        for (Size j = 0; j < kPanel; ++j)
            for (Size r = 0; r < rows; ++r) want[kMargin + i * ld + j] += a[1 + r * kPanel + i] * b[1 + r * kPanel + j];
    at_every_level(out, want, sum_error(rows, whole), [&](const Hot& h, Numbers& o) {
        h.gram_tile(a.data() + 1, b.data() + 1, rows, o.data() + kMargin, ld);
    });
}

}  // namespace

TEST(hot_pack_is_exact) {
    for (const Size rows : {0, 1, 2, 3, 7, 33})
        for (const Size panels : {0, 1, 2, 5})
            for (const std::ptrdiff_t stride : {40, 43, 8, 0, -41}) {
                check_pack<double>(&Hot::pack_f64, rows, panels, stride);
                check_pack<float>(&Hot::pack_f32, rows, panels, stride);
            }
}

TEST(hot_pack_columns_is_exact) {
    for (const Size rows : {0, 1, 2, 3, 7, 33})
        for (const std::ptrdiff_t stride : {33, 40, 0, -35}) {
            check_pack_columns<double>(&Hot::pack_columns_f64, rows, stride);
            check_pack_columns<float>(&Hot::pack_columns_f32, rows, stride);
        }
}

TEST(hot_gram_tile) {
    for (const bool whole : {true, false})
        for (const Size rows : {0, 1, 2, 5, 31, 64})
            for (const Size ld : {8, 13, 24}) check_gram_tile(rows, ld, whole);
}

TEST(ordered_dot_is_a_dot_product) {
    for (const Size n : kSizes)
        for (const std::ptrdiff_t stride : {1, 3}) check_ordered_dot(n, stride);
}

TEST(ordered_dot_has_the_order_it_states) {
    // 2^60 swallows a one that is added to it: what is left tells which sums came first.
    std::vector<double> x(40, 0.0), w(40, 1.0);
    x[0] = 0x1p60, x[8] = -0x1p60, x[16] = 1;  // (2^60 - 2^60) + (1 + 0)
    CHECK(ordered_dot(x.data(), 1, 32, w.data()) == 1);
    x = std::vector<double>(40, 0.0);
    x[0] = 0x1p60, x[16] = -0x1p60, x[8] = 1;  // (2^60 + 1) + (-2^60 + 0)
    CHECK(ordered_dot(x.data(), 1, 32, w.data()) == 0);
    x = std::vector<double>(40, 0.0);
    x[0] = 0x1p60, x[4] = -0x1p60, x[1] = 1;  // lanes 0 and 4 first
    CHECK(ordered_dot(x.data(), 1, 8, w.data()) == 1);
    x = std::vector<double>(40, 0.0);
    x[0] = 0x1p60, x[1] = -0x1p60, x[4] = 1;  // lanes 0 and 4 first
    CHECK(ordered_dot(x.data(), 1, 8, w.data()) == 0);
}

TEST(hot_rows_dot) {
    check_rows_dot<double>(&Hot::rows_dot_f64);
    check_rows_dot<float>(&Hot::rows_dot_f32);
}

TEST(hot_columns_dot) {
    check_columns_dot<double>(&Hot::columns_dot_f64);
    check_columns_dot<float>(&Hot::columns_dot_f32);
}

TEST(hot_axpy) {
    check_axpy<double>(&Hot::axpy_f64);
    check_axpy<float>(&Hot::axpy_f32);
}

TEST(hot_dot) {
    for (const Size n : kSizes) {
        where = "length " + std::to_string(n);
        const std::vector<double> a = numbers(n + 1, 13, false), b = numbers(n + 1, 14, false);
        at_every_level({0.0}, {ordered_dot(a.data() + 1, 1, n, b.data() + 1)}, 0,
                       [&](const Hot& h, Numbers& o) { o[0] = h.dot(a.data() + 1, b.data() + 1, n); });
    }
}

TEST(hot_rotate) {
    for (const Size n : kSizes) {
        where = "length " + std::to_string(n);
        const double c = 0.6, s = 0.8;
        const Numbers out = numbers(2 * n + 3 * kMargin, 15, false);
        const Size second = 2 * kMargin + n;
        Numbers want = out;
        for (Size i = 0; i < n; ++i) {
            want[kMargin + i] = c * out[kMargin + i] - s * out[second + i];
            want[second + i] = s * out[kMargin + i] + c * out[second + i];
        }
        at_every_level(out, want, 0,
                       [&](const Hot& h, Numbers& o) { h.rotate(o.data() + kMargin, o.data() + second, c, s, n); });
    }
}

TEST(hot_finite) {
    check_finite<double>(&Hot::finite_f64);
    check_finite<float>(&Hot::finite_f32);
}

TEST(simd_levels_are_chosen_by_name) {
    const KeepLevel keep;
    for (const std::string& level : levels()) {
        CHECK(set_level(level));
        CHECK(level_name(current_level()) == level);
    }
    const Level before = current_level();
    CHECK(!set_level("v5"));
    CHECK(!set_level(""));
    if (best_level() < Level::v4) CHECK(!set_level("v4"));
    CHECK(current_level() == before);
}

}  // namespace pellucid::test

// The innermost loops at every SIMD level of this machine, against a plain loop and against the baseline level.
//
// Whole-number data is summed exactly in any order and with or without fused multiply-add, so there the levels must
// agree to the last bit: an element left out, counted twice or written beside its place cannot hide in a tolerance.
#include "core/linalg/hot.hpp"

#include <functional>
#include <limits>
#include <utility>

#include "core/base/simd.hpp"
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

template <class T, class RowsDot>
void check_rows_dot(RowsDot rows_dot, bool whole) {
    for (const Size cols : kSizes)
        for (const Size rows : {0, 1, 3}) {
            where = std::to_string(rows) + " x " + std::to_string(cols);
            const Size stride = cols + 2;
            const std::vector<T> x = as<T>(numbers(1 + rows * stride, 5, whole));
            const std::vector<double> w = numbers(cols + 1, 6, whole);
            const Numbers out = numbers(rows + 2 * kMargin, 7, whole);
            for (const bool backwards : {false, true}) {
                const T* first = x.data() + 1 + (backwards && rows > 0 ? (rows - 1) * stride : 0);
                const auto step =
                    backwards ? -static_cast<std::ptrdiff_t>(stride) : static_cast<std::ptrdiff_t>(stride);
                Numbers want = out;
                for (Size r = 0; r < rows; ++r)
                    for (Size c = 0; c < cols; ++c)
                        want[kMargin + r] +=
                            static_cast<double>(
                                first[static_cast<std::ptrdiff_t>(r) * step + static_cast<std::ptrdiff_t>(c)]) *
                            w[1 + c];
                at_every_level(out, want, sum_error(cols, whole), [&](const Hot& h, Numbers& o) {
                    (h.*rows_dot)(first, step, rows, cols, w.data() + 1, o.data() + kMargin);
                });
            }
        }
}

template <class T, class Axpy>
void check_axpy(Axpy axpy, bool whole) {
    for (const Size n : kSizes) {
        where = "length " + std::to_string(n);
        const std::vector<T> x = as<T>(numbers(n + 1, 8, whole));
        const Numbers out = numbers(n + 2 * kMargin, 9, whole);
        const double a = whole ? -3 : 0.7;
        Numbers want = out;
        for (Size i = 0; i < n; ++i) want[kMargin + i] += a * static_cast<double>(x[1 + i]);
        at_every_level(out, want, sum_error(1, whole),
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

TEST(hot_rows_dot) {
    for (const bool whole : {true, false}) {
        check_rows_dot<double>(&Hot::rows_dot_f64, whole);
        check_rows_dot<float>(&Hot::rows_dot_f32, whole);
    }
}

TEST(hot_axpy) {
    for (const bool whole : {true, false}) {
        check_axpy<double>(&Hot::axpy_f64, whole);
        check_axpy<float>(&Hot::axpy_f32, whole);
    }
}

TEST(hot_dot) {
    for (const bool whole : {true, false})
        for (const Size n : kSizes) {
            where = "length " + std::to_string(n);
            const std::vector<double> a = numbers(n + 1, 13, whole), b = numbers(n + 1, 14, whole);
            Numbers want(1, 0.0);
            for (Size i = 0; i < n; ++i) want[0] += a[1 + i] * b[1 + i];
            at_every_level({0.0}, want, sum_error(n, whole),
                           [&](const Hot& h, Numbers& o) { o[0] = h.dot(a.data() + 1, b.data() + 1, n); });
        }
}

TEST(hot_rotate) {
    for (const bool whole : {true, false})
        for (const Size n : kSizes) {
            where = "length " + std::to_string(n);
            const double c = whole ? 3 : 0.6, s = whole ? -2 : 0.8;
            const Numbers out = numbers(2 * n + 3 * kMargin, 15, whole);
            const Size second = 2 * kMargin + n;
            Numbers want = out;
            for (Size i = 0; i < n; ++i) {
                want[kMargin + i] = c * out[kMargin + i] - s * out[second + i];
                want[second + i] = s * out[kMargin + i] + c * out[second + i];
            }
            at_every_level(out, want, sum_error(1, whole),
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

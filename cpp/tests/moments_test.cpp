// Means and cross products against two passes over the table in plain loops and long double.
#include "core/linalg/moments.hpp"

#include <functional>
#include <limits>

#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

using Limits = std::numeric_limits<double>;

struct TwoPass {
    long double weight = 0;
    std::vector<long double> mean, size, cross;  // size: root of the diagonal of cross
};

Table side_by_side(const Table& X, const Table& Y) {
    Table z(X.rows, X.cols + Y.cols);
    for (Size r = 0; r < z.rows; ++r)
        for (Size c = 0; c < z.cols; ++c) z.at(r, c) = c < X.cols ? X.at(r, c) : Y.at(r, c - X.cols);
    return z;
}

// Everything is measured from the first row that counts, so that the plain loop too is right for small spreads far from
// zero.
TwoPass two_pass(const Table& z, const std::vector<double>& weight, bool center) {
    const Size n = z.rows, c = z.cols;
    const auto w = [&](Size r) { return static_cast<long double>(weight.empty() ? 1.0 : weight[r]); };
    Size first = 0;
    while (w(first) == 0) ++first;
    const auto origin = [&](Size j) { return static_cast<long double>(center ? z.at(first, j) : 0.0); };
    TwoPass e{0, std::vector<long double>(c), std::vector<long double>(c), std::vector<long double>(c * c)};
    for (Size r = 0; r < n; ++r) {
        e.weight += w(r);
        for (Size j = 0; center && j < c; ++j) e.mean[j] += w(r) * (z.at(r, j) - origin(j));
    }
    for (Size j = 0; j < c; ++j) e.mean[j] /= e.weight;
    std::vector<long double> rest(c);
    for (Size r = 0; r < n; ++r) {
        for (Size j = 0; j < c; ++j) rest[j] = z.at(r, j) - origin(j) - e.mean[j];
        for (Size i = 0; i < c; ++i)
            for (Size j = i; j < c; ++j) e.cross[i * c + j] += w(r) * rest[i] * rest[j];
    }
    for (Size j = 0; j < c; ++j) {
        e.size[j] = std::sqrt(e.cross[j * c + j]);
        e.mean[j] += origin(j);
    }
    return e;
}

bool power_of_two(double s) {
    int exponent = 0;
    return s > 0 && std::frexp(s, &exponent) == 0.5;
}

// Errors are measured against the columns' own sizes: the angle between two columns is what must be right.
void check_moments(const Moments& m, const TwoPass& e, Size p, long double tolerance) {
    const Size c = e.mean.size();
    CHECK(m.status == Status::ok);
    CHECK(m.cols == c && m.mean.size() == c && m.scale.size() == c && m.cross.size() == c * c);
    CHECK_NEAR(m.weight, e.weight, e.weight * 1e-14L);
    for (Size j = 0; j < c; ++j) {
        CHECK(power_of_two(m.scale[j]));
        const long double spread = e.size[j] / std::sqrt(e.weight);
        CHECK_NEAR(m.mean[j], e.mean[j], 4 * Limits::epsilon() * std::abs(e.mean[j]) + tolerance * spread);
    }
    for (Size i = 0; i < c; ++i)
        for (Size j = 0; j < c; ++j) {
            CHECK(m.cross[i * c + j] == m.cross[j * c + i]);
            if (i > j || (i >= p && i != j)) continue;  // of Y x Y only the diagonal is promised
            const long double got = m.cross[i * c + j] / static_cast<long double>(m.scale[i]) / m.scale[j];
            CHECK_NEAR(got, e.cross[i * c + j], tolerance * e.size[i] * e.size[j]);
        }
}

bool same_moments(const Moments& a, const Moments& b) {
    return a.status == b.status && same_bits({a.weight}, {b.weight}) && same_bits(a.mean, b.mean) &&
           same_bits(a.scale, b.scale) && same_bits(a.cross, b.cross);
}

void check_layouts(const std::vector<Layout>& views, const Table& X, const Table& Y, const std::vector<double>& weight,
                   long double tolerance) {
    for (const bool center : {true, false}) {
        const TwoPass expected = two_pass(side_by_side(X, Y), weight, center);
        for (const Layout& layout : views) {
            where = layout.name + ", " + std::to_string(X.rows) + " x " + std::to_string(X.cols) + " + " +
                    std::to_string(Y.cols) + (weight.empty() ? "" : ", weighted") + (center ? ", centered" : "");
            check_moments(moments(layout.view, Y.view(), weight, center, 2), expected, X.cols, tolerance);
        }
    }
}

void check_threads(const std::vector<Layout>& views, const Table& Y, const std::vector<double>& weight) {
    for (const Layout& layout : views) {
        where = layout.name;
        const Moments one = moments(layout.view, Y.view(), weight, true, 1);
        for (const int threads : {2, 3})
            CHECK(same_moments(moments(layout.view, Y.view(), weight, true, threads), one));
    }
}

// Numbers for row r of n, u uniform on [-1, 1).
using Column = std::function<double(Size r, Size n, double u)>;

// What sampling rows can be wrong about: sizes, offsets, and columns that are not what their sample looks like.
const std::vector<Column>& hard_columns() {
    static const std::vector<Column> all = {
        [](Size, Size, double u) { return u; },
        [](Size, Size, double u) { return 1e8 + u; },
        [](Size, Size, double u) { return -1e8 + 1e-3 * u; },
        [](Size, Size, double u) { return 1e-150 * u; },
        [](Size, Size, double u) { return 1e150 * u; },
        [](Size, Size, double u) { return 1e-150 * (1e8 + u); },
        [](Size, Size, double u) { return 1e150 * (1e8 + u); },
        [](Size, Size, double u) { return 1e300 * u; },
        [](Size, Size, double u) { return 1e-300 * u; },
        [](Size, Size, double) { return 3.7; },
        [](Size, Size, double) { return 0.0; },
        [](Size, Size, double) { return -1e150; },
        [](Size r, Size n, double) { return r == n / 2 + 1 ? 4.0 : 3.0; },
        [](Size r, Size n, double) { return r == n / 2 + 1 ? 1e8 + 1e-7 : 1e8; },
        [](Size r, Size n, double) { return r == n / 2 + 1 ? 1e150 : 0.0; },
        [](Size r, Size n, double) { return r == n / 2 + 1 ? 1e-150 : 0.0; },
        [](Size r, Size n, double) { return r == n - 1 ? 0.0 : 1e150; },
        [](Size r, Size, double) { return static_cast<double>(r); },
        [](Size r, Size, double) { return 1e8 - 1e-3 * static_cast<double>(r); },
        [](Size r, Size, double u) { return std::exp(0.01 * static_cast<double>(r)) + u; },
        [](Size r, Size n, double u) { return r < n / 2 ? 0.0 : 1e8 + u; },
        [](Size r, Size, double) { return r % 2 == 0 ? 1.0 : -1.0; },
        [](Size r, Size, double u) { return r % 11 == 0 ? 1e-8 * u : 1e8 * u; },
        [](Size r, Size, double u) { return r % 11 == 0 ? 1e-150 * u : 1e150 * u; },
    };
    return all;
}

Table hard_table(Size rows) {
    Table t(rows, hard_columns().size());
    const Random random{8, 0};
    for (Size r = 0; r < rows; ++r)
        for (Size c = 0; c < t.cols; ++c)
            t.at(r, c) = hard_columns()[c](r, rows, 2 * random.uniform(r * t.cols + c) - 1);
    return t;
}

bool refused(const Matrix& X, const Table& Y, const std::vector<double>& weight) {
    for (const int threads : {1, 2})
        for (const bool center : {true, false})
            if (moments(X, Y.view(), weight, center, threads).status != Status::not_finite) return false;
    return true;
}

}  // namespace

TEST(moments_in_every_layout) {
    for (Size p = 1; p <= 40; ++p) {
        const Size rows = 30 + 3 * p;
        const Table X = random_table(rows, p, p), Y = random_table(rows, p % 2 == 0 ? 20 : 1, 100 + p, 0);
        check_layouts(layouts(X), X, Y, p / 2 % 2 == 0 ? std::vector<double>{} : random_vector(rows, 2, 0, 3), 1e-14L);
    }
}

TEST(moments_of_many_columns) {
    const Table X = random_table(1900, 150, 1), Y = random_table(1900, 3, 2, 0);
    check_layouts(
        {strided<double>("C", X, 150, 1), strided<float>("float32 F", X, 1, 1900), csr<std::int32_t>("CSR", X)}, X, Y,
        random_vector(1900, 3, 0, 2), 1e-14L);
}

TEST(moments_of_many_targets) {
    const Table X = random_table(300, 5, 1), Y = random_table(300, 20, 2, 0);
    check_layouts(layouts(X), X, Y, {}, 1e-14L);
    const Table wide = random_table(300, 150, 3);
    check_layouts({strided<double>("C", wide, 150, 1)}, wide, Y, {}, 1e-14L);
}

TEST(moments_of_hard_columns) {
    const Table z = hard_table(3000);  // the sample takes every eleventh row
    Table X(z.rows, z.cols - 1), Y(z.rows, 1);
    for (const Size target : {Size{1}, Size{4}, z.cols - 1}) {
        for (Size r = 0; r < z.rows; ++r)
            for (Size c = 0, to = 0; c < z.cols; ++c) (c == target ? Y.at(r, 0) : X.at(r, to++)) = z.at(r, c);
        check_layouts(wide_layouts(X), X, Y, {}, 1e-13L);
    }
    check_layouts({strided<double>("C", X, static_cast<std::ptrdiff_t>(X.cols), 1)}, X, Y,
                  random_vector(z.rows, 5, 0, 1), 1e-13L);
}

// The sampled rows weigh nothing and lie far from the others, which the sample has not seen.
TEST(moments_when_the_sample_misses_the_mean) {
    Table X(2560, 2), Y(2560, 1);
    std::vector<double> weight(2560, 1.0);
    const std::vector<double> u = random_vector(2560, 1);
    for (Size r = 0; r < 2560; ++r) {
        const bool sampled = r % 10 == 0;
        weight[r] = sampled ? 0 : 1;
        X.at(r, 0) = sampled ? 0 : 1e8 + u[r];
        X.at(r, 1) = sampled ? 1e20 : u[r];
        Y.at(r, 0) = sampled ? 5 : -1e12 + u[r];
    }
    check_layouts({strided<double>("C", X, 2, 1)}, X, Y, weight, 1e-13L);
}

// The same beside columns that have no spread at all or whose scale the sample missed too, and with weights so small
// that no scale brings the squares back.
TEST(moments_when_the_sample_misses_the_mean_of_one_column_among_others) {
    Table X(2560, 3), Y(2560, 1);
    std::vector<double> weight(2560);
    const std::vector<double> u = random_vector(2560, 1);
    for (const bool constant : {true, false})
        for (const double unit : {1.0, 1e-260}) {
            for (Size r = 0; r < 2560; ++r) {
                const bool sampled = r % 10 == 0;
                weight[r] = sampled ? 0 : unit;
                X.at(r, 0) = sampled ? 1e8 : u[r];
                X.at(r, 1) = constant ? 3 : sampled ? 1e-140 * u[r] : 1e140 * u[r];
                X.at(r, 2) = sampled ? 0 : 1e9 + u[r];
                Y.at(r, 0) = u[r] + 1;
            }
            check_layouts({strided<double>("C", X, 3, 1)}, X, Y, weight, 1e-13L);
        }
}

TEST(moments_of_one_and_two_rows) {
    for (const Size rows : {1, 2, 3}) {
        const Table X = random_table(rows, 9, 1), Y = random_table(rows, 1, 2, 0);
        check_layouts(layouts(X), X, Y, {}, 1e-14L);
    }
}

TEST(moments_of_constant_columns_are_exactly_zero) {
    Table X(1000, 3), Y(1000, 1);
    for (Size r = 0; r < X.rows; ++r) X.at(r, 0) = 0.1, X.at(r, 1) = 1e300, X.at(r, 2) = -1e8 / 3, Y.at(r, 0) = 0.7;
    for (const Layout& layout : wide_layouts(X)) {
        where = layout.name;
        const Moments m = moments(layout.view, Y.view(), random_vector(1000, 1, 0, 1), true, 2);
        for (const double s : m.cross) CHECK(s == 0);
        CHECK((m.mean == std::vector<double>{0.1, 1e300, -1e8 / 3, 0.7}));
    }
    const std::vector<double> row = {0.1, 0.2};
    const Matrix repeated = Dense<double>{row.data(), 1000, 2, 0, 1};
    const Moments m = moments(repeated, Y.view(), {}, true, 2);
    CHECK((m.mean == std::vector<double>{0.1, 0.2, 0.7}));
    for (const double s : m.cross) CHECK(s == 0);
}

TEST(moments_scale_brings_columns_near_unit_spread) {
    const Table z = random_table(5000, 1, 1, 0);
    for (const double size : {1e-300, 1e-150, 1e-3, 1.0, 1e5, 1e150, 1e300})
        for (const double offset : {0.0, 1e3}) {
            Table X = z;
            for (double& v : X.cells) v = (v + offset) * size;
            const Moments m = moments(X.view(), z.view(), {}, true, 1);
            where = std::to_string(size);
            const double spread = std::sqrt(m.cross[0] / m.weight);
            CHECK(spread > 0.1 && spread < 2);
        }
}

// The sample sees the small numbers only; with their scale the squares of the others would be near 1e256.
TEST(moments_scale_is_put_right_before_squares_near_the_end_of_the_range) {
    Table X(3000, 1), Y = random_table(3000, 1, 2, 0);
    const std::vector<double> u = random_vector(3000, 1);
    for (Size r = 0; r < 3000; ++r) X.at(r, 0) = (r % 11 == 0 ? 1e-8 : 1e120) * u[r];
    for (const bool center : {true, false}) {
        const Moments m = moments(X.view(), Y.view(), {}, center, 2);
        CHECK(std::sqrt(m.cross[0] / m.weight) > 0.1 && std::sqrt(m.cross[0] / m.weight) < 2);
    }
}

TEST(moments_of_numbers_near_the_largest) {
    Table X = random_table(3000, 2, 1, 0);
    for (double& v : X.cells) v *= 1.7e308;
    const Table Y = random_table(3000, 1, 2, 0);
    check_layouts(wide_layouts(X), X, Y, {}, 1e-14L);
}

// Nothing but zeros in the sample, and squares of the rest vanish: small is not constant.
TEST(moments_of_tiny_numbers_that_the_sample_misses) {
    Table X(3000, 2), Y(3000, 1);
    const std::vector<double> u = random_vector(9000, 1);
    for (Size r = 0; r < 3000; ++r) {
        X.at(r, 0) = r % 11 == 0 ? 0 : 1e-170 * u[r];
        X.at(r, 1) = r == 1 ? 1e-200 : 0;
        Y.at(r, 0) = u[r];
    }
    check_layouts(wide_layouts(X), X, Y, {}, 1e-13L);
}

// Both numbers are finite and their distance is not.
TEST(moments_of_numbers_further_apart_than_the_largest) {
    Table X(3000, 1), Y = random_table(3000, 1, 2, 0);
    for (Size r = 0; r < 3000; ++r) X.at(r, 0) = r % 11 == 0 ? -1.5e308 : 1.5e308;
    check_layouts(wide_layouts(X), X, Y, {}, 1e-13L);
}

TEST(moments_have_equal_bits_on_any_number_of_threads) {
    const Table few = random_table(5000, 12, 1), many = random_table(3000, 150, 1);
    check_threads(layouts(few), random_table(5000, 1, 2), {});
    check_threads({strided<double>("C", few, 12, 1)}, random_table(5000, 20, 2), random_vector(5000, 3, 0, 1));
    check_threads({strided<double>("C", many, 150, 1), csr<std::int64_t>("CSR", many)}, random_table(3000, 1, 2),
                  random_vector(3000, 3, 0, 1));
    const Table hard = hard_table(5000), Y = random_table(5000, 1, 2);
    const Moments one = moments(hard.view(), Y.view(), {}, true, 1);
    for (const int threads : {2, 3}) CHECK(same_moments(moments(hard.view(), Y.view(), {}, true, threads), one));
}

TEST(moments_weights_are_repetitions) {
    const Table X = random_table(40, 3, 1), Y = random_table(40, 1, 2);
    std::vector<double> weight(40);
    std::vector<Size> rows;
    for (Size r = 0; r < 40; ++r) {
        weight[r] = static_cast<double>(r % 4);
        for (Size copy = 0; copy < r % 4; ++copy) rows.push_back(r);
    }
    Table Xr(rows.size(), 3), Yr(rows.size(), 1);
    for (Size r = 0; r < rows.size(); ++r) {
        for (Size c = 0; c < 3; ++c) Xr.at(r, c) = X.at(rows[r], c);
        Yr.at(r, 0) = Y.at(rows[r], 0);
    }
    for (const bool center : {true, false})
        check_moments(moments(X.view(), Y.view(), weight, center, 1), two_pass(side_by_side(Xr, Yr), {}, center), 3,
                      1e-14L);
}

TEST(moments_find_what_is_not_finite) {
    const Table X0 = random_table(600, 10, 1, 0), Y0 = random_table(600, 2, 2, 0);
    for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
        for (const Size row : {0, 1, 599}) {  // sampled: every second
            Table X = X0, Y = Y0;
            X.at(row, row % 10) = bad;
            for (const Layout& layout : layouts(X)) {
                where = layout.name + ", row " + std::to_string(row);
                CHECK(refused(layout.view, Y0, {}));
            }
            Y.at(row, 1) = bad;
            CHECK(refused(X0.view(), Y, {}));
            std::vector<double> weight(600, 1.0);
            CHECK(refused(X.view(), Y0, weight));
            weight[row] = bad;
            CHECK(refused(X0.view(), Y0, weight));
        }
}

TEST(moments_refuse_wrong_sizes) {
    const Table X = random_table(5, 2, 1), Y = random_table(4, 1, 2), none(0, 2), no_target(0, 1);
    int refusals = 0;
    const auto call = [&](const Table& x, const Table& y, const std::vector<double>& weight) {
        try {
            moments(x.view(), y.view(), weight, true, 1);
        } catch (const ContractError&) {
            ++refusals;
        }
    };
    call(X, Y, {});
    call(Y, Y, {1, 2, 3});
    call(none, no_target, {});
    CHECK(refusals == 3);
}

}  // namespace pellucid::test

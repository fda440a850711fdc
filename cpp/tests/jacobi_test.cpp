// Singular values against matrices whose values are known, and against the same method in long double.
#include "core/linalg/jacobi.hpp"

#include <algorithm>
#include <limits>

#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// Column-major m x n.
struct Columns {
    Size m, n;
    std::vector<double> a;

    Columns(Size rows, Size cols) : m(rows), n(cols), a(rows * cols, 0.0) {}
    double& at(Size i, Size j) { return a[j * m + i]; }
    double at(Size i, Size j) const { return a[j * m + i]; }
};

Columns random_columns(Size m, Size n, std::uint64_t seed) {
    Columns a(m, n);
    a.a = random_vector(m * n, seed);
    return a;
}

std::vector<long double> unit_vector(Size n, std::uint64_t seed) {
    const std::vector<double> v = random_vector(n, seed, 0.1, 1);
    long double norm = 0;
    for (const double x : v) norm += static_cast<long double>(x) * x;
    std::vector<long double> unit(v.begin(), v.end());
    for (long double& x : unit) x /= std::sqrt(norm);
    return unit;
}

// (I - 2 v v') D (I - 2 u u') with D the m x n diagonal of d: its singular values are d. Without u: (I - 2 v v') D.
Columns with_singular_values(Size m, const std::vector<double>& d, bool both_sides, std::uint64_t seed) {
    const Size n = d.size();
    const std::vector<long double> v = unit_vector(m, seed);
    const std::vector<long double> u = both_sides ? unit_vector(n, seed + 1) : std::vector<long double>(n, 0.0L);
    Columns a(m, n);
    for (Size i = 0; i < m; ++i)
        for (Size j = 0; j < n; ++j) {
            long double sum = 0;
            for (Size k = 0; k < std::min(m, n); ++k)
                sum += ((i == k ? 1 : 0) - 2 * v[i] * v[k]) * d[k] * ((k == j ? 1 : 0) - 2 * u[k] * u[j]);
            a.at(i, j) = static_cast<double>(sum);
        }
    return a;
}

template <class T>
std::vector<T> largest_first(std::vector<T> values) {
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
}

std::vector<double> singular_values(const Columns& a) {
    Columns work = a;
    const JacobiResult result = jacobi(work.a, a.m, 0, a.n, 1);
    CHECK(result.status == Status::ok);
    CHECK(result.singular.size() == a.n);
    return largest_first(result.singular);
}

// Rotates each pair of columns in turn until all are orthogonal to the last digit.
std::vector<long double> plain_singular_values(const Columns& a) {
    std::vector<long double> w(a.a.begin(), a.a.end());
    const auto dot = [&](Size i, Size j) {
        long double sum = 0;
        for (Size r = 0; r < a.m; ++r) sum += w[i * a.m + r] * w[j * a.m + r];
        return sum;
    };
    for (int sweep = 0; sweep < 30; ++sweep)
        for (Size i = 0; i < a.n; ++i)
            for (Size j = i + 1; j < a.n; ++j) {
                const long double gamma = dot(i, j);
                if (gamma == 0) continue;
                const long double angle = 0.5L * std::atan2(2 * gamma, dot(i, i) - dot(j, j));
                const long double c = std::cos(angle), s = std::sin(angle);
                for (Size r = 0; r < a.m; ++r) {
                    const long double x = w[i * a.m + r], y = w[j * a.m + r];
                    w[i * a.m + r] = c * x + s * y;
                    w[j * a.m + r] = c * y - s * x;
                }
            }
    std::vector<long double> values(a.n);
    for (Size j = 0; j < a.n; ++j) values[j] = std::sqrt(dot(j, j));
    return largest_first(values);
}

void check_values(const std::vector<double>& got, const std::vector<double>& want, double absolute) {
    for (Size j = 0; j < got.size(); ++j) CHECK_NEAR(got[j], want[j], absolute);
}

const std::vector<double> kDescending = {9, 7, 5, 4, 3, 2, 1, 0.5, 0.25, 0.125, 0.0625};

}  // namespace

TEST(jacobi_of_a_diagonal_is_exact) {
    Columns a(5, 4);
    for (Size j = 0; j < 4; ++j) a.at(3 - j, j) = std::pow(-3.0, static_cast<double>(j));
    CHECK((singular_values(a) == std::vector<double>{27, 9, 3, 1}));
}

TEST(jacobi_of_two_columns_by_hand) {
    // [1 1; 0 1]: eigenvalues of A'A are (3 +- sqrt 5) / 2, so the values are the golden ratio and its inverse.
    Columns a(2, 2);
    a.a = {1, 0, 1, 1};
    const double golden = (1 + std::sqrt(5.0)) / 2;
    check_values(singular_values(a), {golden, 1 / golden}, 4 * kEps);
}

TEST(jacobi_of_orthogonal_times_diagonal) {
    for (const Size m : {11, 12, 40, 301})
        for (const bool both_sides : {false, true}) {
            where = std::to_string(m) + (both_sides ? " rows, both sides" : " rows, left");
            check_values(singular_values(with_singular_values(m, kDescending, both_sides, m)), kDescending,
                         9 * 16 * kEps);
        }
}

TEST(jacobi_of_equal_singular_values) {
    const std::vector<double> same(9, 2.0);
    check_values(singular_values(with_singular_values(20, same, true, 1)), same, 2 * 16 * kEps);
}

TEST(jacobi_of_dependent_columns) {
    std::vector<double> some = kDescending;
    std::fill(some.begin() + 4, some.end(), 0.0);
    for (const Size m : {11, 50}) {
        where = std::to_string(m) + " rows";
        check_values(singular_values(with_singular_values(m, some, true, m)), some, 9 * 16 * kEps);
    }
    Columns twins = random_columns(7, 6, 1);
    for (Size i = 0; i < 7; ++i)
        twins.at(i, 3) = twins.at(i, 0), twins.at(i, 4) = 0, twins.at(i, 5) = -2 * twins.at(i, 1);
    const std::vector<double> got = singular_values(twins);
    CHECK(got[2] > 0.1);
    for (Size j = 3; j < 6; ++j) CHECK(got[j] <= 16 * kEps * got[0]);
    CHECK((singular_values(Columns(4, 3)) == std::vector<double>{0, 0, 0}));
}

TEST(jacobi_of_more_columns_than_rows) {
    for (const Size m : {1, 2, 5, 16}) {
        where = std::to_string(m) + " rows";
        const Columns a = random_columns(m, 3 * m + 1, m);
        Columns transposed(a.n, m);
        for (Size i = 0; i < m; ++i)
            for (Size j = 0; j < a.n; ++j) transposed.at(j, i) = a.at(i, j);
        std::vector<double> want = singular_values(transposed);
        const double size = want[0];
        want.resize(a.n, 0.0);
        check_values(singular_values(a), want, 32 * kEps * size);
    }
}

// B D with B far from singular and D from 1 to 1e-12: every value to nearly full relative accuracy.
TEST(jacobi_of_graded_columns_is_accurate_in_every_value) {
    for (const bool growing : {false, true}) {
        Columns a = random_columns(30, 13, 3);
        for (Size j = 0; j < 13; ++j)
            for (Size i = 0; i < 30; ++i) a.at(i, j) *= std::pow(10.0, growing ? j - 12.0 : -1.0 * j);
        const std::vector<double> got = singular_values(a);
        const std::vector<long double> want = plain_singular_values(a);
        CHECK(want[12] < 1e-11L * want[0]);
        for (Size j = 0; j < 13; ++j) CHECK_NEAR(got[j], want[j], 64 * kEps * want[j]);
    }
}

TEST(jacobi_of_random_matrices) {
    for (Size n = 1; n <= 12; ++n)
        for (const Size m : {n, n + 1, 3 * n}) {
            where = std::to_string(m) + " x " + std::to_string(n);
            const Columns a = random_columns(m, n, 10 * n + m);
            const std::vector<double> got = singular_values(a);
            const std::vector<long double> want = plain_singular_values(a);
            for (Size j = 0; j < n; ++j) CHECK_NEAR(got[j], want[j], 16 * kEps * want[0]);
        }
}

// An identity stacked below becomes J: orthonormal, and A J is what stands above it, with orthogonal columns.
TEST(jacobi_rotates_the_rows_below_along) {
    const Size m = 15, n = 8;
    const Columns a = random_columns(m, n, 4);
    Columns stack(m + n, n);
    for (Size j = 0; j < n; ++j) {
        for (Size i = 0; i < m; ++i) stack.at(i, j) = a.at(i, j);
        stack.at(m + j, j) = 1;
    }
    const JacobiResult result = jacobi(stack.a, m, n, n, 1);
    for (Size p = 0; p < n; ++p)
        for (Size q = 0; q < n; ++q) {
            double above = 0, below = 0;
            for (Size i = 0; i < m; ++i) above += stack.at(i, p) * stack.at(i, q);
            for (Size i = 0; i < n; ++i) below += stack.at(m + i, p) * stack.at(m + i, q);
            const double value = result.singular[p];
            CHECK_NEAR(above, p == q ? value * value : 0, 100 * kEps);
            CHECK_NEAR(below, p == q ? 1 : 0, 32 * kEps);
        }
    for (Size i = 0; i < m; ++i)
        for (Size j = 0; j < n; ++j) {
            double sum = 0;
            for (Size k = 0; k < n; ++k) sum += a.at(i, k) * stack.at(m + k, j);
            CHECK_NEAR(stack.at(i, j), sum, 32 * kEps);
        }
}

TEST(jacobi_has_equal_bits_on_any_number_of_threads) {
    for (const Size n : {97, 128}) {  // large enough for rounds to be divided among threads
        Columns one = random_columns(200, n, n);
        const Columns a = one;
        const JacobiResult first = jacobi(one.a, 190, 10, n, 1);
        CHECK(first.status == Status::ok);
        for (const int threads : {2, 3}) {
            Columns other = a;
            const JacobiResult result = jacobi(other.a, 190, 10, n, threads);
            CHECK(result.sweeps == first.sweeps);
            CHECK(same_bits(result.singular, first.singular));
            CHECK(same_bits(other.a, one.a));
        }
    }
}

TEST(jacobi_of_nothing) {
    std::vector<double> none;
    CHECK(jacobi(none, 3, 0, 0, 1).singular.empty());
    std::vector<double> below = {5, 6};
    const JacobiResult result = jacobi(below, 0, 2, 1, 1);
    CHECK(result.singular == std::vector<double>{0});
    CHECK((below == std::vector<double>{5, 6}));
}

TEST(jacobi_refuses_wrong_sizes) {
    std::vector<double> a(6);
    bool refused = false;
    try {
        jacobi(a, 2, 0, 2, 1);
    } catch (const ContractError&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace pellucid::test

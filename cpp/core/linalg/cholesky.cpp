#include "core/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/linalg/lapack.hpp"

namespace pellucid {
namespace {

constexpr Size kTile = 128;

// Column-major square matrix cut into tiles of 128.
struct Tiles {
    double* a;
    Size n;
    Size count() const { return blocks_of(n, kTile); }
    int size(Size t) const { return static_cast<int>(std::min(kTile, n - t * kTile)); }
    double* at(Size i, Size j) const { return a + j * kTile * n + i * kTile; }
};

bool factor_diagonal(const Tiles& t, Size k) {
    char lower = 'L';
    int size = t.size(k), ld = static_cast<int>(t.n), info = 0;
    lapack().dpotrf(&lower, &size, t.at(k, k), &ld, &info);
    return info == 0;
}

// A_ik <- A_ik L_kk^-T
void solve_panel(const Tiles& t, Size i, Size k) {
    char right = 'R', lower = 'L', transposed = 'T', not_unit = 'N';
    int m = t.size(i), n = t.size(k), ld = static_cast<int>(t.n);
    double one = 1;
    lapack().dtrsm(&right, &lower, &transposed, &not_unit, &m, &n, &one, t.at(k, k), &ld, t.at(i, k), &ld);
}

// A_ij <- A_ij - A_ik A_jk'
void update_tile(const Tiles& t, Size i, Size j, Size k) {
    char plain = 'N', transposed = 'T';
    int m = t.size(i), n = t.size(j), inner = t.size(k), ld = static_cast<int>(t.n);
    double minus = -1, one = 1;
    lapack().dgemm(&plain, &transposed, &m, &n, &inner, &minus, t.at(i, k), &ld, t.at(j, k), &ld, &one, t.at(i, j),
                   &ld);
}

double one_norm(std::span<const double> a, Size n) {
    double largest = 0;
    for (Size j = 0; j < n; ++j) {
        double sum = 0;
        for (Size i = 0; i < n; ++i) sum += std::abs(a[j * n + i]);
        largest = std::max(largest, sum);
    }
    return largest;
}

}  // namespace

bool cholesky_factor(std::span<double> a, Size n, int threads) {
    require(a.size() == n * n, "cholesky: A must be n x n");
    require(n <= static_cast<Size>(std::numeric_limits<int>::max()), "cholesky: n too large for LAPACK");
    const Tiles t{a.data(), n};
    for (Size k = 0; k < t.count(); ++k) {
        if (!factor_diagonal(t, k)) return false;
        const Size below = t.count() - k - 1;
        parallel_for(below, threads, [&](Size i) { solve_panel(t, k + 1 + i, k); });
        parallel_for(below * (below + 1) / 2, threads, [&](Size pair) {
            const Size j = static_cast<Size>((std::sqrt(8.0 * static_cast<double>(pair) + 1.0) - 1.0) / 2.0);
            update_tile(t, k + 1 + j, k + 1 + pair - j * (j + 1) / 2, k);
        });
    }
    return true;
}

CholeskyResult cholesky_solve(std::span<double> a, std::span<double> b, Size n, int threads) {
    CholeskyResult result;
    if (n == 0) return result;
    require(b.size() % n == 0, "cholesky: B must be n x k");
    double norm = one_norm(a, n);
    if (!cholesky_factor(a, n, threads)) {
        result.status = Status::singular;
        return result;
    }
    char lower = 'L';
    int size = static_cast<int>(n), columns = static_cast<int>(b.size() / n), info = 0;
    std::vector<double> work(3 * n);
    std::vector<int> iwork(n);
    lapack().dpocon(&lower, &size, a.data(), &size, &norm, &result.rcond, work.data(), iwork.data(), &info);
    lapack().dpotrs(&lower, &size, &columns, a.data(), &size, b.data(), &size, &info);
    return result;
}

}  // namespace pellucid

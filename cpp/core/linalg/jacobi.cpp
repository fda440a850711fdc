#include "core/linalg/jacobi.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {
namespace {

constexpr int kMostSweeps = 60;
constexpr Size kPairsPerTask = 8;

struct Columns {
    double* a;
    Size length;  // m + extra
    Size m;
    std::vector<double> square;  // squared norms of the first m rows

    double* column(Size j) const { return a + j * length; }
};

// Makes columns i and j orthogonal; false when they already are.
bool rotate_pair(Columns& c, Size i, Size j, double tolerance, double negligible) {
    if (c.square[i] < c.square[j]) std::swap(i, j);
    const double alpha = c.square[i], beta = c.square[j];
    if (alpha <= negligible || beta == 0) return false;
    const double gamma = hot().dot(c.column(i), c.column(j), c.m);
    if (std::abs(gamma) <= tolerance * std::sqrt(alpha) * std::sqrt(beta)) return false;
    const double zeta = (beta - alpha) / (2 * gamma);
    const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
    const double cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
    hot().rotate(c.column(i), c.column(j), cosine, sine, c.length);
    c.square[i] = alpha - tangent * gamma;
    c.square[j] = std::max(0.0, beta + tangent * gamma);
    return true;
}

// Round-robin tournament: in each of the even count - 1 rounds every column meets one other.
std::pair<Size, Size> meeting(Size players, Size round, Size table) {
    if (table == 0) return {players - 1, round % (players - 1)};
    const Size a = (round + table) % (players - 1), b = (round + players - 1 - table) % (players - 1);
    return {a, b};
}

bool sweep(Columns& c, Size n, double tolerance, double negligible, int threads) {
    const Size players = n + n % 2, tables = players / 2;
    std::atomic<bool> turned{false};
    const bool small = n * c.length < 16384;  // a parallel loop costs more than the round
    for (Size round = 0; round + 1 < players; ++round) {
        parallel_for(blocks_of(tables, kPairsPerTask), small ? 1 : threads, [&](Size task) {
            for (Size table = task * kPairsPerTask; table < std::min(tables, (task + 1) * kPairsPerTask); ++table) {
                const auto [i, j] = meeting(players, round, table);
                if (i >= n || j >= n) continue;
                if (rotate_pair(c, i, j, tolerance, negligible)) turned.store(true, std::memory_order_relaxed);
            }
        });
        check_interrupt();
    }
    return turned.load();
}

}  // namespace

JacobiResult jacobi(std::span<double> a, Size m, Size extra, Size n, int threads) {
    require(a.size() == (m + extra) * n, "jacobi: sizes");
    Columns c{a.data(), m + extra, m, std::vector<double>(n)};
    JacobiResult result;
    const double eps = std::numeric_limits<double>::epsilon();
    const double tolerance = eps * std::sqrt(static_cast<double>(std::max<Size>(m, 1)));
    bool turned = n > 1;
    for (; turned && result.sweeps < kMostSweeps; ++result.sweeps) {
        for (Size j = 0; j < n; ++j) c.square[j] = hot().dot(c.column(j), c.column(j), m);
        const double largest = n > 0 ? *std::max_element(c.square.begin(), c.square.end()) : 0.0;
        // Two columns that are both rounding noise of the largest need not be told apart.
        const double noise = eps * static_cast<double>(m);
        turned = sweep(c, n, tolerance, largest * noise * noise * 1e-2, threads);
    }
    if (turned) result.status = Status::not_converged;
    result.singular.resize(n);
    for (Size j = 0; j < n; ++j) result.singular[j] = std::sqrt(hot().dot(c.column(j), c.column(j), m));
    return result;
}

}  // namespace pellucid

#include "core/naive_bayes/kernel_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kMoments = 16;
constexpr std::int64_t kReach = 9;       // cells around a point that get a polynomial: 4.5 h
constexpr std::int64_t kNeighbors = 21;  // cells whose points count at a place: kernels beyond 10 h are below e^-50
constexpr double kFarSquare = 100;       // kernels e^-50 times the nearest are left out
constexpr double kMostCells = 1e12;      // whole numbers of cells are exact, with room
constexpr Size kRowsInBlock = 256;

using Moments = std::array<double, kMoments>;

struct Sources {
    std::vector<std::int64_t> cells;
    std::vector<Moments> moments;  // sum_i w_i s^k / k! of the points in each cell
};

Sources gather(std::span<const double> points, std::span<const double> weight, double h) {
    Sources found;
    for (Size i = 0; i < points.size(); ++i) {
        const double place = (points[i] - points[0]) / h * 2;
        const auto cell = static_cast<std::int64_t>(std::floor(place));
        if (found.cells.empty() || found.cells.back() != cell) {
            found.cells.push_back(cell);
            found.moments.push_back({});
        }
        Moments& m = found.moments.back();
        const double s = (place - static_cast<double>(cell) - 0.5) / 2;
        double term = weight[i];
        for (Size k = 0; k < kMoments; ++k) {
            m[k] += term;
            term *= s / static_cast<double>(k + 1);
        }
    }
    return found;
}

// exp(-t^2 / 2) sum_k He_k(t) m_k
double cell_sum(const Moments& m, double t) {
    double before = 1, now = t, sum = m[0] + t * m[1];
    for (Size k = 2; k < kMoments; ++k) {
        const double next = t * now - static_cast<double>(k - 1) * before;
        before = now;
        now = next;
        sum += now * m[k];
    }
    return std::exp(-t * t / 2) * sum;
}

// f h sqrt(2 pi) at the place `part` (0 to 1) of a cell.
double at_place(const Sources& sources, std::int64_t cell, double part) {
    double sum = 0;
    const auto begin = std::lower_bound(sources.cells.begin(), sources.cells.end(), cell - kNeighbors);
    for (auto it = begin; it != sources.cells.end() && *it <= cell + kNeighbors; ++it) {
        const double t = (static_cast<double>(cell - *it) + part - 0.5) / 2;
        sum += cell_sum(sources.moments[static_cast<Size>(it - sources.cells.begin())], t);
    }
    return sum;
}

// Chebyshev coefficients of the polynomial through the values at the nodes cos((i + 1/2) pi / n).
void fit_cell(const Sources& sources, std::int64_t cell, double* coefficients) {
    constexpr double n = static_cast<double>(kDensityTerms);
    std::array<double, kDensityTerms> value;
    for (Size i = 0; i < kDensityTerms; ++i)
        value[i] = at_place(sources, cell, (1 + std::cos((static_cast<double>(i) + 0.5) * std::numbers::pi / n)) / 2);
    for (Size k = 0; k < kDensityTerms; ++k) {
        double sum = 0;
        for (Size i = 0; i < kDensityTerms; ++i)
            sum += value[i] * std::cos(static_cast<double>(k) * (static_cast<double>(i) + 0.5) * std::numbers::pi / n);
        coefficients[k] = sum * (k == 0 ? 1 : 2) / n;
    }
}

// Clenshaw's recurrence.
double chebyshev(const double* c, double t) {
    double b1 = 0, b2 = 0;
    for (Size k = kDensityTerms - 1; k > 0; --k) {
        const double b = c[k] + 2 * t * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + t * b1 - b2;
}

// Kernels added from the nearest point outwards, which is taken out of the sum: ln of f h sqrt(2 pi).
double by_points(const Density& d, double x) {
    const auto above = std::lower_bound(d.points.begin(), d.points.end(), x);
    auto right = static_cast<std::ptrdiff_t>(above - d.points.begin());
    std::ptrdiff_t left = right - 1;
    const auto n = static_cast<std::ptrdiff_t>(d.points.size());
    const auto apart = [&](std::ptrdiff_t i) { return (x - d.points[static_cast<Size>(i)]) / d.h; };
    double nearest = 0;
    if (left < 0)
        nearest = std::abs(apart(right));
    else
        nearest = right < n ? std::min(std::abs(apart(left)), std::abs(apart(right))) : std::abs(apart(left));
    if (std::isinf(nearest)) return -nearest;
    double sum = 0;
    // z^2 - nearest^2 as a product: far out both squares are too large for the difference to have digits
    const auto add = [&](std::ptrdiff_t i) {
        const double z = std::abs(apart(i)), more = (z - nearest) * (z + nearest);
        if (more > kFarSquare) return false;
        sum += d.weight[static_cast<Size>(i)] * std::exp(-more / 2);
        return true;
    };
    while (right < n && add(right)) ++right;
    while (left >= 0 && add(left)) --left;
    return std::log(sum) - nearest * nearest / 2;
}

}  // namespace

DensityTable density_table(std::span<const double> points, std::span<const double> weight, double h) {
    require(!points.empty() && weight.size() == points.size() && h > 0, "density_table: sizes");
    DensityTable found;
    const double cells = (points.back() - points.front()) / h * 2;
    if (!(cells < kMostCells) || points.size() < 2 * static_cast<Size>(kReach) * kDensityTerms) return found;
    const Sources sources = gather(points, weight, h);
    for (const std::int64_t cell : sources.cells) {
        const std::int64_t next = found.cells.empty() ? cell - kReach : found.cells.back() + 1;
        for (std::int64_t k = std::max(cell - kReach, next); k <= cell + kReach; ++k) found.cells.push_back(k);
        if (found.cells.size() * kDensityTerms > points.size()) {
            found.cells.clear();
            return found;
        }
    }
    found.coefficients.resize(found.cells.size() * kDensityTerms);
    for (Size i = 0; i < found.cells.size(); ++i)
        fit_cell(sources, found.cells[i], found.coefficients.data() + i * kDensityTerms);
    return found;
}

double log_density(const Density& d, double x) {
    const double scale = std::log(d.h) + 0.5 * std::log(2 * std::numbers::pi);
    if (!d.cells.empty()) {
        const double place = (x - d.points[0]) / d.h * 2, cell = std::floor(place);
        if (std::abs(cell) < kMostCells) {
            const auto wanted = static_cast<std::int64_t>(cell);
            const auto it = std::lower_bound(d.cells.begin(), d.cells.end(), wanted);
            if (it != d.cells.end() && *it == wanted) {
                const double* c = d.coefficients.data() + static_cast<Size>(it - d.cells.begin()) * kDensityTerms;
                return std::log(chebyshev(c, 2 * (place - cell) - 1)) - scale;
            }
        }
    }
    return by_points(d, x) - scale;
}

void add_log_densities(const double* x, Size rows, std::ptrdiff_t stride, std::span<const Density> densities,
                       std::span<double> out, int threads) {
    const Size width = densities.size();
    require(out.size() == rows * width, "add_log_densities: sizes");
    parallel_for(blocks_of(rows, kRowsInBlock), threads, [&](Size b) {
        const Size end = std::min(rows, (b + 1) * kRowsInBlock);
        for (Size r = b * kRowsInBlock; r < end; ++r) {
            const double value = x[static_cast<std::ptrdiff_t>(r) * stride];
            if (std::isnan(value)) continue;
            for (Size c = 0; c < width; ++c) out[r * width + c] += log_density(densities[c], value);
        }
    });
}

}  // namespace pellucid

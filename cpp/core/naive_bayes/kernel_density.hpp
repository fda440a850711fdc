// Densities of one column as sums of Gaussian kernels, evaluated in a time that does not grow with the points.
//
//   f(x) = sum_i w_i exp(-((x - x_i) / h)^2 / 2) / (sqrt(2 pi) h),   sum_i w_i = 1
//
// Few points: the kernels near x are added; the nearest one is taken out of the sum, so that ln f is exact to rounding
// however far x lies. Many points: the line is cut into cells of h / 2. With s = (x_i - c) / h for the points of a cell
// around c, and t = (x - c) / h,
//
//   exp(-(t - s)^2 / 2) = exp(-t^2 / 2) sum_k He_k(t) s^k / k!        (generating function of the Hermite polynomials)
//
// gives f at any place from 16 moments a cell (Greengard and Strain 1991, The fast Gauss transform), and f in each cell
// becomes the Chebyshev polynomial through 12 such places. Up to 4.5 h from the nearest point the relative error of f
// is below 1e-12 (|He_k(t)| exp(-t^2 / 4) <= 1.09 sqrt(k!)); further out the kernels are added one by one again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

constexpr Size kDensityTerms = 12;

// Polynomials of f h sqrt(2 pi) in the cells near points. The cell of number k, counted from the first point, is
// [x_0 + k h / 2, x_0 + (k + 1) h / 2). Empty where the table would be larger than the points.
struct DensityTable {
    std::vector<std::int64_t> cells;   // ascending
    std::vector<double> coefficients;  // cells x kDensityTerms
};

// points: ascending, distinct, finite; weight: positive, their sum 1.
DensityTable density_table(std::span<const double> points, std::span<const double> weight, double h);

struct Density {
    std::span<const double> points, weight;
    double h = 1;
    std::span<const std::int64_t> cells;
    std::span<const double> coefficients;
};

// ln f(x); x must be finite.
double log_density(const Density& density, double x);

// out[r * densities + c] += ln f_c(x_r), nothing where x_r is NaN. x: `stride` apart.
void add_log_densities(const double* x, Size rows, std::ptrdiff_t stride, std::span<const Density> densities,
                       std::span<double> out, int threads);

}  // namespace pellucid

// Euclidean and cosine neighbors by a product of matrices that only filters: the answer is that of the exact distance.
//
// With x and z two rows less a common shift (a sampled mean, so that lengths are small; none for the cosine)
//
//   |x - z|^2 = |x|^2 + |z|^2 - 2 x.z.
//
// Rows are stretched to u = a x of length at most N and rounded to 16-bit integers q = u + e. With |e| <= E,
//
//   u_x.u_z <= q_x.q_z + 2 N E + E^2,      E = sqrt(d) / 2 + 1,
//
// the one half of each coordinate from rounding and the 1 far above all that the shift, the stretching and the norms
// lose in double precision (d 2^-53 N). N = 46340 - E keeps every sum of d products within 32 bits, where it is exact.
// So if the k-th best reduced distance of x is t, and T^2 = t (1 + (d + 16) 2^-52) takes in the rounding of the exact
// distance, whose terms are all positive (relative error at most d/4 + 5 roundings), z is too far away whenever
//
//   q_x.q_z < a_x a_z (|x|^2 + |z|^2 - T^2) / 2 - 2 N E - E^2.
//
// The right side is computed in single precision; its parts are lowered by 2^-20 of their size and the slack is raised
// by 256, more than it can lose. Of pairs with cosine 1 - x.z: x.z >= 1 - t, and the sum alone is compared.
//
// Where near rows lie within 1e-4 of their length of each other (tight clusters far apart), 16 bits tell nothing, and
// the same filter runs in double precision: u = a x with a power of two, |u| <= 1, slack (d + 16) 2^-52.
//
// Rows whose variance lies in few directions (pictures) are first compared in those. For orthonormal axes V and
// r = |x - V V'x| the map y(x) = (V'x, r) brings no two rows further apart (Cauchy, Schwarz), so distances of y bound
// those of x from below; survivors meet the same test on more axes, one at a time, before the exact distance. A sample
// of rows and queries says whether that pays, and how many axes. Nothing depends on the axes but the time.
#pragma once

#include <vector>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"
#include "core/distance/product_hot.hpp"

namespace pellucid {

struct FilterPlan {
    std::vector<double> shift;  // of each column
    double unit = 1;            // a power of two that brings lengths near 1
    bool wide = false;          // double precision
    Size axes = 0;              // that are tried first; 0: all columns as they are
    Size more_axes = 0;         // that survivors are tried on, the first ones among them
    std::vector<double> turn;   // more_axes, padded to a multiple of three by zeros, x columns; orthonormal to 1e-9
};

// Reads a sample of both. k is 0 where the bound is given instead: a reduced distance.
FilterPlan plan_filter(const Matrix& rows, const Matrix& queries, Size k, double bound, const Metric& metric,
                       bool others, int threads);

// Offers the collection every pair of a row and a query of [first, first + count) that can be within its bound.
template <class Collection>
void filter_search(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                   const FilterPlan& plan, Collection& collection, int threads);

}  // namespace pellucid

// Distances between two rows of numbers, one at a time and eight at a time. Compiled once per SIMD level.
//
// A metric gives a *reduced* distance, which orders pairs as the distance does and needs no root: the square for the
// Euclidean one, the sum of powers for Minkowski's. With x and z two rows of d numbers:
//
//   euclidean      sum_j (x_j - z_j)^2                                         root: distance
//   manhattan      sum_j |x_j - z_j|
//   chebyshev      max_j |x_j - z_j|
//   minkowski      sum_j |x_j - z_j|^p                                         p-th root: distance
//   hamming        share of the j with x_j != z_j
//   cosine         1 - sum_j x_j z_j, of rows that were brought to length 1
//   jaccard        of the j where x_j or z_j is not 0, the share with x_j != z_j; 0 if there are none
//   tanimoto       1 - xz / (xx + zz - xz); 0 for two rows of zeros
//   canberra       sum_j |x_j - z_j| / (|x_j| + |z_j|), where 0/0 counts 0
//   braycurtis     sum_j |x_j - z_j| / sum_j |x_j + z_j|
//   haversine      sin((x_1 - z_1) / 2)^2 + cos x_1 cos z_1 sin((x_2 - z_2) / 2)^2 of latitude and longitude in
//   radians;
//                  twice the arcsine of its root: distance on the unit sphere
//   nan_euclidean  d / c sum_j (x_j - z_j)^2 over the c columns that both have; NaN if c = 0     root: distance
//
// Sums run in four lanes, term j in lane j mod 4, added up as (0 + 1) + (2 + 3), in double precision, here and nowhere
// else. So every index that reports a pair reports the same bits, however it found the pair.
#pragma once

#include <cstddef>

namespace pellucid {

enum class MetricKind : int {
    euclidean,
    manhattan,
    chebyshev,
    minkowski,
    hamming,
    cosine,
    jaccard,
    tanimoto,
    canberra,
    braycurtis,
    nan_euclidean,
    haversine,
};
inline constexpr std::size_t kMetrics = 12;
inline constexpr std::size_t kAbreast = 8;  // rows of a panel: panel[j * kAbreast + r] is column j of row r

template <class T>
struct MetricFunctions {
    // Reduced distance of x and z.
    double (*pair)(const double* x, const T* z, std::size_t d, double p);
    // Reduced distances of x and the eight rows of a panel.
    void (*panel)(const double* x, const T* panel, std::size_t d, double p, double* out);
};

struct MetricHot {
    MetricFunctions<double> f64[kMetrics];
    MetricFunctions<float> f32[kMetrics];
};

const MetricHot& metric_hot();  // of the current level

}  // namespace pellucid

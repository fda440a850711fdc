// k-means: k centers, each the mean of the rows nearest to it.
//
//   distortion = sum_i w_i |x_i - c_{a(i)}|^2,    a(i) = the nearest center of row i, the first of equals
//
// A pass gives every row to its nearest center and moves every center to the mean of its rows (Lloyd 1957); neither
// step raises the distortion. Most rows keep their center in most passes, and the triangle inequality says which
// without looking: with u >= |x - c_a| and l <= |x - c| of every other center, both moved along with the centers, u < l
// settles it (Elkan 2003; Hamerly 2010). One l a row, or one for every panel of sixteen centers (Ding and others 2015),
// which pays where centers are many. A bound that decides is wider than all rounding, so the answer is that of
// comparing every row with every center, bit for bit.
//
// Rows are read as (x - shift) unit: around their middle, with a power of two that keeps squares in range. The sums of
// a center change by the rows that come and go; they are added by center in fixed chunks, so the number of threads
// changes no bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/trace.hpp"
#include "core/base/views.hpp"

namespace pellucid {

// How rows are read; shift is empty for a sparse table.
struct RowFrame {
    std::span<const double> shift;
    double unit = 1;
};

struct KMeansSettings {
    Size max_iter = 300;
    double tol = 0;       // the passes end when the centers' squared moves add up to no more, in the frame's unit
    bool panels = false;  // a bound for every panel of centers instead of one
    int threads = 1;
};

struct KMeansResult {
    std::vector<double> centers;  // k x p, in the frame
    std::vector<std::int32_t> labels;
    double distortion = 0;  // in the frame
    Size passes = 0;
    bool settled = false;  // no row changed its center in the last pass
};

// start: k x p centers in the frame; weight: empty, or one number a row. Instantiated for NoTrace and Watch.
template <class Trace>
KMeansResult k_means(const Matrix& X, const RowFrame& frame, std::span<const double> weight,
                     std::span<const double> start, Size k, const KMeansSettings& settings, Trace& trace);

// The nearest center of every row.
void nearest_centers(const Matrix& X, const RowFrame& frame, std::span<const double> centers, Size k,
                     std::span<std::int32_t> labels, int threads);

// The distortion of given labels.
double distortion(const Matrix& X, const RowFrame& frame, std::span<const double> weight,
                  std::span<const double> centers, std::span<const std::int32_t> labels, int threads);

// Rows to begin with, far apart (Arthur, Vassilvitskii 2007): each is drawn with a probability that grows with the
// squared distance to the nearest one so far; of `trials` drawn the one that lowers the distortion most is taken.
std::vector<std::int64_t> far_apart_rows(const Matrix& X, const RowFrame& frame, std::span<const double> weight, Size k,
                                         Size trials, std::uint64_t seed, int threads);

}  // namespace pellucid

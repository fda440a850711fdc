// How dense it is around a row, and how that compares with its neighbors (Breunig, Kriegel, Ng, Sander 2000).
//
// With N(a) the neighbors of row a and kd(b) the distance of a fitted row b to its k-th neighbor,
//
//   reach(a, b) = max(kd(b), d(a, b))
//   lrd(a)      = 1 / mean over b in N(a) of reach(a, b)
//   LOF(a)      = mean over b in N(a) of lrd(b) / lrd(a)
//
// Neighbors of row a stand from starts[a] to starts[a + 1]. Every row is one sum in the order of its neighbors, so
// the number of threads changes no bit.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"

namespace pellucid {

struct NeighborLists {
    std::span<const std::int64_t> starts;
    std::span<const double> distances;
    std::span<const std::int64_t> rows;

    Size count() const { return starts.size() - 1; }
};

// out: the densities; a mean below `least`, where rows coincide, counts as that.
void local_densities(const NeighborLists& lists, std::span<const double> k_distance, double least,
                     std::span<double> out, int threads);

// out: the factors; own: density of each row of the lists, fitted: of the rows they point to.
void outlier_factors(const NeighborLists& lists, std::span<const double> own, std::span<const double> fitted,
                     std::span<double> out, int threads);

}  // namespace pellucid

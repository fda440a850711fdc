// What is done to every number of a table of distances. Compiled once per SIMD level.
#pragma once

#include <cstddef>

namespace pellucid {

struct PairwiseHot {
    // Turns 8 x 8 products x.z, in rows `ld` apart, into squared distances |x|^2 + |z|^2 - 2 x.z. True if one of them
    // is below 1/64 of |x|^2 + |z|^2.
    bool (*squares)(const double* left, const double* right, double* table, std::size_t ld);
    void (*roots)(double* values, std::size_t n);
};

const PairwiseHot& pairwise_hot();  // of the current level

}  // namespace pellucid

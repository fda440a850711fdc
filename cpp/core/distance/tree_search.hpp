// What is asked of a tree of points, as its search kernels see it. Plain data alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pellucid {

// Takes rows and their reduced distances from a search.
using Take = void (*)(void* to, const double* reduced, const std::int32_t* rows, std::size_t count);

// The k nearest rows of some queries. An approximate search may stop early, never before it has k rows.
struct NearestJob {
    const double* queries;    // count x dims
    const std::int32_t* own;  // row that is left out for each query, or null
    std::size_t count, k;
    double share;             // branches beyond share * (distance of the k-th) are left out; 1: exact
    std::size_t most_leaves;  // leaves looked at, at most
    double* reduced;          // count x k, nearest first
    std::int32_t* rows;       // count x k
};

inline constexpr std::size_t kSortedRoom = 32;  // k up to which shifting a few entries beats a heap

}  // namespace pellucid

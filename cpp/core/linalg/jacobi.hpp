// Singular values by one-sided Jacobi rotations (Hestenes 1958; Demmel, Veselic 1992).
//
// Columns of A are rotated in pairs until all are orthogonal: A J = V S with V orthonormal, S the singular values and J
// the left singular vectors of A'. Rows stacked below A are rotated along, which gives their coordinates in J without
// forming it. Small singular values come out with high relative accuracy. Pairs of one round are disjoint and their
// order is fixed, so the answer does not depend on the number of threads.
#pragma once

#include <span>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid {

// a: (m + extra) x n, column-major; orthogonality is judged by the first m rows. Returns the n column norms of those
// rows; a is overwritten by [V S; extra J].
struct JacobiResult {
    Status status = Status::ok;
    int sweeps = 0;
    std::vector<double> singular;  // in the order of a's columns, not sorted
};
JacobiResult jacobi(std::span<double> a, Size m, Size extra, Size n, int threads);

}  // namespace pellucid

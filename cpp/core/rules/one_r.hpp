// Numbers cut for a rule of one column (Holte 1993).
//
// The distinct values of a column are read in ascending order, all rows of a value at once, so that the order of the
// rows does not matter. A bucket takes values until one class has at least `least` of its weight, and then those values
// after it whose rows all have that class. What is left at the end is a bucket too. Neighboring buckets with the same
// most frequent class (the first of equals) become one. Buckets are parted half-way between their values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::rules {

struct Buckets {
    std::vector<double> cuts;    // between buckets: bucket b has cuts[b - 1] < x <= cuts[b]
    std::vector<double> counts;  // buckets x classes; none without a known value
};

struct LabeledRows {
    std::span<const std::int32_t> codes;  // class of each row, 0 .. classes - 1
    std::span<const double> weight;       // empty: 1 each; rows of weight zero are left out
    Size classes = 1;
};

// Buckets of the given columns; missing values (NaN) are in none.
std::vector<Buckets> one_r_buckets(const Matrix& x, std::span<const std::int32_t> columns, const LabeledRows& rows,
                                   double least, int threads);

}  // namespace pellucid::rules

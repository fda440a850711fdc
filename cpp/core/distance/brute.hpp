// Nearest rows by looking at every row.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// The k nearest rows of each query, nearest first: queries x k distances and numbers of rows. 1 <= k <= rows.
void brute_nearest(const Matrix& rows, const Matrix& queries, Size k, const Metric& metric, std::span<double> distances,
                   std::span<std::int64_t> numbers, int threads);

// All rows within a radius of each query, nearest first.
Neighbourhoods brute_within(const Matrix& rows, const Matrix& queries, double radius, const Metric& metric,
                            int threads);

}  // namespace pellucid

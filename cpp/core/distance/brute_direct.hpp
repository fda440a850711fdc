// Exact distances of all pairs: of few queries row by row as the table lies, of many by panels of eight rows.
#pragma once

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// Both offer the collection every pair of a row and a query of [first, first + count) that is within its bound.
template <class Collection>
void row_by_row(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                Collection& collection, int threads);
template <class Collection>
void by_panels(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
               Collection& collection, int threads);

}  // namespace pellucid

// Exact distances to sparse rows from their stored entries alone.
//
// Columns in which both rows are zero add nothing to any sum of metric_hot.hpp, so a pair is the union of its entries,
// each put into the lane of its column: the same sums in the same order, the same bits. Euclidean and cosine pairs are
// filtered first: the products of a row with eight queries, which lie side by side in a dense panel, and
//
//   |x - z|^2 >= |x|^2 + |z|^2 - 2 (fl(x.z) + g |x| |z|),      g = (m + 16) 2^-52 for m entries of z.
#pragma once

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

// Are the rows sparse enough, and the metric one that zeros do not touch?
bool sparse_pays(const Matrix& rows, const Metric& metric);

// Offers the collection every pair of a row and a query of [first, first + count) that is within its bound. Holds 128
// bytes a column and thread, and the entries of a few rows.
template <class Collection>
void sparse_search(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                   Collection& collection, int threads);

}  // namespace pellucid

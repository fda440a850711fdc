// Missing values of a table replaced by one number a column, and the middle value of every column.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid {

// out[r, k] = x[r, from[k]], or value[k] where that is missing (NaN). from: which columns stay, one for each column of
// the result. Returns false if some x that is read is infinite. out may be x itself when every column stays.
template <class T>
bool fill_missing(const Dense<T>& x, std::span<const std::int64_t> from, std::span<const double> value,
                  const Written<T>& out, int threads);

// Median of every column over its values that are not missing: the middle one, or the mean of the middle two; NaN for a
// column without values. By selection, in time linear in the rows.
std::vector<double> column_medians(const Matrix& X, int threads);

}  // namespace pellucid

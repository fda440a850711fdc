// Maps of whole rows: division by a row's norm, similarity to landmarks.
#pragma once

#include "core/base/views.hpp"
#include "core/preprocessing/polynomial.hpp"

namespace pellucid {

// The size of a row: the sum of absolute values, the root of the sum of squares, or the largest absolute value.
enum class Norm : int { l1 = 0, l2 = 1, max = 2 };

// out[r, :] = x[r, :] / norm of x[r, :];  a row of zeros stays as it is.
// Returns false if some x is not finite. out may be x itself. A row's sum is taken in the order of its columns, eight
// lanes at a time where they lie side by side; squares that would leave the range of numbers are taken of x / max|x|.
template <class T>
bool normalize_rows(const Dense<T>& x, Norm norm, const Written<T>& out, int threads);

// out[r, k] = exp(-gamma |x_r - l_k|^2).  landmarks: one a column, so that neighbors in memory belong to neighboring
// k.
template <class T>
void similarities(const Dense<T>& x, const Dense<double>& landmarks, double gamma, const Written<T>& out, int threads);

}  // namespace pellucid

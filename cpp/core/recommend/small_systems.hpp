// Many small symmetric equations one after the other, each from the rows of a least-squares problem.
//
//   (sum over rows of z z' + penalty I) x = sum over rows of z t
//
// A row is packed as (z, t) in panels of kPanel columns (see linalg/hot.hpp): one product of panels gives both sides.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

class SmallSystem {
  public:
    SmallSystem(Size unknowns, Size chunk);

    // Room for `chunk` packed rows of unknowns + 1 columns; columns beyond stay zero.
    double* panels() { return panels_.data(); }
    // Room for a second packing of the same rows.
    double* more_panels() { return more_.data(); }
    Size columns() const { return width_; }

    void clear();
    // The left side starts from here instead of from nothing: a full symmetric matrix with this row length.
    void start_from(const double* a, Size row_length);
    // Adds the products of `rows` rows: of columns of a with columns of b.
    void add(const double* a, const double* b, Size rows);
    // False where the matrix is not positive definite to working precision.
    bool solve(double penalty);
    std::span<const double> answer() const { return answer_; }

  private:
    Size unknowns_, width_;  // unknowns + 1, up to a whole panel
    std::vector<double> panels_, more_, sums_, matrix_, answer_;
};

}  // namespace pellucid

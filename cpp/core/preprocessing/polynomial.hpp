// Polynomial terms of the columns of a table: every product of columns up to a degree.
//
// A term of degree d is  x_f * u,  where f is its first column and u a term of degree d - 1 whose columns are not
// before f (behind f, where no column may occur twice). In lexicographic order the terms that begin with f are
// therefore one run, and so are their u:  run(d, f) = x_f * (the last so many terms of degree d - 1).  One
// multiplication a cell.
#pragma once

#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// Terms of one degree that begin with one column: terms [to, to + length) are that column times [from, from + length).
struct Run {
    Size from = 0;
    Size to = 0;
    Size length = 0;
};

// Which terms there are and from which others they are made. Terms are numbered from the first of degree 1.
struct PolynomialPlan {
    Size cols = 0;
    Size high = 0;          // the highest degree that has terms; 0: there is only the column of ones
    Size low = 0;           // terms of lower degree are not asked for
    Size ones = 0;          // 1 if a column of ones comes first
    Size distinct = 0;      // 1 if no column may occur twice in a term
    Size lower = 0;         // terms of degree below `high`, but at least those of degree 1
    Size skipped = 0;       // terms of degree below `low`
    Size width = 0;         // columns of the result
    std::vector<Run> runs;  // of degrees 2, 3, ... high, each with one run a column

    PolynomialPlan(Size columns, Size lowest, Size highest, bool distinct_columns, bool with_ones);
    std::span<const Run> of_degree(Size d) const { return {runs.data() + (d - 2) * cols, cols}; }
};

// A result that is written: C order if col_stride is 1, F order if row_stride is 1.
template <class T>
struct Written {
    T* data = nullptr;
    Size rows = 0;
    Size cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;
};

// out[r, :] = [1] and the terms of row r.
template <class T>
void polynomial(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out, int threads);

// The same for sparse rows, into sparse rows whose lengths are known: starts has rows + 1 entries. A term is stored if
// all of its columns are. Products are rounded to T one by one, as in the dense case.
template <class T, class Index, class OutIndex>
void polynomial(const Csr<Index>& x, const PolynomialPlan& plan, std::span<const std::int64_t> starts,
                std::span<OutIndex> indices, std::span<T> values, int threads);

}  // namespace pellucid

// Categories under classes: how often each occurs, and the scores of rows gathered from tables.
//
// A cell is a code 0, 1, ..., K-1 of its column, a missing value, or unseen (anything else). With N[j][k][c] the weight
// of the rows of class c that have code k in column j, and a table of logarithms L[j][slot][c] whose last two slots are
// for unseen and missing cells,
//
//   score[r][c] += sum_j L[j][slot(x[r][j])][c]
//
// Cells may be floats (missing: NaN), whole numbers (none missing) or codes that were made here (missing: the
// smallest). Rows are cut into blocks that depend on the shape alone, and what blocks count is added in their order:
// the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// What a column holds: are all its cells codes or missing, and the largest code; -1 without any.
struct CodeExtent {
    bool codes = true;
    bool missing = false;
    bool infinite = false;
    double largest = -1;
};

// T: double, float, std::int64_t or std::uint8_t.
template <class T>
std::vector<CodeExtent> code_extents(const Dense<T>& x, int threads);

// Sizes of columns and the classes of rows.
struct CategoryPlan {
    std::span<const std::int64_t> sizes;    // K of each column
    std::span<const std::int32_t> classes;  // of each row, 0 .. n_classes-1
    std::span<const double> weight;         // empty, or one a row
    Size n_classes = 1;
};

// N, column after column, each K x n_classes. T: as above, or std::int32_t for codes.
template <class T>
std::vector<double> count_codes(const Dense<T>& x, const CategoryPlan& plan, int threads);

// Adds the scores of every row to out, rows x n_classes; tables: column after column, each (K + 2) x n_classes.
template <class T>
void add_code_scores(const Dense<T>& x, std::span<const std::int64_t> sizes, std::span<const double> tables,
                     Size n_classes, std::span<double> out, int threads);

}  // namespace pellucid

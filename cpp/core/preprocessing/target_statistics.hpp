// What the target is like in each category of a column, and columns made of it.
//
// With rows r, codes k_r (-1: no category), targets y_r and parts f_r of the rows (the folds of a cross-fit):
//
//   n(f, k) = number of rows,  m(f, k) = their mean target,  s(f, k) = sum of (y_r - m(f, k))^2
//
// and the ordered statistic (Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin 2018, CatBoost, equation 5), which for row
// r looks only at the rows that stand before it in an order of all rows:
//
//   v_r = (sum of y_i over the earlier rows i with k_i = k_r  +  a p) / (number of these rows  +  a)
//
// with a prior p that counts like a rows. Rows are cut into blocks by the table's shape alone, and what blocks find is
// added in their order: the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// One column of codes 0 .. categories-1 (or -1), the parts of its rows (empty: one part), and the target.
struct TargetColumn {
    std::span<const std::int32_t> codes;
    Size categories = 0;
    std::span<const std::int32_t> parts;
    Size n_parts = 1;
    std::span<const double> target;
};

// Entry  part * categories + category.
struct CategoryMoments {
    std::vector<double> count, mean, square;
};

// `square` stays empty unless asked for: it takes a second look at the rows, about the means of the first.
CategoryMoments category_moments(const TargetColumn& column, bool with_squares, int threads);

// Column o of the result takes from table column o / targets: the row's entry of its part's table is
//   tables[first[o] + part * widths[o] + code + 1],  where entry 0 is for the code -1.
struct EncodingPlan {
    std::span<const std::int32_t> codes;  // rows x columns, column after column
    std::span<const std::int32_t> parts;  // empty: one part
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> widths;
    std::span<const double> tables;
    Size targets = 1;
    Size rows = 0;
};

// out: rows x first.size(), row after row.
void write_encodings(const EncodingPlan& plan, std::span<double> out, int threads);

// Prior and how many rows it counts for.
struct Prior {
    double value = 0;
    double weight = 1;
};

// What a column's categories have met so far; one for each column at work.
struct CategoryTally {
    std::vector<double> sum, count;
    void reset(Size categories) {
        sum.assign(categories, 0.0);
        count.assign(categories, 0.0);
    }
};

// Adds v_r to out[r * stride], for the rows in the given order (empty: as they stand). A row of code -1 gets the prior.
void add_ordered_statistic(const TargetColumn& column, std::span<const std::int64_t> order, Prior prior,
                           CategoryTally& tally, double* out, Size stride);

// The mean of v over several orders, for all columns and targets of a table; column  j * targets + t  of the result is
// that of codes' column j and target t.
struct OrderedPlan {
    std::span<const std::int32_t> codes;       // rows x columns, column after column
    std::span<const std::int64_t> categories;  // of each column
    std::span<const double> target;            // rows x targets, target after target
    std::span<const double> priors;            // of each target
    std::span<const std::int64_t> orders;      // rows x orders, order after order; empty: one, the rows as they stand
    double prior_weight = 1;
    Size rows = 0;
};

void ordered_statistics(const OrderedPlan& plan, std::span<double> out, int threads);

}  // namespace pellucid

// The table that RIPPER reads: every column by the ranks of its distinct values, equal rows of a class added up.
//
// A test of a number against one of its values is a comparison of ranks, a category is a rank as well. Adding up equal
// rows makes a row of weight 2 the same as the row written twice, and rows in another order the same table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::rules {

struct CodedTable {
    Size rows = 0;
    Size cols = 0;
    Size classes = 0;
    std::vector<std::int32_t> codes;          // rank of the value of row r in column c at [c * rows + r]; -1 missing
    std::vector<std::vector<double>> values;  // distinct values of a column, ascending: a rank is a place among them
    std::vector<std::uint8_t> is_category;    // by column
    std::vector<std::int32_t> place;          // class of a row by its place in the order of the classes; ascending
    std::vector<double> weight;
    std::vector<std::uint64_t> hash;  // of a row's ranks

    std::span<const std::int32_t> column(Size c) const { return {codes.data() + c * rows, rows}; }
    // How many conditions a rule could be made of: x <= v and x >= v for numbers, x = v for categories.
    double possible_conditions() const;
};

// `place` and `weight` by row of x; rows without weight are left out. NaN is missing.
template <class T>
CodedTable code_table(const Dense<T>& x, std::span<const std::uint8_t> is_category, std::span<const std::int32_t> place,
                      std::span<const double> weight, Size classes, int threads);

// Hashes of the rows of x as `code_table` gives them, before equal rows are added up; 0 for a row without weight.
template <class T>
std::vector<std::uint64_t> row_hashes(const Dense<T>& x, std::span<const double> weight, int threads);

// The bits that decide which rows a split takes: a function of seed, number of the split, and the row's ranks.
struct SplitKeys {
    SplitKeys(std::uint64_t seed, std::uint64_t split);
    std::uint64_t operator()(std::uint64_t hash) const;

  private:
    std::uint64_t salt_;
};

}  // namespace pellucid::rules

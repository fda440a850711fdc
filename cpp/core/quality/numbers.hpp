// Everything that a description of a column of numbers says, from its values in order.
//
// The values that are there are copied as keys and sorted by their digits, least significant first; digits that all
// keys share are skipped. Equal neighbors become one run with the number of values up to its end,
//
//   upto_i = c_0 + ... + c_i,
//
// so that the value at rank k (from 0) is that of the first run with upto > k: quantiles, counts between limits and
// histograms are searches in upto. 8 bytes are moved twice a digit and value.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/quality/columns.hpp"

namespace pellucid::quality {

// What a column has beside its finite values.
struct Others {
    std::int64_t missing = 0, minus_infinity = 0, plus_infinity = 0;
};

// Distinct finite values in order, and how many values there are up to the end of each.
struct Runs {
    Domain domain = Domain::real;
    std::span<const Key> keys;
    std::span<const std::int64_t> upto;
    std::int64_t count() const { return upto.empty() ? 0 : upto.back(); }
};

// Memory for one column at a time; it grows to the longest.
struct SortSpace {
    std::vector<Key> keys, spare;
    std::vector<std::int64_t> upto;
};

std::vector<std::int64_t> counts_of(const Runs& runs);

Runs sorted_runs(const AnyColumn& column, SortSpace& space, Others& others);

// Sorts `keys` by means of `spare`, which is as long.
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare);

struct NumberFigures {
    Domain domain = Domain::real;
    Others others;
    std::int64_t count = 0, distinct = 0;
    bool whole = true;  // no value has a fraction
    Key low = 0, high = 0;
    // With d = (x - center) 2^-exponent: mean of x, and sums of the squares and cubes of d - mean(d).
    double mean = 0.0, squares = 0.0, cubes = 0.0;
    int exponent = 0;
    // Lower quartile, median, upper quartile by three rules (see statistics/quantiles.py).
    std::array<double, 3> linear{}, halves{}, halves_with_median{};
    std::array<double, 2> fences{};
    std::int64_t below = 0, above = 0;  // values outside the fences
    std::int64_t modes = 0, mode_count = 0;
    std::vector<Key> first_modes;
    std::vector<Key> top;  // the most frequent, smaller values first among equals
    std::vector<std::int64_t> top_counts;
    std::vector<double> edges;
    std::vector<std::int64_t> bins;
};

struct Wanted {
    Size top = 10;
    Size modes = 10;
    Size bins = 50;
};

NumberFigures run_figures(const Runs& runs, const Wanted& wanted);

// Both for every column, one column a thread.
std::vector<NumberFigures> number_figures(std::span<const AnyColumn> columns, const Wanted& wanted, int threads);

}  // namespace pellucid::quality

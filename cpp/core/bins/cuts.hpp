// How the values of one column fall into at most 255 bins, so that a code of one byte stands for a value.
//
// A column with few distinct values gets a bin for each, and nothing is lost. Otherwise bins are runs of neighboring
// values of about equal weight: a bin is closed when it holds its share of the weight that is left, so that a value
// heavier than that has a bin to itself and the others share what remains. Categories keep their codes; if there are
// too many, the lightest share the last bin. Missing values have a bin of their own after all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

inline constexpr Size kMostBins = 255;

struct ColumnBins {
    Size count = 0;              // of bins with values; the code of missing values is `count`
    std::vector<double> edges;   // numbers: bin b holds edges[b - 1] < x <= edges[b]; the last one all above
    std::vector<double> values;  // numbers: the one value of each bin; empty if a bin has several
    std::vector<std::uint8_t> bin_of_category;  // categories: bin of each code

    Size cells() const { return count + 1; }
    bool is_category() const { return !bin_of_category.empty(); }
    // A number t with x <= t for bins up to a and x > t from bin b on, a < b, where no row lies between.
    double between(Size a, Size b) const;
    // A number t with x < t for bins up to a and x >= t from bin b on: the value of bin b itself if that is known.
    double below(Size a, Size b) const;
    std::uint8_t code_of(double x) const;
};

// A value and how much of it there is.
struct WeightedValue {
    double value;
    double weight;
};

// So much weight lies somewhere from low to high.
struct WeightedRange {
    double low;
    double high;
    double weight;
};

// Memory of a sort.
struct SortRoom {
    std::vector<std::uint64_t> keys, other;
    std::vector<WeightedValue> rows;
    std::vector<std::uint32_t> counts;
};

// Rising order. No NaN and no -0; rows of equal values stay in their order.
void sort_numbers(std::span<double> values, SortRoom& room);
void sort_rows(std::vector<WeightedValue>& rows, SortRoom& room);

// Rising values become distinct ones with the sums of their weights: at the end of `out`, or in place (how many).
void join_equal(std::span<const double> values, std::vector<WeightedValue>& out);
Size join_equal(std::span<WeightedValue> rows);

// Bins of numbers; NaN and values without weight do not count. Changes what it is given.
ColumnBins cut_numbers(std::span<double> values, Size most_bins);
ColumnBins cut_numbers(std::span<WeightedValue> rows, Size most_bins);
// Ranges that rise and do not overlap: none is cut in two. Those of one value have the same number twice.
ColumnBins cut_ranges(std::span<const WeightedRange> ranges, Size most_bins);

// Bins of categories by the weight of each code.
ColumnBins cut_categories(std::span<const double> weight_of_code, Size most_bins);

// A column's codes for many values. The highest 16 bits of a double (sign, exponent, four bits of the rest) say between
// which edges it lies, up to a few; a search with a fixed number of steps does what is left.
class EdgeSearch {
  public:
    // For about so many values: the table of the highest bits takes as long as some thousand of them.
    EdgeSearch(const ColumnBins& bins, Size values);
    void codes(const double* x, Size n, std::uint8_t* out) const;

  private:
    std::vector<double> edges_;         // filled up with infinity
    std::vector<std::uint8_t> before_;  // edges below all numbers with these highest bits; empty: no table
    int steps_ = 0;
    std::uint8_t missing_ = 0;
};

}  // namespace pellucid

// What neighbors say: votes for classes, means and medians of values, for many queries and many k at once.
//
// A neighbor j of a query counts w_j: 1, 1/d_j, 1/d_j^2 or what it is given, times the weight of its row. Where 1/d is
// infinite (rows at distance 0), those rows count 1 and all others 0; where all rows are infinitely far, all count 1.
//
//   votes of class c    s_c = sum of w_j over the neighbors j of class c
//   mean                sum w_j y_j / sum w_j
//   median              the y at which half of the weight is reached, neighbors sorted by y; where exactly half lies
//                       below, the middle between that y and the next: with equal weights, the plain median
//
// Neighbors come nearest first, so the first k of a longer list are the k nearest: sums for k = 1, 2, ... are the
// stations of one walk, and each is the same to the last bit as if it had been asked for alone.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/views.hpp"

namespace pellucid {

enum class Weighting : int { uniform, inverse, inverse_square, given };
enum class Ties : int { first, nearest };  // the class with the smaller code; the class whose neighbors are nearer
enum class Average : int { mean, median };

// Neighbors of many queries. Those of query i are [starts[i], starts[i + 1]), or k for each where there are no starts.
struct NeighborLists {
    std::span<const std::int64_t> rows;
    std::span<const double> distances;
    std::span<const std::int64_t> starts;
    Size queries = 0;
    Size each = 0;

    Size begin(Size i) const { return starts.empty() ? i * each : static_cast<Size>(starts[i]); }
    Size end(Size i) const { return starts.empty() ? (i + 1) * each : static_cast<Size>(starts[i + 1]); }
};

struct Weighing {
    Weighting kind = Weighting::uniform;
    std::span<const double> given;   // one a neighbor
    std::span<const double> of_row;  // one a fitted row; empty: 1
};

// `stations` are the k for which an answer is wanted, ascending; empty: the whole list of each query, one answer.
struct Asked {
    NeighborLists lists;
    Weighing weighing;
    std::span<const std::int64_t> stations;

    Size answers() const { return stations.empty() ? 1 : stations.size(); }
};

// sums[(a * queries + i) * classes + c]: votes of class c at station a.
void class_votes(const Asked& asked, std::span<const std::int32_t> codes, Size classes, std::span<double> sums,
                 int threads);

// winners[a * queries + i]: the class with the most votes; -1 where nobody votes. `ties`: among classes with equal
// votes the first, or the one with the nearest neighbor, then with the smaller sum of distances, then the first.
void class_winners(const Asked& asked, std::span<const std::int32_t> codes, Size classes, Ties ties,
                   std::span<std::int32_t> winners, int threads);

// From k neighbors on, one more at a time until one class has more votes than any other: the class, and the number of
// neighbors it took. 0 where the list ends in a tie; the winner is then the first class of those with most votes.
void class_settled(const Asked& asked, std::span<const std::int32_t> codes, Size classes, Size k,
                   std::span<std::int32_t> winners, std::span<std::int64_t> used, int threads);

// out[(a * queries + i) * targets + t]: average of values[row * targets + t]; NaN where nobody counts.
void neighbor_averages(const Asked& asked, std::span<const double> values, Size targets, Average average,
                       std::span<double> out, int threads);

// The k smallest numbers of each row of a table with their columns, smallest first; among equals the smaller column.
// NaN is passed over; where fewer than k are left, the last columns are -1.
void smallest_in_rows(const Dense<double>& table, Size k, std::span<double> values, std::span<std::int64_t> columns,
                      int threads);

}  // namespace pellucid

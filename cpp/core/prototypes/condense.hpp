// Hart's condensing: a store of rows by which every other row is classified rightly (Hart 1968).
//
//   store = the rows to begin with
//   repeat: for each row that is not in the store, in order: if the vote of its k nearest stored rows is not its class,
//           it goes into the store
//   until a pass adds none
//
// Of rows at the same distance the one that came into the store earlier counts as nearer; of classes with equally many
// votes the one with the nearest row wins. A row remembers its nearest stored rows, so that over all passes each pair
// of a row and a stored row is looked at once. Rows are brought up to date in parallel blocks and judged one by one:
// the answer is that of the plain loop on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

struct CondenseProblem {
    const Matrix* X;                      // dense
    std::span<const std::int32_t> y;      // codes of the classes
    std::span<const std::int64_t> order;  // in which rows are visited
    std::span<const std::int64_t> start;  // rows to begin with, at least one
    std::span<const double> scale;        // what columns are multiplied by, or none
    Metric metric;
    Size k = 1;
};

// One judgment: in which pass, of which row, by which nearest stored row and how far (reduced), what the vote said.
struct Judgment {
    Size pass;
    std::int64_t row, nearest;
    double reduced;
    std::int32_t said;
    bool added;
};

struct Condensed {
    std::vector<std::int64_t> store;  // rows in the order in which they came in
    Size passes = 0;
    std::vector<Judgment> judgments;  // where asked for: of the first kJudgments
};
inline constexpr Size kJudgments = 10'000;

Condensed condense(const CondenseProblem& problem, bool record, int threads);

}  // namespace pellucid

// Ratings by row: users with the items they rated, or items with the users who rated them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// Row r has values[starts[r] .. starts[r+1]) in the columns indices[...], which ascend; no column twice.
struct Rated {
    std::span<const std::int64_t> starts;  // rows + 1
    std::span<const std::int32_t> indices;
    std::span<const double> values;

    Size rows() const { return starts.size() - 1; }
    Size first(Size r) const { return static_cast<Size>(starts[r]); }
    Size last(Size r) const { return static_cast<Size>(starts[r + 1]); }
    Size count(Size r) const { return last(r) - first(r); }
    Size column(Size at) const { return static_cast<Size>(indices[at]); }
};

// The memory behind a Rated.
struct RatedRows {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> indices;
    std::vector<double> values;

    Rated view() const { return {starts, indices, values}; }
};

// What becomes of a pair that is rated more than once.
enum class Twice : int { mean = 0, last = 1, sum = 2 };

struct Triples {
    std::span<const std::int32_t> rows;
    std::span<const std::int32_t> columns;
    std::span<const double> values;
};

struct Grouped {
    RatedRows rated;
    Size repeated = 0;  // triples whose pair stood before
};

// Triples in any order as rows, by two counting sorts; of one pair the triples keep their order.
Grouped group_ratings(const Triples& triples, Size rows, Size columns, Twice twice);

// The same ratings by column.
RatedRows transposed(const Rated& rated, Size columns);

}  // namespace pellucid

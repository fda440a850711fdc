// Rows that have something in common: which pairs are worth a closer look.
//
//   weight(i, j) = sum of the weights of the keys that rows i and j both have
//
// Of the rows after i the `most` with the largest weight are given, equal weights in the order of the rows. A row is
// met only through the lists of its keys, so the work is the sum over keys of (rows with the key)^2 / 2: the caller
// leaves out keys that many rows have.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct KeyedRows {
    std::span<const std::int64_t> starts;  // keys of row r: keys[starts[r]] .. keys[starts[r + 1] - 1], each once
    std::span<const std::int32_t> keys;
    std::span<const double> weights;  // one a key
};

// (i, j) with i < j, in order of i; within it from the heaviest on.
std::vector<std::pair<std::int64_t, std::int64_t>> rows_with_shared_keys(const KeyedRows& rows, Size most, int threads);

}  // namespace pellucid

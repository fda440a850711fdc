// Rows that are the same in every column: by a hash of the row that only finds candidates; the cells decide.
#pragma once

#include <span>
#include <vector>

#include "core/quality/columns.hpp"

namespace pellucid::quality {

// h_r = mix(... mix(mix(0, key_r0), key_r1) ...): one number a row. A missing cell is a value like others.
std::vector<std::uint64_t> hash_rows(std::span<const AnyColumn> columns, int threads);

// The first row that equals each row: itself where there is none before it.
std::vector<std::int64_t> first_equal_rows(std::span<const AnyColumn> columns, int threads);

}  // namespace pellucid::quality

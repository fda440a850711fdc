// Nearest rows by locality sensitive hashing with hyperplanes: rows on the same side of many planes are likely near.
//
// Plane p of table t has a normal w and an offset b; bit p of a row's code in table t is 1 if
//
//   w x - b >= 0
//
// Rows with equal codes share a bucket. A query looks at its own bucket of each table and at those that it would be in
// if it lay across its nearest planes (Lv et al., 2007): sets of planes in the order of sum_p ((w_p q - b_p) /
// |w_p|)^2. Charikar (2002): two rows at an angle a get the same bit with probability 1 - a / pi.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

struct Planes {
    Size tables = 1, bits = 1;        // at most 64 bits
    std::span<const double> normals;  // d x (tables * bits): column t * bits + p is plane p of table t
    std::span<const double> offsets;  // tables * bits

    Size count() const { return tables * bits; }
    Size cols() const { return normals.size() / count(); }
};

// Codes of rows, rows x tables; bit p counted from the lowest.
void plane_codes(const Planes& planes, const Matrix& rows, std::span<std::uint64_t> codes, int threads);

// Buckets of all tables: table t has buckets table_starts[t] to table_starts[t + 1] - 1, their codes ascending; bucket
// b has rows[starts[b]] to rows[starts[b + 1] - 1], ascending.
struct Buckets {
    std::vector<std::int64_t> table_starts, starts, rows;
    std::vector<std::uint64_t> codes;
};
Buckets fill_buckets(std::span<const std::uint64_t> codes, Size rows, Size tables, int threads);

struct HashView {
    Planes planes;
    std::span<const std::int64_t> table_starts, starts, rows;
    std::span<const std::uint64_t> codes;
};

// The k nearest among the rows of `probes` buckets of each table; among all rows if these are fewer than k.
void hash_nearest(const HashView& hash, const Matrix& rows, const Matrix& queries, Size k, Size probes,
                  const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads);

// Those of the same rows that lie within a radius.
Neighborhoods hash_within(const HashView& hash, const Matrix& rows, const Matrix& queries, double radius, Size probes,
                          const Metric& metric, int threads);

// The rows themselves, ascending; without distances.
Neighborhoods hash_candidates(const HashView& hash, const Matrix& queries, Size row_count, Size probes, int threads);

}  // namespace pellucid

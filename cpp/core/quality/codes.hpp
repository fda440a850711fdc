// A column of numbers by its distinct values: which ones there are, how often, which row has which; and its figures,
// which follow from the same order.
//
// With k the keys of the rows that have a value, k_0 the least of them and s the bits by which the largest difference
// exceeds 32, one word a row
//
//   w_r = floor((k_r - k_0) / 2^s) 2^32 + r
//
// is sorted by the digits of its upper half, least significant first; digits that all words share are skipped. Equal
// upper halves stay in the order of the rows, and are equal values where s = 0; elsewhere the few that differ within
// them are put in order by the whole key. So a row moves 8 bytes at most four times, and takes its number with it.
#pragma once

#include "core/quality/numbers.hpp"

namespace pellucid::quality {

struct CodedNumbers {
    Domain domain = Domain::real;
    std::vector<Key> values;           // distinct, in the order in which they are first met
    std::vector<std::int64_t> counts;  // rows with each
    std::vector<std::int32_t> codes;   // which one each row has; -1 where there is none
    std::vector<std::int32_t> order;   // places of the values, the smallest value first
    NumberFigures figures;
};

// Memory for one column at a time; it grows to the longest.
struct CodeSpace {
    std::vector<std::uint64_t> words, spare;
    std::vector<Key> keys, sorted;
    std::vector<std::int64_t> upto;
    std::vector<std::int32_t> number;  // by rank: the number of a value in the order in which they are first met
};

CodedNumbers code_numbers(const AnyColumn& column, const Wanted& wanted, CodeSpace& space);

// The same for every column, one column a thread.
std::vector<CodedNumbers> code_numbers(std::span<const AnyColumn> columns, const Wanted& wanted, int threads);

}  // namespace pellucid::quality

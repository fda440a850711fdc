// Categories as codes, and codes as ones in a sparse table.
//
// A category is a 64-bit key: a whole number, or the bits of a float. With the categories c_0, c_1, ... of a column
//
//   code_r = k  where key_r = c_k,  and -1 where there is no such k
//
// and the one-hot row of r has a one in column  place(code)  of every table column that has one there.
//
// Keys are found in a table of hashes that is never more than half full. Rows are cut into fixed blocks, and what a
// block finds is put together in the order of the blocks: the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

// One column of keys, `stride` of them apart in memory.
struct Keys {
    const std::int64_t* data = nullptr;
    Size rows = 0;
    std::ptrdiff_t stride = 1;
    std::int64_t operator[](Size row) const { return data[static_cast<std::ptrdiff_t>(row) * stride]; }
};

// Every distinct key, in the order in which they are first met, and how often it occurs.
struct CountedKeys {
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> counts;
};

CountedKeys count_keys(const Keys& keys, int threads);

// The position of each row's key among the categories, which are distinct; -1 where it is none of them.
void encode_keys(const Keys& keys, std::span<const std::int64_t> categories, std::span<std::int32_t> codes,
                 int threads);

// Codes of a table column by column, and the columns of the result: a row with code k of column j has its one in column
// places[first[j] + k + 1]; where that is -1 it has none. Entry first[j] itself is for the code -1.
struct OneHotPlan {
    std::span<const std::int32_t> codes;  // rows x columns, column after column
    std::span<const std::int64_t> first;
    std::span<const std::int32_t> places;
    Size rows = 0;
    std::int32_t place(Size row, Size column) const {
        return places[static_cast<Size>(first[column] + codes[column * rows + row] + 1)];
    }
};

// How many ones each row has.
void one_hot_lengths(const OneHotPlan& plan, std::span<std::int64_t> lengths, int threads);

// The columns of each row's ones; row r writes from starts[r] on.
template <class Index>
void one_hot(const OneHotPlan& plan, std::span<const std::int64_t> starts, std::span<Index> indices, int threads);

}  // namespace pellucid

// Boosted trees laid out for many rows: the thresholds that they ask each column for, and choices between bytes.
//
// A row's way down a tree is a chain of loads that wait for each other. Instead every test of a tree is made, for all
// rows of a lane at once, and from the lowest tests to the root each picks one of its two answers: the byte that comes
// out at the root names the leaf. With vectors of 64 bytes a test of 64 rows costs a comparison and a selection.
//
// Measured on 400,000 x 28 singles, one thread, seconds of the processor, with vectors of 64, 32 and 16 bytes:
//   100 trees of 31 leaves          walked 0.50, here 0.057, 0.069, 0.090; 0.013 of it to code the values
//   100 oblivious trees, depth 6    walked 0.51, here 0.044, 0.055, 0.073
//   30 trees of 255 leaves          walked 0.27, here 0.093, 0.113, 0.184
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/boosting/predict_hot.hpp"
#include "core/forest/forest.hpp"

namespace pellucid::boosting {

// Up to kMostEdges thresholds of a column, and the lanes that say how many lie below a value: one in which missing
// values go left everywhere, and one in which they go right.
struct EdgeSearch {
    Size edges = 0;  // where they begin
    int levels = 0;
    std::uint32_t low = 0, high = 0;  // lanes
};

// Up to eight sets of categories of a column: bit k of a category's byte says that test k sends it right. The last of
// the bytes is for values that are no category.
struct SetBits {
    Size table = 0;  // where the bytes begin
    std::uint32_t lane = 0;
};

struct AskedColumn {
    Size column = 0;
    Size first_search = 0, last_search = 0;
    Size first_set = 0, last_set = 0;
    Size categories = 0;  // that any of the sets tells apart
};

struct LaidTree {
    Size first_choice = 0, choices = 0;
    // Where all nodes of a level ask the same, one choice a level: they are bits of the leaf's name. They may yet send
    // missing values different ways.
    Size first_level = 0, levels = 0;
    bool levelled = false, levelled_missing = false;  // of rows without missing values, and with them
    Size values = 0, room = 0;  // where the answers begin: `room` for each output of the forest's width
};

struct Layout {
    std::vector<AskedColumn> columns;  // in rising order
    std::vector<EdgeSearch> searches;
    std::vector<SetBits> sets;
    std::vector<double> edges;   // in the order of a search
    std::vector<float> singles;  // the same, rounded down: x > t is x > t rounded down for every single x
    std::vector<std::uint8_t> tables;
    std::vector<Choice> choices;
    std::vector<LaidTree> trees;
    std::vector<double> values;
    Size lanes = 1;    // the first is for what nobody reads
    Size answers = 1;  // lanes on the desk behind the names of the leaves

    std::span<const EdgeSearch> searches_of(const AskedColumn& column) const {
        return std::span(searches).subspan(column.first_search, column.last_search - column.first_search);
    }
    std::span<const SetBits> sets_of(const AskedColumn& column) const {
        return std::span(sets).subspan(column.first_set, column.last_set - column.first_set);
    }
    // What one value is coded to.
    std::uint8_t code(const EdgeSearch& search, double x) const;
    // Which byte of the tables of a column's sets is for a value.
    static Size category(const AskedColumn& column, double x);
};

// Trees first .. last - 1; nothing where one of them has more than kMostLeaves leaves.
std::optional<Layout> layout_of(const forest::ForestView& forest, Size first, Size last);

}  // namespace pellucid::boosting

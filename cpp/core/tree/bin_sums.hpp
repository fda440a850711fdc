// The histogram of a criterion: which statistic counts its rows, and how cells become the criterion's sums.
//
// For a criterion C, BinSums<C> is a statistic (histogram/statistic.hpp) and can
//
//   gather(cells, sums)   add a bin to sums of the criterion
//   rows(cells)           number of rows in a bin
//   holds(cells)          whether there are any
//   kSums                 2 where the criterion has two sums, of which the first is a weight; else 0
//   kCountsRows           whether that weight is the number of rows
#pragma once

#include <cstring>

#include "core/histogram/statistic.hpp"
#include "core/tree/class_criteria.hpp"
#include "core/tree/number_criteria.hpp"

namespace pellucid::tree {

// Any additive criterion: its own sums, then the number of rows.
template <Criterion C>
class BinSums {
  public:
    using Row = typename C::Row;
    using Cell = double;
    static constexpr Size kSums = 0;

    explicit BinSums(const C& criterion) : c_(criterion), sums_(criterion.width()) {}
    Size width() const { return sums_ + 1; }
    void add(Cell* cells, const Row& row) const {
        c_.add(cells, row);
        cells[sums_] += 1;
    }
    void gather(const Cell* cells, double* sums) const {
        for (Size i = 0; i < sums_; ++i) sums[i] += cells[i];
    }
    Size rows(const Cell* cells) const { return static_cast<Size>(cells[sums_]); }
    bool holds(const Cell* cells) const { return cells[sums_] > 0; }

  private:
    const C& c_;
    Size sums_;
};

template <>
class BinSums<GiniOfTwo<ClassRow>> : public CountsOfTwo<ClassRow> {
  public:
    static constexpr Size kSums = 2;
    static constexpr bool kCountsRows = true;
    explicit BinSums(const GiniOfTwo<ClassRow>&) {}
    static void gather(const Cell* cell, double* sums) {
        sums[0] += CountsOfTwo::rows(*cell);
        sums[1] += CountsOfTwo::ones(*cell);
    }
    static Size rows(const Cell* cell) { return static_cast<std::uint32_t>(*cell); }
    static bool holds(const Cell* cell) { return *cell != 0; }
};

// Rows that count several times: rows, weight and weight of class 1 in thirds of a number.
template <>
class BinSums<GiniOfTwo<CountedClassRow>> {
  public:
    using Row = CountedClassRow;
    using Cell = std::uint64_t;
    static constexpr Size kSums = 2;
    static constexpr bool kCountsRows = false;

    explicit BinSums(const GiniOfTwo<CountedClassRow>&) {}
    static Size width() { return 1; }
    static void add(Cell* cell, const Row& row) {
        *cell += 1 + (Cell{row.count} << kThird) + (Cell{row.code} * row.count << 2 * kThird);
    }
    static void gather(const Cell* cell, double* sums) {
        sums[0] += static_cast<double>(*cell >> kThird & kMask);
        sums[1] += static_cast<double>(*cell >> 2 * kThird);
    }
    static Size rows(const Cell* cell) { return static_cast<Size>(*cell & kMask); }
    static bool holds(const Cell* cell) { return *cell != 0; }
    // The weight of all rows stays within a third.
    static constexpr int kThird = 21;
    static constexpr Cell kMask = (Cell{1} << kThird) - 1;
};

// Classes without weights, Gini or entropy.
template <class C>
class ClassBinSums : public CountsOfClasses<ClassRow> {
  public:
    static constexpr Size kSums = 0;
    explicit ClassBinSums(const C& criterion) : CountsOfClasses<ClassRow>{criterion.classes()} {}
    void gather(const Cell* cells, double* sums) const {
        double all = 0;
        for (Size k = 0; k < classes; ++k) {
            sums[k] += static_cast<double>(cells[k]);
            all += static_cast<double>(cells[k]);
        }
        sums[classes] += all;
    }
    Size rows(const Cell* cells) const {
        Size all = 0;
        for (Size k = 0; k < classes; ++k) all += cells[k];
        return all;
    }
    bool holds(const Cell* cells) const {
        Cell any = 0;
        for (Size k = 0; k < classes; ++k) any |= cells[k];
        return any != 0;
    }
};
template <>
class BinSums<Gini<ClassRow>> : public ClassBinSums<Gini<ClassRow>> {
    using ClassBinSums::ClassBinSums;
};
template <>
class BinSums<Entropy<ClassRow>> : public ClassBinSums<Entropy<ClassRow>> {
    using ClassBinSums::ClassBinSums;
};

// Numbers with weights: both sums are added at once, and rows.
template <>
class BinSums<SquaredError<WeightedNumberRow>> {
  public:
    using Row = WeightedNumberRow;
    using Cell = double;
    static constexpr Size kSums = 2;
    static constexpr bool kCountsRows = false;

    explicit BinSums(const SquaredError<WeightedNumberRow>&) {}
    static Size width() { return 3; }
    static void add(Cell* cells, const Row& row) {
        using Pair [[gnu::vector_size(16)]] = double;
        Pair both;
        std::memcpy(&both, cells, sizeof both);
        both += Pair{row.mass, row.mass * row.y};
        std::memcpy(cells, &both, sizeof both);
        cells[2] += 1;
    }
    static void gather(const Cell* cells, double* sums) {
        sums[0] += cells[0];
        sums[1] += cells[1];
    }
    static Size rows(const Cell* cells) { return static_cast<Size>(cells[2]); }
    static bool holds(const Cell* cells) { return cells[2] > 0; }
};

// Numbers without weights: the weight is the number of rows. Both are added at once.
template <>
class BinSums<SquaredError<NumberRow>> {
  public:
    using Row = NumberRow;
    using Cell = double;
    static constexpr Size kSums = 2;
    static constexpr bool kCountsRows = true;

    explicit BinSums(const SquaredError<NumberRow>&) {}
    static Size width() { return 2; }
    // Compilers add one after the other if they are not told otherwise.
    static void add(Cell* cells, const Row& row) {
        using Pair [[gnu::vector_size(16)]] = double;
        Pair both;
        std::memcpy(&both, cells, sizeof both);
        both += Pair{1.0, row.y};
        std::memcpy(cells, &both, sizeof both);
    }
    static void gather(const Cell* cells, double* sums) {
        sums[0] += cells[0];
        sums[1] += cells[1];
    }
    static Size rows(const Cell* cells) { return static_cast<Size>(cells[0]); }
    static bool holds(const Cell* cells) { return cells[0] > 0; }
};

}  // namespace pellucid::tree

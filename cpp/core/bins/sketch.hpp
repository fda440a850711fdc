// Quantiles of a long column of weighted values in little memory, with bounds that are certain.
//
// A summary keeps some of the values, rising. For a value v with a(v) = weight of all x < v and b(v) = weight of all
// x <= v, each entry says
//
//     rank_min <= a(v),   b(v) <= rank_max,   weight <= b(v) - a(v),
//
// and the smallest and largest value are always kept. Of a number y between the entries i and i + 1 it is then known
// that rank_min_i + weight_i <= a(y) <= b(y) <= rank_max_{i+1} - weight_{i+1}. The widest such gap, as a share of all
// weight W, is the error e of the summary: the value it returns for a rank d has d no further than e W / 2 from
// [a(v), b(v)]. A summary of all values has error 0.
//
//     merge   of summaries with errors e and f has at most error max(e, f)
//     prune   to s + 1 entries adds at most 1 / s
//
// A sketch takes rows in blocks of a fixed number: a block is summarized and pruned, and whenever there are two
// summaries of 2^k blocks they become one of 2^{k+1}: merged and pruned. So n rows in blocks of B have an error of at
// most (1 + floor(log2(n / B))) / s, and what comes out depends on the order of the rows alone, not on how they were
// handed over. Sketches of parts of a table, also from other machines, are merged in the same way.
//
// Chen, Guestrin: XGBoost (2016), appendix: weighted quantile sketch. Pruning differs: an entry heavier than
// W / (s - 1) is always kept, and the other s - h entries divide what the h heavy ones leave. A column that is mostly
// zero keeps its resolution elsewhere, and the bound is never worse: each heavy entry takes away at least its share.
#pragma once

#include <optional>

#include "core/bins/cuts.hpp"

namespace pellucid {

struct SummaryEntry {
    double value, rank_min, rank_max, weight;
};

class Summary {
  public:
    Summary() = default;
    // Rising values; ranks as said above.
    explicit Summary(std::vector<SummaryEntry> entries) : entries_(std::move(entries)) {}

    std::span<const SummaryEntry> entries() const { return entries_; }
    double total() const { return entries_.empty() ? 0.0 : entries_.back().rank_max; }
    // Does it hold all values there were, with all their weight?
    bool exact() const;
    // The widest gap as a share of the total weight.
    double error() const;
    // The value at a share 0 <= q <= 1 of the weight; NaN if there is none.
    double quantile(double q) const;
    // Bounds of the weight of all values <= x.
    struct Bounds {
        double least, most;
    };
    Bounds rank_bounds(double x) const;
    // At most `size` + 1 entries.
    Summary pruned(Size size) const;

  private:
    std::vector<SummaryEntry> entries_;
};

Summary merged(const Summary& a, const Summary& b);

// Bins of about equal weight from what a summary knows: an edge is a value of the summary or lies right below one, so
// that the weight up to an edge is known to half the error.
ColumnBins cut_summary(const Summary& summary, Size most_bins);

inline constexpr Size kSketchBlock = Size{1} << 15;
// Entries of a summary for each bin of a column. The weight up to an edge is then known to 1 / 32 of a bin's share for
// each time that the number of blocks doubles; measured on 800,000 rows, bins have their share to 2.4 %.
inline constexpr Size kSketchEntries = 16;

// Memory that blocks are sorted in; one a thread serves all its sketches.
struct SketchRoom {
    std::vector<double> values;
    std::vector<WeightedValue> rows;
    SortRoom sort;
};

// All there is to a sketch, as numbers: what is written to a file or sent to another machine.
struct SketchState {
    Size size = 0, block = 0;
    std::vector<std::int64_t> levels;   // which are there, rising; level k stands for 2^k blocks
    std::vector<std::int64_t> starts;   // entries of levels[i]: starts[i] .. starts[i + 1]
    std::vector<SummaryEntry> entries;  // of all levels
    std::vector<WeightedValue> waiting;
};

class QuantileSketch {
  public:
    // Summaries of at most `size` + 1 entries, blocks of `block` rows.
    explicit QuantileSketch(Size size, Size block = kSketchBlock);
    // Throws ContractError if the numbers cannot be those of a sketch.
    explicit QuantileSketch(const SketchState& state);
    SketchState state() const;

    // Rows in their order; NaN and rows without weight count as rows of a block and as nothing else. No weights: 1.
    void add(std::span<const double> values, std::span<const double> weight, SketchRoom& room);
    // As if the other's blocks came after the own. Both have the same sizes.
    void merge(const QuantileSketch& other, SketchRoom& room);
    // All blocks and rows so far as one summary of at most `size` + 1 entries: the least there is to send. Adds 1 /
    // size to the bound.
    void prune(SketchRoom& room);
    // Everything that was added; not pruned.
    Summary summary(SketchRoom& room) const;
    // What the error is at most, known from the number of blocks alone.
    double bound() const;
    Size size() const { return size_; }
    Size block() const { return block_; }

  private:
    void carry(Summary summary, Size level);

    Size size_, block_;
    std::vector<std::optional<Summary>> levels_;
    std::vector<double> waiting_, waiting_weight_;  // rows of the block that is not full; no weights: all 1
};

}  // namespace pellucid

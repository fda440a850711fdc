// One rule of RIPPER: grown condition by condition, then cut back.
//
// Growing adds the condition with the largest gain of FOIL (Quinlan 1990),
//
//   gain = p (log2(p / (p + n)) - log2(P / (P + N)))
//
// where the rule covers P rows of its class and N others before the condition, p and n after it. Pruning looks at other
// rows and keeps the beginning of the rule whose value is largest.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/rules/ripper_length.hpp"

namespace pellucid::rules {

enum class Sign : std::uint8_t { at_most = 0, at_least = 1, is = 2 };

struct RankTest {
    std::int32_t column = -1;
    Sign sign = Sign::is;
    std::int32_t rank = 0;

    bool operator==(const RankTest&) const = default;
    bool met_by(std::int32_t code) const {
        if (sign == Sign::at_most) return code >= 0 && code <= rank;  // a missing value is -1
        return sign == Sign::at_least ? code >= rank : code == rank;
    }
};
using Tests = std::vector<RankTest>;

// Rows that are left when a class has its turn: those of the class first, the others behind them by class.
struct ClassRows {
    Size rows = 0;
    Size positives = 0;
    Size cols = 0;
    std::vector<std::int32_t> codes;  // column after column
    std::vector<double> weight;
    std::vector<std::uint64_t> hash;
    std::vector<Size> segments;                // where the classes begin, and the end
    std::span<const std::int32_t> sizes;       // distinct values of each column in the whole table
    std::span<const std::uint8_t> categories;  // is the column one of categories?
    std::span<const std::uint8_t> missing;     // has the column missing values?
    std::vector<std::uint32_t> row;            // in the coded table

    std::span<const std::int32_t> column(Size c) const { return {codes.data() + c * rows, rows}; }
};

// Some of these rows with the weights they have in it, in ascending order: those of the class stand first.
struct Part {
    std::vector<std::uint32_t> rows;
    std::vector<double> weight;
    Size positives = 0;  // how many of the rows are of the class

    Coverage coverage() const;
    void keep(const ClassRows& all, RankTest test);
};

// A condition with what it leaves covered.
struct Candidate {
    RankTest test;
    Coverage covered;
    double gain = 0.0;
    bool found() const { return test.column >= 0; }
};

// Memory for the columns that are looked at at the same time.
class Lender {
  public:
    struct Scratch {
        std::vector<double> counts;  // by rank: weight of the class, weight of the others; zero between uses
        std::vector<std::uint64_t> sorted;
    };
    std::unique_ptr<Scratch> borrow();
    void give_back(std::unique_ptr<Scratch> scratch);

  private:
    std::mutex lock_;
    std::vector<std::unique_ptr<Scratch>> free_;
};

struct GrowLimits {
    double min_weight = 2.0;
    Size max_conditions = std::numeric_limits<Size>::max();
};

// Gains closer together than this share of them are equal: the first column, the smallest value, and <= before >= win.
inline constexpr double kSameGain = 1e-10;

// The best condition of each column for rows of which `part` is covered; `used` columns of categories are left out.
void best_conditions(const ClassRows& all, const Part& part, std::span<const std::uint8_t> used, int threads,
                     Lender& lender, std::vector<Candidate>& best);

// The best of them; none where no gain is above zero.
Candidate best_of(std::span<const Candidate> candidates);

// How pruning values the beginning of a rule that covers p rows of the class and n others of the P and N in the part.
enum class PruneValue : int {
    laplace = 0,   // (p + 1) / (p + n + 2)
    cohen = 1,     // (p - n) / (p + n), 0 where it covers none
    accuracy = 2,  // (p + N - n) / (P + N): of the whole set of rules
};

double prune_value(PruneValue by, Coverage covered, Coverage all);

// What the rule covers after each condition, beginning with none, and how much each beginning is worth.
struct Cuts {
    std::vector<Coverage> covered;
    std::vector<double> value;
    Size best = 0;  // number of conditions to keep: the fewest of equals
};
Cuts weigh_cuts(const ClassRows& all, Part part, const Tests& tests, PruneValue by);

}  // namespace pellucid::rules

// Which side of a split a row takes, by its number in the table.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bins/binned.hpp"
#include "core/tree/columns.hpp"
#include "core/tree/split.hpp"

namespace pellucid::tree {

// By the rank of its value or the code of its category; where that is missing, by the first surrogate whose value is
// not.
class RankSides {
  public:
    RankSides(const Columns& columns, const Split& split)
        : RankSides(columns, split, columns.ranks(static_cast<Size>(split.feature))) {}
    // ranks: of the split's column, by the rows' numbers; surrogates ask the table itself.
    RankSides(const Columns& columns, const Split& split, const std::uint32_t* ranks)
        : columns_(columns), ranks_(ranks), split_(split) {
        if (split.test != Test::subset) return;
        inside_.resize(columns.categories(static_cast<Size>(split.feature)));
        for (const std::uint32_t code : split.codes) inside_[code] = true;
    }

    // use(function of a row's number: does it go left?)
    template <class Use>
    void with(Use&& use) const {
        const bool missing_left = split_.missing_left;
        if (!split_.surrogates.empty())
            use([&](std::uint32_t row) { return ranks_[row] == kMissing ? stand_in(row) : own_side(ranks_[row]); });
        else if (split_.test == Test::subset)
            use([&](std::uint32_t row) {
                return ranks_[row] == kMissing ? missing_left : static_cast<bool>(inside_[ranks_[row]]);
            });
        else
            use([ranks = ranks_, cut = split_.cut, missing_left](std::uint32_t row) {
                return ranks[row] == kMissing ? missing_left : ranks[row] <= cut;
            });
    }

    // Which categories there are among some rows.
    std::vector<std::uint32_t> categories_among(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint32_t> out;
        for (const std::uint32_t row : rows)
            if (ranks_[row] != kMissing) out.push_back(ranks_[row]);
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

  private:
    bool own_side(std::uint32_t rank) const { return split_.test == Test::subset ? inside_[rank] : rank <= split_.cut; }
    bool stand_in(std::uint32_t row) const {
        for (const Surrogate& s : split_.surrogates)
            if (const std::uint32_t rank = columns_.ranks(static_cast<Size>(s.feature))[row]; rank != kMissing)
                return (rank <= s.cut) != s.reverse;
        return split_.missing_left;
    }

    const Columns& columns_;
    const std::uint32_t* ranks_;
    const Split& split_;
    std::vector<bool> inside_;
};

// By its value: at most the threshold; or by its category.
class ValueSides {
  public:
    ValueSides(const Columns& columns, const Split& split, const double* values) : values_(values), split_(split) {
        if (split.test != Test::subset) return;
        inside_.resize(columns.categories(static_cast<Size>(split.feature)));
        for (const std::uint32_t code : split.codes) inside_[code] = true;
    }

    template <class Use>
    void with(Use&& use) const {
        const bool missing_left = split_.missing_left;
        if (split_.test == Test::subset)
            use([&](std::uint32_t row) {
                return std::isnan(values_[row]) ? missing_left
                                                : static_cast<bool>(inside_[static_cast<Size>(values_[row])]);
            });
        else if (missing_left)
            use([values = values_, threshold = split_.threshold](std::uint32_t row) {
                return !(values[row] > threshold);
            });
        else
            use([values = values_, threshold = split_.threshold](std::uint32_t row) {
                return values[row] <= threshold;
            });
    }

    std::vector<std::uint32_t> categories_among(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint32_t> out;
        for (const std::uint32_t row : rows)
            if (!std::isnan(values_[row])) out.push_back(static_cast<std::uint32_t>(values_[row]));
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

  private:
    const double* values_;
    const Split& split_;
    std::vector<bool> inside_;
};

// By its bin: one look-up, whatever the test.
class BinSides {
  public:
    BinSides(const BinnedTable& table, const Split& split) : bins_(table.bins(static_cast<Size>(split.feature))) {
        const auto column = static_cast<Size>(split.feature);
        const ColumnBins& bins = bins_;
        codes_ = table.group_codes(column / kCodesTogether) + column % kCodesTogether;
        left_.fill(false);
        if (split.test == Test::subset)
            for (const std::uint32_t code : split.codes) left_[bins.bin_of_category[code]] = true;
        else
            std::fill_n(left_.begin(), split.cut + 1, true);
        left_[bins.count] = split.missing_left;
    }

    template <class Use>
    void with(Use&& use) const {
        use([codes = codes_, left = left_.data()](std::uint32_t row) {
            return left[codes[Size{row} * kCodesTogether]];
        });
    }

    // Categories whose bins occur among some rows.
    std::vector<std::uint32_t> categories_among(std::span<const std::uint32_t> rows) const {
        std::array<bool, kMostBins + 1> met{};
        for (const std::uint32_t row : rows) met[codes_[Size{row} * kCodesTogether]] = true;
        std::vector<std::uint32_t> out;
        for (Size code = 0; code < bins_.bin_of_category.size(); ++code)
            if (const Size bin = bins_.bin_of_category[code]; bin < bins_.count && met[bin])
                out.push_back(static_cast<std::uint32_t>(code));
        return out;
    }

  private:
    const ColumnBins& bins_;
    const std::uint8_t* codes_;
    std::array<bool, kMostBins + 1> left_;
};

}  // namespace pellucid::tree

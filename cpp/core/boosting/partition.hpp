// The rows of a tree's nodes: those of a node lie side by side, rising, those of its left child first.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/boosting/search.hpp"

namespace pellucid::boosting {

inline constexpr Size kPiece = Size{1} << 15;  // rows of one piece of work
inline constexpr Size kWorthAThread = 20000;   // rows times columns

// Which side of a split a bin takes: is it the left one?
std::array<bool, 256> sides_of(const Found& split, const ColumnBins& bins);

class Partition {
  public:
    // All rows of a table, or some, rising.
    void start(Size all, std::span<const std::uint32_t> some);

    Size size() const { return rows_.size(); }
    std::span<const std::uint32_t> rows() const { return rows_; }
    const std::uint32_t* at(Size position) const { return rows_.data() + position; }

    // Rows at begin .. end, and the split that they are parted by.
    struct Cut {
        Size begin = 0, end = 0;
        const Found* split = nullptr;
    };
    // Moves the rows of each to their sides; both keep their order. How many go left.
    std::vector<Size> part(const Table& table, std::span<const Cut> cuts, int threads);

  private:
    void part(std::span<const Cut> cuts, std::span<const ColumnCodes> codes,
              std::span<const std::array<bool, 256>> sides, int threads, Size* left_rows);

    std::vector<std::uint32_t> rows_, left_room_, right_room_;
    std::vector<std::uint8_t> code_room_;
};

}  // namespace pellucid::boosting

// The rows of a tree's nodes: those of a node lie side by side, rising, those of its left child first.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/boosting/search.hpp"

namespace pellucid::boosting {

inline constexpr Size kPiece = Size{1} << 15;  // rows of one piece of work
// Less is done by one thread: to wake another takes 10 us. 2,000 x 20 takes 2 % less time than with 20,000 cells.
inline constexpr Size kWorthAThread = 120000;     // rows times columns
inline constexpr Size kRowsWorthAThread = 20000;  // where a row takes a nanosecond

// Which side of a split a bin takes: is it the left one?
std::array<bool, 256> sides_of(const Found& split, const ColumnBins& bins);

class Partition {
  public:
    // All rows of a table (where `some` is empty), or some, rising. All of them are not written down before they are
    // parted or asked for.
    void start(Size all, std::span<const std::uint32_t> some);

    Size size() const { return rows_.size(); }
    bool in_order() const { return in_order_; }  // all rows of the table, not parted yet?
    std::span<const std::uint32_t> rows() {
        write_down();
        return rows_;
    }
    const std::uint32_t* at(Size position) { return rows().data() + position; }

    // Rows at begin .. end, and the split that they are parted by.
    struct Cut {
        Size begin = 0, end = 0;
        const Found* split = nullptr;
    };
    // Moves the rows of each to their sides; both keep their order. How many go left.
    std::vector<Size> part(const Table& table, std::span<const Cut> cuts, int threads);

    // Memory for n things of any kind, until the next call; `part` takes the same.
    template <class T>
    T* room(Size n) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
        if (n * sizeof(T) > room_bytes_) {
            room_.reset();
            room_bytes_ = n * sizeof(T);
            room_ = large_bytes<std::byte>(room_bytes_);
        }
        return reinterpret_cast<T*>(room_.get());
    }

  private:
    void write_down();
    void part(std::span<const Cut> cuts, std::span<const ColumnCodes> codes,
              std::span<const std::array<bool, 256>> sides, int threads, Size* left_rows);

    LargeVector<std::uint32_t> rows_;
    bool in_order_ = false;
    LargeBytes<std::byte> room_;
    Size room_bytes_ = 0;
    std::vector<std::uint8_t> code_room_;
};

}  // namespace pellucid::boosting

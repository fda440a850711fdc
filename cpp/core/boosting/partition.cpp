#include "core/boosting/partition.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/pool.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kAhead = 32;  // rows before which codes are asked for: those of a small node lie far apart

// The n rows of `from` whose byte says so to the front of `to`, the others from its end on backwards; how many go left.
// Every row is written at both places: the wrong one is free and is written again, or it is the last one free for both.
Size part_piece(const std::uint32_t* from, Size n, const ColumnCodes& codes, const bool* left_side, std::uint32_t* to) {
    const std::uint8_t* bytes = codes.codes;
    const Size stride = codes.stride;
    Size to_left = 0;
    std::uint32_t* right = to + n;
    const auto put = [&](std::uint32_t row) {
        const bool side = left_side[bytes[row * stride]];
        to[to_left] = row;
        right[-1] = row;
        to_left += side;
        right -= !side;
    };
    const Size near = n > kAhead ? n - kAhead : 0;
    for (Size i = 0; i < near; ++i) {
        __builtin_prefetch(bytes + Size{from[i + kAhead]} * stride);
        put(from[i]);
    }
    for (Size i = near; i < n; ++i) put(from[i]);
    return to_left;
}

}  // namespace

std::array<bool, 256> sides_of(const Found& split, const ColumnBins& bins) {
    std::array<bool, 256> left{};
    if (bins.is_category())
        for (const std::uint8_t bin : split.subset) left[bin] = true;
    else
        std::fill_n(left.begin(), split.cut + 1, true);
    left[bins.count] = split.missing_left;
    return left;
}

void Partition::start(Size all, std::span<const std::uint32_t> some) {
    rows_.resize(some.empty() ? all : some.size());
    if (some.empty())
        std::iota(rows_.begin(), rows_.end(), 0u);
    else
        std::copy(some.begin(), some.end(), rows_.begin());
}

std::vector<Size> Partition::part(const Table& table, std::span<const Cut> cuts, int threads) {
    std::vector<Size> left_rows(cuts.size(), 0);
    std::vector<ColumnCodes> codes;
    std::vector<std::array<bool, 256>> sides;
    for (Size i = 0; i < cuts.size(); ++i) {
        const auto column = static_cast<Size>(cuts[i].split->column);
        codes.push_back(table.codes(column, code_room_));
        const std::array<bool, 256> of_bin = sides_of(*cuts[i].split, table.bins(column));
        std::array<bool, 256> of_stored = of_bin;
        if (codes.back().shared)
            for (Size v = 0; v < of_stored.size(); ++v) of_stored[v] = of_bin[codes.back().meaning[v]];
        sides.push_back(of_stored);
        // The codes of a sparse column lie in memory that the next one takes.
        if (table.is_sparse()) part(cuts.subspan(i, 1), {&codes[i], 1}, {&sides[i], 1}, threads, &left_rows[i]);
    }
    if (!table.is_sparse()) part(cuts, codes, sides, threads, left_rows.data());
    return left_rows;
}

void Partition::part(std::span<const Cut> cuts, std::span<const ColumnCodes> codes,
                     std::span<const std::array<bool, 256>> sides, int threads, Size* left_rows) {
    struct Piece {
        Size cut, begin, end, left = 0;
        Size to_left = 0, to_right = 0;
    };
    std::vector<Piece> pieces;
    Size rows = 0;
    for (Size i = 0; i < cuts.size(); ++i) {
        rows += cuts[i].end - cuts[i].begin;
        for (Size begin = cuts[i].begin; begin < cuts[i].end; begin += kPiece)
            pieces.push_back({i, begin, std::min(begin + kPiece, cuts[i].end)});
    }
    if (rows < kWorthAThread) threads = 1;
    auto* const room = this->room<std::uint32_t>(rows_.size());
    parallel_for(pieces.size(), threads, [&](Size p) {
        Piece& piece = pieces[p];
        piece.left = part_piece(at(piece.begin), piece.end - piece.begin, codes[piece.cut], sides[piece.cut].data(),
                                room + piece.begin);
    });
    for (const Piece& piece : pieces) left_rows[piece.cut] += piece.left;
    for (Size p = 0; p < pieces.size(); ++p) {
        const Cut& cut = cuts[pieces[p].cut];
        if (pieces[p].begin == cut.begin) {
            pieces[p].to_left = cut.begin;
            pieces[p].to_right = cut.begin + left_rows[pieces[p].cut];
        } else {
            const Piece& before = pieces[p - 1];
            pieces[p].to_left = before.to_left + before.left;
            pieces[p].to_right = before.to_right + (before.end - before.begin - before.left);
        }
    }
    parallel_for(pieces.size(), threads, [&](Size p) {
        const Piece& piece = pieces[p];
        const std::uint32_t* parted = room + piece.begin;
        const std::uint32_t* left_end = parted + piece.left;
        std::copy(parted, left_end, rows_.data() + piece.to_left);
        std::reverse_copy(left_end, parted + (piece.end - piece.begin), rows_.data() + piece.to_right);
    });
}

}  // namespace pellucid::boosting

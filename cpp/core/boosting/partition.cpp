#include "core/boosting/partition.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::boosting {
namespace {

// What vectors of row numbers can address.
constexpr Size kMostRows = Size{1} << 31;

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
    in_order_ = some.empty();
    std::copy(some.begin(), some.end(), rows_.begin());
}

void Partition::write_down() {
    if (in_order_) std::iota(rows_.begin(), rows_.end(), 0u);
    in_order_ = false;
}

std::vector<Size> Partition::part(const Table& table, std::span<const Cut> cuts, int threads) {
    require(table.rows() < kMostRows, "boosting: fewer than 2^31 rows");
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
    if (rows < kRowsWorthAThread) threads = 1;
    auto* const room = this->room<std::uint32_t>(rows_.size());
    parallel_for(pieces.size(), threads, [&](Size p) {
        Piece& piece = pieces[p];
        piece.left = boost_hot().part(in_order_ ? nullptr : rows_.data() + piece.begin, piece.begin,
                                      piece.end - piece.begin, codes[piece.cut].codes, codes[piece.cut].stride,
                                      sides[piece.cut].data(), room + piece.begin);
    });
    in_order_ = false;
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

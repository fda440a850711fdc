#include "core/quality/rows.hpp"

#include <algorithm>

#include "core/base/pool.hpp"

namespace pellucid::quality {
namespace {

constexpr Size kRowsInBlock = 4096;
constexpr Size kAhead = 16;  // rows whose place in the table is fetched before it is needed
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kNothing = 0xd1b54a32d192ed03;  // what is mixed in for a missing cell

std::uint64_t mix(std::uint64_t h, std::uint64_t key) {
    h = (h ^ key) * kOdd;
    return h ^ (h >> 32);
}

bool same_cell(const AnyColumn& column, Size a, Size b) {
    Key first = 0, second = 0;
    bool no_first = false, no_second = false;
    each_key(column, a, a + 1, [&](Size, Key key) { first = key; }, [&](Size) { no_first = true; });
    each_key(column, b, b + 1, [&](Size, Key key) { second = key; }, [&](Size) { no_second = true; });
    return no_first == no_second && first == second;
}

}  // namespace

std::vector<std::uint64_t> hash_rows(std::span<const AnyColumn> columns, int threads) {
    const Size rows = columns.empty() ? 0 : columns[0].rows;
    std::vector<std::uint64_t> hashes(rows, 0);
    parallel_for(blocks_of(rows, kRowsInBlock), threads, [&](Size b) {
        const Size from = b * kRowsInBlock, to = std::min(from + kRowsInBlock, rows);
        for (const AnyColumn& column : columns)
            each_key(
                column, from, to, [&](Size r, Key key) { hashes[r] = mix(hashes[r], key); },
                [&](Size r) { hashes[r] = mix(hashes[r], kNothing) + 1; });
    });
    return hashes;
}

std::vector<std::int64_t> first_equal_rows(std::span<const AnyColumn> columns, int threads) {
    const std::vector<std::uint64_t> hashes = hash_rows(columns, threads);
    const Size rows = hashes.size();
    require(rows < (Size{1} << 32) - 1, "first_equal_rows: rows");
    const Size size = std::bit_ceil(std::max<Size>(2 * rows, 64));
    const int shift = 64 - std::countr_zero(size);
    std::vector<std::uint32_t> slots(size, 0);  // a row plus one, or nothing
    std::vector<std::int64_t> first(rows);
    for (Size r = 0; r < rows; ++r) {
        if (r % (Size{1} << 16) == 0) check_interrupt();
        if (r + kAhead < rows) __builtin_prefetch(&slots[(hashes[r + kAhead] * kOdd) >> shift]);
        Size at = (hashes[r] * kOdd) >> shift;
        first[r] = static_cast<std::int64_t>(r);
        for (; slots[at] != 0; at = (at + 1) & (size - 1)) {
            const Size other = slots[at] - 1;
            if (hashes[other] != hashes[r]) continue;
            if (std::all_of(columns.begin(), columns.end(),
                            [&](const AnyColumn& column) { return same_cell(column, other, r); })) {
                first[r] = static_cast<std::int64_t>(other);
                break;
            }
        }
        if (slots[at] == 0) slots[at] = static_cast<std::uint32_t>(r + 1);
    }
    return first;
}

}  // namespace pellucid::quality

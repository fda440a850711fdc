#include "core/distance/shared_keys.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsPerBlock = 512;

struct Lists {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> rows;  // ascending within a list
};

Lists lists_of(const KeyedRows& table) {
    Lists lists;
    lists.starts.assign(table.weights.size() + 1, 0);
    lists.rows.resize(table.keys.size());
    for (const std::int32_t key : table.keys) ++lists.starts[static_cast<Size>(key) + 1];
    for (Size k = 0; k < table.weights.size(); ++k) lists.starts[k + 1] += lists.starts[k];
    std::vector<std::int64_t> next(lists.starts.begin(), lists.starts.end() - 1);
    for (Size r = 0; r + 1 < table.starts.size(); ++r)
        for (std::int64_t k = table.starts[r]; k < table.starts[r + 1]; ++k)
            lists.rows[static_cast<Size>(next[static_cast<Size>(table.keys[static_cast<Size>(k)])]++)] =
                static_cast<std::int32_t>(r);
    return lists;
}

void check(const KeyedRows& table) {
    require(!table.starts.empty() && table.starts.size() < (Size{1} << 31), "shared_keys: rows");
    require(table.starts.front() == 0 && static_cast<Size>(table.starts.back()) == table.keys.size(),
            "shared_keys: starts must run from 0 to the number of keys");
    require(std::is_sorted(table.starts.begin(), table.starts.end()), "shared_keys: starts must not fall");
    for (const std::int32_t key : table.keys)
        require(key >= 0 && static_cast<Size>(key) < table.weights.size(), "shared_keys: no such key");
}

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> rows_with_shared_keys(const KeyedRows& table, Size most,
                                                                         int threads) {
    check(table);
    const Lists lists = lists_of(table);
    const Size n = table.starts.size() - 1, blocks = blocks_of(n, kRowsPerBlock);
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> of_block(blocks);
    parallel_for(blocks, threads, [&](Size block) {
        std::vector<double> sum(n - block * kRowsPerBlock, 0);  // for the rows from the block's first on
        std::vector<std::int32_t> met;
        for (Size i = block * kRowsPerBlock; i < std::min(n, (block + 1) * kRowsPerBlock); ++i) {
            const Size shift = block * kRowsPerBlock;
            const auto at = [&](std::int32_t row) -> double& { return sum[static_cast<Size>(row) - shift]; };
            met.clear();
            for (std::int64_t k = table.starts[i]; k < table.starts[i + 1]; ++k) {
                const auto key = static_cast<Size>(table.keys[static_cast<Size>(k)]);
                const std::int32_t* end = lists.rows.data() + lists.starts[key + 1];
                const std::int32_t* first =
                    std::upper_bound(lists.rows.data() + lists.starts[key], end, static_cast<std::int32_t>(i));
                for (; first < end; ++first) {
                    double& weight = at(*first);
                    if (weight == 0) met.push_back(*first);
                    weight += table.weights[key];
                }
            }
            const auto heavier = [&](std::int32_t a, std::int32_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; };
            const auto kept = static_cast<std::ptrdiff_t>(std::min(most, met.size()));
            std::partial_sort(met.begin(), met.begin() + kept, met.end(), heavier);
            for (std::ptrdiff_t k = 0; k < kept; ++k) of_block[block].emplace_back(i, met[static_cast<Size>(k)]);
            for (const std::int32_t row : met) at(row) = 0;
        }
    });
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const auto& some : of_block) found.insert(found.end(), some.begin(), some.end());
    return found;
}

}  // namespace pellucid

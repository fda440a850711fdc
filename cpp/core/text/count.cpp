#include "core/text/count.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/text/murmur.hpp"

namespace pellucid::text {
namespace {

// A block has at least this many bytes of text, and there are at most this many blocks: a vocabulary for each is made,
// and put together with the others, so few large ones take less work than many small ones.
constexpr Size kBytes = 64 * 1024, kBlocks = 32;

// Entries of the texts of a block by the block's own numbers of terms, in the order of first sight.
struct Block {
    Size first = 0, last = 0;  // its texts
    Vocabulary terms;
    std::vector<std::uint32_t> starts, numbers, counts;
    std::vector<std::uint32_t> documents;  // of each term: texts that have it
    std::vector<std::int64_t> totals;      // of each term: how often it stands in all of them
    // What becomes of it: for each term its column, or -1, and the sign with which it counts
    std::vector<std::int32_t> columns;
    std::vector<std::int8_t> signs;
    // Rows in order of columns; row r has lengths[r] entries from starts[r] on
    std::vector<std::int32_t> placed;
    std::vector<std::int64_t> values;
    std::vector<std::uint32_t> lengths;
};

std::vector<Block> cut(const Documents& texts) {
    std::vector<Size> bytes(texts.size());
    for (Size i = 0; i < texts.size(); ++i) {
        const Size from = texts.starts.empty() ? i : texts.starts[i];
        const Size to = texts.starts.empty() ? i + 1 : texts.starts[i + 1];
        for (Size j = from; j < to; ++j) bytes[i] += texts.pieces[j].size() + 1;
    }
    const Size all = std::accumulate(bytes.begin(), bytes.end(), Size{0});
    const Size target = std::max(kBytes, all / kBlocks);
    std::vector<Block> blocks;
    Size held = target;
    for (Size i = 0; i < texts.size(); ++i) {
        if (held >= target) {
            blocks.emplace_back();
            blocks.back().first = i;
            held = 0;
        }
        held += bytes[i];
        blocks.back().last = i + 1;
    }
    return blocks;
}

void count_block(const Documents& texts, const Analysis& analysis, Block& block) {
    Analyser analyser(analysis);
    std::vector<std::uint32_t> place;  // of each term: its latest entry, plus one
    Size row = 0;
    const auto take = [&](std::string_view term) {
        const std::uint32_t number = block.terms.add(term);
        if (number == place.size()) {
            place.push_back(0);
            block.documents.push_back(0);
            block.totals.push_back(0);
        }
        ++block.totals[number];
        if (place[number] > row) {
            ++block.counts[place[number] - 1];
            return;
        }
        ++block.documents[number];
        block.numbers.push_back(number);
        block.counts.push_back(1);
        place[number] = static_cast<std::uint32_t>(block.numbers.size());
    };
    block.starts.push_back(0);
    for (Size i = block.first; i < block.last; ++i) {
        row = block.numbers.size();
        if (texts.starts.empty())
            analyser.terms_of(texts.pieces[i], take);
        else
            analyser.terms_of(texts.pieces.subspan(texts.starts[i], texts.starts[i + 1] - texts.starts[i]), take);
        require(block.numbers.size() < Vocabulary::kNone, "count: entries of a block of texts");
        block.starts.push_back(static_cast<std::uint32_t>(block.numbers.size()));
        check_interrupt();
    }
}

std::vector<Block> count_blocks(const Documents& texts, const Analysis& analysis, int threads) {
    std::vector<Block> blocks = cut(texts);
    parallel_for(blocks.size(), threads, [&](Size b) { count_block(texts, analysis, blocks[b]); });
    return blocks;
}

// Brings the entries of every text into the order of their columns: entries are dealt out by term, the terms are gone
// through in the order of their columns, and each entry returns to its row. Terms of one column are added up.
void place_block(Block& block, bool binary) {
    const Size terms = block.terms.size(), rows = block.last - block.first;
    std::vector<std::uint64_t> order;
    for (Size number = 0; number < terms; ++number)
        if (block.columns[number] >= 0)
            order.push_back(static_cast<std::uint64_t>(block.columns[number]) << 32 | number);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> next(terms, Vocabulary::kNone);
    std::uint32_t entries = 0;
    for (const std::uint64_t one : order) {
        const auto number = static_cast<std::uint32_t>(one);
        next[number] = entries;
        entries += block.documents[number];
    }
    struct Dealt {
        std::uint32_t row, count;
    };
    std::vector<Dealt> dealt(entries);
    for (Size r = 0; r < rows; ++r)
        for (Size i = block.starts[r]; i < block.starts[r + 1]; ++i) {
            std::uint32_t& to = next[block.numbers[i]];
            if (to != Vocabulary::kNone) dealt[to++] = {static_cast<std::uint32_t>(r), block.counts[i]};
        }
    block.placed.resize(block.numbers.size());
    block.values.resize(block.numbers.size());
    block.lengths.assign(rows, 0);
    Size at = 0;
    for (const std::uint64_t one : order) {
        const auto number = static_cast<std::uint32_t>(one);
        const auto column = static_cast<std::int32_t>(one >> 32);
        const std::int64_t sign = block.signs.empty() ? 1 : block.signs[number];
        for (Size i = 0; i < block.documents[number]; ++i, ++at) {
            const auto [row, count] = dealt[at];
            const std::int64_t value = sign * static_cast<std::int64_t>(count);
            const Size end = block.starts[row] + block.lengths[row];
            if (block.lengths[row] > 0 && block.placed[end - 1] == column) {
                block.values[end - 1] += value;
                continue;
            }
            block.placed[end] = column;
            block.values[end] = value;
            ++block.lengths[row];
        }
    }
    if (binary) std::fill(block.values.begin(), block.values.end(), 1);
}

Rows put_together(std::vector<Block>& blocks, Size rows, bool binary, int threads) {
    parallel_for(blocks.size(), threads, [&](Size b) { place_block(blocks[b], binary); });
    Rows made;
    made.starts.assign(rows + 1, 0);
    for (const Block& block : blocks)
        for (Size r = block.first; r < block.last; ++r)
            made.starts[r + 1] = made.starts[r] + block.lengths[r - block.first];
    const auto entries = static_cast<Size>(made.starts[rows]);
    made.columns.resize(entries);
    made.values.resize(entries);
    parallel_for(blocks.size(), threads, [&](Size b) {
        Block& block = blocks[b];
        for (Size r = block.first; r < block.last; ++r) {
            const Size from = block.starts[r - block.first], length = block.lengths[r - block.first];
            const auto to = static_cast<Size>(made.starts[r]);
            std::copy_n(block.placed.data() + from, length, made.columns.data() + to);
            for (Size i = 0; i < length; ++i) made.values[to + i] = static_cast<double>(block.values[from + i]);
        }
        block = Block{};  // its memory is not needed any more
    });
    return made;
}

// Numbers of terms in the order of their bytes, which is that of their letters. The first eight bytes decide most.
std::vector<std::uint32_t> sorted(const Vocabulary& terms, std::span<const std::uint32_t> numbers) {
    struct Key {
        std::uint64_t head;
        std::uint32_t number;
    };
    std::vector<Key> keys;
    keys.reserve(numbers.size());
    for (const std::uint32_t number : numbers) {
        const std::string_view term = terms[number];
        std::uint64_t head = 0;
        for (Size i = 0; i < 8; ++i)
            head = head << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : std::uint64_t{0});
        keys.push_back({head, number});
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return a.head != b.head ? a.head < b.head : terms[a.number] < terms[b.number];
    });
    std::vector<std::uint32_t> order;
    order.reserve(keys.size());
    for (const Key& key : keys) order.push_back(key.number);
    return order;
}

// Of terms in their order, the `limit` most frequent, in the same order.
void keep_most_frequent(std::vector<std::uint32_t>& order, std::span<const std::int64_t> totals, Size limit) {
    std::vector<Size> by_total(order.size());
    std::iota(by_total.begin(), by_total.end(), Size{0});
    std::stable_sort(by_total.begin(), by_total.end(),
                     [&](Size a, Size b) { return totals[order[a]] > totals[order[b]]; });
    by_total.resize(limit);
    std::sort(by_total.begin(), by_total.end());
    for (Size i = 0; i < limit; ++i) order[i] = order[by_total[i]];
    order.resize(limit);
}

}  // namespace

Fitted count_fit(const Documents& texts, const Analysis& analysis, const Kept& kept, bool binary, int threads) {
    std::vector<Block> blocks = count_blocks(texts, analysis, threads);
    Fitted found;
    std::vector<std::int64_t> documents, totals;
    for (Block& block : blocks) {
        block.columns.resize(block.terms.size());
        for (Size number = 0; number < block.terms.size(); ++number) {
            const std::uint32_t all = found.all.add(block.terms[number]);
            if (all == documents.size()) {
                documents.push_back(0);
                totals.push_back(0);
            }
            documents[all] += block.documents[number];
            totals[all] += binary ? block.documents[number] : block.totals[number];
            block.columns[number] = static_cast<std::int32_t>(all);
        }
    }
    found.met = found.all.size();
    std::vector<std::uint32_t> order;
    for (std::uint32_t number = 0; number < found.met; ++number) {
        const auto in = static_cast<double>(documents[number]);
        if (in >= kept.low && in <= kept.high) order.push_back(number);
    }
    order = sorted(found.all, order);
    if (kept.limit && *kept.limit < order.size()) keep_most_frequent(order, totals, *kept.limit);
    std::vector<std::int32_t> column_of(found.met, -1);
    for (Size column = 0; column < order.size(); ++column) {
        column_of[order[column]] = static_cast<std::int32_t>(column);
        found.terms.push_back(found.all[order[column]]);
        found.documents.push_back(documents[order[column]]);
    }
    for (Block& block : blocks)
        for (std::int32_t& column : block.columns) column = column_of[static_cast<Size>(column)];
    found.rows = put_together(blocks, texts.size(), binary, threads);
    return found;
}

Rows count_transform(const Documents& texts, const Analysis& analysis, const Vocabulary& known, bool binary,
                     int threads) {
    std::vector<Block> blocks = count_blocks(texts, analysis, threads);
    parallel_for(blocks.size(), threads, [&](Size b) {
        Block& block = blocks[b];
        block.columns.resize(block.terms.size());
        for (Size number = 0; number < block.terms.size(); ++number) {
            const std::uint32_t found = known.find(block.terms[number]);
            block.columns[number] = found == Vocabulary::kNone ? -1 : static_cast<std::int32_t>(found);
        }
    });
    return put_together(blocks, texts.size(), binary, threads);
}

Rows count_hash(const Documents& texts, const Analysis& analysis, const Hashing& hashing, bool binary, int threads) {
    std::vector<Block> blocks = count_blocks(texts, analysis, threads);
    parallel_for(blocks.size(), threads, [&](Size b) {
        Block& block = blocks[b];
        block.columns.resize(block.terms.size());
        if (hashing.signs) block.signs.resize(block.terms.size());
        for (Size number = 0; number < block.terms.size(); ++number) {
            const std::int32_t h = murmur3(block.terms[number]);
            const auto size = static_cast<std::uint64_t>(h < 0 ? -static_cast<std::int64_t>(h) : h);
            block.columns[number] = static_cast<std::int32_t>(size % hashing.columns);
            if (hashing.signs) block.signs[number] = h >= 0 ? 1 : -1;
        }
    });
    return put_together(blocks, texts.size(), binary, threads);
}

}  // namespace pellucid::text

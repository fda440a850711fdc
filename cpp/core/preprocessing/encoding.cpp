#include "core/preprocessing/encoding.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kKeysInBlock = Size{1} << 16;
constexpr Size kRowsInBlock = Size{1} << 12;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

// Distinct keys under their numbers. A place holds the number of a key plus one, or 0.
class KeyTable {
  public:
    std::int32_t find(std::int64_t key) const {
        for (Size at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].number == 0) return -1;
            if (slots_[at].key == key) return slots_[at].number - 1;
        }
    }

    std::int32_t number_of(std::int64_t key) {
        Size at = place(key);
        for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].key == key) return slots_[at].number - 1;
        keys_.push_back(key);
        slots_[at] = {key, static_cast<std::int32_t>(keys_.size())};
        if (2 * keys_.size() > slots_.size()) grow();
        return static_cast<std::int32_t>(keys_.size() - 1);
    }

    const std::vector<std::int64_t>& keys() const { return keys_; }

  private:
    struct Slot {
        std::int64_t key = 0;
        std::int32_t number = 0;
    };

    // The upper bits of a product depend on all bits below: floats differ in their upper bits only.
    Size place(std::int64_t key) const {
        const auto bits = static_cast<std::uint64_t>(key);
        return static_cast<Size>(((bits ^ (bits >> 32)) * kOdd) >> shift_);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), {});
        --shift_;
        for (Size number = 0; number < keys_.size(); ++number) {
            Size at = place(keys_[number]);
            while (slots_[at].number != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {keys_[number], static_cast<std::int32_t>(number + 1)};
        }
    }

    int shift_ = 64 - 6;
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::vector<std::int64_t> keys_;
};

CountedKeys count_block(const Keys& keys, Size from, Size to) {
    KeyTable table;
    std::vector<std::int64_t> counts;
    for (Size r = from; r < to; ++r) {
        const auto number = static_cast<Size>(table.number_of(keys[r]));
        if (number == counts.size()) counts.push_back(0);
        ++counts[number];
    }
    return {table.keys(), std::move(counts)};
}

}  // namespace

CountedKeys count_keys(const Keys& keys, int threads) {
    require(keys.rows < (Size{1} << 31), "count_keys: rows");
    std::vector<CountedKeys> parts(blocks_of(keys.rows, kKeysInBlock));
    parallel_for(parts.size(), threads, [&](Size b) {
        parts[b] = count_block(keys, b * kKeysInBlock, std::min(keys.rows, (b + 1) * kKeysInBlock));
    });
    KeyTable table;
    CountedKeys all;
    for (const CountedKeys& part : parts) {
        for (Size i = 0; i < part.keys.size(); ++i) {
            const auto number = static_cast<Size>(table.number_of(part.keys[i]));
            if (number == all.counts.size()) all.counts.push_back(0);
            all.counts[number] += part.counts[i];
        }
    }
    all.keys = table.keys();
    return all;
}

void encode_keys(const Keys& keys, std::span<const std::int64_t> categories, std::span<std::int32_t> codes,
                 int threads) {
    require(codes.size() == keys.rows && categories.size() < (Size{1} << 31), "encode_keys: sizes");
    KeyTable table;
    for (const std::int64_t category : categories) table.number_of(category);
    require(table.keys().size() == categories.size(), "encode_keys: categories must be distinct");
    parallel_for(blocks_of(keys.rows, kKeysInBlock), threads, [&](Size b) {
        const Size end = std::min(keys.rows, (b + 1) * kKeysInBlock);
        for (Size r = b * kKeysInBlock; r < end; ++r) codes[r] = table.find(keys[r]);
    });
}

void one_hot_lengths(const OneHotPlan& plan, std::span<std::int64_t> lengths, int threads) {
    require(lengths.size() == plan.rows && plan.codes.size() == plan.rows * plan.first.size(), "one_hot: sizes");
    parallel_for(blocks_of(plan.rows, kRowsInBlock), threads, [&](Size b) {
        const Size begin = b * kRowsInBlock, end = std::min(plan.rows, begin + kRowsInBlock);
        std::fill(lengths.begin() + begin, lengths.begin() + end, 0);
        for (Size j = 0; j < plan.first.size(); ++j)
            for (Size r = begin; r < end; ++r) lengths[r] += plan.place(r, j) >= 0;
    });
}

template <class Index>
void one_hot(const OneHotPlan& plan, std::span<const std::int64_t> starts, std::span<Index> indices, int threads) {
    require(starts.size() == plan.rows + 1 && indices.size() == static_cast<Size>(starts[plan.rows]), "one_hot: sizes");
    parallel_for(blocks_of(plan.rows, kRowsInBlock), threads, [&](Size b) {
        const Size end = std::min(plan.rows, (b + 1) * kRowsInBlock);
        Size at = static_cast<Size>(starts[b * kRowsInBlock]);
        for (Size r = b * kRowsInBlock; r < end; ++r)
            for (Size j = 0; j < plan.first.size(); ++j)
                if (const std::int32_t place = plan.place(r, j); place >= 0) indices[at++] = static_cast<Index>(place);
    });
}

template void one_hot(const OneHotPlan&, std::span<const std::int64_t>, std::span<std::int32_t>, int);
template void one_hot(const OneHotPlan&, std::span<const std::int64_t>, std::span<std::int64_t>, int);

}  // namespace pellucid

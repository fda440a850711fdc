#include "core/tree/sort_entries.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace pellucid::tree {
namespace {

void insertion_sort(std::span<Entry> entries) {
    for (Size i = 1; i < entries.size(); ++i) {
        const Entry moved = entries[i];
        Size j = i;
        for (; j > 0 && moved.rank < entries[j - 1].rank; --j) entries[j] = entries[j - 1];
        entries[j] = moved;
    }
}

// Deals entries into about as many buckets as there are of them, by the highest bits in which their ranks differ, and
// mends the order within the buckets. False, and nothing done, where one bucket would hold too many.
bool bucket_sort(std::span<Entry> entries, Entry* other, std::uint32_t least, int bits,
                 std::vector<std::uint32_t>& counts) {
    constexpr std::uint32_t kMostInBucket = 24;
    const int digit = std::min(bits, static_cast<int>(std::bit_width(entries.size())) - 1), shift = bits - digit;
    const Size buckets = Size{1} << digit;
    if (counts.size() < buckets) counts.resize(buckets);
    std::uint32_t* count = counts.data();
    std::fill_n(count, buckets, 0u);
    for (const Entry& e : entries) ++count[(e.rank - least) >> shift];
    std::uint32_t start = 0, most = 0;
    for (Size b = 0; b < buckets; ++b) {
        most = std::max(most, count[b]);
        start += std::exchange(count[b], start);
    }
    if (shift > 0 && most > kMostInBucket) return false;
    for (const Entry& e : entries) other[count[(e.rank - least) >> shift]++] = e;
    std::copy_n(other, entries.size(), entries.data());
    if (shift > 0) insertion_sort(entries);
    return true;
}

// One pass of a radix sort on bits shift .. shift + bits - 1 of rank - least.
void deal(std::span<const Entry> from, Entry* to, std::uint32_t least, int shift, int bits, std::uint32_t* counts) {
    const std::uint32_t mask = (1u << bits) - 1;
    std::fill_n(counts, (Size{1} << bits) + 1, 0u);
    for (const Entry& e : from) ++counts[(((e.rank - least) >> shift) & mask) + 1];
    for (Size d = 0; d < mask; ++d) counts[d + 1] += counts[d];
    for (const Entry& e : from) to[counts[((e.rank - least) >> shift) & mask]++] = e;
}

}  // namespace

// Ranks of present values are dense, so their differences have about as many bits as the table has rows: one to three
// passes of at most eleven bits. Missing ones are set apart first, so that they do not widen the range.
void sort_entries(std::vector<Entry>& entries, std::vector<Entry>& other, std::vector<std::uint32_t>& counts) {
    constexpr Size kFew = 20, kBuckets = 4096;
    constexpr int kDigit = 11;
    Size present = 0, missing = 0;
    std::uint32_t least = kMissing, most = 0;
    other.resize(entries.size());
    for (const Entry& e : entries) {
        if (e.rank == kMissing) {
            other[missing++] = e;
        } else {
            least = std::min(least, e.rank);
            most = std::max(most, e.rank);
            entries[present++] = e;
        }
    }
    std::copy_n(other.begin(), missing, entries.begin() + static_cast<std::ptrdiff_t>(present));
    const std::span<Entry> values(entries.data(), present);
    if (present < 2 || least == most) return;
    if (present <= kFew) return insertion_sort(values);
    if (present <= kBuckets && bucket_sort(values, other.data(), least, std::bit_width(most - least), counts)) return;
    const int bits = std::bit_width(most - least), passes = (bits + kDigit - 1) / kDigit;
    // The clearing of the counters must not outweigh the rows.
    if (present < 400) {
        std::stable_sort(values.begin(), values.end(), [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
        return;
    }
    const int digit = (bits + passes - 1) / passes;
    counts.resize((Size{1} << digit) + 1);
    Entry *from = values.data(), *to = other.data();
    for (int pass = 0; pass < passes; ++pass) {
        deal({from, present}, to, least, pass * digit, std::min(digit, bits - pass * digit), counts.data());
        std::swap(from, to);
    }
    if (from != values.data()) std::copy_n(from, present, values.data());
}

}  // namespace pellucid::tree

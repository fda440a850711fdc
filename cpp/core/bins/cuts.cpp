#include "core/bins/cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/check.hpp"

namespace pellucid {
namespace {

// The number in the middle of a < b by which x <= number tells them apart. Halves are added, so that nothing overflows.
double middle(double a, double b) {
    const double mid = a / 2 + b / 2;
    return mid >= a && mid < b ? mid : a;
}

// Bits that order as the doubles do.
std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}
double value_of(std::uint64_t key) {
    return std::bit_cast<double>(key ^ (key >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

double low_of(const WeightedValue& v) { return v.value; }
double high_of(const WeightedValue& v) { return v.value; }
double low_of(const WeightedRange& r) { return r.low; }
double high_of(const WeightedRange& r) { return r.high; }

// What `parts` are below is a span of values or of ranges, each with its weight, rising.
template <class Parts>
void one_bin_a_part(const Parts& parts, ColumnBins& bins) {
    bool known = true;
    for (const auto& part : parts) known = known && low_of(part) == high_of(part);
    for (Size b = 0; known && b < parts.size(); ++b) bins.values.push_back(low_of(parts[b]));
    for (Size b = 1; b < parts.size(); ++b) bins.edges.push_back(middle(high_of(parts[b - 1]), low_of(parts[b])));
    bins.count = parts.size();
}

template <class Parts>
void bins_of_equal_weight(const Parts& parts, Size most_bins, ColumnBins& bins) {
    double left = 0, here = 0;
    for (const auto& part : parts) left += part.weight;
    Size bins_left = most_bins;
    for (Size i = 0; i + 1 < parts.size() && bins_left > 1; ++i) {
        here += parts[i].weight;
        const double share = left / static_cast<double>(bins_left);
        // Also closed before a value that is heavier than a share: it would drag this bin's values along.
        if (here < share && !(parts[i + 1].weight >= share)) continue;
        bins.edges.push_back(middle(high_of(parts[i]), low_of(parts[i + 1])));
        left -= here;
        here = 0;
        --bins_left;
    }
    bins.count = bins.edges.size() + 1;
}

template <class Parts>
ColumnBins bins_of(const Parts& parts, Size most_bins) {
    require(most_bins >= 2 && most_bins <= kMostBins, "cut_numbers: number of bins");
    ColumnBins bins;
    if (parts.empty())
        bins.count = 1;  // nothing is known: one bin, which stays empty
    else if (parts.size() <= most_bins)
        one_bin_a_part(parts, bins);
    else
        bins_of_equal_weight(parts, most_bins, bins);
    return bins;
}

// Three passes of a radix sort over the highest 33 bits in which the keys differ; what is equal in those is then sorted
// by comparison, in small groups for most data. Equal keys stay in their order. The result is in `items`.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& other, std::vector<std::uint32_t>& counts,
                const Key& key_of_item) {
    constexpr int kDigit = 11, kPasses = 3;
    constexpr Size kDigits = Size{1} << kDigit;
    const Size n = items.size();
    std::uint64_t differ = 0;
    for (const Item& item : items) differ |= key_of_item(item) ^ key_of_item(items[0]);
    const int low = std::max(0, static_cast<int>(std::bit_width(differ)) - kDigit * kPasses);
    const auto digit = [&](const Item& item, int pass) {
        return (key_of_item(item) >> (low + pass * kDigit)) & (kDigits - 1);
    };
    counts.assign(kPasses * kDigits, 0);
    for (const Item& item : items)
        for (int pass = 0; pass < kPasses; ++pass) ++counts[static_cast<Size>(pass) * kDigits + digit(item, pass)];
    other.resize(n);
    for (int pass = 0; pass < kPasses; ++pass) {
        std::uint32_t* count = counts.data() + static_cast<Size>(pass) * kDigits;
        for (std::uint32_t d = 0, start = 0; d < kDigits; ++d) start += std::exchange(count[d], start);
        for (const Item& item : items) other[count[digit(item, pass)]++] = item;
        items.swap(other);
    }
    const auto less = [&](const Item& a, const Item& b) { return key_of_item(a) < key_of_item(b); };
    for (Size i = 0, end = 0; low > 0 && i < n; i = end) {
        for (end = i + 1; end < n && key_of_item(items[end]) >> low == key_of_item(items[i]) >> low;) ++end;
        const auto first = items.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = items.begin() + static_cast<std::ptrdiff_t>(end);
        if (end - i > 1 && !std::is_sorted(first, last, less)) std::stable_sort(first, last, less);
    }
}

constexpr Size kFewToSort = 2000;  // not worth a radix sort

}  // namespace

void sort_numbers(std::span<double> values, SortRoom& room) {
    if (values.size() < kFewToSort) return std::sort(values.begin(), values.end());
    room.keys.resize(values.size());
    for (Size i = 0; i < values.size(); ++i) room.keys[i] = key_of(values[i]);
    radix_sort(room.keys, room.other, room.counts, [](std::uint64_t key) { return key; });
    for (Size i = 0; i < values.size(); ++i) values[i] = value_of(room.keys[i]);
}

void sort_rows(std::vector<WeightedValue>& rows, SortRoom& room) {
    if (rows.size() < kFewToSort)
        return std::stable_sort(rows.begin(), rows.end(),
                                [](const auto& a, const auto& b) { return a.value < b.value; });
    radix_sort(rows, room.rows, room.counts, [](const WeightedValue& row) { return key_of(row.value); });
}

void join_equal(std::span<const double> values, std::vector<WeightedValue>& out) {
    for (const double x : values)
        if (!out.empty() && out.back().value == x)
            out.back().weight += 1;
        else
            out.push_back({x, 1.0});
}

Size join_equal(std::span<WeightedValue> rows) {
    Size n = 0;
    for (const WeightedValue& row : rows)
        if (n > 0 && rows[n - 1].value == row.value)
            rows[n - 1].weight += row.weight;
        else
            rows[n++] = row;
    return n;
}

ColumnBins cut_numbers(std::span<double> values, Size most_bins) {
    const auto end = std::partition(values.begin(), values.end(), [](double x) { return !std::isnan(x); });
    const std::span<double> known(values.begin(), end);
    for (double& x : known) x += 0.0;  // -0 becomes 0
    SortRoom room;
    sort_numbers(known, room);
    std::vector<WeightedValue> distinct;
    join_equal(known, distinct);
    return bins_of(distinct, most_bins);
}

ColumnBins cut_numbers(std::span<WeightedValue> rows, Size most_bins) {
    const auto end = std::partition(rows.begin(), rows.end(),
                                    [](const WeightedValue& row) { return !std::isnan(row.value) && row.weight > 0; });
    const std::span<WeightedValue> known(rows.begin(), end);
    for (WeightedValue& row : known) row.value += 0.0;
    std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    return bins_of(known.first(join_equal(known)), most_bins);
}

ColumnBins cut_ranges(std::span<const WeightedRange> ranges, Size most_bins) { return bins_of(ranges, most_bins); }

ColumnBins cut_categories(std::span<const double> weight_of_code, Size most_bins) {
    require(most_bins >= 2 && most_bins <= kMostBins, "cut_categories: number of bins");
    const Size n = weight_of_code.size();
    ColumnBins bins;
    bins.bin_of_category.resize(n);
    if (n <= most_bins) {
        std::iota(bins.bin_of_category.begin(), bins.bin_of_category.end(), std::uint8_t{0});
        bins.count = n;
        return bins;
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return weight_of_code[a] > weight_of_code[b]; });
    // The heaviest keep a bin each, in the order of their codes.
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most_bins - 1));
    for (Size i = 0; i < n; ++i) bins.bin_of_category[order[i]] = static_cast<std::uint8_t>(std::min(i, most_bins - 1));
    bins.count = most_bins;
    return bins;
}

double ColumnBins::between(Size a, Size b) const {
    return values.empty() ? middle(edges[a], edges[b - 1]) : middle(values[a], values[b]);
}

double ColumnBins::below(Size, Size b) const {
    return values.empty() ? std::nextafter(edges[b - 1], std::numeric_limits<double>::infinity()) : values[b];
}

std::uint8_t ColumnBins::code_of(double x) const {
    if (is_category()) {
        const bool known = x >= 0 && x < static_cast<double>(bin_of_category.size()) && x == std::floor(x);
        return known ? bin_of_category[static_cast<Size>(x)] : static_cast<std::uint8_t>(count);
    }
    if (std::isnan(x)) return static_cast<std::uint8_t>(count);
    return static_cast<std::uint8_t>(std::lower_bound(edges.begin(), edges.end(), x) - edges.begin());
}

EdgeSearch::EdgeSearch(const ColumnBins& bins, Size values)
    : edges_(bins.edges), missing_(static_cast<std::uint8_t>(bins.count)) {
    constexpr Size kWorthATable = 20000;
    constexpr std::uint64_t kCells = 1 << 16;
    Size most = edges_.size();
    if (values >= kWorthATable) {
        // Edges by the cell of their own highest bits: a number has all those of lower cells below it, and perhaps some
        // of its own cell.
        std::vector<std::uint8_t> in_cell(kCells, 0);
        for (const double edge : edges_) ++in_cell[key_of(edge + 0.0) >> 48];
        before_.resize(kCells);
        std::uint8_t sum = 0;
        most = 0;
        for (std::uint64_t cell = 0; cell < kCells; ++cell) {
            before_[cell] = sum;
            sum = static_cast<std::uint8_t>(sum + in_cell[cell]);
            most = std::max<Size>(most, in_cell[cell]);
        }
    }
    steps_ = static_cast<int>(std::bit_width(most));
    edges_.resize(edges_.size() + (Size{1} << steps_), std::numeric_limits<double>::infinity());
}

void EdgeSearch::codes(const double* x, Size n, std::uint8_t* out) const {
    constexpr Size kBatch = 16;  // searches at once: their steps wait for memory, not for each other
    const double* e = edges_.data();
    const auto search = [&]<Size count>(Size i, std::integral_constant<Size, count>) {
        Size at[count] = {};
        if (!before_.empty())
            for (Size k = 0; k < count; ++k) at[k] = before_[key_of(x[i + k] + 0.0) >> 48];
        for (int step = steps_; step-- > 0;)
            for (Size k = 0; k < count; ++k) at[k] += Size{e[at[k] + (Size{1} << step) - 1] < x[i + k]} << step;
        for (Size k = 0; k < count; ++k)
            out[i + k] = std::isnan(x[i + k]) ? missing_ : static_cast<std::uint8_t>(at[k]);
    };
    Size i = 0;
    for (; i + kBatch <= n; i += kBatch) search(i, std::integral_constant<Size, kBatch>{});
    for (; i < n; ++i) search(i, std::integral_constant<Size, 1>{});
}

}  // namespace pellucid

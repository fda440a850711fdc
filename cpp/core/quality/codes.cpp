#include "core/quality/codes.hpp"

#include <algorithm>

#include "core/base/pool.hpp"
#include "core/quality/spaces.hpp"

namespace pellucid::quality {
namespace {

constexpr int kDigit = 8;
constexpr Size kBuckets = Size{1} << kDigit;
constexpr int kDigits = 32 / kDigit;  // of the upper half of a word
constexpr Size kBetween = Size{1} << 20;
constexpr Size kAhead = 16;                    // rows whose key is fetched before it is needed
constexpr Size kTried = 256;                   // rows by which the number of decimals is found
constexpr double kScale = 1e6;                 // at most so many parts
constexpr double kLargest = 1e15;              // whole numbers up to here, and somewhat beyond, are floats
constexpr double kRound = 6755399441055744.0;  // 1.5 x 2^52: what is added to it is rounded to a whole number

Size row_of(std::uint64_t word) { return word & 0xffffffffu; }
std::uint64_t upper(std::uint64_t word) { return word >> 32; }

// The least and the largest key of the rows that have a value, and how many these are.
struct Range {
    Key low = ~Key{0}, high = 0;
    Size present = 0;
};

// Writes the keys of the rows that have a value; their codes are 0, those of the others -1.
Range read_keys(const AnyColumn& column, std::vector<Key>& keys, std::vector<std::int32_t>& codes) {
    Range range;
    for (Size from = 0; from < column.rows; from += kBetween) {
        check_interrupt();
        each_key(
            column, from, std::min(from + kBetween, column.rows),
            [&](Size r, Key key) {
                keys[r] = key;
                codes[r] = 0;
                range.low = std::min(range.low, key);
                range.high = std::max(range.high, key);
                ++range.present;
            },
            [&](Size r) { codes[r] = -1; });
    }
    return range;
}

// x as a whole number of parts of 1/scale; false if it is none.
bool in_parts(Key key, double scale, std::int64_t& parts) {
    const auto x = value_of<double>(key);
    const double near = (x * scale + kRound) - kRound;
    if (!(std::abs(near) <= kLargest) || near / scale != x) return false;
    parts = static_cast<std::int64_t>(near);
    return true;
}

// Numbers with few decimals are whole numbers of tenths, hundredths, ...: then keys become those of the whole numbers,
// which have the same order and fewer digits. Returns 10^decimals, or 0 where the keys stay as they are.
double narrow(std::vector<Key>& keys, std::vector<Key>& spare, const std::vector<std::int32_t>& codes, Range& range) {
    double scale = 1.0;
    std::int64_t parts = 0;
    Size tried = 0;
    for (Size r = 0; r < keys.size() && tried < kTried; ++r) {
        if (codes[r] < 0) continue;
        ++tried;
        for (; !in_parts(keys[r], scale, parts); scale *= 10.0)
            if (scale >= kScale) return 0.0;
    }
    spare.resize(keys.size());
    for (Size r = 0; r < keys.size(); ++r) {
        if (codes[r] < 0) continue;
        if (!in_parts(keys[r], scale, parts)) return 0.0;
        spare[r] = key_of(parts);
    }
    keys.swap(spare);
    in_parts(range.low, scale, parts);
    range.low = key_of(parts);
    in_parts(range.high, scale, parts);
    range.high = key_of(parts);
    return scale;
}

void sort_words(std::vector<std::uint64_t>& words, std::vector<std::uint64_t>& spare) {
    const Size n = words.size();
    spare.resize(n);
    std::array<std::array<std::uint32_t, kBuckets>, kDigits> counts{};
    for (const std::uint64_t word : words)
        for (int d = 0; d < kDigits; ++d) ++counts[static_cast<Size>(d)][(word >> (32 + d * kDigit)) & (kBuckets - 1)];
    for (int d = 0; d < kDigits; ++d) {
        auto& count = counts[static_cast<Size>(d)];
        const int shift = 32 + d * kDigit;
        if (count[(words[0] >> shift) & (kBuckets - 1)] == n) continue;
        check_interrupt();
        std::uint32_t before = 0;
        for (auto& c : count) {
            const std::uint32_t here = c;
            c = before;
            before += here;
        }
        const std::uint64_t* from = words.data();
        std::uint64_t* to = spare.data();
        for (Size i = 0; i < n; ++i) to[count[(from[i] >> shift) & (kBuckets - 1)]++] = from[i];
        words.swap(spare);
    }
}

// The keys of the words in their order.
void gather(const std::vector<std::uint64_t>& words, const std::vector<Key>& keys, std::vector<Key>& ordered) {
    const Size n = words.size();
    for (Size i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(&keys[row_of(words[i + kAhead])]);
        ordered[i] = keys[row_of(words[i])];
    }
}

// Puts words of equal upper halves in the order of their keys, and the keys with them.
void settle(std::vector<std::uint64_t>& words, const std::vector<Key>& keys, std::vector<Key>& ordered) {
    const auto less = [&](std::uint64_t a, std::uint64_t b) {
        const Key x = keys[row_of(a)], y = keys[row_of(b)];
        return x != y ? x < y : a < b;
    };
    for (Size from = 0; from < words.size();) {
        Size to = from + 1;
        bool sorted = true;
        for (; to < words.size() && upper(words[to]) == upper(words[from]); ++to)
            sorted = sorted && ordered[to - 1] <= ordered[to];
        if (!sorted) {
            const auto first = words.begin() + static_cast<std::ptrdiff_t>(from);
            std::sort(first, words.begin() + static_cast<std::ptrdiff_t>(to), less);
            for (Size i = from; i < to; ++i) ordered[i] = keys[row_of(words[i])];
        }
        from = to;
    }
}

// Distinct keys in order into `sorted`, how many rows there are up to the end of each, and each row's rank.
void rank_rows(CodeSpace& space, std::vector<std::int32_t>& ranks) {
    space.sorted.clear();
    space.upto.clear();
    const std::vector<Key>& ordered = space.spare;
    const Size n = ordered.size();
    for (Size from = 0; from < n;) {
        const auto rank = static_cast<std::int32_t>(space.sorted.size());
        Size to = from;
        for (; to < n && ordered[to] == ordered[from]; ++to) ranks[row_of(space.words[to])] = rank;
        space.sorted.push_back(ordered[from]);
        space.upto.push_back(static_cast<std::int64_t>(to));
        from = to;
    }
}

// Turns ranks into numbers in the order in which values are first met.
void number_values(CodeSpace& space, CodedNumbers& found) {
    const Size distinct = space.sorted.size();
    space.number.assign(distinct, -1);
    std::int32_t next = 0;
    for (std::int32_t& code : found.codes) {
        if (code < 0) continue;
        std::int32_t& number = space.number[static_cast<Size>(code)];
        if (number < 0) number = next++;
        code = number;
    }
    found.values.resize(distinct);
    found.counts.resize(distinct);
    found.order = space.number;
    for (Size rank = 0; rank < distinct; ++rank) {
        const auto number = static_cast<Size>(space.number[rank]);
        found.values[number] = space.sorted[rank];
        found.counts[number] = space.upto[rank] - (rank == 0 ? 0 : space.upto[rank - 1]);
    }
}

// The finite ones among distinct values in order, and what there is beside them.
Runs finite_runs(Domain domain, const std::vector<Key>& values, std::vector<std::int64_t>& upto, Others& others) {
    Size from = 0, to = values.size();
    if (domain == Domain::real) {
        const double infinite = std::numeric_limits<double>::infinity();
        if (from < to && values[from] == key_of(-infinite)) others.minus_infinity = upto[from++];
        if (from < to && values[to - 1] == key_of(infinite)) {
            others.plus_infinity = upto[to - 1] - (to > 1 ? upto[to - 2] : 0);
            --to;
        }
        if (others.minus_infinity > 0)
            for (Size i = from; i < to; ++i) upto[i] -= others.minus_infinity;
    }
    return {domain, std::span(values).subspan(from, to - from), std::span(upto).subspan(from, to - from)};
}

}  // namespace

CodedNumbers code_numbers(const AnyColumn& column, const Wanted& wanted, CodeSpace& space) {
    require(column.rows < (Size{1} << 31), "code_numbers: rows");
    CodedNumbers found;
    found.domain = domain_of(column.stored);
    found.codes.resize(column.rows);
    space.keys.resize(column.rows);
    Range range = read_keys(column, space.keys, found.codes);
    Others others;
    others.missing = static_cast<std::int64_t>(column.rows - range.present);
    if (range.present == 0) {
        found.figures = run_figures({found.domain, {}, {}}, wanted);
        found.figures.others = others;
        return found;
    }
    const double scale = found.domain == Domain::real ? narrow(space.keys, space.spare, found.codes, range) : 0.0;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range.high - range.low)) - 32);
    space.words.clear();
    space.words.reserve(range.present);
    for (Size r = 0; r < column.rows; ++r)
        if (found.codes[r] == 0) space.words.push_back((((space.keys[r] - range.low) >> shift) << 32) | r);
    sort_words(space.words, space.spare);
    if (shift > 0) {
        gather(space.words, space.keys, space.spare);
        settle(space.words, space.keys, space.spare);
    } else {
        for (Size i = 0; i < space.words.size(); ++i) space.spare[i] = range.low + upper(space.words[i]);
    }
    rank_rows(space, found.codes);
    if (scale > 0.0)
        for (Key& key : space.sorted) key = key_of(static_cast<double>(value_of<std::int64_t>(key)) / scale);
    number_values(space, found);
    found.figures = run_figures(finite_runs(found.domain, space.sorted, space.upto, others), wanted);
    found.figures.others = others;
    return found;
}

std::vector<CodedNumbers> code_numbers(std::span<const AnyColumn> columns, const Wanted& wanted, int threads) {
    std::vector<CodedNumbers> found(columns.size());
    Spaces<CodeSpace> spaces;
    parallel_for(columns.size(), threads, [&](Size j) {
        spaces.with([&](CodeSpace& space) { found[j] = code_numbers(columns[j], wanted, space); });
    });
    return found;
}

}  // namespace pellucid::quality

#include "core/metrics/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"

namespace pellucid {
namespace {

constexpr Size kBlockRows = Size{1} << 17;
constexpr Size kRowsPerSplitter = 1024;
constexpr Size kMostSplitters = 2048;  // 16 kB of keys: half of the nearest cache
constexpr Size kSample = 8;            // rows drawn for a splitter
constexpr Size kBatch = 8;             // searches at once: their steps wait for memory, not for each other
constexpr int kSearchCells = 4096;     // in which the search for a bucket starts
constexpr Size kMostCells = 4096;      // of the counting step within a bucket
constexpr Size kSmallCell = 24;        // rows that insertion sorts well

// Floats as unsigned numbers of the same order; -0 becomes 0.
template <class T>
struct Ordered {
    using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static constexpr Key kTop = Key{1} << (8 * sizeof(Key) - 1);  // the key of zero

    static Key key(T value) {
        const Key bits = std::bit_cast<Key>(value + T{0});
        return (bits & kTop) != 0 ? ~bits : bits | kTop;
    }
    static T value(Key key) { return std::bit_cast<T>((key & kTop) != 0 ? static_cast<Key>(key ^ kTop) : ~key); }
};

// A row: its key without the highest bit, and its label in the lowest.
template <class Key>
struct Counted {
    using Sum = std::uint64_t;
    Key code;
    Sum weight() const { return 1; }
};

template <class Key>
struct Weighted {
    using Sum = double;
    Key code;
    double mass;
    double weight() const { return mass; }
};

template <class Sum>
struct Tally {
    Sum positives = 0, negatives = 0;
    template <class Record>
    void add(const Record& r) {  // without a branch: labels cannot be foretold
        const auto label = static_cast<Sum>(r.code & 1);
        positives += label * r.weight();
        negatives += (1 - label) * r.weight();
    }
};

// Sorted, distinct keys, zero among them. A search starts at the first splitter of the value's cell, the splitters'
// range being cut into cells of equal width, and takes as many halving steps as the fullest cell needs: two or three
// where scores are spread evenly, all eleven where nearly all splitters share a cell. (Measured with 2,047 splitters:
// 5 ns a row; 16 ns by halving alone.)
template <class T>
class Splitters {
  public:
    using Key = typename Ordered<T>::Key;

    Splitters(std::vector<Key> sample, Size wanted) {
        std::sort(sample.begin(), sample.end());
        for (Size i = 0; i < wanted; ++i) keys_.push_back(sample[(2 * i + 1) * sample.size() / (2 * wanted)]);
        keys_.push_back(Ordered<T>::kTop);
        std::sort(keys_.begin(), keys_.end());
        keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
        buckets_ = 2 * keys_.size() + 1;
        cut_cells();
        keys_.insert(keys_.begin(), Key{0});  // no finite number has this key, nor the highest
        keys_.resize(keys_.size() + 2 * half_, std::numeric_limits<Key>::max());
        const T zero = 0;
        std::uint16_t place;
        find<1>(&zero, &place);
        upper_half_ = place;
    }
    Size buckets() const { return buckets_; }
    // Does the bucket hold keys of zero and above?
    bool upper(Size bucket) const { return bucket >= upper_half_; }
    // Even buckets lie between two splitters, odd ones hold what equals a splitter.
    template <Size count>
    void find(const T* value, std::uint16_t* bucket) const {
        const Key* above = keys_.data() + 1;
        Size at[count];
        Key key[count];
        for (Size i = 0; i < count; ++i) {
            key[i] = Ordered<T>::key(value[i]);
            at[i] = first_[cell(value[i])];
        }
        for (Size step = half_; step > 0; step /= 2)
            for (Size i = 0; i < count; ++i) at[i] += step & (Size{0} - Size{above[at[i] + step - 1] <= key[i]});
        for (Size i = 0; i < count; ++i)
            bucket[i] = static_cast<std::uint16_t>(2 * at[i] - Size{keys_[at[i]] == key[i]});
    }

  private:
    // Never falls where the value rises; an overflow of the difference ends in the first or the last cell.
    Size cell(T value) const {
        const T place = std::max(T{0}, (value - low_) * scale_);
        return static_cast<Size>(static_cast<std::int32_t>(std::min(place, T{kSearchCells - 1})));
    }
    void cut_cells() {
        low_ = Ordered<T>::value(keys_.front());
        scale_ = T{kSearchCells} / (Ordered<T>::value(keys_.back()) - low_);
        if (!(scale_ <= std::numeric_limits<T>::max())) scale_ = 0;  // NaN as well: scores that are not finite
        first_.assign(kSearchCells + 1, 0);
        for (const Key key : keys_) ++first_[cell(Ordered<T>::value(key)) + 1];
        const Size fullest = *std::max_element(first_.begin(), first_.end());
        for (Size c = 0; c < kSearchCells; ++c) first_[c + 1] = static_cast<std::uint16_t>(first_[c + 1] + first_[c]);
        half_ = std::bit_ceil(fullest + 1) / 2;
    }

    std::vector<Key> keys_;
    std::vector<std::uint16_t> first_;  // splitters below each cell
    T low_ = 0, scale_ = 0;
    Size buckets_ = 0, half_ = 0, upper_half_ = 0;
};

template <class Record>
void insert_sorted(Record* rows, Size n) {
    for (Size i = 1; i < n; ++i) {
        if (!(rows[i].code < rows[i - 1].code)) continue;
        const Record moved = rows[i];
        Size j = i;
        for (; j > 0 && moved.code < rows[j - 1].code; --j) rows[j] = rows[j - 1];
        rows[j] = moved;
    }
}

// Stable. One counting step over the highest bits that differ spreads a bucket to about one row a cell, whatever the
// distribution, because a bucket is a narrow piece of it; cells that stay crowded are sorted by comparison.
template <class Record>
void sort_bucket(std::span<Record> rows) {
    const Size n = rows.size();
    if (n <= kSmallCell) return insert_sorted(rows.data(), n);
    const auto by_code = [](const Record& a, const Record& b) { return a.code < b.code; };
    const auto [low, high] = std::minmax_element(rows.begin(), rows.end(), by_code);
    const auto least = low->code;
    const auto range = static_cast<std::uint64_t>(high->code - least);
    if ((least >> 1) == (high->code >> 1)) return;
    const auto bits = static_cast<int>(std::bit_width(std::min(n, kMostCells) - 1));
    const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - bits);
    const auto cell = [&](const Record& r) { return static_cast<Size>((r.code - least) >> shift); };

    const auto copy = std::make_unique_for_overwrite<Record[]>(n);
    std::copy(rows.begin(), rows.end(), copy.get());
    std::uint32_t start[kMostCells + 1];
    const Size cells = static_cast<Size>(range >> shift) + 1;
    std::fill_n(start, cells + 1, 0);
    for (Size i = 0; i < n; ++i) ++start[cell(copy[i]) + 1];
    std::uint32_t crowd = 0;
    for (Size c = 0; c < cells; ++c) {
        crowd = std::max(crowd, start[c + 1]);
        start[c + 1] += start[c];
    }
    for (Size i = 0; i < n; ++i) rows[start[cell(copy[i])]++] = copy[i];
    if (crowd > kSmallCell) {
        for (Size c = 0, begin = 0; c < cells; begin = start[c++])
            if (start[c] - begin > kSmallCell) std::stable_sort(rows.data() + begin, rows.data() + start[c], by_code);
    }
    insert_sorted(rows.data(), n);
}

// Rows dealt into buckets of ascending score, each bucket ready to be sorted on its own.
template <class T, class Record>
class Dealt {
  public:
    using Key = typename Ordered<T>::Key;

    Dealt(const ScoredRows<T>& rows, int threads)
        : rows_(rows), n_(rows.score.size()), blocks_(blocks_of(n_, kBlockRows)), splitters_(draw()) {
        require(rows.positive.size() == n_ && (rows.weight.empty() || rows.weight.size() == n_), "ranking: sizes");
        require(n_ < std::numeric_limits<std::uint32_t>::max(), "ranking: at most 2^32 - 1 rows");
        counts_.assign(blocks_ * buckets(), 0);
        places_ = std::make_unique_for_overwrite<std::uint16_t[]>(n_);
        std::vector<std::uint8_t> bad(blocks_, 0);
        parallel_for(blocks_, threads, [&](Size b) { bad[b] = !place_block(b); });
        finite_ = std::find(bad.begin(), bad.end(), 1) == bad.end();
        if (!finite_) return;
        starts_from_counts();
        records_ = std::make_unique_for_overwrite<Record[]>(n_);
        parallel_for(blocks_, threads, [&](Size b) { deal_block(b); });
        places_.reset();
    }

    bool finite() const { return finite_; }
    Size buckets() const { return splitters_.buckets(); }
    std::span<Record> bucket(Size b) { return {records_.get() + starts_[b], starts_[b + 1] - starts_[b]}; }
    T score(Size b, Key code) const {
        return Ordered<T>::value((code >> 1) | (splitters_.upper(b) ? Ordered<T>::kTop : Key{0}));
    }

  private:
    Splitters<T> draw() const {
        const Size wanted = std::min(n_ / kRowsPerSplitter, kMostSplitters - 2);
        std::vector<Key> sample(wanted * kSample);
        const Random random{0, 0};
        for (Size i = 0; i < sample.size(); ++i) sample[i] = Ordered<T>::key(rows_.score[random.below(i, n_)]);
        return Splitters<T>(std::move(sample), wanted);
    }

    Size begin(Size block) const { return block * kBlockRows; }
    Size end(Size block) const { return std::min(n_, (block + 1) * kBlockRows); }

    // The bucket of every row, and how many rows of the block fall into each. Answers whether all scores are finite.
    bool place_block(Size block) {
        std::uint32_t* counts = counts_.data() + block * buckets();
        bool finite = true;
        Size i = begin(block);
        for (; i + kBatch <= end(block); i += kBatch) finite &= place<kBatch>(i, counts);
        for (; i < end(block); ++i) finite &= place<1>(i, counts);
        return finite;
    }
    template <Size count>
    bool place(Size row, std::uint32_t* counts) {
        const T* values = rows_.score.data() + row;
        bool finite = true;
        for (Size i = 0; i < count; ++i) finite &= std::abs(values[i]) <= std::numeric_limits<T>::max();
        if (!finite) return false;  // NaN has no bucket
        std::uint16_t* places = places_.get() + row;
        splitters_.template find<count>(values, places);
        for (Size i = 0; i < count; ++i) ++counts[places[i]];
        return true;
    }

    // Counts become the place of each block's first row in each bucket.
    void starts_from_counts() {
        starts_.assign(buckets() + 1, 0);
        std::uint32_t place = 0;
        for (Size bucket = 0; bucket < buckets(); ++bucket) {
            starts_[bucket] = place;
            for (Size block = 0; block < blocks_; ++block) {
                std::uint32_t& count = counts_[block * buckets() + bucket];
                const std::uint32_t here = count;
                count = place;
                place += here;
            }
        }
        starts_[buckets()] = place;
    }

    void deal_block(Size block) {
        std::uint32_t* next = counts_.data() + block * buckets();
        for (Size i = begin(block); i < end(block); ++i) {
            const Key key = Ordered<T>::key(rows_.score[i]);
            const Key code = static_cast<Key>(key << 1) | Key{rows_.positive[i] != 0};
            Record& to = records_[next[places_[i]]++];
            if constexpr (std::is_same_v<typename Record::Sum, double>)
                to = {code, rows_.weight[i]};
            else
                to = {code};
        }
    }

    const ScoredRows<T>& rows_;
    Size n_, blocks_;
    Splitters<T> splitters_;
    bool finite_ = true;
    std::vector<std::uint32_t> counts_;        // blocks x buckets
    std::vector<std::uint32_t> starts_;        // buckets + 1
    std::unique_ptr<std::uint16_t[]> places_;  // n: bucket of each row
    std::unique_ptr<Record[]> records_;        // n, bucket after bucket
};

// Rows of one score: [begin, end of the group).
template <class Record>
Size group_end(std::span<const Record> rows, Size begin) {
    Size end = begin + 1;
    while (end < rows.size() && (rows[end].code >> 1) == (rows[begin].code >> 1)) ++end;
    return end;
}
template <class Record>
Size group_begin(std::span<const Record> rows, Size end) {
    Size begin = end - 1;
    while (begin > 0 && (rows[begin - 1].code >> 1) == (rows[end - 1].code >> 1)) --begin;
    return begin;
}

// Twice the area within a bucket, sum_g p_g (2 N_<g + n_g): an integer where counts are.
template <class Record>
struct Area {
    Tally<typename Record::Sum> total;
    typename Record::Sum twice = 0;

    void add_bucket(std::span<const Record> rows) {
        for (Size begin = 0; begin < rows.size();) {
            const Size end = group_end(rows, begin);
            Tally<typename Record::Sum> group;
            for (; begin < end; ++begin) group.add(rows[begin]);
            add(group, group.positives * group.negatives);
        }
    }
    void add(const Tally<typename Record::Sum>& above, typename Record::Sum twice_within) {
        twice += above.positives * (2 * total.negatives) + twice_within;
        total.positives += above.positives;
        total.negatives += above.negatives;
    }
};

template <class Record, class T>
RocArea area_of(const ScoredRows<T>& rows, int threads) {
    Dealt<T, Record> dealt(rows, threads);
    if (!dealt.finite()) return {Status::not_finite, 0, 0, 0};
    std::vector<Area<Record>> parts(dealt.buckets());
    parallel_for(dealt.buckets(), threads, [&](Size b) {
        sort_bucket(dealt.bucket(b));
        parts[b].add_bucket(dealt.bucket(b));
    });
    Area<Record> all;
    for (const Area<Record>& part : parts) all.add(part.total, part.twice);
    const auto p = static_cast<double>(all.total.positives), n = static_cast<double>(all.total.negatives);
    const double pairs = 2 * p * n;
    const double area = pairs > 0 ? static_cast<double>(all.twice) / pairs : std::numeric_limits<double>::quiet_NaN();
    return {Status::ok, area, p, n};
}

template <class T, class Record>
class ThresholdWriter {
  public:
    using Sums = Tally<typename Record::Sum>;

    ThresholdWriter(Dealt<T, Record>& dealt, int threads)
        : dealt_(dealt), groups_(dealt.buckets()), total_(dealt.buckets()) {
        parallel_for(dealt_.buckets(), threads, [&](Size b) {
            sort_bucket(dealt_.bucket(b));
            const std::span<const Record> rows = dealt_.bucket(b);
            for (Size begin = 0; begin < rows.size(); ++groups_[b]) begin = group_end(rows, begin);
            for (const Record& r : rows) total_[b].add(r);
        });
        for (const Size groups : groups_) out_.size += groups;
        out_.score = std::make_unique_for_overwrite<T[]>(out_.size);
        out_.positives = std::make_unique_for_overwrite<double[]>(out_.size);
        out_.negatives = std::make_unique_for_overwrite<double[]>(out_.size);
    }

    // Counts: every bucket knows where it starts. Weights: the sums of one bucket go on where the one above it stopped.
    Thresholds<T> write(int threads) {
        const Size buckets = dealt_.buckets();
        std::vector<Size> place(buckets);
        std::vector<Sums> start(buckets);
        Size next = 0;
        Sums sums;
        for (Size b = buckets; b-- > 0; next += groups_[b]) {
            place[b] = next;
            start[b] = sums;
            sums.positives += total_[b].positives;
            sums.negatives += total_[b].negatives;
        }
        if constexpr (std::is_same_v<typename Record::Sum, double>) {
            Sums running;
            for (Size b = buckets; b-- > 0; check_interrupt()) write_bucket(b, place[b], running);
        } else {
            parallel_for(buckets, threads, [&](Size b) { write_bucket(b, place[b], start[b]); });
        }
        return std::move(out_);
    }

  private:
    void write_bucket(Size b, Size place, Sums& running) {
        const std::span<const Record> rows = dealt_.bucket(b);
        for (Size end = rows.size(); end > 0; ++place) {
            const Size begin = group_begin(rows, end);
            for (Size i = begin; i < end; ++i) running.add(rows[i]);
            out_.score[place] = dealt_.score(b, rows[begin].code);
            out_.positives[place] = static_cast<double>(running.positives);
            out_.negatives[place] = static_cast<double>(running.negatives);
            end = begin;
        }
    }

    Dealt<T, Record>& dealt_;
    std::vector<Size> groups_;
    std::vector<Sums> total_;
    Thresholds<T> out_;
};

template <class Record, class T>
Thresholds<T> thresholds_of(const ScoredRows<T>& rows, int threads) {
    Dealt<T, Record> dealt(rows, threads);
    if (dealt.finite()) return ThresholdWriter<T, Record>(dealt, threads).write(threads);
    Thresholds<T> none;
    none.status = Status::not_finite;
    return none;
}

}  // namespace

template <class T>
RocArea roc_area(const ScoredRows<T>& rows, int threads) {
    using Key = typename Ordered<T>::Key;
    return rows.weight.empty() ? area_of<Counted<Key>>(rows, threads) : area_of<Weighted<Key>>(rows, threads);
}

template <class T>
Thresholds<T> thresholds(const ScoredRows<T>& rows, int threads) {
    using Key = typename Ordered<T>::Key;
    return rows.weight.empty() ? thresholds_of<Counted<Key>>(rows, threads)
                               : thresholds_of<Weighted<Key>>(rows, threads);
}

template RocArea roc_area(const ScoredRows<float>&, int);
template RocArea roc_area(const ScoredRows<double>&, int);
template Thresholds<float> thresholds(const ScoredRows<float>&, int);
template Thresholds<double> thresholds(const ScoredRows<double>&, int);

}  // namespace pellucid

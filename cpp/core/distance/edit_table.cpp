#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/distance/edit_distance.hpp"
#include "core/distance/edit_hot.hpp"

namespace pellucid {

extern const EditHot edit_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const EditHot edit_hot_v3;
extern const EditHot edit_hot_v4;
#endif

const EditHot& edit_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return edit_hot_v4;
        case Level::v3:
            return edit_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return edit_hot_baseline;
}

namespace {

constexpr Size kLongest = 64;       // letters of a pattern in a lane
constexpr Size kRowsPerBlock = 64;  // texts whose common beginnings are shared; their results fit the cache
constexpr Size kFewRows = 8;        // fewer rows are not worth the groups: one pattern against all columns
constexpr Size kColumnsPerBlock = 2048;

// Memory that vectors are loaded from.
struct Aligned {
    explicit Aligned(Size bytes) : data(new (std::align_val_t{64}) unsigned char[bytes]()) {}
    ~Aligned() { ::operator delete[](data, std::align_val_t{64}); }
    Aligned(const Aligned&) = delete;
    Aligned& operator=(const Aligned&) = delete;
    unsigned char* data;
};

// Patterns of one size of word, a lane each.
struct Group {
    Size word;                  // 0, 1, 2, 3 for 1, 2, 4, 8 bytes
    std::vector<Size> columns;  // of the table, one a lane
    std::vector<std::uint16_t> row_of;
    std::unique_ptr<Aligned> masks, places;
    Size first = 0;  // place of the first lane in a row of results
};

template <class Word>
void fill(Group& group, const TextSet& texts, Size rows, Size bytes) {
    group.row_of.assign(texts.alphabet, 0);
    Size used = 1;
    for (const Size column : group.columns)
        for (const Letter c : texts[rows + column])
            if (group.row_of[c] == 0) group.row_of[c] = static_cast<std::uint16_t>(used++);
    group.masks = std::make_unique<Aligned>(used * bytes);
    group.places = std::make_unique<Aligned>(bytes);
    auto* masks = reinterpret_cast<Word*>(group.masks->data);
    auto* places = reinterpret_cast<Word*>(group.places->data);
    const Size lanes = bytes / sizeof(Word);
    for (Size lane = 0; lane < group.columns.size(); ++lane) {
        Word bit = 1;
        for (const Letter c : texts[rows + group.columns[lane]]) {
            masks[group.row_of[c] * lanes + lane] |= bit;
            places[lane] |= bit;
            bit = static_cast<Word>(bit << 1);
        }
    }
}

class Table {
  public:
    Table(const TextSet& texts, Size rows, Edit kind, std::span<std::int32_t> out)
        : texts_(texts), rows_(rows), cols_(texts.size() - rows), kind_(kind), out_(out), hot_(edit_hot()) {}

    void run(int threads) {
        arrange(threads);
        sort_rows();
        parallel_for(blocks_of(rows_, kRowsPerBlock), threads, [&](Size block) { run_block(block); });
    }

  private:
    // Columns by the size of word they need, and each size cut into groups.
    void arrange(int threads) {
        std::array<std::vector<Size>, 4> by_word;
        for (Size j = 0; j < cols_; ++j) {
            const Size n = texts_[rows_ + j].size();
            if (n > kLongest)
                long_.push_back(j);
            else
                by_word[n <= 8 ? 0 : n <= 16 ? 1 : n <= 32 ? 2 : 3].push_back(j);
        }
        place_.assign(cols_, 0);
        for (Size word = 0; word < 4; ++word) {
            const Size lanes = hot_.bytes >> word;
            for (Size from = 0; from < by_word[word].size(); from += lanes) {
                Group group{word, {}, {}, nullptr, nullptr, width_};
                for (Size k = from; k < std::min(by_word[word].size(), from + lanes); ++k) {
                    place_[by_word[word][k]] = width_ + k - from;
                    group.columns.push_back(by_word[word][k]);
                }
                groups_.push_back(std::move(group));
                width_ += lanes;
            }
        }
        parallel_for(groups_.size(), threads, [&](Size g) {
            Group& group = groups_[g];
            if (group.word == 0) fill<std::uint8_t>(group, texts_, rows_, hot_.bytes);
            if (group.word == 1) fill<std::uint16_t>(group, texts_, rows_, hot_.bytes);
            if (group.word == 2) fill<std::uint32_t>(group, texts_, rows_, hot_.bytes);
            if (group.word == 3) fill<std::uint64_t>(group, texts_, rows_, hot_.bytes);
        });
    }

    void sort_rows() {
        order_.resize(rows_);
        for (Size i = 0; i < rows_; ++i) order_[i] = i;
        std::stable_sort(order_.begin(), order_.end(), [&](Size a, Size b) {
            const Letters x = texts_[a], y = texts_[b];
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        });
    }

    void run_block(Size block) const {
        const Size first = block * kRowsPerBlock, count = std::min(rows_ - first, kRowsPerBlock);
        std::array<const Letter*, kRowsPerBlock> letters;
        std::array<Size, kRowsPerBlock> lengths, shared;
        for (Size t = 0; t < count; ++t) {
            const Letters text = texts_[order_[first + t]];
            letters[t] = text.data();
            lengths[t] = text.size();
            shared[t] = t == 0 ? 0 : common(texts_[order_[first + t - 1]], text);
        }
        const SortedTexts sorted{letters.data(), lengths.data(), shared.data(), count};
        const Aligned scratch(2 * (kSharedDepth + 1) * hot_.bytes);
        std::vector<std::int8_t> found(count * width_ + 1);  // one is read even if all patterns are long
        for (const Group& group : groups_) {
            const auto* runs = kind_ == Edit::levenshtein ? hot_.levenshtein : hot_.indel;
            runs[group.word](sorted, {group.row_of.data(), group.masks->data, group.places->data}, scratch.data,
                             found.data() + group.first, width_);
        }
        EditScratch pairs(texts_.alphabet);
        for (Size t = 0; t < count; ++t) write_row(order_[first + t], found.data() + t * width_, pairs);
    }

    void write_row(Size row, const std::int8_t* found, EditScratch& pairs) const {
        std::int32_t* out = out_.data() + row * cols_;
        const auto n = static_cast<std::int32_t>(texts_[row].size());
        if (kind_ == Edit::levenshtein)
            for (Size j = 0; j < cols_; ++j) out[j] = n + found[place_[j]];
        else
            for (Size j = 0; j < cols_; ++j)
                out[j] = n + static_cast<std::int32_t>(texts_[rows_ + j].size()) - 2 * found[place_[j]];
        for (const Size j : long_) {
            check_interrupt();
            out[j] = static_cast<std::int32_t>(edit_distance(texts_[row], texts_[rows_ + j], kind_, kNoCutoff, pairs));
        }
    }

    static Size common(Letters a, Letters b) {
        const Size most = std::min({a.size(), b.size(), kSharedDepth});
        Size n = 0;
        while (n < most && a[n] == b[n]) ++n;
        return n;
    }

    const TextSet& texts_;
    Size rows_, cols_;
    Edit kind_;
    std::span<std::int32_t> out_;
    const EditHot& hot_;
    std::vector<Group> groups_;
    std::vector<Size> long_;   // columns whose patterns are too long for a lane
    std::vector<Size> place_;  // of each column in a row of results
    std::vector<Size> order_;  // rows, sorted by their letters
    Size width_ = 0;
};

// One text against all columns, block by block of columns.
void run_rows(const TextSet& texts, Size rows, Edit kind, std::span<std::int32_t> out, int threads) {
    const Size cols = texts.size() - rows, blocks = blocks_of(cols, kColumnsPerBlock);
    parallel_for(rows * blocks, threads, [&](Size block) {
        const Size i = block / blocks, first = (block % blocks) * kColumnsPerBlock;
        EditScratch scratch(texts.alphabet);
        for (Size j = first; j < std::min(cols, first + kColumnsPerBlock); ++j) {
            if (texts[rows + j].size() > 64) check_interrupt();  // a short pair takes no longer than asking
            out[i * cols + j] =
                static_cast<std::int32_t>(edit_distance(texts[i], texts[rows + j], kind, kNoCutoff, scratch));
        }
    });
}

}  // namespace

void edit_distance_table(const TextSet& texts, Size rows, Edit kind, std::span<std::int32_t> out, int threads) {
    require(rows <= texts.size() && out.size() == rows * (texts.size() - rows), "edit_distance_table: sizes");
    if (rows < kFewRows || kind == Edit::damerau)
        run_rows(texts, rows, kind, out, threads);
    else
        Table(texts, rows, kind, out).run(threads);
}

}  // namespace pellucid

#include "core/boosting/predict.hpp"

#include <algorithm>
#include <optional>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/forest/rows.hpp"

namespace pellucid::boosting {

extern const PredictHot predict_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const PredictHot predict_hot_v3;
extern const PredictHot predict_hot_v4;
#endif

const PredictHot& predict_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return predict_hot_v4;
        case Level::v3:
            return predict_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return predict_hot_baseline;
}

namespace {

struct alignas(kLine) Line {
    std::uint8_t bytes[kLine];
};

// Of each column its place among those that are asked; -1: it is not.
std::vector<std::int32_t> places_of(const Layout& layout, Size cols) {
    std::vector<std::int32_t> out(cols, -1);
    for (Size k = 0; k < layout.columns.size(); ++k) out[layout.columns[k].column] = static_cast<std::int32_t>(k);
    return out;
}

// The codes of kLane rows. places: of sparse tables, places_of the layout.
class Lanes {
  public:
    Lanes(const Layout& layout, const PredictHot& hot, std::span<const std::int32_t> places)
        : layout_(layout), hot_(hot), places_(places), lines_(layout.lanes * (kLane / kLine)) {}

    const std::uint8_t* data() const { return lines_[0].bytes; }
    // Is there a missing value among numbers?
    bool missing() const { return missing_; }

    template <class T>
    void load(const Dense<T>& X, Size begin, Size count) {
        alignas(kLine) T x[kLane] = {};
        missing_ = false;
        for (const AskedColumn& asked : layout_.columns) {
            for (Size r = 0; r < count; ++r) x[r] = X.at(begin + r, asked.column);
            for (const EdgeSearch& search : layout_.searches_of(asked)) code(search, x);
            if (asked.first_set < asked.last_set) lookup(asked, x);
        }
    }

    // All zeros, and then what is there.
    template <class Index>
    void load(const Csr<Index>& X, Size begin, Size count) {
        missing_ = false;
        for (const AskedColumn& asked : layout_.columns) {
            for (const EdgeSearch& search : layout_.searches_of(asked)) {
                const std::uint8_t zero = layout_.code(search, 0.0);
                std::fill_n(lane(search.low), kLane, zero);
                std::fill_n(lane(search.high), kLane, zero);
            }
            const Size zero = Layout::category(asked, 0.0);
            for (const SetBits& set : layout_.sets_of(asked))
                std::fill_n(lane(set.lane), kLane, layout_.tables[set.table + zero]);
        }
        for (Size r = 0; r < count; ++r)
            for (auto i = X.starts[begin + r]; i < X.starts[begin + r + 1]; ++i)
                if (const std::int32_t at = places_[static_cast<Size>(X.indices[i])]; at >= 0)
                    put(layout_.columns[static_cast<Size>(at)], r, X.values[i]);
    }

  private:
    std::uint8_t* lane(std::uint32_t k) { return lines_[k * (kLane / kLine)].bytes; }

    void code(const EdgeSearch& s, const float* x) {
        missing_ |= hot_.code_singles(x, layout_.singles.data() + s.edges, s.levels, lane(s.low), lane(s.high));
    }
    void code(const EdgeSearch& s, const double* x) {
        missing_ |= hot_.code_doubles(x, layout_.edges.data() + s.edges, s.levels, lane(s.low), lane(s.high));
    }

    template <class T>
    void lookup(const AskedColumn& asked, const T* x) {
        Size category[kLane];
        for (Size r = 0; r < kLane; ++r) category[r] = Layout::category(asked, static_cast<double>(x[r]));
        for (const SetBits& set : layout_.sets_of(asked)) {
            const std::uint8_t* table = layout_.tables.data() + set.table;
            std::uint8_t* to = lane(set.lane);
            for (Size r = 0; r < kLane; ++r) to[r] = table[category[r]];
        }
    }

    void put(const AskedColumn& asked, Size r, double x) {
        const bool missing = x != x;
        for (const EdgeSearch& search : layout_.searches_of(asked)) {
            const std::uint8_t code = layout_.code(search, x);
            lane(search.low)[r] = code;
            lane(search.high)[r] = missing ? 255 : code;
            missing_ |= missing;
        }
        const Size category = Layout::category(asked, x);
        for (const SetBits& set : layout_.sets_of(asked)) lane(set.lane)[r] = layout_.tables[set.table + category];
    }

    const Layout& layout_;
    const PredictHot& hot_;
    std::span<const std::int32_t> places_;
    std::vector<Line> lines_;
    bool missing_ = false;
};

// The leaves that the rows of a lane end in, tree by tree.
class Desk {
  public:
    Desk(const Layout& layout, const PredictHot& hot)
        : layout_(layout), hot_(hot), lines_(kMostLeaves + layout.answers * (kLane / kLine)) {
        for (Size k = 0; k < kMostLeaves; ++k) std::fill_n(lines_[k].bytes, kLine, static_cast<std::uint8_t>(k));
    }

    const std::uint8_t* leaves(const LaidTree& tree, const Lanes& lanes) {
        const Choice* choices = layout_.choices.data();
        std::uint8_t* answer = lines_[kMostLeaves].bytes;
        if (lanes.missing() ? tree.levelled_missing : tree.levelled)
            hot_.collect(choices + tree.first_level, tree.levels, lanes.data(), answer);
        else
            hot_.choose(choices + tree.first_choice, tree.choices, lanes.data(), lines_[0].bytes);
        return answer;
    }
    void add(const LaidTree& tree, const std::uint8_t* leaves, Size output, double* scores) const {
        hot_.add(leaves, layout_.values.data() + tree.values + output * tree.room, tree.room, scores);
    }

  private:
    const Layout& layout_;
    const PredictHot& hot_;
    std::vector<Line> lines_;
};

// out[r * outputs] += the answers of trees begin, begin + outputs, ... of width 1.
void add_output(const Layout& layout, Size begin, Size outputs, Desk& desk, const Lanes& lanes, Size count,
                double* out) {
    alignas(kLine) double scores[kLane] = {};
    for (Size r = 0; r < count; ++r) scores[r] = out[r * outputs];
    for (Size t = begin; t < layout.trees.size(); t += outputs)
        desk.add(layout.trees[t], desk.leaves(layout.trees[t], lanes), 0, scores);
    for (Size r = 0; r < count; ++r) out[r * outputs] = scores[r];
}

// All outputs, of trees that answer them together.
void add_together(const Layout& layout, Size outputs, Desk& desk, const Lanes& lanes, Size count, double* out) {
    std::vector<double> scores(outputs * kLane);
    for (Size k = 0; k < outputs; ++k)
        for (Size r = 0; r < count; ++r) scores[k * kLane + r] = out[r * outputs + k];
    for (const LaidTree& tree : layout.trees) {
        const std::uint8_t* leaves = desk.leaves(tree, lanes);
        for (Size k = 0; k < outputs; ++k) desk.add(tree, leaves, k, scores.data() + k * kLane);
    }
    for (Size k = 0; k < outputs; ++k)
        for (Size r = 0; r < count; ++r) out[r * outputs + k] = scores[k * kLane + r];
}

// Fewer rows have walked before a layout is made. (Measured for 100 trees: a row walks 1.2 us; the layout and the first
// 256 rows take 150 us with 61 nodes a tree, 250 us with 127.)
Size rows_worth_a_layout(const forest::ForestView& forest, Size first, Size last) {
    const auto nodes = static_cast<Size>(forest.tree_start[last] - forest.tree_start[first]);
    return std::max<Size>(64, 2 * nodes / (last - first));
}

}  // namespace

void add_by_choice(const Layout& layout, Size width, Size outputs, Size first, const Matrix& X, std::span<double> out,
                   int threads) {
    const Size n = rows_of(X);
    const PredictHot& hot = predict_hot();
    const bool sparse = std::holds_alternative<Csr<std::int32_t>>(X) || std::holds_alternative<Csr<std::int64_t>>(X);
    const auto places = sparse ? places_of(layout, cols_of(X)) : std::vector<std::int32_t>{};
    const Size lanes_in_block = std::clamp<Size>(n / (8 * kLane), 1, 16), size = lanes_in_block * kLane;
    parallel_for(blocks_of(n, size), threads, [&](Size b) {
        Lanes lanes(layout, hot, places);
        Desk desk(layout, hot);
        for (Size begin = b * size; begin < std::min(n, (b + 1) * size); begin += kLane) {
            const Size count = std::min(kLane, n - begin);
            double* to = out.data() + begin * outputs;
            std::visit([&](const auto& view) { lanes.load(view, begin, count); }, X);
            if (width > 1)
                add_together(layout, outputs, desk, lanes, count, to);
            else
                for (Size k = 0; k < outputs; ++k)
                    add_output(layout, k, outputs, desk, lanes, count, to + (first + k) % outputs);
            check_interrupt();
        }
    });
}

void add_by_walk(const forest::ForestView& forest, Size outputs, Size first, Size last, const Matrix& X,
                 std::span<double> out, int threads) {
    const Size n = rows_of(X), cols = cols_of(X), width = forest.width;
    const forest::Walker walker(forest);
    const Size size = forest::rows_of_block(n, cols);
    parallel_for(blocks_of(n, size), threads, [&](Size b) {
        const Size begin = b * size, count = std::min(size, n - begin);
        forest::Tile tile(cols);
        tile.load(X, begin, count);
        const std::vector<std::uint32_t> which = forest::up_to(count);
        for (Size t = first; t < last; ++t) {
            const double* answers = forest.answers(t);
            double* to = out.data() + begin * outputs + (width == 1 ? t % outputs : 0);
            if (width == 1)
                walker.each(t, tile, which,
                            [&](std::uint32_t r, std::int32_t, Size leaf) { to[r * outputs] += answers[leaf]; });
            else
                walker.each(t, tile, which, [&](std::uint32_t r, std::int32_t, Size leaf) {
                    for (Size k = 0; k < width; ++k) to[r * outputs + k] += answers[leaf * width + k];
                });
            check_interrupt();
        }
    });
}

void add_scores(const forest::ForestView& forest, Size outputs, Size first, Size last, const Matrix& X,
                std::span<double> out, int threads) {
    const Size n = rows_of(X), width = forest.width;
    require(out.size() == n * outputs && cols_of(X) == forest.cols && last <= forest.trees(), "boosted trees: sizes");
    require(width == 1 || width == outputs, "boosted trees: outputs");
    if (first < last && n > rows_worth_a_layout(forest, first, last))
        if (const std::optional<Layout> layout = layout_of(forest, first, last))
            return add_by_choice(*layout, width, outputs, first, X, out, threads);
    add_by_walk(forest, outputs, first, last, X, out, threads);
}

}  // namespace pellucid::boosting

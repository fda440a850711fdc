// Quantile sketches beside sorted columns, and the bins of long weighted tables that are cut from them.
#include "core/bins/sketch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/rng.hpp"
#include "core/bins/binned.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

constexpr Size kRows = 150000, kCols = 5;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double drawn(Size row, Size stream) { return Random{5, stream}.uniform(row); }

// Many values, few values, mostly zero, some missing, a category: single precision holds them all.
std::vector<float> long_table() {
    std::vector<float> cells(kRows * kCols);
    for (Size r = 0; r < kRows; ++r) {
        float* row = cells.data() + r * kCols;
        row[0] = static_cast<float>(std::log(drawn(r, 0) + 1e-9));
        row[1] = static_cast<float>(std::floor(drawn(r, 1) * 100));
        row[2] = drawn(r, 2) < 0.9 ? 0.0f : static_cast<float>(drawn(r, 3));
        row[3] = drawn(r, 4) < 0.2 ? static_cast<float>(kNaN) : static_cast<float>(drawn(r, 5) - 0.5);
        row[4] = static_cast<float>(std::floor(drawn(r, 6) * 7));
    }
    return cells;
}

std::vector<double> long_weights() {
    std::vector<double> weight(kRows);
    for (Size r = 0; r < kRows; ++r) weight[r] = std::pow(drawn(r, 9), 6);  // a tenth of the rows has half the weight
    return weight;
}

std::vector<double> column_of(const std::vector<float>& cells, Size j) {
    std::vector<double> x(kRows);
    for (Size r = 0; r < kRows; ++r) x[r] = static_cast<double>(cells[r * kCols + j]);
    return x;
}

bool same_entries(const Summary& a, const Summary& b) {
    return std::equal(a.entries().begin(), a.entries().end(), b.entries().begin(), b.entries().end(),
                      [](const SummaryEntry& x, const SummaryEntry& y) {
                          return x.value == y.value && x.rank_min == y.rank_min && x.rank_max == y.rank_max &&
                                 x.weight == y.weight;
                      });
}

}  // namespace

TEST(a_sketch_knows_ranks_to_its_bound) {
    const std::vector<float> cells = long_table();
    const std::vector<double> weight = long_weights();
    SketchRoom room;
    for (const bool weighted : {false, true})
        for (Size j = 0; j + 1 < kCols; ++j) {
            const std::vector<double> x = column_of(cells, j);
            const auto own = weighted ? std::span<const double>(weight) : std::span<const double>{};
            QuantileSketch sketch(200, 1000);
            sketch.add(x, own, room);
            const Summary summary = sketch.summary(room);
            CHECK_NEAR(sketch.bound(), 8.0 / 200, 1e-15);  // 150 blocks: seven doublings
            CHECK(summary.error() <= sketch.bound());
            CHECK(summary.exact() == (j == 1));
            for (const double q : {0.0, 0.01, 0.3, 0.5, 0.77, 0.95, 1.0}) {
                const double value = summary.quantile(q), rank = q * summary.total();
                double below = 0, up_to = 0;
                for (Size r = 0; r < kRows; ++r) {
                    below += x[r] < value ? (weighted ? weight[r] : 1.0) : 0.0;
                    up_to += x[r] <= value ? (weighted ? weight[r] : 1.0) : 0.0;
                }
                const double slack = (summary.error() / 2 + 1e-9) * summary.total();
                CHECK(below - slack <= rank && rank <= up_to + slack);
                const auto [least, most] = summary.rank_bounds(value);
                CHECK(least <= up_to * (1 + 1e-9) && up_to <= most * (1 + 1e-9));
            }
        }
}

TEST(weights_of_one_are_no_weights) {
    const std::vector<float> cells = long_table();
    const std::vector<double> ones(kRows, 1.0);
    SketchRoom room;
    for (Size j = 0; j < kCols; ++j)
        for (const Size block : {Size{500}, Size{4096}, kSketchBlock}) {
            const std::vector<double> x = column_of(cells, j);
            QuantileSketch plain(300, block), weighted(300, block);
            plain.add(x, {}, room);
            weighted.add(x, ones, room);
            CHECK(same_entries(plain.summary(room), weighted.summary(room)));
        }
}

TEST(sketches_of_runs_of_blocks_are_one_sketch) {
    const std::vector<double> x = column_of(long_table(), 0), weight = long_weights();
    SketchRoom room;
    QuantileSketch one(100, 1000);
    one.add(x, weight, room);
    for (const Size run : {Size{1000}, Size{4000}, Size{32000}}) {
        QuantileSketch all(100, 1000);
        for (Size begin = 0; begin < kRows; begin += run) {
            const Size n = std::min(run, kRows - begin);
            QuantileSketch part(100, 1000);
            part.add(std::span(x).subspan(begin, n), std::span(weight).subspan(begin, n), room);
            all.merge(part, room);
        }
        CHECK(same_entries(all.summary(room), one.summary(room)));
    }
}

TEST(a_state_is_a_sketch_again_or_refused) {
    const std::vector<double> x = column_of(long_table(), 0);
    SketchRoom room;
    QuantileSketch sketch(10, 50);
    sketch.add(std::span(x).first(1234), {}, room);
    const SketchState state = sketch.state();
    CHECK(state.levels.size() == 2 && state.waiting.size() == 34);  // 24 blocks: 16 and 8
    CHECK(same_entries(QuantileSketch(state).summary(room), sketch.summary(room)));
    const auto refused = [](const SketchState& other) {
        try {
            const QuantileSketch made(other);
        } catch (const ContractError&) {
            return true;
        }
        return false;
    };
    CHECK(!refused(state));
    SketchState other = state;
    other.starts.clear();
    CHECK(refused(other));
    other = state;
    std::swap(other.entries[2].value, other.entries[3].value);
    CHECK(refused(other));
    other = state;
    other.starts[1] = -1;
    CHECK(refused(other));
    other = state;
    other.levels[1] = 64;
    CHECK(refused(other));
}

TEST(long_weighted_tables_are_cut_from_all_rows) {
    const std::vector<float> cells = long_table();
    const std::vector<double> weight = long_weights();
    const std::vector<std::int32_t> categories{0, 0, 0, 0, 7};
    std::vector<double> by_column(cells.size());
    for (Size r = 0; r < kRows; ++r)
        for (Size j = 0; j < kCols; ++j) by_column[j * kRows + r] = static_cast<double>(cells[r * kCols + j]);
    const Matrix rows = Dense<float>{cells.data(), kRows, kCols, static_cast<std::ptrdiff_t>(kCols), 1};
    const Matrix columns = Dense<double>{by_column.data(), kRows, kCols, 1, static_cast<std::ptrdiff_t>(kRows)};
    SketchRoom room;
    for (const Matrix& x : {rows, columns})
        for (const int threads : {1, 2, 3}) {
            const BinnedTable table(x, categories, weight, BinSettings{}, threads);
            for (Size j = 0; j + 1 < kCols; ++j) {
                QuantileSketch sketch(kSketchEntries * kMostBins);
                sketch.add(column_of(cells, j), weight, room);
                const ColumnBins wanted = cut_summary(sketch.summary(room), kMostBins);
                CHECK(same_bits(table.bins(j).edges, wanted.edges) && same_bits(table.bins(j).values, wanted.values));
                for (Size r = 0; r < kRows; r += 97)
                    CHECK(table.code(r, j) == wanted.code_of(static_cast<double>(cells[r * kCols + j])));
            }
            CHECK(table.bins(1).count == 100 && table.bins(1).values.size() == 100);
            CHECK(table.bins(4).is_category() && table.bins(4).count == 7);
        }
}

TEST(bins_of_a_long_weighted_table_have_their_shares) {
    const std::vector<float> cells = long_table();
    const std::vector<double> weight = long_weights();
    const Matrix x = Dense<float>{cells.data(), kRows, kCols, static_cast<std::ptrdiff_t>(kCols), 1};
    const BinnedTable table(x, std::vector<std::int32_t>(kCols, 0), weight, BinSettings{}, 2);
    for (const Size j : {Size{0}, Size{2}, Size{3}}) {
        std::vector<double> in_bin(table.bins(j).cells(), 0.0);
        for (Size r = 0; r < kRows; ++r) in_bin[table.code(r, j)] += weight[r];
        in_bin.pop_back();  // missing values
        double total = std::accumulate(in_bin.begin(), in_bin.end(), 0.0);
        CHECK(table.bins(j).count == kMostBins);
        if (j == 2) {  // zero has a bin to itself, the others share the rest
            const Size zero = table.bins(j).code_of(0.0);
            double of_zero = 0;
            for (Size r = 0; r < kRows; ++r) of_zero += cells[r * kCols + j] == 0 ? weight[r] : 0.0;
            CHECK_NEAR(in_bin[zero], of_zero, 1e-9 * total);
            total -= in_bin[zero];
            in_bin.erase(in_bin.begin() + static_cast<std::ptrdiff_t>(zero));
        }
        const double share = total / static_cast<double>(in_bin.size());
        // 4 full blocks: e = 3 / (16 * 255) of what is not heavy, so that two edges may move a bin by 3 / 16 of a
        // share, and a bin is closed up to a gap, which is as wide, or a row too late. Rows weigh up to 1.
        for (const double own : in_bin) CHECK(std::abs(own / share - 1) < 2 * 3.0 / 16 + 1 / share);
    }
}

TEST(equal_weights_cut_as_none) {
    const std::vector<float> cells = long_table();
    const Matrix x = Dense<float>{cells.data(), kRows, kCols, static_cast<std::ptrdiff_t>(kCols), 1};
    const std::vector<std::int32_t> categories(kCols, 0);
    const BinnedTable plain(x, categories, {}, BinSettings{}, 2);
    const BinnedTable weighted(x, categories, std::vector<double>(kRows, 2.0), BinSettings{}, 2);
    for (Size j = 0; j < kCols; ++j) CHECK(same_bits(plain.bins(j).edges, weighted.bins(j).edges));
}

TEST(long_tables_are_cut_from_all_rows_if_asked) {
    const std::vector<float> cells = long_table();
    const Matrix x = Dense<float>{cells.data(), kRows, kCols, static_cast<std::ptrdiff_t>(kCols), 1};
    BinSettings settings;
    settings.sketch = true;
    SketchRoom room;
    for (const int threads : {1, 2, 3}) {
        const BinnedTable table(x, std::vector<std::int32_t>(kCols, 0), {}, settings, threads);
        for (Size j = 0; j < kCols; ++j) {
            QuantileSketch sketch(kSketchEntries * kMostBins);
            sketch.add(column_of(cells, j), {}, room);
            CHECK(same_bits(table.bins(j).edges, cut_summary(sketch.summary(room), kMostBins).edges));
        }
    }
}

}  // namespace pellucid::test

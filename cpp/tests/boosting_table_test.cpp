// The storages of a table for boosting say the same: bytes, bytes that columns share, and rows of cells; their
// histograms are equal to the last bit, and so are the trees grown on them.
#include <algorithm>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/boosting/booster.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace boosting;

// A table of which a share of the values is not 0, as rows of doubles and as compressed rows.
struct Both {
    Size rows, cols;
    std::vector<double> dense, values;
    std::vector<std::int32_t> indices, starts;

    Matrix as_dense() const { return Dense<double>{dense.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1}; }
    Matrix as_sparse() const { return Csr<std::int32_t>{values.data(), indices.data(), starts.data(), rows, cols}; }
};

Both compressed(std::vector<double> dense, Size rows, Size cols) {
    Both out{rows, cols, std::move(dense), {}, {}, {0}};
    for (Size i = 0; i < rows; ++i) {
        for (Size j = 0; j < cols; ++j)
            if (const double x = out.dense[i * cols + j]; x != 0) {
                out.values.push_back(x);
                out.indices.push_back(static_cast<std::int32_t>(j));
            }
        out.starts.push_back(static_cast<std::int32_t>(out.values.size()));
    }
    return out;
}

// Counts from 0 to 4, negative halves and some missing values.
Both some_table(Size rows, Size cols, double share, std::uint64_t seed) {
    const Random random{seed, 0};
    std::vector<double> x(rows * cols, 0.0);
    for (Size i = 0; i < x.size(); ++i) {
        if (random.uniform(2 * i) >= share) continue;
        const double u = random.uniform(2 * i + 1);
        x[i] = u > 0.97 ? std::numeric_limits<double>::quiet_NaN() : u < 0.2 ? -0.5 : std::floor(u * 5);
    }
    return compressed(std::move(x), rows, cols);
}

// Each of some questions has one answer: of its columns one is 1.
Both one_hot(Size rows, Size questions, Size answers, std::uint64_t seed) {
    const Random random{seed, 0};
    std::vector<double> x(rows * questions * answers, 0.0);
    for (Size i = 0; i < rows; ++i)
        for (Size q = 0; q < questions; ++q)
            x[(i * questions + q) * answers + random.below(i * questions + q, answers)] = 1;
    return compressed(std::move(x), rows, questions * answers);
}

std::vector<std::int32_t> numbers(Size cols) { return std::vector<std::int32_t>(cols, 0); }

TableSettings bundling(double most_conflicts = 0) {
    TableSettings out;
    out.bundle = true;
    out.most_conflicts = most_conflicts;
    return out;
}

void check_codes(const Table& a, const Table& b) {
    CHECK(a.rows() == b.rows());
    CHECK(a.cells() == b.cells());
    std::vector<std::uint8_t> room_a, room_b;
    for (Size j = 0; j < a.cols(); ++j) {
        CHECK(a.some_missing(j) == b.some_missing(j));
        const ColumnCodes of_a = a.codes(j, room_a), of_b = b.codes(j, room_b);
        for (Size i = 0; i < a.rows(); ++i) {
            CHECK(a.code(i, j) == b.code(i, j));
            CHECK(of_a.bin(of_a.stored(i)) == a.code(i, j));
            CHECK(of_b.bin(of_b.stored(i)) == a.code(i, j));
        }
    }
}

std::vector<std::uint32_t> every(Size n, Size step) {
    std::vector<std::uint32_t> out;
    for (Size i = 0; i < n; i += step) out.push_back(static_cast<std::uint32_t>(i));
    return out;
}

// The histogram of every third row, by definition.
std::vector<Word> plain(const Table& table, const std::vector<std::uint32_t>& rows, const std::vector<Word>& words) {
    std::vector<Word> out(table.cells(), 0);
    for (Size i = 0; i < rows.size(); ++i)
        for (Size j = 0; j < table.cols(); ++j) out[table.first_cell(j) + table.code(rows[i], j)] += words[i];
    return out;
}

void check_histogram(const Table& table) {
    const std::vector<std::uint32_t> rows = every(table.rows(), 3), columns = every(table.cols(), 1);
    std::vector<Slope> slopes(table.rows(), Slope{1, 1});
    const Random random{1, 0};
    for (const std::uint32_t row : rows) slopes[row].gradient = static_cast<float>(random.uniform(row)) - 0.5f;
    const Packing packing = Packing::of(rows.size(), {1, 1}, false);
    std::vector<Word> words(rows.size());
    write_words(packing, slopes.data(), rows.data(), 0, rows.size(), words.data());
    const std::vector<Word> expected = plain(table, rows, words);
    const Word total = std::accumulate(words.begin(), words.end(), Word{0});
    for (const int threads : {1, 2, 3}) {
        Histograms<Word> histograms;
        const auto cells = histograms.fresh(table.cells());
        CountTask<Word> task{rows.data(), rows.size(), words.data(), slopes.data(), &packing, cells->data()};
        task.sum_up = true;
        histograms.count(table, {&task, 1}, columns, threads);
        CHECK(*cells == expected);
        CHECK(task.total == total);
        if (table.records() == nullptr) continue;
        task.words = nullptr;  // made of the slopes
        task.sum_up = false;
        const auto again = histograms.fresh(table.cells());
        task.into = again->data();
        histograms.count(table, {&task, 1}, columns, threads);
        CHECK(*again == expected);
        CHECK(task.total == total);
    }
    std::vector<Sums> sums;
    for (const Word w : words) sums.push_back({static_cast<double>(w >> 40), 2.0 * static_cast<double>(w >> 40), 1});
    std::vector<Word> shifted;
    for (const Word w : words) shifted.push_back(w >> 40);
    const std::vector<Word> wanted = plain(table, rows, shifted);
    Histograms<Sums> histograms;
    const auto cells = histograms.fresh(table.cells());
    CountTask<Sums> task{rows.data(), rows.size(), sums.data(), nullptr, nullptr, cells->data()};
    task.sum_up = true;
    histograms.count(table, {&task, 1}, columns, 2);
    for (Size i = 0; i < wanted.size(); ++i) {
        CHECK((*cells)[i].gradient == static_cast<double>(wanted[i]));
        CHECK((*cells)[i].curvature == 2 * static_cast<double>(wanted[i]));
    }
    CHECK(task.total.rows == static_cast<double>(rows.size()));
}

std::vector<double> scores(const Table& table, Growth growth, bool floats, int threads) {
    const Random random{9, 0};
    std::vector<double> y(table.rows());
    for (Size i = 0; i < y.size(); ++i)
        y[i] = (table.code(i, 0) > 1) + (table.code(i, table.cols() / 2) == 0) + random.uniform(i) > 1.1;
    Plan plan;
    plan.loss.kind = LossKind::logistic;
    plan.trees.growth = growth;
    plan.trees.max_depth = 4;
    plan.trees.min_rows_leaf = 3;
    plan.trees.l2 = 1;
    plan.trees.floats = floats;
    plan.threads = threads;
    Booster booster({&table}, y, {}, {}, {}, {}, plan);
    for (int i = 0; i < 4; ++i) booster.round();
    return {booster.scores().begin(), booster.scores().end()};
}

TEST(boosting_storages_agree) {
    for (const double share : {0.02, 0.5}) {
        const Both both = some_table(900, 37, share, 3);
        const Table dense(both.as_dense(), numbers(37), {}, {}, 2), sparse(both.as_sparse(), numbers(37), {}, {}, 2);
        CHECK(!dense.is_sparse() && !dense.is_bundled());
        CHECK(sparse.is_sparse() == (share < 0.1));
        check_codes(dense, sparse);
        check_histogram(dense);
        check_histogram(sparse);
        const Table again(both.as_sparse(), dense, 1), other(both.as_dense(), sparse, 1);
        check_codes(again, sparse);
        check_codes(other, sparse);
        for (const Growth growth : {Growth::leaf, Growth::depth, Growth::oblivious})
            for (const bool floats : {false, true}) {
                const std::vector<double> expected = scores(dense, growth, floats, 1);
                CHECK(floats || scores(sparse, growth, floats, 2) == expected);
                CHECK(scores(dense, growth, floats, 3) == expected);
            }
    }
}

// Of the same rows one table with records, and one that is only asked, and has none.
TEST(boosting_records_agree_with_groups) {
    for (const Size cols : {Size{9}, Size{16}, Size{19}, Size{40}, Size{70}}) {
        where = std::to_string(cols) + " columns";
        const Both both = some_table((Size{1} << 20) / cols + 1001, cols, 0.9, 3);
        const Table by_rows(both.as_dense(), numbers(cols), {}, {}, 2), groups(both.as_dense(), by_rows, 2);
        CHECK(by_rows.records() != nullptr && groups.records() == nullptr);
        check_codes(by_rows, groups);
        check_histogram(by_rows);
        for (const Growth growth : {Growth::leaf, Growth::oblivious})
            for (const bool floats : {false, true}) {
                const std::vector<double> expected = scores(groups, growth, floats, 1);
                CHECK(scores(by_rows, growth, floats, 1) == expected);
                CHECK(scores(by_rows, growth, floats, 3) == expected);
            }
    }
    where.clear();
}

TEST(boosting_bundles_keep_the_codes) {
    const Both both = one_hot(700, 5, 12, 4);
    const Table plain_table(both.as_dense(), numbers(60), {}, {}, 2);
    for (const Matrix& x : {both.as_dense(), both.as_sparse()}) {
        const Table bundled(x, numbers(60), {}, bundling(), 2);
        CHECK(bundled.is_bundled());
        CHECK(bundled.stored() >= 5 && bundled.stored() < 12);
        check_codes(plain_table, bundled);
        check_histogram(bundled);
        for (const Growth growth : {Growth::leaf, Growth::oblivious})
            CHECK(scores(bundled, growth, false, 2) == scores(plain_table, growth, false, 1));
    }
}

TEST(boosting_bundles_of_clashing_columns) {
    // Columns 0 and 1 meet in one row of ten: alone without tolerance, together with it; the later one's value stays.
    std::vector<double> x(20, 0.0);
    x[0] = x[1] = x[2] = 1;
    x[18] = 0;
    x[19] = 0;
    const Both both = compressed(std::move(x), 10, 2);
    const Table apart(both.as_dense(), numbers(2), {}, bundling(), 1);
    CHECK(!apart.is_bundled());
    const Table together(both.as_dense(), numbers(2), {}, bundling(0.1), 1);
    CHECK(together.is_bundled());
    CHECK(together.stored() == Size{1});
    const std::vector<std::vector<std::uint32_t>> bundles = together.bundles();
    CHECK(bundles.size() == Size{1});
    CHECK((bundles[0] == std::vector<std::uint32_t>{0, 1}));
    CHECK(int{together.code(0, 0)} == 0);  // lost: column 1 has a value there too
    CHECK(int{together.code(0, 1)} == 1);
    CHECK(int{together.code(1, 0)} == 1);
}

}  // namespace
}  // namespace pellucid::test

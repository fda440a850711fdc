// Trees that answer vectors: histograms against plain loops in every storage, splits against all splits, one target
// against the booster of one target, threads.
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/rng.hpp"
#include "core/boosting/grown_tree.hpp"
#include "core/boosting/vector_booster.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace boosting;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double about_zero(const Random& random, Size index) { return 2 * random.uniform(index) - 1; }

// As rows of doubles and as compressed rows.
struct Rows {
    Size rows, cols;
    std::vector<double> dense, values;
    std::vector<std::int32_t> indices, starts;

    Matrix as_dense() const { return Dense<double>{dense.data(), rows, cols, static_cast<std::ptrdiff_t>(cols), 1}; }
    Matrix as_sparse() const { return Csr<std::int32_t>{values.data(), indices.data(), starts.data(), rows, cols}; }
};

// In each row one of every twelve columns is not 0: a whole number, or missing.
Rows one_of_twelve(Size rows, Size cols, std::uint64_t seed) {
    const Random random{seed, 0};
    Rows out{rows, cols, std::vector<double>(rows * cols, 0.0), {}, {}, {0}};
    for (Size i = 0; i < rows; ++i)
        for (Size first = 0; first < cols; first += 12) {
            const double u = random.uniform(i * cols + first);
            const Size j = first + random.below(rows * cols + i * cols + first, std::min<Size>(12, cols - first));
            out.dense[i * cols + j] = u > 0.95 ? std::numeric_limits<double>::quiet_NaN() : 1 + std::floor(u * 9);
        }
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

Rows full(Size rows, Size cols, std::uint64_t seed) {
    const Random random{seed, 0};
    Rows out{rows, cols, std::vector<double>(rows * cols), {}, {}, {}};
    for (Size i = 0; i < out.dense.size(); ++i)
        out.dense[i] = random.uniform(i) < 0.1 ? std::numeric_limits<double>::quiet_NaN() : about_zero(random, i);
    return out;
}

std::vector<std::int32_t> numbers(Size cols) { return std::vector<std::int32_t>(cols, 0); }

TableSettings settings_of(bool bundle) {
    TableSettings out;
    out.bundle = bundle;
    return out;
}

std::vector<std::uint32_t> every(Size n, Size step) {
    std::vector<std::uint32_t> out;
    for (Size i = 0; i < n; i += step) out.push_back(static_cast<std::uint32_t>(i));
    return out;
}

// What rows add to a cell: whole numbers, which have the same sum in any order.
std::vector<float> whole_vectors(Size rows, Size width) {
    const Random random{5, 0};
    std::vector<float> out(rows * width);
    for (Size i = 0; i < out.size(); ++i)
        out[i] = i % width + 1 == width ? 1.0F : static_cast<float>(random.below(i, 201)) - 100.0F;
    return out;
}

void check_histogram(const Table& table, const Shape& shape, Size step) {
    const Size width = shape.width();
    const std::vector<std::uint32_t> rows = every(table.rows(), step), columns = every(table.cols(), 1);
    const std::vector<float> vectors = whole_vectors(table.rows(), width);
    std::vector<double> expected(table.cells() * width, 0.0), total(width, 0.0);
    for (const std::uint32_t row : rows)
        for (Size k = 0; k < width; ++k) {
            const auto number = static_cast<double>(vectors[row * width + k]);
            total[k] += number;
            for (Size j = 0; j < table.cols(); ++j)
                expected[(table.first_cell(j) + table.code(row, j)) * width + k] += number;
        }
    for (const int threads : {1, 2, 3}) {
        VectorHistograms histograms;
        const auto cells = histograms.fresh(table.cells() * width);
        const VectorTask task{rows, cells->data(), total.data()};
        histograms.count(table, shape, vectors, {&task, 1}, columns, threads);
        CHECK(*cells == expected);
    }
}

std::vector<Slope> random_slopes(Size n, std::uint64_t seed) {
    const Random random{seed, 0};
    std::vector<Slope> out(n);
    for (Size i = 0; i < n; ++i)
        out[i] = {static_cast<float>(about_zero(random, 2 * i)), static_cast<float>(0.1 + random.uniform(2 * i + 1))};
    return out;
}

Settings small_trees() {
    Settings out;
    out.min_rows_leaf = 1;
    out.min_weight_leaf = 0;
    out.l2 = 0.5;
    return out;
}

std::vector<double> targets(const Table& table, Size count) {
    const Random random{7, 0};
    std::vector<double> out(table.rows() * count);
    for (Size i = 0; i < out.size(); ++i) {
        const Size row = i % table.rows(), k = i / table.rows();
        out[i] = static_cast<double>(table.code(row, k % table.cols())) / 20 + about_zero(random, i);
    }
    return out;
}

template <class B>
std::vector<double> scores_after(B& booster, int rounds) {
    for (int i = 0; i < rounds; ++i) booster.round();
    return {booster.scores().begin(), booster.scores().end()};
}

}  // namespace

TEST(vector_histograms_are_plain_sums) {
    const Rows sparse_rows = one_of_twelve(700, 36, 1), full_rows = full(500, 11, 2);
    const Table dense(full_rows.as_dense(), numbers(11), {}, {}, 1);
    const Table bundled(sparse_rows.as_dense(), numbers(36), {}, settings_of(true), 1);
    const Table sparse(sparse_rows.as_sparse(), numbers(36), {}, {}, 1);
    CHECK(!dense.is_bundled() && !dense.is_sparse());
    CHECK(bundled.is_bundled());
    CHECK(sparse.is_sparse());
    for (const Table* table : {&dense, &bundled, &sparse})
        for (const Size count : {1, 2, 3, 5, 6, 11, 12, 20})  // cells of 3 to 41 numbers: loops unrolled or not
            for (const bool shared : {false, true})
                for (const Size step : {1, 3}) {
                    where = std::to_string(count) + " targets";
                    check_histogram(*table, {count, shared}, step);
                }
    where.clear();
}

TEST(vector_histograms_of_many_rows_are_plain_sums) {
    const Rows rows = full(300000, 2, 3);
    check_histogram(Table(rows.as_dense(), numbers(2), {}, {}, 2), {2, true}, 1);
}

// All cuts of all columns, with missing values on either side.
TEST(vector_split_is_the_best_of_all) {
    const Size n = 120, cols = 3, count = 3;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Rows rows = full(n, cols, seed);
        const Table table(rows.as_dense(), numbers(cols), {}, {}, 1);
        const std::vector<Slope> slopes = random_slopes(n * count, seed + 10);
        Settings settings = small_trees();
        settings.max_depth = 1;
        settings.min_rows_leaf = 7;
        settings.l1 = 0.3;
        const auto worth = [&](const std::vector<bool>& side, bool which) {
            double out = 0;
            for (Size k = 0; k < count; ++k) {
                double g = 0, h = 0;
                for (Size i = 0; i < n; ++i)
                    if (side[i] == which) {
                        g += static_cast<double>(slopes[k * n + i].gradient);
                        h += static_cast<double>(slopes[k * n + i].curvature);
                    }
                const double t = std::max(std::abs(g) - settings.l1, 0.0);
                out += t * t / (h + settings.l2);
            }
            return out;
        };
        const double whole = worth(std::vector<bool>(n, true), true);
        double best = 0;
        for (Size j = 0; j < cols; ++j)
            for (Size at = 0; at <= n; ++at)
                for (const bool missing_left : {false, true}) {
                    const double cut = at == n ? kInfinity : rows.dense[at * cols + j];
                    if (std::isnan(cut)) continue;
                    std::vector<bool> left(n);
                    for (Size i = 0; i < n; ++i) {
                        const double x = rows.dense[i * cols + j];
                        left[i] = std::isnan(x) ? missing_left : x <= cut;
                    }
                    const auto in_left = static_cast<Size>(std::count(left.begin(), left.end(), true));
                    if (in_left < 7 || n - in_left < 7) continue;
                    best = std::max(best, worth(left, true) + worth(left, false) - whole);
                }
        VectorGrower grower(settings, 1);
        const VectorGrown grown = grower.grow(table, {slopes, {count, false}, {}}, 0, 0);
        CHECK(grown.nodes.size() == Size{3});
        CHECK_NEAR(grown.nodes[0].split.gain, best, 1e-9L);
        CHECK_NEAR(grown.nodes[1].worth + grown.nodes[2].worth - grown.nodes[0].worth, best, 1e-9L);
    }
}

TEST(vector_leaves_answer_by_their_slopes) {
    const Size n = 400, count = 2;
    const Rows rows = full(n, 4, 8);
    const Table table(rows.as_dense(), numbers(4), {}, {}, 1);
    const std::vector<Slope> slopes = random_slopes(n * count, 3);
    const std::vector<std::uint32_t> used = every(n, 2);
    for (const Growth growth : {Growth::leaf, Growth::depth, Growth::oblivious}) {
        Settings settings = small_trees();
        settings.growth = growth;
        settings.max_depth = 4;
        VectorGrower grower(settings, 2);
        const VectorGrown grown = grower.grow(table, {slopes, {count, false}, used}, 0, 0);
        const LeafFinder leaf(grown.nodes, table);
        std::vector<double> g(grown.answers.size(), 0.0), h(grown.answers.size(), 0.0);
        std::vector<Size> met(grown.nodes.size(), 0);
        for (const std::uint32_t row : used) {
            const Size at = leaf(row);
            ++met[at];
            for (Size k = 0; k < count; ++k) {
                g[at * count + k] += static_cast<double>(slopes[k * n + row].gradient);
                h[at * count + k] += static_cast<double>(slopes[k * n + row].curvature);
            }
        }
        CHECK(grown.nodes.size() > Size{7});
        for (Size i = 0; i < grown.nodes.size(); ++i) {
            if (!grown.nodes[i].is_leaf()) continue;
            CHECK(grown.nodes[i].rows() == met[i]);
            for (Size k = 0; k < count; ++k)
                CHECK_NEAR(grown.answers[i * count + k], -g[i * count + k] / (h[i * count + k] + settings.l2), 1e-12L);
        }
    }
}

TEST(vector_booster_of_one_target_is_the_booster) {
    const Rows rows = full(900, 6, 4);
    const Table table(rows.as_dense(), {std::vector<std::int32_t>(6, 0)}, {}, {}, 1);
    const std::vector<double> y = targets(table, 1);
    for (const Growth growth : {Growth::leaf, Growth::depth, Growth::oblivious})
        for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::huber}) {
            Plan plan;
            plan.trees.growth = growth;
            plan.trees.max_depth = 5;
            plan.trees.floats = true;
            plan.loss.kind = kind;
            VectorBooster vector({&table}, y, {}, {}, {}, plan);
            Booster one({&table}, y, {}, {}, {}, {}, plan);
            CHECK(same_bits(scores_after(vector, 5), scores_after(one, 5)));
            CHECK(vector.mean_loss(false) == one.mean_loss(false));
        }
}

TEST(vector_booster_has_the_same_bits_on_any_threads) {
    const Rows rows = full(50000, 5, 6);
    const Table table(rows.as_dense(), numbers(5), {}, {}, 2);
    const std::vector<double> y = targets(table, 3);
    std::vector<double> classes(table.rows());
    for (Size i = 0; i < classes.size(); ++i) classes[i] = y[i] > 8 ? 2 : y[i] > 4 ? 1 : 0;
    for (const Growth growth : {Growth::leaf, Growth::oblivious})
        for (const LossKind kind : {LossKind::squared, LossKind::softmax}) {
            Plan plan;
            plan.trees.growth = growth;
            plan.trees.max_depth = 4;
            plan.loss.kind = kind;
            plan.loss.outputs = 3;
            const std::vector<double>& target = kind == LossKind::softmax ? classes : y;
            std::vector<std::vector<double>> found;
            for (const int threads : {1, 2, 3}) {
                plan.threads = threads;
                VectorBooster booster({&table}, target, {}, {}, {}, plan);
                found.push_back(scores_after(booster, 2));
            }
            CHECK(same_bits(found[0], found[1]));
            CHECK(same_bits(found[0], found[2]));
        }
}

TEST(vector_booster_of_classes_lowers_the_loss) {
    const Rows rows = full(2000, 4, 9);
    const Table table(rows.as_dense(), numbers(4), {}, {}, 1);
    std::vector<double> classes(table.rows());
    for (Size i = 0; i < classes.size(); ++i) classes[i] = static_cast<double>(table.code(i, 0) * 3 / 256);
    Plan plan;
    plan.loss.kind = LossKind::softmax;
    plan.loss.outputs = 3;
    plan.trees.l2 = 1;
    VectorBooster booster({&table}, classes, {}, {}, {}, plan);
    const double before = booster.mean_loss(false);
    for (int i = 0; i < 30; ++i) booster.round();
    CHECK(booster.mean_loss(false) < before / 10);
    const forest::Forest trees = booster.trees(0);
    CHECK(trees.trees() == Size{30});
    CHECK(trees.width == Size{3});
}

}  // namespace pellucid::test

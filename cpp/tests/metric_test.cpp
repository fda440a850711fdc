// Reduced distances at every SIMD level: a pair against a plain loop, and a panel against its pairs bit for bit.
#include "core/distance/metric.hpp"

#include <algorithm>
#include <functional>

#include "core/base/simd.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr Size kColumns[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 100};
constexpr double kPower = 3;

using Row = std::vector<long double>;
using Plain = std::function<long double(const Row&, const Row&)>;

long double sum_of(const Row& x, const Row& z, const std::function<long double(long double, long double)>& term) {
    long double sum = 0;
    for (Size j = 0; j < x.size(); ++j) sum += term(x[j], z[j]);
    return sum;
}

long double dot(const Row& x, const Row& z) {
    return sum_of(x, z, [](long double a, long double b) { return a * b; });
}
long double apart(const Row& x, const Row& z) {
    return sum_of(x, z, [](long double a, long double b) { return a != b ? 1.0L : 0.0L; });
}
long double squares(const Row& x, const Row& z) {
    return sum_of(x, z, [](long double a, long double b) { return (a - b) * (a - b); });
}
long double steps(const Row& x, const Row& z) {
    return sum_of(x, z, [](long double a, long double b) { return std::abs(a - b); });
}

// The definitions of metric_hot.hpp, in their order.
const std::vector<std::pair<const char*, Plain>>& definitions() {
    static const std::vector<std::pair<const char*, Plain>> all = {
        {"euclidean", squares},
        {"manhattan", steps},
        {"chebyshev",
         [](const Row& x, const Row& z) {
             long double most = 0;
             for (Size j = 0; j < x.size(); ++j) most = std::max(most, std::abs(x[j] - z[j]));
             return most;
         }},
        {"minkowski",
         [](const Row& x, const Row& z) {
             return sum_of(x, z, [](long double a, long double b) { return std::pow(std::abs(a - b), kPower); });
         }},
        {"hamming", [](const Row& x, const Row& z) { return apart(x, z) / static_cast<long double>(x.size()); }},
        {"cosine", [](const Row& x, const Row& z) { return dot(x, z) > 1 ? 0.0L : 1 - dot(x, z); }},
        {"jaccard",
         [](const Row& x, const Row& z) {
             const long double either =
                 sum_of(x, z, [](long double a, long double b) { return a != 0 || b != 0 ? 1.0L : 0.0L; });
             return either == 0 ? 0.0L : apart(x, z) / either;
         }},
        {"tanimoto",
         [](const Row& x, const Row& z) {
             const long double either = dot(x, x) + dot(z, z) - dot(x, z);
             return either == 0 ? 0.0L : 1 - dot(x, z) / either;
         }},
        {"canberra",
         [](const Row& x, const Row& z) {
             return sum_of(x, z, [](long double a, long double b) {
                 return a == 0 && b == 0 ? 0.0L : std::abs(a - b) / (std::abs(a) + std::abs(b));
             });
         }},
        {"braycurtis",
         [](const Row& x, const Row& z) {
             const long double size = sum_of(x, z, [](long double a, long double b) { return std::abs(a + b); });
             return steps(x, z) == 0 ? 0.0L : steps(x, z) / size;
         }},
        {"nan_euclidean",
         [](const Row& x, const Row& z) {
             long double sum = 0, both = 0;
             for (Size j = 0; j < x.size(); ++j) {
                 if (std::isnan(x[j]) || std::isnan(z[j])) continue;
                 sum += (x[j] - z[j]) * (x[j] - z[j]);
                 both += 1;
             }
             return static_cast<long double>(x.size()) / both * sum;
         }},
    };
    return all;
}

Row long_row(const auto* cells, Size n) { return Row(cells, cells + n); }

// One query against eight rows of cells of type T.
template <class T>
void check_rows(const Metric& metric, const Plain& plain, const Table& table, const std::vector<double>& x) {
    const Size d = table.cols;
    std::vector<T> rows(table.cells.begin(), table.cells.end()), panel(kAbreast * d);
    for (Size r = 0; r < kAbreast; ++r)
        for (Size j = 0; j < d; ++j) panel[j * kAbreast + r] = rows[r * d + j];
    std::vector<double> abreast(kAbreast), single(kAbreast);
    metric.functions<T>().panel(x.data(), panel.data(), d, metric.p, abreast.data());
    for (Size r = 0; r < kAbreast; ++r) {
        single[r] = metric.functions<T>().pair(x.data(), rows.data() + r * d, d, metric.p);
        const long double want = plain(long_row(x.data(), d), long_row(rows.data() + r * d, d));
        if (std::isfinite(want))
            CHECK_NEAR(single[r], want, 1e-14L * static_cast<long double>(d) * (1 + std::abs(want)));
        else
            CHECK(!std::isfinite(single[r]));
    }
    CHECK(same_bits(abreast, single));
}

// Numbers near 1, with zeros, equal columns and, where the metric knows it, missing ones.
Table rows_for(MetricKind kind, Size d, std::uint64_t seed) {
    Table t = random_table(kAbreast + 1, d, seed);
    for (Size j = 0; j < d; j += 3) t.at(1, j) = t.at(kAbreast, j);
    for (Size j = 0; j < d; ++j) t.at(2, j) = t.at(kAbreast, j);
    if (kind == MetricKind::nan_euclidean)
        for (Size i = seed % 3; i < t.cells.size(); i += 4) t.cells[i] = std::numeric_limits<double>::quiet_NaN();
    if (kind == MetricKind::cosine)
        for (double& cell : t.cells) cell = static_cast<float>(cell / std::sqrt(static_cast<double>(d)));
    return t;
}

}  // namespace

TEST(metric_pair_is_the_definition_and_a_panel_its_pairs) {
    const KeepLevel keep;
    for (const std::string& level : levels()) {
        CHECK(set_level(level));
        for (Size kind = 0; kind < definitions().size(); ++kind)
            for (const Size d : kColumns) {
                const Metric metric = metric_of(static_cast<int>(kind), kPower);
                Table t = rows_for(metric.kind, d, 17 * kind + d);
                const std::vector<double> x(t.cells.end() - static_cast<std::ptrdiff_t>(d), t.cells.end());
                where = std::string(definitions()[kind].first) + ", " + std::to_string(d) + " columns, " + level;
                check_rows<double>(metric, definitions()[kind].second, t, x);
                check_rows<float>(metric, definitions()[kind].second, t, x);
            }
    }
    where.clear();
}

TEST(metric_haversine_panel_is_its_pairs) {
    const KeepLevel keep;
    for (const std::string& level : levels()) {
        CHECK(set_level(level));
        const Table t = random_table(kAbreast, 2, 5);
        const double x[2] = {0.3, -0.8};
        const auto& functions = metric_of(static_cast<int>(MetricKind::haversine), 2).functions<double>();
        std::vector<double> panel(2 * kAbreast), abreast(kAbreast), single(kAbreast);
        for (Size r = 0; r < kAbreast; ++r)
            for (Size j = 0; j < 2; ++j) panel[j * kAbreast + r] = t.at(r, j);
        functions.panel(x, panel.data(), 2, 2, abreast.data());
        for (Size r = 0; r < kAbreast; ++r) single[r] = functions.pair(x, t.cells.data() + 2 * r, 2, 2);
        CHECK(same_bits(abreast, single));
    }
}

}  // namespace pellucid::test

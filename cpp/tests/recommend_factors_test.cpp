// Factors by alternating least squares: each answer solves its equation, at every level and on any number of threads.
#include <algorithm>

#include "core/base/rng.hpp"
#include "core/recommend/factor_hot.hpp"
#include "core/recommend/factors.hpp"
#include "core/recommend/implicit.hpp"
#include "tests/harness.hpp"
#include "tests/lapack_by_hand.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr Size kUsers = 70, kItems = 33, kFactors = 5, kStride = 16;

RatedRows some_ratings() {
    const Random chance{9, 0};
    RatedRows rows;
    rows.starts.push_back(0);
    for (Size u = 0; u < kUsers; ++u) {
        for (Size i = 0; i < kItems; ++i)
            if (u != 7 && chance.below(2 * (u * kItems + i), 3) == 0) {
                rows.indices.push_back(static_cast<std::int32_t>(i));
                rows.values.push_back(1 + static_cast<double>(chance.below(2 * (u * kItems + i) + 1, 5)));
            }
        rows.starts.push_back(static_cast<std::int64_t>(rows.indices.size()));
    }
    return rows;
}

template <class T>
std::vector<T> start(Size rows, std::uint64_t stream) {
    const Random chance{3, stream};
    std::vector<T> found(rows * kStride, T{0});
    for (Size r = 0; r < rows; ++r)
        for (Size k = 0; k < kFactors; ++k)
            found[r * kStride + k] = static_cast<T>(chance.uniform(r * kFactors + k) - 0.5);
    return found;
}

// What is left of user u's equation: (sum y y' (c - 1) + Y'Y + penalty) x - sum c y, the largest entry.
template <class T>
double left_over(const Rated& users, Size u, const std::vector<T>& x, const std::vector<T>& y, double penalty) {
    double largest = 0;
    for (Size k = 0; k < kFactors; ++k) {
        double sum = penalty * static_cast<double>(x[u * kStride + k]);
        std::vector<double> c(kItems, 0.0);
        for (Size at = users.first(u); at < users.last(u); ++at) c[users.column(at)] = users.values[at];
        for (Size i = 0; i < kItems; ++i) {
            double dot = 0;
            for (Size j = 0; j < kFactors; ++j)
                dot += static_cast<double>(x[u * kStride + j]) * static_cast<double>(y[i * kStride + j]);
            const double sure = c[i] > 0 ? c[i] : 1, done = c[i] > 0 ? 1 : 0;
            sum += sure * (dot - done) * static_cast<double>(y[i * kStride + k]);
        }
        largest = std::fmax(largest, std::abs(sum));
    }
    return largest;
}

template <class T>
void check_implicit(double tolerance) {
    const RatedRows by_user = some_ratings(), by_item = transposed(by_user.view(), kItems);
    for (const Size steps : {Size{0}, Size{30}}) {
        std::vector<T> first;
        for (const int threads : {1, 2, 3}) {
            std::vector<T> x = start<T>(kUsers, 0), y = start<T>(kItems, 1);
            const ImplicitSettings s{kFactors, steps, 0.1, 1, -1, threads};
            CHECK(refresh_implicit<T>(by_user.view(), {y, kStride}, s, {x, kStride}));
            for (Size u = 0; u < kUsers; ++u)
                if (u != 7) CHECK(left_over(by_user.view(), u, x, y, 0.1) < tolerance);
            for (Size k = 0; k < kStride; ++k) CHECK(x[7 * kStride + k] == 0);  // a user without items
            if (threads == 1) first = x;
            CHECK(std::memcmp(first.data(), x.data(), x.size() * sizeof(T)) == 0);
        }
    }
}

}  // namespace

TEST(factor_loops_agree_at_every_level) {
    const Size n = 48, rows = 11;
    const Random chance{1, 0};
    std::vector<double> x(n * kSideBySide), y(rows * n), m(n * n), a(rows), w(rows);
    for (Size i = 0; i < x.size(); ++i) x[i] = chance.uniform(i) - 0.5;
    for (Size i = 0; i < y.size(); ++i) y[i] = chance.uniform(1000 + i) - 0.5;
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j <= i; ++j) m[i * n + j] = m[j * n + i] = chance.uniform(5000 + i * n + j) - 0.5;
    for (Size i = 0; i < rows; ++i) a[i] = chance.uniform(9000 + i), w[i] = chance.uniform(9500 + i);
    const std::vector<int> which{10, 0, 3, 3, 7, 1, 2, 9, 8};
    at_every_level([&] {
        const FactorHot<double>& hot = factor_hot<double>();
        std::vector<double> found(rows), image(n * kSideBySide), out(n, 1.0);
        hot.dots(x.data(), y.data(), rows, n, found.data());
        hot.multiply(m.data(), x.data(), 0.25, n, image.data());
        hot.add_rows(y.data(), which.data(), a.data(), w.data(), which.size(), x.data(), n, out.data());
        std::vector<double> want(n, 1.0);
        for (Size i = 0; i < rows; ++i) {
            double sum = 0;
            for (Size k = 0; k < n; ++k) sum += x[k] * y[i * n + k];
            CHECK_NEAR(found[i], sum, 1e-13);
            CHECK(found[i] == hot.dot(x.data(), y.data() + i * n, n));
        }
        for (Size u = 0; u < kSideBySide; ++u)
            for (Size i = 0; i < n; ++i) {
                double sum = 0.25 * x[u * n + i];
                for (Size k = 0; k < n; ++k) sum += m[i * n + k] * x[u * n + k];
                CHECK_NEAR(image[u * n + i], sum, 1e-13);
            }
        for (Size i = 0; i < which.size(); ++i) {
            const double* row = y.data() + static_cast<Size>(which[i]) * n;
            double sum = 0;
            for (Size k = 0; k < n; ++k) sum += x[k] * row[k];
            for (Size k = 0; k < n; ++k) want[k] += (a[i] + w[i] * sum) * row[k];
        }
        for (Size k = 0; k < n; ++k) CHECK_NEAR(out[k], want[k], 1e-12);
    });
}

TEST(implicit_factors_solve_their_equations) {
    use_lapack_by_hand();
    at_every_level([] {
        check_implicit<double>(1e-9);
        check_implicit<float>(2e-4);
    });
}

TEST(the_implicit_objective_counts_all_pairs) {
    const RatedRows by_user = some_ratings();
    const Rated users = by_user.view();
    std::vector<double> x = start<double>(kUsers, 0), y = start<double>(kItems, 1);
    double want = 0;
    for (Size u = 0; u < kUsers; ++u) {
        std::vector<double> c(kItems, 0.0);
        for (Size at = users.first(u); at < users.last(u); ++at) c[users.column(at)] = users.values[at];
        for (Size i = 0; i < kItems; ++i) {
            double dot = 0;
            for (Size k = 0; k < kFactors; ++k) dot += x[u * kStride + k] * y[i * kStride + k];
            want += c[i] > 0 ? c[i] * (1 - dot) * (1 - dot) : dot * dot;
        }
    }
    for (const double v : x) want += 0.3 * v * v;
    for (const double v : y) want += 0.3 * v * v;
    const ImplicitSettings s{kFactors, 0, 0.3, 0, 0, 2};
    CHECK_NEAR(implicit_objective<double>(users, {x, kStride}, {y, kStride}, s), want, 1e-9 * want);
}

TEST(factors_and_biases_solve_their_equations) {
    use_lapack_by_hand();
    const RatedRows by_user = some_ratings(), by_item = transposed(by_user.view(), kItems);
    const Rated users = by_user.view();
    at_every_level([&] {
        for (const bool by_count : {false, true}) {
            std::vector<double> first;
            for (const int threads : {1, 2, 3}) {
                std::vector<double> p = start<double>(kUsers, 0), q = start<double>(kItems, 1);
                std::vector<double> b(kUsers, 0.0), c(kItems, 0.25);
                FactorSide own{p, b, kStride}, other{q, c, kStride};
                const FactorSettings s{kFactors, 3.0, 0.2, by_count, true, 4, 0, threads};
                CHECK(refresh_factors(users, other, s, own));
                for (Size u = 0; u < kUsers; ++u) {
                    const double penalty = by_count ? 0.2 * static_cast<double>(users.count(u)) : 0.2;
                    std::vector<double> slope(kFactors + 1);
                    for (Size k = 0; k < kFactors; ++k) slope[k] = -penalty * own.row(u)[k];
                    slope[kFactors] = -penalty * b[u];
                    for (Size at = users.first(u); at < users.last(u); ++at) {
                        const double* item = other.row(users.column(at));
                        double e = users.values[at] - 3.0 - b[u] - c[users.column(at)];
                        for (Size k = 0; k < kFactors; ++k) e -= own.row(u)[k] * item[k];
                        for (Size k = 0; k < kFactors; ++k) slope[k] += e * item[k];
                        slope[kFactors] += e;
                    }
                    for (const double v : slope) CHECK_NEAR(v, 0, 1e-10);
                }
                Record record;
                const FactorResult result = fit_factors(users, by_item.view(), s, own, other, record);
                CHECK(result.status == Status::ok && result.passes == 4);
                const std::vector<double>& cells = record.tables().at("passes").cells;
                for (Size i = 1; i < cells.size() / 2; ++i) CHECK(cells[2 * i + 1] <= cells[2 * i - 1] * (1 + 1e-13));
                if (threads == 1) first = q;
                CHECK(same_bits(q, first));
            }
        }
    });
}

TEST(products_of_pairs_and_of_all_have_the_same_bits) {
    const std::vector<float> x = start<float>(kUsers, 4), y = start<float>(kItems, 5);
    std::vector<std::int32_t> rows{3, 0, 69}, all_rows, columns;
    std::vector<double> whole(3 * kItems), pairs(3 * kItems);
    for (const std::int32_t r : rows)
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(kItems); ++c)
            all_rows.push_back(r), columns.push_back(c);
    at_every_level([&] {
        all_products<float>(x.data(), y.data(), kItems, kStride, rows, whole, 2);
        pair_products<float>(x.data(), y.data(), kStride, all_rows, columns, pairs, 3);
        CHECK(same_bits(whole, pairs));
    });
}

}  // namespace pellucid::test

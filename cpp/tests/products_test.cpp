// X W' + b, X'u and the search for NaN, in every layout, against plain loops in long double.
#include "core/linalg/products.hpp"

#include <limits>
#include <utility>

#include "core/base/check.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

std::vector<double> product(const Matrix& X, const std::vector<double>& W, const std::vector<double>& b, int threads) {
    std::vector<double> out(rows_of(X) * b.size(), 99.0);
    multiply(X, W, b, out, threads);
    return out;
}

std::vector<double> product_transposed(const Matrix& X, const std::vector<double>& u, int threads) {
    std::vector<double> out(cols_of(X), 99.0);
    multiply_transposed(X, u, out, threads);
    return out;
}

// Elements, weights and offsets are at most one in size: so are the terms whose rounding the tolerances count.
void check_product(const Table& t, const Matrix& X, Size k) {
    const std::vector<double> W = random_vector(k * t.cols, 2), b = random_vector(k, 3);
    const std::vector<double> got = product(X, W, b, 1);
    for (Size r = 0; r < t.rows; ++r)
        for (Size i = 0; i < k; ++i) {
            long double want = b[i];
            for (Size c = 0; c < t.cols; ++c) want += static_cast<long double>(t.at(r, c)) * W[i * t.cols + c];
            CHECK_NEAR(got[r * k + i], want, kEps * static_cast<double>(t.cols + 2));
        }
    for (const int threads : {2, 3}) CHECK(same_bits(product(X, W, b, threads), got));
}

void check_product_transposed(const Table& t, const Matrix& X) {
    const std::vector<double> u = random_vector(t.rows, 4);
    const std::vector<double> got = product_transposed(X, u, 1);
    for (Size c = 0; c < t.cols; ++c) {
        long double want = 0;
        for (Size r = 0; r < t.rows; ++r) want += static_cast<long double>(t.at(r, c)) * u[r];
        CHECK_NEAR(got[c], want, kEps * static_cast<double>(t.rows + 2));
    }
    for (const int threads : {2, 3}) CHECK(same_bits(product_transposed(X, u, threads), got));
}

struct Shape {
    Size rows, cols;
};
// Around the block of 1024 rows and the vector widths.
constexpr Shape kShapes[] = {{0, 3}, {1, 1}, {1, 40}, {5, 17}, {33, 8}, {300, 77}, {1023, 5}, {1025, 3}, {2500, 9}};

template <class F>
void in_every_layout(const Table& t, const F& f) {
    for (const Layout& layout : layouts(t)) {
        where = layout.name + ", " + std::to_string(t.rows) + " x " + std::to_string(t.cols);
        f(layout.view);
    }
}

// No zeros: a sparse layout stores every cell.
Table full_table(Size rows, Size cols) {
    Table t(rows, cols);
    for (Size i = 0; i < t.cells.size(); ++i) t.cells[i] = static_cast<double>(i % 5) - 2.5;
    return t;
}

template <class F>
bool refused(const F& f) {
    try {
        f();
    } catch (const ContractError&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(multiply_in_every_layout) {
    for (const auto [rows, cols] : kShapes) {
        const Table t = random_table(rows, cols, 1);
        in_every_layout(t, [&](const Matrix& X) {
            for (const Size k : {1, 3}) check_product(t, X, k);
        });
    }
}

// A float here holds its number exactly, so that even both types agree.
TEST(dense_layouts_and_levels_give_the_same_bits) {
    for (const auto [rows, cols] : kShapes) {
        const Table t = random_table(rows, cols, 8);
        const std::vector<double> W = random_vector(2 * cols, 2), b = random_vector(2, 3), u = random_vector(rows, 4);
        const std::vector<double> want = product(t.view(), W, b, 1), across = product_transposed(t.view(), u, 1);
        in_every_layout(t, [&](const Matrix& X) {
            if (X.index() >= 2) return;  // sparse
            at_every_level([&] {
                CHECK(same_bits(product(X, W, b, 2), want));
                CHECK(same_bits(product_transposed(X, u, 2), across));
            });
        });
    }
}

TEST(multiply_transposed_in_every_layout) {
    for (const auto [rows, cols] : kShapes) {
        const Table t = random_table(rows, cols, 5);
        in_every_layout(t, [&](const Matrix& X) { check_product_transposed(t, X); });
    }
}

TEST(multiply_transposed_over_several_parts) {
    const Table t = random_table(40000, 3, 6);  // parts of 16384 rows
    for (const Layout& layout : {strided<double>("C", t, 3, 1), csr<std::int32_t>("CSR", t)}) {
        where = layout.name;
        check_product_transposed(t, layout.view);
    }
}

TEST(products_without_columns_or_targets) {
    const Table t(5, 0);
    in_every_layout(t, [&](const Matrix& X) {
        CHECK((product(X, {}, {7.0}, 2) == std::vector<double>(5, 7.0)));
        CHECK(product_transposed(X, std::vector<double>(5, 1.0), 2).empty());
        CHECK(all_finite(X, 2));
        CHECK(product(X, {}, {}, 2).empty());
    });
}

TEST(products_refuse_wrong_sizes) {
    const Table t = random_table(4, 3, 7);
    const Matrix X = t.view();
    const std::vector<double> one(1), three(3), four(4);
    std::vector<double> out3(3), out4(4);
    CHECK(refused([&] { multiply(X, four, one, out4, 1); }));
    CHECK(refused([&] { multiply(X, three, one, out3, 1); }));
    CHECK(refused([&] { multiply_transposed(X, three, out3, 1); }));
    CHECK(refused([&] { multiply_transposed(X, four, out4, 1); }));
}

TEST(all_finite_in_every_layout) {
    using Limits = std::numeric_limits<double>;
    for (const auto [rows, cols] : kShapes) {
        Table t = full_table(rows, cols);
        in_every_layout(t, [&](const Matrix& X) {
            for (const int threads : {1, 2}) CHECK(all_finite(X, threads));
        });
        for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
            for (const double place : {0.0, 0.4, 0.999}) {
                if (t.cells.empty()) continue;
                double& cell = t.cells[static_cast<Size>(place * static_cast<double>(t.cells.size()))];
                const double kept = std::exchange(cell, bad);
                in_every_layout(t, [&](const Matrix& X) { CHECK(!all_finite(X, 2)); });
                cell = kept;
            }
    }
}

TEST(all_finite_takes_the_largest_and_smallest_numbers) {
    Table t = full_table(50, 3);
    for (Size i = 0; i < t.cells.size(); ++i)
        t.cells[i] = i % 2 == 0 ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::denorm_min();
    for (const Layout& layout : wide_layouts(t)) {
        where = layout.name;
        CHECK(all_finite(layout.view, 1));
    }
}

TEST(products_of_a_row_repeated_by_stride_zero) {
    const std::vector<double> row = {1, 2, 3};
    const Matrix X = Dense<double>{row.data(), 2000, 3, 0, 1};
    CHECK(product(X, {1, 10, 100}, {0.5}, 2) == std::vector<double>(2000, 321.5));
    CHECK((product_transposed(X, std::vector<double>(2000, 1.0), 2) == std::vector<double>{2000, 4000, 6000}));
    CHECK(all_finite(X, 2));
}

}  // namespace pellucid::test

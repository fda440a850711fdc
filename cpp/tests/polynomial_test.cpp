// Products of columns in every layout, C and F order, against the product of each term's columns written out.
#include "core/preprocessing/polynomial.hpp"

#include "core/base/check.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Setting {
    Size low, high;
    bool distinct, ones;
};
constexpr Setting kSettings[] = {{0, 0, false, true}, {0, 1, false, false}, {0, 1, true, true},   {0, 2, false, true},
                                 {0, 3, true, false}, {2, 3, false, true},  {3, 3, false, false}, {2, 2, true, true},
                                 {0, 5, false, true}, {4, 4, true, true}};

PolynomialPlan plan_of(Size cols, const Setting& s) { return {cols, s.low, s.high, s.distinct, s.ones}; }

// Terms in order, by recursion over their columns.
void list_terms(Size cols, Size degree, bool distinct, std::vector<Size>& now, std::vector<std::vector<Size>>& all) {
    if (now.size() == degree) return all.push_back(now);
    const Size first = now.empty() ? 0 : now.back() + (distinct ? 1 : 0);
    for (Size c = first; c < cols; ++c) {
        now.push_back(c);
        list_terms(cols, degree, distinct, now, all);
        now.pop_back();
    }
}
std::vector<std::vector<Size>> terms_of(Size cols, const Setting& s) {
    std::vector<std::vector<Size>> all;
    std::vector<Size> now;
    if (s.ones) all.emplace_back();
    for (Size d = std::max<Size>(s.low, 1); d <= s.high; ++d) list_terms(cols, d, s.distinct, now, all);
    return all;
}

// From the last column to the first: the order of multiplication that the kernel promises, so that bits are equal.
template <class T>
T value_of(const Table& t, Size r, const std::vector<Size>& term) {
    if (term.empty()) return T{1};
    T product = static_cast<T>(t.at(r, term.back()));
    for (Size i = term.size() - 1; i-- > 0;) product = static_cast<T>(t.at(r, term[i])) * product;
    return product;
}

template <class T>
std::vector<T> expected(const Table& t, const Setting& s) {
    const auto terms = terms_of(t.cols, s);
    std::vector<T> all;
    for (Size r = 0; r < t.rows; ++r)
        for (const auto& term : terms) all.push_back(value_of<T>(t, r, term));
    return all;
}

template <class T>
std::vector<T> worked_out(const Dense<T>& x, const PolynomialPlan& plan, bool by_row, int threads) {
    std::vector<T> memory(x.rows * plan.width, T{99});
    const auto n = static_cast<std::ptrdiff_t>(x.rows), w = static_cast<std::ptrdiff_t>(plan.width);
    polynomial(x, plan, Written<T>{memory.data(), x.rows, plan.width, by_row ? w : 1, by_row ? 1 : n}, threads);
    if (by_row) return memory;
    std::vector<T> turned;
    for (Size r = 0; r < x.rows; ++r)
        for (Size c = 0; c < plan.width; ++c) turned.push_back(memory[c * x.rows + r]);
    return turned;
}

template <class T>
void check_dense(const Table& t, const Dense<T>& x, const Setting& s) {
    const PolynomialPlan plan = plan_of(t.cols, s);
    const std::vector<T> want = expected<T>(t, s);
    for (const bool by_row : {true, false})
        for (const int threads : {1, 2, 3}) CHECK(worked_out(x, plan, by_row, threads) == want);
}

// Stored terms only: those whose columns are all stored.
template <class T, class Index, class OutIndex>
void check_sparse(const Table& t, const Csr<Index>& x, const Setting& s) {
    const PolynomialPlan plan = plan_of(t.cols, s);
    const auto terms = terms_of(t.cols, s);
    std::vector<std::int64_t> starts{0};
    std::vector<OutIndex> want_columns;
    std::vector<T> want;
    for (Size r = 0; r < t.rows; ++r) {
        for (Size i = 0; i < terms.size(); ++i) {
            bool stored = true;
            for (const Size c : terms[i]) stored = stored && t.at(r, c) != 0;
            if (!stored) continue;
            want_columns.push_back(static_cast<OutIndex>(i));
            want.push_back(value_of<T>(t, r, terms[i]));
        }
        starts.push_back(static_cast<std::int64_t>(want.size()));
    }
    for (const int threads : {1, 2}) {
        std::vector<OutIndex> columns(want.size());
        std::vector<T> values(want.size());
        polynomial(x, plan, starts, std::span<OutIndex>(columns), std::span<T>(values), threads);
        CHECK(columns == want_columns);
        CHECK(values == want);
    }
}

// Rising columns and no stored zeros: what the Python side hands over.
template <class Index>
struct SparseTable {
    std::vector<double> values;
    std::vector<Index> indices, starts{0};

    explicit SparseTable(const Table& t) {
        for (Size r = 0; r < t.rows; ++r) {
            for (Size c = 0; c < t.cols; ++c)
                if (t.at(r, c) != 0) values.push_back(t.at(r, c)), indices.push_back(static_cast<Index>(c));
            starts.push_back(static_cast<Index>(values.size()));
        }
    }
    Csr<Index> view(const Table& t) const { return {values.data(), indices.data(), starts.data(), t.rows, t.cols}; }
};

template <class F>
bool refused(const F& f) {
    try {
        f();
    } catch (const ContractError&) {
        return true;
    }
    return false;
}

struct Shape {
    Size rows, cols;
};
// Around a tile of 32 rows; few and many columns, so that runs are short and long.
constexpr Shape kShapes[] = {{0, 2}, {1, 1}, {31, 3}, {33, 1}, {65, 4}, {40, 9}};

}  // namespace

TEST(polynomial_in_every_layout) {
    for (const auto [rows, cols] : kShapes) {
        const Table t = random_table(rows, cols, 1);
        for (const Setting& s : kSettings)
            for (const Layout& layout : layouts(t)) {
                where = layout.name + ", " + std::to_string(rows) + " x " + std::to_string(cols) + ", degree " +
                        std::to_string(s.low) + " to " + std::to_string(s.high);
                if (const auto* x = std::get_if<Dense<double>>(&layout.view)) check_dense(t, *x, s);
                if (const auto* x = std::get_if<Dense<float>>(&layout.view)) check_dense(t, *x, s);
            }
    }
}

TEST(polynomial_of_sparse_rows) {
    for (const auto [rows, cols] : kShapes) {
        const Table t = random_table(rows, cols, 2, 0.5);
        const SparseTable<std::int32_t> narrow(t);
        const SparseTable<std::int64_t> wide(t);
        for (const Setting& s : kSettings) {
            check_sparse<double, std::int32_t, std::int32_t>(t, narrow.view(t), s);
            check_sparse<float, std::int32_t, std::int64_t>(t, narrow.view(t), s);
            check_sparse<double, std::int64_t, std::int64_t>(t, wide.view(t), s);
            check_sparse<float, std::int64_t, std::int32_t>(t, wide.view(t), s);
        }
    }
}

TEST(polynomial_over_several_blocks) {
    for (const auto [rows, cols] : {Shape{20000, 3}, Shape{3000, 20}, Shape{140000, 1}}) {
        const Table t = random_table(rows, cols, 3);
        where = std::to_string(rows) + " x " + std::to_string(cols);
        check_dense(t, t.view(), {0, 2, false, true});
        check_dense(t, t.view(), {2, 3, true, false});
    }
}

TEST(polynomial_widths) {
    CHECK(plan_of(2, {0, 3, false, true}).width == 10);
    CHECK(plan_of(100, {0, 3, false, true}).width == 176851);
    CHECK(plan_of(1, {0, 300, false, true}).width == 301);
    CHECK(plan_of(10, {3, 3, false, false}).width == 220);
    CHECK(plan_of(3, {0, 9, true, false}).width == 7);
    CHECK(plan_of(3, {4, 9, true, false}).width == 0);
    CHECK(plan_of(3, {4, 9, true, true}).width == 1);
}

TEST(polynomial_refuses_wrong_sizes) {
    const Table t = random_table(4, 3, 4, 0.0);
    const PolynomialPlan plan = plan_of(3, {0, 2, false, true}), other = plan_of(2, {0, 2, false, true});
    std::vector<double> out(40);
    CHECK(refused([&] { polynomial(t.view(), other, Written<double>{out.data(), 4, 6, 6, 1}, 1); }));
    CHECK(refused([&] { polynomial(t.view(), plan, Written<double>{out.data(), 4, 9, 9, 1}, 1); }));
    CHECK(refused([&] { polynomial(t.view(), plan, Written<double>{out.data(), 4, 10, 20, 2}, 1); }));
    const SparseTable<std::int32_t> sparse(t);
    std::vector<std::int32_t> columns(40);
    std::vector<std::int64_t> right{0, 10, 20, 30, 40}, uneven{0, 9, 20, 30, 40}, falling{0, 20, 10, 30, 40};
    const std::span<std::int32_t> indices(columns);
    const std::span<double> values(out);
    CHECK(!refused([&] { polynomial(sparse.view(t), plan, right, indices, values, 1); }));
    CHECK(refused([&] { polynomial(sparse.view(t), plan, uneven, indices, values, 1); }));
    CHECK(refused([&] { polynomial(sparse.view(t), plan, falling, indices, values, 1); }));
    CHECK(refused([&] { polynomial(sparse.view(t), plan, right, indices.first(39), values, 1); }));
}

}  // namespace pellucid::test

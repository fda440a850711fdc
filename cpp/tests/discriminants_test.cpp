// Moments of classes and the scores of Gaussian classes against plain loops in long double.
#include "core/discriminants/class_scatter.hpp"
#include "core/discriminants/gaussian_scores.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

struct Plain {
    std::vector<long double> weight, mean, scatter;
};

Plain by_hand(const Table& t, const std::vector<std::int32_t>& codes, Size classes, const std::vector<double>& weight) {
    const Size p = t.cols;
    Plain e{std::vector<long double>(classes), std::vector<long double>(classes * p),
            std::vector<long double>(classes * p * p)};
    const auto w = [&](Size r) { return static_cast<long double>(weight.empty() ? 1.0 : weight[r]); };
    for (Size r = 0; r < t.rows; ++r) {
        const Size k = static_cast<Size>(codes[r]);
        e.weight[k] += w(r);
        for (Size j = 0; j < p; ++j) e.mean[k * p + j] += w(r) * t.at(r, j);
    }
    for (Size k = 0; k < classes; ++k)
        for (Size j = 0; j < p; ++j) e.mean[k * p + j] /= e.weight[k];
    for (Size r = 0; r < t.rows; ++r) {
        const Size k = static_cast<Size>(codes[r]);
        for (Size i = 0; i < p; ++i)
            for (Size j = 0; j < p; ++j)
                e.scatter[(k * p + i) * p + j] +=
                    w(r) * (t.at(r, i) - e.mean[k * p + i]) * (t.at(r, j) - e.mean[k * p + j]);
    }
    return e;
}

std::vector<std::int32_t> cyclic(Size rows, Size classes) {
    std::vector<std::int32_t> codes(rows);
    for (Size r = 0; r < rows; ++r) codes[r] = static_cast<std::int32_t>((r + r / 7) % classes);
    return codes;
}

void check_moments(const ClassScatter& m, const Plain& e, Size p, bool pooled, long double tolerance) {
    const Size classes = e.weight.size();
    CHECK(m.status == Status::ok);
    for (Size k = 0; k < classes; ++k) {
        CHECK_NEAR(m.weight[k], e.weight[k], 1e-14L * e.weight[k]);
        for (Size j = 0; j < p; ++j)
            CHECK_NEAR(m.mean[k * p + j], e.mean[k * p + j], 4e-16L * std::abs(e.mean[k * p + j]) + tolerance);
    }
    for (Size slot = 0; slot < (pooled ? 1 : classes); ++slot)
        for (Size i = 0; i < p; ++i)
            for (Size j = 0; j < p; ++j) {
                long double want = 0, size = 0;
                for (Size k = 0; k < classes; ++k)
                    if (pooled || k == slot) {
                        want += e.scatter[(k * p + i) * p + j];
                        size += std::sqrt(e.scatter[(k * p + i) * p + i] * e.scatter[(k * p + j) * p + j]);
                    }
                const long double got = m.scatter[(slot * p + i) * p + j] / static_cast<long double>(m.scale[i]) /
                                        static_cast<long double>(m.scale[j]);
                CHECK_NEAR(got, want, tolerance * size + 1e-300L);
            }
}

TEST(class_scatter_are_those_of_plain_loops_in_every_layout) {
    for (const Size p : {Size{1}, Size{3}, Size{8}, Size{19}}) {
        const Table t = random_table(301, p, 3);
        const auto codes = cyclic(t.rows, 4);
        std::vector<double> weight = random_vector(t.rows, 5, 0, 3);
        weight[0] = 0;
        for (const auto& w : {std::vector<double>{}, weight}) {
            const Plain e = by_hand(t, codes, 4, w);
            for (const Layout& layout : layouts(t)) {
                if (layout.name.starts_with("CSR")) continue;
                where = layout.name;
                for (const bool pooled : {false, true})
                    check_moments(class_scatter(layout.view, codes, 4, w, pooled, 2), e, p, pooled, 1e-14L);
            }
        }
        where.clear();
    }
}

TEST(class_scatter_keep_their_digits_when_classes_lie_far_apart) {
    Table t = random_table(400, 3, 8);
    const auto codes = cyclic(t.rows, 3);
    for (Size r = 0; r < t.rows; ++r) t.at(r, 1) = t.at(r, 1) / 1024 + 1e6 * codes[r];
    for (const bool pooled : {false, true})
        check_moments(class_scatter(t.view(), codes, 3, {}, pooled, 1), by_hand(t, codes, 3, {}), 3, pooled, 1e-12L);
}

TEST(class_scatter_of_huge_and_tiny_columns) {
    Table t = random_table(5000, 3, 8);
    const auto codes = cyclic(t.rows, 3);
    for (Size r = 0; r < t.rows; ++r) {
        t.at(r, 0) *= 1e305;
        t.at(r, 1) *= 1e-300;
        t.at(r, 2) = r == 7 ? 1e150 : 1.0;  // the sample sees a constant
    }
    const ClassScatter m = class_scatter(t.view(), codes, 3, {}, true, 2);
    CHECK(m.status == Status::ok);
    for (Size i = 0; i < 9; ++i) CHECK(std::isfinite(m.scatter[i]));
    for (Size i = 0; i < 3; ++i) CHECK(m.scatter[i * 4] > 0);
    t.at(3, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(class_scatter(t.view(), codes, 3, {}, true, 2).status == Status::not_finite);
    t.at(3, 1) = std::numeric_limits<double>::infinity();
    CHECK(class_scatter(t.view(), codes, 3, {}, false, 2).status == Status::not_finite);
}

TEST(class_scatter_do_not_depend_on_the_threads) {
    const Table t = random_table(20'000, 11, 2);
    const auto codes = cyclic(t.rows, 5);
    for (const bool pooled : {false, true}) {
        const ClassScatter one = class_scatter(t.view(), codes, 5, {}, pooled, 1);
        for (const int threads : {2, 3}) {
            const ClassScatter many = class_scatter(t.view(), codes, 5, {}, pooled, threads);
            CHECK(same_bits(one.mean, many.mean) && same_bits(one.scatter, many.scatter));
        }
    }
}

TEST(fourth_moments_are_those_of_a_plain_loop) {
    const Table t = random_table(500, 5, 4);
    const auto codes = cyclic(t.rows, 2);
    const auto mean = random_vector(10, 1), inverse = random_vector(10, 2, 0.5, 2),
               weight = random_vector(500, 3, 0, 2);
    std::vector<double> got(2);
    fourth_moments(t.view(), codes, weight, mean, inverse, got, 2);
    long double want[2] = {0, 0};
    for (Size r = 0; r < t.rows; ++r) {
        const Size k = static_cast<Size>(codes[r]);
        long double square = 0;
        for (Size j = 0; j < 5; ++j) {
            const long double z = (t.at(r, j) - static_cast<long double>(mean[k * 5 + j])) * inverse[k * 5 + j];
            square += z * z;
        }
        want[k] += weight[r] * square * square;
    }
    for (Size k = 0; k < 2; ++k) CHECK_NEAR(got[k], want[k], 1e-12L * want[k]);
}

TEST(scores_are_those_of_plain_loops_in_every_layout) {
    for (const Size p : {Size{1}, Size{7}, Size{8}, Size{21}}) {
        const Table t = random_table(131, p, 9);
        const Size k = 3;
        const auto scale = std::vector<double>(p, 0.5), offset = random_vector(p, 2), W = random_vector(k * p, 3),
                   b = random_vector(k, 4), mean = random_vector(k * p, 5);
        auto T = random_vector(k * p * p, 6);
        for (Size c = 0; c < k; ++c)
            for (Size i = 0; i < p; ++i)
                for (Size j = 0; j < i; ++j) T[(c * p + i) * p + j] = 0;
        for (const Layout& layout : layouts(t)) {
            if (layout.name.starts_with("CSR")) continue;
            where = layout.name;
            std::vector<double> linear(t.rows * k), quadratic(t.rows * k), again(t.rows * k);
            centered_scores(layout.view, scale, offset, W, b, linear, 2);
            quadratic_scores(layout.view, scale, mean, T, b, quadratic, 2);
            quadratic_scores(layout.view, scale, mean, T, b, again, 1);
            CHECK(same_bits(quadratic, again));
            for (Size r = 0; r < t.rows; ++r)
                for (Size c = 0; c < k; ++c) {
                    long double line = b[c], square = 0;
                    for (Size i = 0; i < p; ++i) {
                        line += W[c * p + i] * (t.at(r, i) * static_cast<long double>(scale[i]) - offset[i]);
                        long double along = 0;
                        for (Size j = i; j < p; ++j)
                            along += T[(c * p + i) * p + j] *
                                     (t.at(r, j) * static_cast<long double>(scale[j]) - mean[c * p + j]);
                        square += along * along;
                    }
                    CHECK_NEAR(linear[r * k + c], line, 1e-13L * static_cast<long double>(p));
                    CHECK_NEAR(quadratic[r * k + c], b[c] - square / 2, 1e-13L * static_cast<long double>(p * p));
                }
        }
        where.clear();
    }
}

}  // namespace
}  // namespace pellucid::test

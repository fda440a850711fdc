// Codebooks, their answers, an epoch of learning and condensing against plain loops, at every level.
#include <algorithm>
#include <array>

#include "core/base/rng.hpp"
#include "core/prototypes/answers.hpp"
#include "core/prototypes/condense.hpp"
#include "core/prototypes/lvq.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"
#include "tests/levels.hpp"

namespace pellucid::test {
namespace {

std::vector<std::int32_t> some_labels(Size rows, std::uint64_t classes, std::uint64_t seed) {
    const Random chance{seed, 2};
    std::vector<std::int32_t> y(rows);
    for (Size i = 0; i < rows; ++i) y[i] = static_cast<std::int32_t>(chance.below(i, classes));
    return y;
}

// The place of the nearest of m vectors, the first of equals.
Size nearest_by_loop(const double* x, const std::vector<double>& w, Size cols) {
    Size best = 0;
    for (Size v = 1; v < w.size() / cols; ++v)
        if (squares_apart(x, &w[v * cols], cols) < squares_apart(x, &w[best * cols], cols)) best = v;
    return best;
}

}  // namespace

TEST(nearest_prototypes_are_those_of_a_loop) {
    at_every_level([] {
        for (const Size cols : {1, 3, 8, 21}) {
            const auto x = whole_numbers(300, cols, 3), w = whole_numbers(19, cols, 4);
            const auto labels = some_labels(19, 4, 5);
            const Matrix X = in_rows(x, cols);
            const Codebook codebook(w.data(), 19, cols);
            std::vector<double> reduced(300 * 3), by_class(300 * 4);
            std::vector<std::int64_t> numbers(300 * 3);
            nearest_prototypes({&X, {}}, codebook, Metric{}, 3, reduced, numbers, 2);
            class_distances({&X, {}}, codebook, labels, 4, Metric{}, by_class, 2);
            for (Size i = 0; i < 300; ++i) {
                CHECK(static_cast<Size>(numbers[i * 3]) == nearest_by_loop(&x[i * cols], w, cols));
                CHECK(reduced[i * 3] <= reduced[i * 3 + 1] && reduced[i * 3 + 1] <= reduced[i * 3 + 2]);
                for (std::int32_t k = 0; k < 4; ++k) {
                    double least = std::numeric_limits<double>::infinity();
                    for (Size v = 0; v < 19; ++v)
                        if (labels[v] == k) least = std::min(least, squares_apart(&x[i * cols], &w[v * cols], cols));
                    CHECK(by_class[i * 4 + static_cast<Size>(k)] == least);
                }
            }
        }
    });
}

TEST(an_epoch_of_lvq1_is_that_of_a_loop) {
    at_every_level([] {
        const Size n = 200, p = 5, m = 11;
        const auto x = whole_numbers(n, p, 6);
        const auto y = some_labels(n, 3, 7), labels = some_labels(m, 3, 8);
        LvqState state{whole_numbers(m, p, 9), labels, std::vector<double>(m, 0.25)};
        std::vector<double> w = state.codebook, low(p, -6.0), high(p, 6.0);
        const Matrix X = in_rows(x, p);
        LvqSettings settings;
        settings.rate = 0.25;
        NoTrace none;
        const LvqResult result = lvq({&X, y, {}, {}, low, high}, settings, state, none);
        double mistakes = 0;
        for (Size i = 0; i < n; ++i) {
            const Size b = nearest_by_loop(&x[i * p], w, p);
            const double step = labels[b] == y[i] ? 0.25 : -0.25;
            mistakes += step < 0;
            for (Size j = 0; j < p; ++j) {
                double& at = w[b * p + j];
                at += step * (x[i * p + j] - at);
                if (step < 0) at = std::clamp(at, -6.0, 6.0);
            }
        }
        CHECK(result.mistakes == std::vector<double>{mistakes});
        for (Size c = 0; c < m * p; ++c) CHECK_NEAR(state.codebook[c], w[c], 1e-9);
    });
}

TEST(a_followed_run_has_the_same_bits) {
    const auto x = whole_numbers(150, 3, 10);
    const auto y = some_labels(150, 2, 11), labels = some_labels(6, 2, 12);
    const Matrix X = in_rows(x, 3);
    for (const auto variant :
         {LvqVariant::lvq1, LvqVariant::olvq1, LvqVariant::lvq21, LvqVariant::lvq3, LvqVariant::glvq}) {
        LvqSettings settings;
        settings.variant = variant;
        settings.epochs = 3;
        settings.shuffle = true;
        LvqState plain{whole_numbers(6, 3, 13), labels, std::vector<double>(6, settings.rate)}, followed = plain;
        NoTrace none;
        Watch watch;
        lvq({&X, y, {}, {}, {}, {}}, settings, plain, none);
        lvq({&X, y, {}, {}, {}, {}}, settings, followed, watch);
        CHECK(same_bits(plain.codebook, followed.codebook));
        CHECK(same_bits(plain.rates, followed.rates));
        CHECK(watch.record.tables().at("updates").cells.size() == 450 * 11);
    }
}

TEST(condensing_is_the_plain_loop_on_any_number_of_threads) {
    const Size n = 2500, p = 2;  // more than one block of rows at a time
    const auto x = whole_numbers(n, p, 14);
    const auto y = some_labels(n, 3, 15);
    const Matrix X = in_rows(x, p);
    std::vector<std::int64_t> order(n);
    for (Size i = 0; i < n; ++i) order[i] = static_cast<std::int64_t>(i);
    std::vector<std::int64_t> store{0};
    std::vector<bool> stored(n, false);
    stored[0] = true;
    for (Size before = 0; before != store.size();) {
        before = store.size();
        for (Size i = 0; i < n; ++i) {
            if (stored[i]) continue;
            Size best = 0;
            double least = std::numeric_limits<double>::infinity();
            for (const std::int64_t s : store)
                if (const double d = squares_apart(&x[i * p], &x[static_cast<Size>(s) * p], p); d < least) {
                    least = d;
                    best = static_cast<Size>(s);
                }
            if (y[best] == y[i]) continue;
            stored[i] = true;
            store.push_back(static_cast<std::int64_t>(i));
        }
    }
    const std::array<std::int64_t, 1> start{0};
    for (const int threads : {1, 2, 3}) {
        const Condensed found = condense({&X, y, order, start, {}, Metric{}, 1}, false, threads);
        CHECK(found.store == store);
    }
}

}  // namespace pellucid::test

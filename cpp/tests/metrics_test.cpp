#include <algorithm>
#include <map>

#include "core/metrics/counts.hpp"
#include "core/metrics/losses.hpp"
#include "core/metrics/ranking.hpp"
#include "core/metrics/silhouette.hpp"
#include "core/metrics/texts.hpp"
#include "tests/harness.hpp"
#include "tests/layouts.hpp"

namespace pellucid::test {
namespace {

template <class T>
struct Scored {
    std::string name;
    std::vector<T> score;
    std::vector<std::uint8_t> positive;
    std::vector<double> weight;

    ScoredRows<T> view(bool weighted) const {
        return {score, positive, weighted ? std::span<const double>(weight) : std::span<const double>()};
    }
};

template <class T>
Scored<T> labeled(std::string name, std::vector<T> score, double share = 0.4) {
    const Random chance{7, 3};
    Scored<T> rows{std::move(name), std::move(score), {}, {}};
    for (Size i = 0; i < rows.score.size(); ++i) {
        rows.positive.push_back(chance.uniform(i) < share);
        rows.weight.push_back(0.25 * static_cast<double>(1 + chance.bits(i) % 16));
    }
    return rows;
}

// Smooth, tied, skewed over all exponents, sorted, alternating between few values, one value, signed zeros, extremes.
template <class T>
std::vector<Scored<T>> score_tables() {
    std::vector<Scored<T>> all;
    for (const Size n : {0, 1, 2, 25, 1000, 20'000, 140'000}) {
        std::vector<T> smooth, tied, skewed, sorted, few, one, zeros, ends;
        const std::vector<double> u = random_vector(n, n + 1);
        for (Size i = 0; i < n; ++i) {
            const double x = u[i], sign = i % 3 == 0 ? -1.0 : 1.0;
            smooth.push_back(static_cast<T>(x));
            tied.push_back(static_cast<T>(std::round(50 * x) / 8));
            skewed.push_back(static_cast<T>(sign * std::exp(60 * x)));
            sorted.push_back(static_cast<T>(n - i));
            few.push_back(static_cast<T>(i % 2 == 0 ? 0.5 : x));
            one.push_back(static_cast<T>(-2.5));
            zeros.push_back(static_cast<T>(sign * 0.0));
            ends.push_back(static_cast<T>(sign) *
                           (i % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::denorm_min()));
        }
        const std::string size = " of " + std::to_string(n);
        all.push_back(labeled("skewed" + size, skewed));
        all.push_back(labeled("few" + size, few));
        if (n > 100'000) continue;  // several blocks: two kinds are enough
        all.push_back(labeled("smooth" + size, smooth));
        all.push_back(labeled("tied" + size, tied));
        all.push_back(labeled("sorted" + size, sorted));
        all.push_back(labeled("one" + size, one));
        all.push_back(labeled("zeros" + size, zeros));
        all.push_back(labeled("ends" + size, ends));
        all.push_back(labeled("all positive" + size, smooth, 2));
    }
    return all;
}

struct Pair {
    double positives = 0, negatives = 0;
};

// Weights are quarters, so that sums in any order are exact.
template <class T>
std::map<T, Pair, std::greater<>> groups_of(const Scored<T>& rows, bool weighted) {
    std::map<T, Pair, std::greater<>> groups;
    for (Size i = 0; i < rows.score.size(); ++i) {
        Pair& group = groups[rows.score[i]];
        (rows.positive[i] ? group.positives : group.negatives) += weighted ? rows.weight[i] : 1;
    }
    return groups;
}

template <class T>
void check_thresholds() {
    for (const Scored<T>& rows : score_tables<T>())
        for (const bool weighted : {false, true}) {
            if (rows.score.empty() && weighted) continue;
            const auto groups = groups_of(rows, weighted);
            for (const int threads : {1, 2, 3}) {
                where = rows.name;
                const Thresholds<T> got = thresholds(rows.view(weighted), threads);
                CHECK(got.status == Status::ok && got.size == groups.size());
                Pair sums;
                Size i = 0;
                for (const auto& [score, group] : groups) {
                    sums.positives += group.positives;
                    sums.negatives += group.negatives;
                    CHECK(got.score[i] == score);
                    CHECK(got.positives[i] == sums.positives && got.negatives[i] == sums.negatives);
                    ++i;
                }
            }
        }
    where.clear();
}

template <class T>
void check_areas() {
    for (const Scored<T>& rows : score_tables<T>())
        for (const bool weighted : {false, true}) {
            if (rows.score.empty() && weighted) continue;
            long double twice = 0;
            Pair above;
            for (const auto& [score, group] : groups_of(rows, weighted)) {
                const auto over = static_cast<long double>(above.positives);
                twice += static_cast<long double>(group.negatives) * (2 * over + group.positives);
                above.positives += group.positives;
                above.negatives += group.negatives;
            }
            where = rows.name;
            const RocArea one = roc_area(rows.view(weighted), 1);
            CHECK(one.status == Status::ok);
            CHECK(one.positives == above.positives && one.negatives == above.negatives);
            if (above.positives > 0 && above.negatives > 0)
                CHECK_NEAR(one.area, twice / 2 / above.positives / above.negatives, 1e-15);
            else
                CHECK(std::isnan(one.area));
            for (const int threads : {2, 3})
                CHECK(same_bits({one.area}, {roc_area(rows.view(weighted), threads).area}) || std::isnan(one.area));
        }
    where.clear();
}

template <class Code>
std::vector<Code> codes(Size n, Size k, std::uint64_t seed) {
    const Random random{seed, 0};
    std::vector<Code> out(n);
    for (Size i = 0; i < n; ++i) out[i] = static_cast<Code>(random.below(i, k));
    return out;
}

template <class Code>
void check_counts(Size n, Size k) {
    const std::vector<Code> truth = codes<Code>(n, k, 1), predicted = codes<Code>(n, k, 2);
    const std::vector<double> weight = random_vector(n, 3, 0, 1);
    std::vector<std::int64_t> want(k * k, 0);
    std::vector<long double> want_weight(k * k, 0);
    for (Size i = 0; i < n; ++i) {
        const Size cell = static_cast<Size>(truth[i]) * k + static_cast<Size>(predicted[i]);
        ++want[cell];
        want_weight[cell] += weight[i];
    }
    const CodedPairs<Code> rows{truth, predicted, k};
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        std::vector<std::int64_t> got(k * k, 99);
        std::vector<double> sums(k * k, 99);
        CHECK(confusion_counts(rows, threads, std::span(got)) && got == want);
        CHECK(confusion_weights(rows, weight, threads, sums));
        for (Size c = 0; c < k * k; ++c) CHECK_NEAR(sums[c], want_weight[c], 1e-12L * (1 + want_weight[c]));
        CHECK(first.empty() || same_bits(first, sums));
        first = sums;
    }
}

template <class Loss, class T>
void check_loss(Size n, Size cols, bool weighted) {
    const Size classes = std::max<Size>(2, cols);
    const std::vector<double> u = random_vector(n * cols, 5, 0, 1), w = random_vector(n, 6, 0, 3);
    std::vector<T> p(u.begin(), u.end());
    for (Size i = 0; i < p.size(); i += 7) p[i] = static_cast<T>(i % 2);  // certain, right or wrong
    const std::vector<std::int32_t> y = codes<std::int32_t>(n, classes, 8);
    long double want = 0;
    for (Size r = 0; r < n; ++r) {
        const auto of = [&](Size j) { return cols > 1 ? p[r * cols + j] : j == 1 ? p[r] : T{1} - p[r]; };
        long double loss = 0;
        for (Size j = 0; j < classes; ++j) {
            const bool hit = static_cast<Size>(y[r]) == j;
            constexpr T eps = std::numeric_limits<T>::epsilon();
            if constexpr (std::is_same_v<Loss, LogLoss>)
                loss -= hit ? std::log(static_cast<long double>(std::min(std::max(of(j), eps), 1 - eps))) : 0.0L;
            else
                loss += (hit - static_cast<long double>(of(j))) * (hit - static_cast<long double>(of(j)));
        }
        want += (weighted ? w[r] : 1) * loss;
    }
    const PredictedRows<T, std::int32_t> rows{p.data(), n, cols, y, weighted ? std::span(w) : std::span<double>(), 1};
    const LossSums one = loss_sums<Loss>(rows, 1);
    CHECK(one.status == Status::ok && one.labels_in_range);
    CHECK_NEAR(one.loss, want, (sizeof(T) == 4 ? 1e-6L : 1e-12L) * want);
    for (const int threads : {2, 3}) {
        const LossSums other = loss_sums<Loss>(rows, threads);
        CHECK(same_bits({one.loss, one.weight}, {other.loss, other.weight}));
    }
}

}  // namespace

TEST(thresholds_are_those_of_a_plain_count) {
    check_thresholds<double>();
    check_thresholds<float>();
}

TEST(roc_area_is_that_of_a_plain_count) {
    check_areas<double>();
    check_areas<float>();
}

// Cumulative sums over the sorted rows: the bits of a plain loop, with weights whose sums are not exact.
TEST(weighted_thresholds_add_row_by_row) {
    Scored<double> rows = labeled("", random_vector(200'000, 9));
    for (double& s : rows.score) s = std::round(s * 20'000);
    rows.weight = random_vector(rows.score.size(), 10, 0, 1);
    std::vector<Size> order(rows.score.size());
    for (Size i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return rows.score[a] > rows.score[b]; });
    for (const int threads : {1, 2, 3}) {
        const Thresholds<double> got = thresholds(rows.view(true), threads);
        Pair sums;
        Size t = 0;
        for (Size i = 0; i < order.size(); ++i) {
            (rows.positive[order[i]] ? sums.positives : sums.negatives) += rows.weight[order[i]];
            if (i + 1 < order.size() && rows.score[order[i + 1]] == rows.score[order[i]]) continue;
            CHECK(got.positives[t] == sums.positives && got.negatives[t] == sums.negatives);
            ++t;
        }
        CHECK(t == got.size);
    }
}

TEST(scores_that_are_not_finite_are_reported) {
    for (const double bad : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL})
        for (const Size n : {1, 9, 5000, 200'000}) {
            Scored<double> rows = labeled("", random_vector(n, 4));
            rows.score[n / 2] = bad;
            CHECK(roc_area(rows.view(false), 2).status == Status::not_finite);
            CHECK(thresholds(rows.view(true), 2).status == Status::not_finite);
        }
}

TEST(confusion_counts_are_those_of_a_plain_loop) {
    check_counts<std::int64_t>(700'000, 10);
    check_counts<std::int32_t>(300'001, 3);
    check_counts<std::uint8_t>(1000, 200);
    check_counts<std::int64_t>(600'000, 100);
    check_counts<std::int64_t>(0, 2);
}

TEST(confusion_counts_refuse_codes_out_of_range) {
    std::vector<std::int32_t> truth = {0, 1, 2}, predicted = {0, 1, 1};
    std::vector<std::int64_t> table(4);
    CHECK(!confusion_counts(CodedPairs<std::int32_t>{truth, predicted, 2}, 1, std::span(table)));
    truth[2] = -1;
    CHECK(!confusion_counts(CodedPairs<std::int32_t>{truth, predicted, 2}, 1, std::span(table)));
}

TEST(losses_are_those_of_a_plain_loop) {
    for (const bool weighted : {false, true})
        for (const Size cols : {1, 2, 3, 11}) {
            check_loss<LogLoss, double>(100'000, cols, weighted);
            check_loss<LogLoss, float>(1000, cols, weighted);
            check_loss<BrierLoss, double>(100'000, cols, weighted);
            check_loss<BrierLoss, float>(1000, cols, weighted);
        }
}

TEST(losses_report_what_is_wrong) {
    const std::vector<double> p = {0.5, 0.5, 0.25, 0.5, -1, 2};
    const std::vector<std::int64_t> y = {0, 1, 2};
    const LossSums got = loss_sums<LogLoss>(PredictedRows<double, std::int64_t>{p.data(), 3, 2, y, {}, 1e-8}, 1);
    CHECK(!got.labels_in_range && got.lowest == -1 && got.highest == 2 && got.off_one == 1 && got.weight == 2);
    const std::vector<double> q = {0.5, std::nan("")};
    CHECK(loss_sums<BrierLoss>(PredictedRows<double, std::int64_t>{q.data(), 2, 1, {y.data(), 2}, {}, 1}, 1).status ==
          Status::not_finite);
}

TEST(confusion_counts_start_at_the_lowest_label) {
    const std::vector<std::int32_t> truth = {-3, -2, -2, -3}, predicted = {-3, -3, -2, -2};
    std::vector<std::int64_t> table(4);
    CHECK(confusion_counts(CodedPairs<std::int32_t>{truth, predicted, 2, -3}, 1, std::span(table)));
    CHECK((table == std::vector<std::int64_t>{1, 1, 1, 1}));
    CHECK(!confusion_counts(CodedPairs<std::int32_t>{truth, predicted, 2, -2}, 1, std::span(table)));
}

TEST(codes_of_texts_are_those_of_a_map) {
    for (const Size width : {1, 4, 7, 8, 20})
        for (const Size distinct : {1, 3, 200, 40'000}) {
            const Size n = 50'000;
            const Random chance{width, distinct};
            std::vector<std::uint8_t> bytes(n * width, 0);
            for (Size r = 0; r < n; ++r) {
                std::uint64_t value = chance.bits(r) % distinct;
                for (Size i = 0; i < width; ++i, value >>= 8) bytes[r * width + i] = value & 0xff;
            }
            std::vector<std::int32_t> codes(n);
            const std::vector<std::int64_t> first = code_texts({bytes.data(), n, width}, codes);
            std::map<std::string, std::int32_t> known;
            for (Size r = 0; r < n; ++r) {
                const std::string text(bytes.begin() + static_cast<std::ptrdiff_t>(r * width),
                                       bytes.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
                const auto [at, is_new] = known.emplace(text, static_cast<std::int32_t>(known.size()));
                CHECK(codes[r] == at->second);
                if (is_new) CHECK(first[static_cast<Size>(at->second)] == static_cast<std::int64_t>(r));
            }
            CHECK(known.size() == first.size());
        }
}

// Few and many columns, a last panel that is not full, clusters of one row, rows that are equal, and rows so near each
// other that a product loses all digits.
TEST(silhouettes_are_those_of_a_plain_loop) {
    for (const Size cols : {1, 2, 6, 7, 30})
        for (const double spread : {1.0, 1e-7, 0.0}) {
            const Size n = 141;
            const std::vector<std::int64_t> start = {0, 1, 60, 68, 141};
            std::vector<double> x = random_vector(n * cols, cols);
            std::vector<Size> of(n);
            for (Size k = 0; k + 1 < start.size(); ++k)
                for (auto r = static_cast<Size>(start[k]); r < static_cast<Size>(start[k + 1]); ++r) {
                    of[r] = k;
                    for (Size j = 0; j < cols; ++j)
                        x[r * cols + j] = 0.25 * static_cast<double>(k) - 0.5 + 0.1 * spread * x[r * cols + j];
                }
            std::vector<double> one(n), three(n);
            const ClusteredRows rows{x.data(), n, cols, start};
            silhouettes(rows, 1, one);
            silhouettes(rows, 3, three);
            CHECK(same_bits(one, three));
            for (Size r = 0; r < n; ++r) {
                std::vector<long double> sum(4, 0);
                for (Size s = 0; s < n; ++s) {
                    long double d = 0;
                    for (Size j = 0; j < cols; ++j) {
                        const long double apart = static_cast<long double>(x[r * cols + j]) - x[s * cols + j];
                        d += apart * apart;
                    }
                    sum[of[s]] += std::sqrt(d);
                }
                const auto size = [&](Size k) { return static_cast<long double>(start[k + 1] - start[k]); };
                long double b = HUGE_VAL, want = 0;
                for (Size k = 0; k < 4; ++k)
                    if (k != of[r]) b = std::min(b, sum[k] / size(k));
                const long double a = sum[of[r]] / std::max(size(of[r]) - 1, 1.0L);
                if (size(of[r]) > 1 && std::max(a, b) > 0) want = (b - a) / std::max(a, b);
                CHECK_NEAR(one[r], want, 1e-13);
            }
        }
}

}  // namespace pellucid::test

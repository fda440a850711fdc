// How to filter: where the middle is, how many bits are needed, and whether few directions tell most pairs apart.
#include <array>
#include <cmath>

#include "core/base/rng.hpp"
#include "core/distance/brute_filter.hpp"
#include "core/distance/brute_rows.hpp"
#include "core/linalg/hot.hpp"

namespace pellucid {
namespace {

constexpr Size kSampledRows = 1024, kSampledQueries = 24;
constexpr double kWorthPlanning = 2e9;  // products of two numbers; fewer take less time than choosing how
// Nanoseconds of a step on one core with AVX2, as measured; only their ratios matter.
constexpr double kNarrowColumn = 1 / 77.0, kWideColumn = 1 / 24.0, kPairColumn = 0.13, kNarrowPairColumn = 0.025;
constexpr double kTest = 0.4, kWideTest = 0.8, kSurvivor = 15, kFetch = 200, kTurn = 0.1;
constexpr std::array<Size, 4> kAxes = {15, 31, 63, 127};  // with the length of the rest a power of two

// Some rows, evenly spread, less the shift and near length 1.
struct Sample {
    Size rows = 0, cols = 0;
    std::vector<Size> numbers;
    std::vector<double> cells, squares;

    const double* row(Size r) const { return cells.data() + r * cols; }
};

Sample sample(const Matrix& table, Size most) {
    Sample s;
    const Size fit = std::max<Size>(16, kBlockBytes / (16 * cols_of(table)));
    s.rows = std::min({rows_of(table), most, fit});
    s.cols = cols_of(table);
    s.cells.resize(s.rows * s.cols);
    s.squares.resize(s.rows);
    for (Size r = 0; r < s.rows; ++r) {
        s.numbers.push_back(r * rows_of(table) / s.rows);
        std::visit([&](const auto& x) { copy_rows(x, s.numbers[r], 1, s.cells.data() + r * s.cols); }, table);
    }
    return s;
}

void center(Sample& s, const FilterPlan& plan) {
    for (Size r = 0; r < s.rows; ++r) {
        double largest;
        double* row = s.cells.data() + r * s.cols;
        product_hot().center_f64(row, plan.shift.data(), plan.unit, s.cols, row, &s.squares[r], &largest);
    }
}

void place(FilterPlan& plan, const Sample& rows, bool cosine) {
    plan.shift.assign(rows.cols, 0.0);
    if (cosine) return;
    for (Size r = 0; r < rows.rows; ++r)
        for (Size j = 0; j < rows.cols; ++j) plan.shift[j] += rows.row(r)[j] / static_cast<double>(rows.rows);
    double size = 0;
    for (Size r = 0; r < rows.rows; ++r)
        for (Size j = 0; j < rows.cols; ++j) size = std::max(size, std::abs(rows.row(r)[j] - plan.shift[j]));
    if (size > 0 && std::isfinite(size)) plan.unit = std::ldexp(1.0, std::clamp(-std::ilogb(size), -1000, 1000));
    for (double& shift : plan.shift)
        if (!std::isfinite(shift)) shift = 0;
}

// x.z of all pairs: queries x rows. Four queries and three rows at a time.
std::vector<double> products(const Sample& queries, const Sample& rows) {
    const Size padded = (rows.rows + 2) / 3 * 3;
    std::vector<double> axes(padded * rows.cols), out((queries.rows + 3) / 4 * 4 * padded), four(4 * rows.cols);
    std::copy(rows.cells.begin(), rows.cells.end(), axes.begin());
    for (Size q = 0; q < queries.rows; q += 4) {
        const Size count = std::min<Size>(4, queries.rows - q);
        std::copy_n(queries.row(q), count * rows.cols, four.begin());
        product_hot().turn(four.data(), axes.data(), padded, rows.cols, out.data() + q * padded);
    }
    return out;
}

// Columns of a, n long each, made orthonormal in turn (Gram, Schmidt, twice); one that vanishes becomes zero.
void orthonormalize(std::vector<double>& a, Size n, Size count) {
    for (Size t = 0; t < count; ++t) {
        double* own = a.data() + t * n;
        const double before = std::sqrt(hot().dot(own, own, n));
        for (int pass = 0; pass < 2; ++pass)
            for (Size s = 0; s < t; ++s) hot().axpy_f64(-hot().dot(a.data() + s * n, own, n), a.data() + s * n, n, own);
        const double after = std::sqrt(hot().dot(own, own, n));
        const double scale = after > 1e-6 * before ? 1 / after : 0.0;
        for (Size j = 0; j < n; ++j) own[j] *= scale;
    }
}

// The leading principal axes of the sample, nearly: orthogonal iteration from random directions. Each step multiplies
// by S'S, and columns that are made orthonormal in turn come out in the order of their variance.
std::vector<double> leading_axes(const Sample& s, Size count, int threads) {
    const Size padded = (count + 2) / 3 * 3, down = (s.rows + 3) / 4 * 4, across = (s.cols + 3) / 4 * 4;
    std::vector<double> upright(down * s.cols), flat(across * s.rows), axes(padded * s.cols), scores(padded * s.rows);
    std::copy(s.cells.begin(), s.cells.end(), upright.begin());
    for (Size r = 0; r < s.rows; ++r)
        for (Size j = 0; j < s.cols; ++j) flat[j * s.rows + r] = s.row(r)[j];
    const Random random{7, 0};
    for (Size i = 0; i < count * s.cols; ++i) axes[i] = random.uniform(i) - 0.5;
    // from: rows x n in fours; by: padded x n; to: padded x rows
    const auto multiply = [&](const std::vector<double>& from, Size rows, Size n, const std::vector<double>& by,
                              std::vector<double>& to) {
        parallel_for(blocks_of(rows, 4), threads, [&](Size block) {
            std::vector<double> out(4 * padded);
            product_hot().turn(from.data() + 4 * block * n, by.data(), padded, n, out.data());
            for (Size r = 4 * block; r < std::min(rows, 4 * block + 4); ++r)
                for (Size t = 0; t < padded; ++t) to[t * rows + r] = out[(r - 4 * block) * padded + t];
        });
    };
    for (int pass = 0; pass < 2; ++pass) {
        multiply(upright, s.rows, s.cols, axes, scores);
        multiply(flat, s.cols, s.rows, scores, axes);
        orthonormalize(axes, s.cols, count);
    }
    return axes;
}

// How far the axes are from orthonormal, in the Frobenius norm; those that are zero are left out.
double looseness(const std::vector<double>& axes, Size n, Size count) {
    double sum = 0;
    for (Size t = 0; t < count; ++t)
        for (Size s = 0; s <= t; ++s) {
            const double c = hot().dot(axes.data() + t * n, axes.data() + s * n, n);
            const double off = s == t && c > 0.5 ? c - 1 : c;
            sum += (s == t ? 1 : 2) * off * off;
        }
    return std::sqrt(sum);
}

// Which share of the sampled pairs survives a filter whose sums may be too small by `slack` times both lengths.
struct Trial {
    const Sample &queries, &rows;
    std::vector<double> bound;  // of each sampled query: in the units of `sums`, see below
    bool cosine;

    // sums: an upper bound of x.z of each pair
    double survivors(const std::vector<double>& sums, double slack) const {
        const Size padded = (rows.rows + 2) / 3 * 3;
        Size found = 0;
        for (Size q = 0; q < queries.rows; ++q)
            for (Size r = 0; r < rows.rows; ++r) {
                const double upper = sums[q * padded + r] + slack * std::sqrt(queries.squares[q] * rows.squares[r]);
                found += reduced(q, r, upper) <= bound[q];
            }
        return static_cast<double>(found) / static_cast<double>(queries.rows * rows.rows);
    }
    double reduced(Size q, Size r, double sum) const {
        return cosine ? 1 - sum : queries.squares[q] + rows.squares[r] - 2 * sum;
    }
};

// y of the sample: coordinates on the first `count` axes and the length of the rest.
Sample turned(const Sample& s, const std::vector<double>& axes, Size count) {
    Sample y{s.rows, count + 1, s.numbers, std::vector<double>(s.rows * (count + 1)), s.squares};
    for (Size r = 0; r < s.rows; ++r) {
        double rest = s.squares[r];
        for (Size t = 0; t < count; ++t) {
            const double c = hot().dot(s.row(r), axes.data() + t * s.cols, s.cols);
            y.cells[r * y.cols + t] = c;
            rest -= c * c;
        }
        y.cells[r * y.cols + count] = std::sqrt(std::max(rest, 0.0));
    }
    return y;
}

// Bounds as they will be once most rows have been seen: the place of the k-th of n among the sampled rows.
std::vector<double> expected_bounds(const Trial& trial, const std::vector<double>& sums, Size n, Size k, double bound,
                                    const FilterPlan& plan, bool others) {
    if (k == 0) return std::vector<double>(trial.queries.rows, trial.cosine ? bound : bound * plan.unit * plan.unit);
    const Size rows = trial.rows.rows, padded = (rows + 2) / 3 * 3;
    const Size place = std::max<Size>(1, k * rows / n);
    std::vector<double> out;
    for (Size q = 0; q < trial.queries.rows; ++q) {
        std::vector<double> all;
        for (Size r = 0; r < rows; ++r)
            if (!others || trial.queries.numbers[q] != trial.rows.numbers[r])
                all.push_back(trial.reduced(q, r, sums[q * padded + r]));
        const Size at = std::min(place, all.size()) - 1;
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
        out.push_back(all[at]);
    }
    return out;
}

// Turns the plan to few directions if the sample says that it pays.
void try_axes(FilterPlan& plan, const Trial& trial, double cost, Size rows, Size asked, int threads) {
    const Size columns = trial.rows.cols, most = columns >= 512 ? 127 : 63;
    const auto d = static_cast<double>(columns);
    if (columns < 96 || trial.rows.rows < kSampledRows || asked < 512) return;
    const std::vector<double> axes = leading_axes(trial.rows, most, threads);
    if (looseness(axes, columns, most) > 1e-9) return;
    double share[kAxes.size()];
    for (Size i = 0; i < kAxes.size() && kAxes[i] <= most; ++i) {
        const Sample x = turned(trial.queries, axes, kAxes[i]), z = turned(trial.rows, axes, kAxes[i]);
        share[i] = trial.survivors(products(x, z), (std::sqrt(static_cast<double>(kAxes[i])) + 4) / 46000);
    }
    for (Size j = 1; j < kAxes.size() && kAxes[j] <= most; ++j)
        for (Size i = 0; i < j; ++i) {
            const auto first = static_cast<double>(kAxes[i] + 1), more = static_cast<double>(kAxes[j] + 1);
            const double once = d * more * kTurn * (1 / static_cast<double>(asked) + 1 / static_cast<double>(rows));
            const double own = first * kNarrowColumn + kTest + share[i] * (more * kNarrowPairColumn + kSurvivor) +
                               share[j] * (d * kPairColumn + kFetch) + once;
            if (own > 0.8 * cost) continue;
            cost = own;
            plan.axes = kAxes[i];
            plan.more_axes = kAxes[j];
        }
    if (plan.axes == 0) return;
    const Size padded = (plan.more_axes + 2) / 3 * 3;
    plan.turn.assign(padded * columns, 0.0);
    std::copy_n(axes.begin(), plan.more_axes * columns, plan.turn.begin());
}

}  // namespace

FilterPlan plan_filter(const Matrix& rows, const Matrix& queries, Size k, double bound, const Metric& metric,
                       bool others, int threads) {
    FilterPlan plan;
    const bool cosine = metric.kind == MetricKind::cosine;
    const auto d = static_cast<double>(cols_of(rows));
    const double work = d * static_cast<double>(rows_of(rows)) * static_cast<double>(rows_of(queries));
    const bool worth = work > kWorthPlanning;
    Sample near = sample(rows, worth ? kSampledRows : 64);
    place(plan, near, cosine);
    if (!worth) return plan;
    Sample asked = sample(queries, kSampledQueries);
    center(near, plan);
    center(asked, plan);
    Trial trial{asked, near, {}, cosine};
    const std::vector<double> sums = products(asked, near);
    trial.bound = expected_bounds(trial, sums, rows_of(rows), k, bound, plan, others);
    const double pair = d * kPairColumn + kFetch;
    const double narrow = d * kNarrowColumn + kTest + pair * trial.survivors(sums, (std::sqrt(d) + 4) / 46000);
    const double wide = d * kWideColumn + kWideTest + pair * trial.survivors(sums, d * 0x1p-51);
    plan.wide = wide < narrow;
    if (!plan.wide) try_axes(plan, trial, narrow, rows_of(rows), rows_of(queries), threads);
    return plan;
}

}  // namespace pellucid

// The power of greatest likelihood. See power.hpp for the likelihood.
//
// A side of the data (all of it, or its negative part) has logarithms l and an exponent a: l = log x or log(1 + |x|),
// and a = lambda, or 2 - lambda for negative numbers. Up to a constant and a factor e^(a c), which cancels in the
// likelihood for data of one side, y is
//   Y(a) = (e^(a d) - 1) / a = integral of e^(a s) over s from 0 to d,    d = l - c,
// and its derivatives by a are the integrals of s e^(a s) and s^2 e^(a s). c lies amid the l, so that a column far from
// zero loses no digits; data of both sides have c = 0. d is in units of a power of two, so that the largest lies
// between 1 and 2, and Y is taken times e^-m, so that nothing overflows.
//
// Minus the likelihood is convex (Kouider, Chen 1995; Marchand, Muzellec, Beguier, Ogier du Terrail, Andreux 2022), so
// Newton's method on its slope, held within an interval that shrinks with every sign, finds the one maximum:
//   slope / n = S / n - V'/(2V),   V = var(Y),  V' = 2 cov(Y, Y'),  V'' = 2 (var(Y') + cov(Y, Y'')).
// A column of many rows is solved for 8192 of them first; the whole then needs three or four passes, where a search by
// values of the likelihood takes twenty to thirty.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/preprocessing/power.hpp"

namespace pellucid {
namespace {

constexpr Size kTile = 256;
constexpr Size kBlock = Size{1} << 14;   // rows in one block of work
constexpr Size kSample = Size{1} << 13;  // values of a first solution
constexpr Size kGroup = 8;               // columns taken at once: doubles of a cache line
constexpr int kMostSteps = 200;
// Limits: y and its inverse are numbers while |a l| is at most kMostRise.
constexpr double kMostRise = 700, kMostExponent = 1e5, kMostLambda = 1e300;
// Beyond e to this power, or so many times further from zero than their spread, the y are taken relative to a middle
// one.
constexpr double kSteep = 100, kFar = 1e3;

// ----------------------------------------------------------------------------------------------------------- moments

// Means of Y, Y', Y'' and co-moments about them.
struct Moments {
    double n = 0, y = 0, y1 = 0, y2 = 0, yy = 0, yy1 = 0, y1y1 = 0, yy2 = 0;

    void join(const Moments& o) {
        if (o.n == 0) return;
        const double both = n + o.n, share = o.n / both, cross = n * share;
        const double d = o.y - y, d1 = o.y1 - y1, d2 = o.y2 - y2;
        yy += o.yy + d * d * cross, yy1 += o.yy1 + d * d1 * cross;
        y1y1 += o.y1y1 + d1 * d1 * cross, yy2 += o.yy2 + d * d2 * cross;
        y += d * share, y1 += d1 * share, y2 += d2 * share;
        n = both;
    }
};

struct Tile {
    double y[kTile], y1[kTile], y2[kTile];
};

// Y, Y', Y'' times e^-m.
void integrals(const double* d, Size n, double a, double m, Tile& t) {
    const double ground = std::exp(-m);
    for (Size i = 0; i < n; ++i) {
        const double w = std::exp(a * d[i] - m);
        t.y[i] = (w - ground) / a;
        t.y1[i] = (d[i] * w - t.y[i]) / a;
        t.y2[i] = (d[i] * d[i] * w - 2 * t.y1[i]) / a;
    }
}

// The same where |a d| <= 1/2 and the differences above would cancel: d^(j+1) times the sum of (a d)^k / (k! (k + j +
// 1)).
void integrals_by_series(const double* d, Size n, double a, double m, Tile& t) {
    constexpr int kTerms = 16;
    static const auto terms = [] {
        std::array<std::array<double, kTerms>, 3> all{};
        double factorial = 1;
        for (int k = 0; k < kTerms; ++k, factorial *= k)
            for (int j = 0; j < 3; ++j) all[static_cast<Size>(j)][static_cast<Size>(k)] = 1 / (factorial * (k + j + 1));
        return all;
    }();
    const double ground = std::exp(-m);
    for (Size i = 0; i < n; ++i) {
        const double x = a * d[i];
        double sums[3] = {0, 0, 0};
        for (Size k = kTerms; k-- > 0;)
            for (Size j = 0; j < 3; ++j) sums[j] = sums[j] * x + terms[j][k];
        t.y[i] = ground * d[i] * sums[0];
        t.y1[i] = ground * d[i] * d[i] * sums[1];
        t.y2[i] = ground * d[i] * d[i] * d[i] * sums[2];
    }
}

constexpr Size kLanes = 8;

double sum(const double* v, Size n) {
    double lanes[kLanes] = {};
    for (Size i = 0; i + kLanes <= n; i += kLanes)
        for (Size l = 0; l < kLanes; ++l) lanes[l] += v[i + l];
    for (Size i = n - n % kLanes; i < n; ++i) lanes[0] += v[i];
    double all = 0;
    for (const double lane : lanes) all += lane;
    return all;
}

// Moments of a tile. sign: of Y and Y'' on the negative side, where lambda stands with a minus.
Moments moments_of(const Tile& t, Size n, double sign) {
    Moments found;
    const double size = static_cast<double>(n), y = sum(t.y, n) / size, y1 = sum(t.y1, n) / size;
    double yy[kLanes] = {}, yy1[kLanes] = {}, y1y1[kLanes] = {}, yy2[kLanes] = {};
    const auto add = [&](Size i, Size l) {
        const double d = t.y[i] - y, d1 = t.y1[i] - y1;
        yy[l] += d * d, yy1[l] += d * d1, y1y1[l] += d1 * d1, yy2[l] += d * t.y2[i];
    };
    for (Size i = 0; i + kLanes <= n; i += kLanes)
        for (Size l = 0; l < kLanes; ++l) add(i + l, l);
    for (Size i = n - n % kLanes; i < n; ++i) add(i, 0);
    for (Size l = 0; l < kLanes; ++l)
        found.yy += yy[l], found.yy1 += sign * yy1[l], found.y1y1 += y1y1[l], found.yy2 += yy2[l];
    found.n = size, found.y = sign * y, found.y1 = y1, found.y2 = sign * sum(t.y2, n) / size;
    return found;
}

// One side's numbers, tile by tile.
void add_side(const double* d, Size n, double a, double m, double most, double sign, Moments& into) {
    Tile tile;
    const bool small = std::abs(a) * most <= 0.5;
    for (Size begin = 0; begin < n; begin += kTile) {
        const Size rows = std::min(kTile, n - begin);
        small ? integrals_by_series(d + begin, rows, a, m, tile) : integrals(d + begin, rows, a, m, tile);
        into.join(moments_of(tile, rows, sign));
    }
}

// ------------------------------------------------------------------------------------------------------------- columns

enum class Side { positive, negative, both };

// What is known of a column from its ends.
struct Column {
    Side side = Side::positive;
    bool constant = false;
    double reference = 0;  // c is its logarithm
    double c = 0;
    double unit = 1;             // d is (l - c) / unit
    double low = 0, high = 0;    // limits of the exponent, times unit
    double least = 0, most = 0;  // ends of d; on both sides: minus the largest of the negative ones, the largest
    double slope = 0;            // S / n, in units
    std::vector<double> values;  // of block b from b * kBlock on; the negative ones of both sides from its end back
    std::vector<std::uint32_t> ahead, behind;

    // Exponent of the negative ones, where there are both.
    double other(double a) const { return 2 * unit - a; }
    // Nothing overflows below e^m.
    double size(double a) const {
        if (side == Side::both) return std::max({a * most, other(a) * -least, 0.0});
        return std::max({a * most, a * least, 0.0});
    }
    double lambda(double a) const { return side == Side::negative ? 2 - a / unit : a / unit; }

    Moments at(double a, Size block) const {
        Moments found;
        const double m = size(a), widest = std::max(most, -least);
        const double* first = values.data() + block * kBlock;
        const double* last = first + std::min(kBlock, values.size() - block * kBlock);
        add_side(first, ahead[block], a, m, widest, 1, found);
        add_side(last - behind[block], behind[block], other(a), m, widest, -1, found);
        return found;
    }
};

double logarithm(double x, PowerFamily family) { return family == PowerFamily::box_cox ? std::log(x) : std::log1p(x); }

// log(x / reference), or log((1 + x) / (1 + reference)), without cancellation.
double distance(double x, double reference, PowerFamily family) {
    const double one = family == PowerFamily::box_cox ? 0.0 : 1.0, base = one + reference,
                 away = (x - reference) / base;
    if (std::abs(away) < 0.5) return std::log1p(away);
    const double ratio = (one + x) / base;
    return std::isnormal(ratio) ? std::log(ratio) : logarithm(x, family) - logarithm(reference, family);
}

double power_of_two_below(double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1.0, exponent - 1);
}

Column column_between(double low, double high, PowerFamily family) {
    Column c;
    c.constant = !(low < high);
    if (c.constant) return c;
    if (family == PowerFamily::yeo_johnson && low < 0 && high > 0) {
        c.side = Side::both;
        c.least = -std::log1p(-low), c.most = std::log1p(high);
        c.low = 2 + kMostRise / c.least, c.high = kMostRise / c.most;
    } else {
        c.side = family == PowerFamily::yeo_johnson && low < 0 ? Side::negative : Side::positive;
        if (c.side == Side::negative) std::swap(low, high), low = -low, high = -high;
        const double first = logarithm(low, family), last = logarithm(high, family), middle = 0.5 * (first + last);
        c.reference = std::clamp(family == PowerFamily::box_cox ? std::exp(middle) : std::expm1(middle), low, high);
        c.c = logarithm(c.reference, family);
        c.least = distance(low, c.reference, family), c.most = distance(high, c.reference, family);
        c.high = kMostRise / std::max(std::abs(first), std::abs(last)), c.low = -c.high;
    }
    c.unit = power_of_two_below(std::max(c.most, -c.least));
    c.least /= c.unit, c.most /= c.unit;
    const double most = std::min(kMostExponent, kMostLambda * c.unit);
    c.high = std::min(c.high * c.unit, most), c.low = std::max(c.low * c.unit, -most);
    return c;
}

// Adds the numbers d of rows [row, end) of column j to its block; the block goes on to `stop`.
template <class T>
void take_rows(const Dense<T>& x, Size j, Size row, Size end, Size stop, PowerFamily family, Column& c) {
    const Size block = row / kBlock;
    double* first = c.values.data() + block * kBlock;
    double *ahead = first + c.ahead[block], *behind = c.values.data() + stop - c.behind[block];
    for (Size r = row; r < end; ++r) {
        const double v = static_cast<double>(x.at(r, j));
        if (v != v) continue;
        if (c.side == Side::both)
            (v < 0 ? *--behind : *ahead++) = std::log1p(std::abs(v)) / c.unit;
        else
            *ahead++ = distance(c.side == Side::negative ? -v : v, c.reference, family) / c.unit;
    }
    c.ahead[block] = static_cast<std::uint32_t>(ahead - first);
    c.behind[block] = static_cast<std::uint32_t>(c.values.data() + stop - behind);
}

// S / n, in units.
void sum_up(Column& c) {
    double total = 0, n = 0;
    for (Size b = 0; b < c.ahead.size(); ++b) {
        const double* last = c.values.data() + std::min((b + 1) * kBlock, c.values.size());
        total += sum(c.values.data() + b * kBlock, c.ahead[b]) - sum(last - c.behind[b], c.behind[b]);
        n += c.ahead[b] + c.behind[b];
    }
    c.slope = total / n;
}

// Every so many values of a column, in one block.
Column sample_of(const Column& all) {
    Column some;
    some.side = all.side, some.unit = all.unit, some.low = all.low, some.high = all.high;
    some.least = all.least, some.most = all.most;
    const Size step = blocks_of(all.values.size(), kSample);
    std::vector<double> behind;
    for (Size b = 0; b < all.ahead.size(); ++b) {
        const double* last = all.values.data() + std::min((b + 1) * kBlock, all.values.size());
        for (Size i = 0; i < all.ahead[b]; i += step) some.values.push_back(all.values[b * kBlock + i]);
        for (Size i = 0; i < all.behind[b]; i += step) behind.push_back(*(last - 1 - i));
    }
    some.ahead = {static_cast<std::uint32_t>(some.values.size())};
    some.behind = {static_cast<std::uint32_t>(behind.size())};
    some.values.insert(some.values.end(), behind.begin(), behind.end());
    const auto [least, most] = std::minmax_element(some.values.begin(), some.values.end());
    some.constant = some.values.empty() || *least == *most;
    if (!some.constant) sum_up(some);
    return some;
}

// -------------------------------------------------------------------------------------------------------------- search

// Newton's method on the slope, between the limits.
struct Search {
    double low = 0, high = 0, at = 0, last = std::numeric_limits<double>::infinity(), longest = 4;
    bool low_seen = false, high_seen = false, done = false, held = false;
    int steps = 0;

    Search() = default;
    Search(const Column& c, double start) : low(c.low), high(c.high), at(std::clamp(start, c.low, c.high)) {}

    void take(const Moments& m, double slope) {
        const double ratio = m.yy1 / m.yy;  // V' / 2V
        const double h = slope - ratio, bend = -((m.y1y1 + m.yy2) / m.yy - 2 * ratio * ratio);
        const bool rises = h > 0;
        if (!(m.yy > 0) || h == 0 || ++steps >= kMostSteps) return finish(false);
        if ((rises && at >= high) || (!rises && at <= low)) return finish(true);
        (rises ? low : high) = at, (rises ? low_seen : high_seen) = true;
        double step = bend < 0 ? -h / bend : (rises ? longest : -longest);
        const double close = 1e-11 * (1 + std::abs(at));
        const bool settled = std::abs(step) <= close || (std::abs(step) < 1e-6 && std::abs(step) >= 0.5 * last);
        if (settled || (low_seen && high_seen && high - low <= close)) {
            at = std::clamp(at + step, low, high);
            return finish(false);
        }
        last = std::abs(step);
        if (std::abs(step) > longest) step = std::copysign(longest, step), longest *= 2;
        double next = at + step;
        if (next >= high) next = high_seen ? 0.5 * (low + high) : high;
        if (next <= low) next = low_seen ? 0.5 * (low + high) : low;
        at = next;
    }
    void finish(bool at_limit) { done = true, held = at_limit; }
};

// Moments of some columns, each at an exponent of its own; blocks are joined in order.
std::vector<Moments> moments_at(std::span<const Column* const> columns, std::span<const double> at, int threads) {
    const Size blocks = columns[0]->ahead.size();
    std::vector<Moments> parts(columns.size() * blocks), found(columns.size());
    parallel_for(parts.size(), threads,
                 [&](Size k) { parts[k] = columns[k / blocks]->at(at[k / blocks], k % blocks); });
    for (Size k = 0; k < parts.size(); ++k) found[k / blocks].join(parts[k]);
    return found;
}

// The searches of some columns, each pass over all that are not done.
void solve(std::span<const Column* const> columns, std::span<Search> searches, int threads) {
    for (;;) {
        std::vector<Size> open;
        std::vector<const Column*> left;
        std::vector<double> at;
        for (Size i = 0; i < columns.size(); ++i)
            if (!searches[i].done) open.push_back(i), left.push_back(columns[i]), at.push_back(searches[i].at);
        if (open.empty()) return;
        const std::vector<Moments> found = moments_at(left, at, threads);
        for (Size k = 0; k < open.size(); ++k) searches[open[k]].take(found[k], left[k]->slope);
    }
}

// Where to begin: at the solution for a part of the rows if there are many, else at lambda = 1.
Search first_search(const Column& c) {
    if (c.values.size() <= 4 * kSample) return {c, c.unit};
    const Column some = sample_of(c);
    if (some.constant) return {c, c.unit};
    const Column* one = &some;
    Search search(some, c.unit);
    solve({&one, 1}, {&search, 1}, 1);
    return {c, search.at};
}

// Mean and standard deviation of y, at the power that was found, and what y is relative to.
void describe(const Column& c, double a, const Moments& m, Size j, PowerFit& fit) {
    const double real = a / c.unit, sign = c.side == Side::negative ? -1.0 : 1.0;
    const double ground = real == 0 ? c.c : std::expm1(real * c.c) / real;  // y of d = 0
    double factor = c.unit * std::exp(c.size(a) + real * c.c), mean = factor * m.y + ground;
    if (std::abs(real * c.c) > kSteep || std::abs(ground) > kFar * factor * std::sqrt(m.yy / m.n)) {
        factor = c.unit * std::exp(c.size(a)), mean = factor * m.y;
        fit.center[j] = sign * c.c;
    }
    const double deviation = factor * std::sqrt(m.yy / m.n);
    fit.lambda[j] = c.lambda(a), fit.mean[j] = sign * mean, fit.scale[j] = deviation > 0 ? deviation : 1.0;
}

// Reads the columns from `first` on; rows of a tile share cache lines.
template <class T>
void read_group(const Dense<T>& x, PowerFamily family, Size first, std::vector<Column>& group, int threads) {
    const Size blocks = blocks_of(x.rows, kBlock);
    for (Column& c : group)
        if (!c.constant) c.values.resize(x.rows), c.ahead.resize(blocks), c.behind.resize(blocks);
    parallel_for(blocks, threads, [&](Size block) {
        const Size stop = std::min((block + 1) * kBlock, x.rows);
        for (Size row = block * kBlock; row < stop; row += kTile)
            for (Size i = 0; i < group.size(); ++i)
                if (!group[i].constant)
                    take_rows(x, first + i, row, std::min(row + kTile, stop), stop, family, group[i]);
    });
    parallel_for(group.size(), threads, [&](Size i) {
        if (!group[i].constant) sum_up(group[i]);
    });
}

template <class T>
void fit_group(const Dense<T>& x, PowerFamily family, Size first, std::vector<Column>& group, PowerFit& fit,
               int threads) {
    read_group(x, family, first, group, threads);
    std::vector<const Column*> columns;
    std::vector<Size> place;
    for (Size i = 0; i < group.size(); ++i)
        if (!group[i].constant) columns.push_back(&group[i]), place.push_back(first + i);
    if (columns.empty()) return;
    std::vector<Search> searches(columns.size());
    parallel_for(columns.size(), threads, [&](Size i) { searches[i] = first_search(*columns[i]); });
    solve(columns, searches, threads);
    std::vector<double> at;
    for (const Search& search : searches) at.push_back(search.at);
    const std::vector<Moments> found = moments_at(columns, at, threads);
    for (Size i = 0; i < columns.size(); ++i) {
        fit.held[place[i]] = searches[i].held ? 1 : 0;
        describe(*columns[i], at[i], found[i], place[i], fit);
    }
}

}  // namespace

PowerFit fit_powers(const Matrix& X, PowerFamily family, std::span<const double> low, std::span<const double> high,
                    int threads) {
    const Size cols = cols_of(X), rows = rows_of(X);
    require(low.size() == cols && high.size() == cols, "fit_powers: one pair of ends a column");
    PowerFit fit{std::vector<double>(cols, 1.0), std::vector<double>(cols), std::vector<double>(cols),
                 std::vector<double>(cols, 1.0), std::vector<std::int32_t>(cols)};
    for (Size c = 0; c < cols; ++c)
        if (low[c] <= high[c]) fit.mean[c] = family == PowerFamily::box_cox ? low[c] - 1 : low[c];  // of a constant one
    const Size width = std::max(kGroup, kGroup * kBlock / std::max<Size>(rows, 1));
    for (Size first = 0; first < cols; first += width) {
        std::vector<Column> group;
        for (Size c = first; c < std::min(first + width, cols); ++c)
            group.push_back(column_between(low[c], high[c], family));
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.at(0, 0); })
                    fit_group(x, family, first, group, fit, threads);
                else
                    require(false, "fit_powers: X must be dense");
            },
            X);
    }
    return fit;
}

}  // namespace pellucid

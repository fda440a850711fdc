#include "core/impute/chained.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid {
namespace {

constexpr Size kBlock = 2048;             // rows of one partial sum
constexpr Size kStrip = 256;              // rows packed at a time: 24 columns of them are 48 KB
constexpr Size kParts = 64;               // most partial sums ...
constexpr Size kNumbers = Size{1} << 23;  // ... and most numbers in them

// Rows of one partial sum of `width` numbers.
Size block_rows(Size rows, Size width) {
    const Size parts = std::clamp<Size>(kNumbers / width, 2, kParts);
    return std::max(kBlock, blocks_of(blocks_of(rows, parts), kStrip) * kStrip);
}

// z of some rows as panels of eight columns, the last of them constant 1, zeros past the end.
void pack_strip(const Filled& x, const std::int64_t* rows, Size first, Size n, const Units& units, double* out) {
    const Size cols = x.cols, panels = blocks_of(cols + 1, kPanel);
    for (Size r = 0; r < n; ++r) {
        const double* from = x.row(rows == nullptr ? first + r : static_cast<Size>(rows[first + r]));
        for (Size j = 0; j < panels; ++j) {
            double* to = out + (j * n + r) * kPanel;
            const Size begin = j * kPanel, full = begin < cols ? std::min(kPanel, cols - begin) : 0;
            for (Size c = 0; c < full; ++c) to[c] = (from[begin + c] - units.shift[begin + c]) * units.scale[begin + c];
            for (Size c = full; c < kPanel; ++c) to[c] = begin + c == cols ? 1.0 : 0.0;
        }
    }
}

double predicted(const Hot& kernel, const double* row, Size cols, const double* coef, double intercept, double low,
                 double high) {
    double value = intercept;
    kernel.rows_dot_f64(row, static_cast<std::ptrdiff_t>(cols), 1, cols, coef, &value);
    return std::min(std::max(value, low), high);
}

void check_rows(const Filled& x, std::span<const std::int64_t> rows) {
    for (const std::int64_t r : rows) require(r >= 0 && static_cast<Size>(r) < x.rows, "chained: no such row");
}

}  // namespace

void cross_products(const Filled& x, std::span<const std::int64_t> rows, bool every, const Units& units,
                    std::span<double> out, int threads) {
    const Size cols = x.cols, width = cols + 1, panels = blocks_of(width, kPanel), padded = panels * kPanel;
    require(units.shift.size() == cols && units.scale.size() == cols && out.size() == width * width,
            "cross_products: sizes");
    if (!every) check_rows(x, rows);
    const Size n = every ? x.rows : rows.size(), height = block_rows(n, padded * padded);
    const std::int64_t* listed = every ? nullptr : rows.data();
    const Hot& kernel = hot();
    std::vector<double> sum(padded * padded);
    ordered_sum(blocks_of(n, height), padded * padded, threads, sum.data(), [&](Size b, double* into) {
        std::vector<double> strip(kStrip * padded);
        const Size end = std::min(n, (b + 1) * height);
        for (Size first = b * height; first < end; first += kStrip) {
            const Size count = std::min(kStrip, end - first);
            pack_strip(x, listed, first, count, units, strip.data());
            for (Size i = 0; i < panels; ++i)
                for (Size j = i; j < panels; ++j)
                    kernel.gram_tile(strip.data() + i * count * kPanel, strip.data() + j * count * kPanel, count,
                                     into + i * kPanel * padded + j * kPanel, padded);
        }
    });
    for (Size i = 0; i < width; ++i)
        for (Size j = i; j < width; ++j) out[i * width + j] = out[j * width + i] = sum[i * padded + j];
}

void refresh_column(const Filled& x, std::span<const std::int64_t> rows, const Line& line, const Units& units,
                    std::span<double> change, int threads) {
    const Size cols = x.cols, j = line.column;
    require(j < cols && line.coef.size() == cols && change.size() == cols + 1, "refresh_column: sizes");
    check_rows(x, rows);
    const Hot& kernel = hot();
    const Size height = block_rows(rows.size(), cols + 1);
    ordered_sum(blocks_of(rows.size(), height), cols + 1, threads, change.data(), [&](Size b, double* into) {
        for (Size i = b * height; i < std::min(rows.size(), (b + 1) * height); ++i) {
            double* row = x.row(static_cast<Size>(rows[i]));
            const double old = (row[j] - units.shift[j]) * units.scale[j];
            row[j] = predicted(kernel, row, cols, line.coef.data(), line.intercept, line.low, line.high);
            const double gain = (row[j] - units.shift[j]) * units.scale[j] - old;
            for (Size c = 0; c < cols; ++c) into[c] += (row[c] - units.shift[c]) * units.scale[c] * gain;
            into[j] += old * gain;  // z_new^2 - z_old^2 = (z_new + z_old) gain
            into[cols] += gain;
        }
    });
}

double largest_change(const Filled& x, std::span<double> before, int threads) {
    require(before.size() == x.rows * x.cols, "largest_change: sizes");
    const Size blocks = blocks_of(x.rows, kBlock);
    std::vector<double> most(blocks, 0.0);
    parallel_for(blocks, threads, [&](Size b) {
        for (Size r = b * kBlock; r < std::min(x.rows, (b + 1) * kBlock); ++r) {
            const double* now = x.row(r);
            double *old = before.data() + r * x.cols, sum = 0;
            for (Size c = 0; c < x.cols; ++c) {
                sum += std::abs(now[c] - old[c]);
                old[c] = now[c];
            }
            most[b] = std::max(most[b], sum);
        }
    });
    return most.empty() ? 0.0 : *std::max_element(most.begin(), most.end());
}

void run_chain(const Filled& x, std::span<const std::uint8_t> missing, const Chain& chain, int threads) {
    const Size cols = x.cols, lines = chain.columns.size();
    require(missing.size() == x.rows * cols && chain.coefs.size() == lines * cols, "run_chain: sizes");
    require(chain.intercepts.size() == lines && chain.low.size() == cols && chain.high.size() == cols,
            "run_chain: sizes");
    for (const std::int64_t j : chain.columns)
        require(j >= 0 && static_cast<Size>(j) < cols, "run_chain: no such column");
    const Hot& kernel = hot();
    parallel_for(blocks_of(x.rows, kBlock), threads, [&](Size b) {
        for (Size r = b * kBlock; r < std::min(x.rows, (b + 1) * kBlock); ++r) {
            const std::uint8_t* lacks = missing.data() + r * cols;
            if (std::none_of(lacks, lacks + cols, [](std::uint8_t flag) { return flag != 0; })) continue;
            double* row = x.row(r);
            for (Size s = 0; s < lines; ++s) {
                const auto j = static_cast<Size>(chain.columns[s]);
                if (lacks[j] != 0)
                    row[j] = predicted(kernel, row, cols, chain.coefs.data() + s * cols, chain.intercepts[s],
                                       chain.low[j], chain.high[j]);
            }
        }
    });
}

}  // namespace pellucid

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/distance/inverted_lists.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/scan_hot.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsABlock = 1536;  // a multiple of the six queries of a bundle
constexpr float kNever = std::numeric_limits<float>::infinity();

// Means of the columns, summed in fixed blocks, and the power of two that brings the farthest number below 1.
template <class T>
void settle_frame(const PointedRows<T>& x, Lists& lists, int threads) {
    const Size blocks = blocks_of(x.rows, kRowsABlock), d = x.cols;
    const double share = 1.0 / static_cast<double>(x.rows);
    std::vector<double> sums(blocks * d, 0.0), farthest(blocks, 0.0);
    parallel_for(blocks, threads, [&](Size block) {
        const Size end = std::min(x.rows, (block + 1) * kRowsABlock);
        for (Size r = block * kRowsABlock; r < end; ++r) {
            const T* row = x.row(r);
            for (Size j = 0; j < d; ++j) sums[block * d + j] += static_cast<double>(row[j]) * share;
        }
    });
    lists.center.assign(d, 0.0);
    for (Size block = 0; block < blocks; ++block)
        for (Size j = 0; j < d; ++j) lists.center[j] += sums[block * d + j];
    parallel_for(blocks, threads, [&](Size block) {
        const Size end = std::min(x.rows, (block + 1) * kRowsABlock);
        for (Size r = block * kRowsABlock; r < end; ++r) {
            const T* row = x.row(r);
            for (Size j = 0; j < d; ++j)
                farthest[block] = std::max(farthest[block], std::abs(static_cast<double>(row[j]) - lists.center[j]));
        }
    });
    const double most = *std::max_element(farthest.begin(), farthest.end());
    // The difference of two numbers near the ends of the range may be infinite; scaled ones have no such end.
    const int power = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : most > 0 ? 1025 : 0;
    lists.scale = std::ldexp(1.0, std::clamp(-power, -1000, 1000));
    for (double& c : lists.center) c *= lists.scale;
}

// Rows that k-means looks at: one from each of `count` equal stretches of the table, so that no row comes twice.
std::vector<Size> spread_rows(Size n, Size count, std::uint64_t seed) {
    std::vector<Size> rows(count);
    const Random random{seed, 1};
    for (Size i = 0; i < count; ++i) {
        const Size first = i * n / count, next = (i + 1) * n / count;
        rows[i] = first + static_cast<Size>(random.below(i, next - first));
    }
    return rows;
}

void fill_panels(const std::vector<float>& cells, Size count, Size d, std::vector<float>& panels,
                 std::vector<float>& sizes) {
    const Size groups = blocks_of(count, kScanRows);
    panels.assign(groups * d * kScanRows, 0.0f);
    sizes.assign(groups * kScanRows, kNever);
    for (Size c = 0; c < count; ++c) {
        double size = 0;
        for (Size j = 0; j < d; ++j) {
            const float v = cells[c * d + j];
            panels[(c / kScanRows * d + j) * kScanRows + c % kScanRows] = v;
            size += static_cast<double>(v) * static_cast<double>(v);
        }
        sizes[c] = static_cast<float>(size);
    }
}

// The nearest center of each of `count` rows, which `read(row, out)` gives.
template <class Read>
void assign(const Lists& lists, Size count, const Read& read, std::vector<std::uint32_t>& cell, int threads) {
    const Size d = lists.center.size(), groups = lists.cell_sizes.size() / kScanRows;
    const ScanHot& hot = scan_hot();
    parallel_for(blocks_of(count, kRowsABlock), threads, [&](Size block) {
        std::vector<float> bundle(kScanQueries * d);
        const Size end = std::min(count, (block + 1) * kRowsABlock);
        for (Size first = block * kRowsABlock; first < end; first += kScanQueries) {
            const Size here = std::min(kScanQueries, end - first);
            for (Size t = 0; t < here; ++t) read(first + t, bundle.data() + t * d);
            std::uint32_t found[kScanQueries];
            float value[kScanQueries];
            hot.smallest(lists.cell_panels.data(), lists.cell_sizes.data(), groups, d, bundle.data(), found, value);
            std::copy_n(found, here, cell.data() + first);
        }
    });
}

// Rows by cell, ascending within a cell.
void sort_by_cell(const std::vector<std::uint32_t>& cell, Size count, std::vector<std::int64_t>& starts,
                  std::vector<std::int64_t>& order) {
    starts.assign(count + 1, 0);
    for (const std::uint32_t c : cell) ++starts[c + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    order.resize(cell.size());
    for (Size r = 0; r < cell.size(); ++r) order[static_cast<Size>(next[cell[r]]++)] = static_cast<std::int64_t>(r);
}

// Lloyd's rounds on a sample of rows in single precision. A center that loses all its rows stays where it is.
template <class T>
void settle_cells(const PointedRows<T>& x, const ListsSettings& settings, Lists& lists, int threads) {
    const Size d = x.cols, count = settings.cells;
    const Size looked = std::min(x.rows, count * settings.rows_a_cell);
    const std::vector<Size> rows = spread_rows(x.rows, looked, settings.seed);
    std::vector<float> sample(looked * d);
    parallel_for(blocks_of(looked, kRowsABlock), threads, [&](Size block) {
        std::vector<double> wide(d);
        const Size end = std::min(looked, (block + 1) * kRowsABlock);
        for (Size i = block * kRowsABlock; i < end; ++i) {
            x.framed(rows[i], lists.center.data(), lists.scale, wide.data());
            std::copy(wide.begin(), wide.end(), sample.begin() + static_cast<std::ptrdiff_t>(i * d));
        }
    });
    std::vector<Size> drawn(looked);
    std::iota(drawn.begin(), drawn.end(), Size{0});
    const Random random{settings.seed, 2};
    for (Size c = 0; c < count; ++c) std::swap(drawn[c], drawn[c + static_cast<Size>(random.below(c, looked - c))]);
    lists.cells.resize(count * d);
    for (Size c = 0; c < count; ++c) std::copy_n(sample.data() + drawn[c] * d, d, lists.cells.data() + c * d);
    fill_panels(lists.cells, count, d, lists.cell_panels, lists.cell_sizes);

    std::vector<std::uint32_t> cell(looked), before;
    std::vector<std::int64_t> starts, order;
    for (Size round = 0; round < settings.rounds && cell != before; ++round) {
        before = cell;
        assign(lists, looked, [&](Size i, float* out) { std::copy_n(sample.data() + i * d, d, out); }, cell, threads);
        sort_by_cell(cell, count, starts, order);
        parallel_for(count, threads, [&](Size c) {
            const auto first = static_cast<Size>(starts[c]), end = static_cast<Size>(starts[c + 1]);
            if (first == end) return;
            std::vector<double> sum(d, 0.0);
            for (Size i = first; i < end; ++i)
                for (Size j = 0; j < d; ++j) sum[j] += static_cast<double>(sample[static_cast<Size>(order[i]) * d + j]);
            for (Size j = 0; j < d; ++j)
                lists.cells[c * d + j] = static_cast<float>(sum[j] / static_cast<double>(end - first));
        });
        fill_panels(lists.cells, count, d, lists.cell_panels, lists.cell_sizes);
    }
}

// Cells without rows are left out.
void drop_empty(Lists& lists) {
    const Size d = lists.center.size();
    Size kept = 0;
    for (Size c = 0; c + 1 < lists.starts.size(); ++c) {
        if (lists.starts[c] == lists.starts[c + 1]) continue;
        if (kept != c) std::copy_n(lists.cells.data() + c * d, d, lists.cells.data() + kept * d);
        lists.starts[++kept] = lists.starts[c + 1];
    }
    lists.cells.resize(kept * d);
    lists.starts.resize(kept + 1);
    fill_panels(lists.cells, kept, d, lists.cell_panels, lists.cell_sizes);
}

// Rows relative to their centers, by panels.
template <class T>
void fill_lists(const PointedRows<T>& x, bool cosine, Lists& lists, int threads) {
    const Size d = x.cols, count = lists.starts.size() - 1;
    lists.panel_starts.assign(count + 1, 0);
    for (Size c = 0; c < count; ++c) {
        const auto rows = static_cast<Size>(lists.starts[c + 1] - lists.starts[c]);
        lists.panel_starts[c + 1] = lists.panel_starts[c] + static_cast<std::int64_t>(blocks_of(rows, kScanRows));
    }
    const auto groups = static_cast<Size>(lists.panel_starts[count]);
    lists.panels.assign(groups * d * kScanRows, 0.0f);
    lists.sizes.assign(groups * kScanRows, kNever);
    lists.radii.assign(count, 0.0f);
    const ScanHot& hot = scan_hot();
    parallel_for(count, threads, [&](Size c) {
        std::vector<double> wide(d);
        std::vector<float> apart(d);
        const auto first = static_cast<Size>(lists.starts[c]), end = static_cast<Size>(lists.starts[c + 1]);
        double farthest = 0;
        for (Size i = first; i < end; ++i) {
            const auto row = static_cast<Size>(lists.order[i]);
            x.framed(row, lists.center.data(), lists.scale, wide.data());
            const double size = hot.minus(wide.data(), lists.cells.data() + c * d, d, apart.data());
            const Size panel = static_cast<Size>(lists.panel_starts[c]) + (i - first) / kScanRows;
            const Size lane = (i - first) % kScanRows;
            for (Size j = 0; j < d; ++j) lists.panels[(panel * d + j) * kScanRows + lane] = apart[j];
            const bool nothing = cosine && std::all_of(x.row(row), x.row(row) + d, [](T v) { return v == T(0); });
            lists.sizes[panel * kScanRows + lane] =
                static_cast<float>(size + (nothing ? lists.scale * lists.scale : 0));
            farthest = std::max(farthest, size);
        }
        lists.radii[c] = std::nextafter(static_cast<float>(std::sqrt(farthest)), kNever);
    });
}

}  // namespace

Lists build_lists(const Matrix& rows, const Metric& metric, const ListsSettings& settings, int threads) {
    return with_rows(rows, [&](const auto& x) {
        require(settings.cells >= 1 && settings.cells <= x.rows, "cells must be between 1 and the number of rows");
        Lists lists;
        settle_frame(x, lists, threads);
        settle_cells(x, settings, lists, threads);
        std::vector<std::uint32_t> cell(x.rows);
        const auto read = [&](Size r, float* out) {
            const auto* row = x.row(r);
            for (Size j = 0; j < x.cols; ++j)
                out[j] = static_cast<float>(static_cast<double>(row[j]) * lists.scale - lists.center[j]);
        };
        assign(lists, x.rows, read, cell, threads);
        sort_by_cell(cell, settings.cells, lists.starts, lists.order);
        drop_empty(lists);
        fill_lists(x, metric.kind == MetricKind::cosine, lists, threads);
        return lists;
    });
}

ListsView view_of(const Lists& lists) {
    return {lists.center, lists.scale, lists.cells,        lists.cell_panels, lists.cell_sizes, lists.radii,
            lists.starts, lists.order, lists.panel_starts, lists.panels,      lists.sizes};
}

}  // namespace pellucid

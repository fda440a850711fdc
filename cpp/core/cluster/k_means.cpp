#include "core/cluster/k_means.hpp"

#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/cluster/framed_rows.hpp"
#include "core/cluster/k_means_run.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid {

extern const CenterHot center_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const CenterHot center_hot_v3;
extern const CenterHot center_hot_v4;
#endif

const CenterHot& center_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return center_hot_v4;
        case Level::v3:
            return center_hot_v3;
        default:
            return center_hot_baseline;
    }
#else
    return center_hot_baseline;
#endif
}

namespace {

using namespace center_runs;

template <class Trace>
void tell(Trace& trace, std::span<const double> centers, Size k, Size p, const RowFrame& frame, Size pass) {
    if constexpr (!std::is_same_v<Trace, NoTrace>) {
        std::vector<std::string> columns{"pass", "cluster"};
        for (Size j = 0; j < p; ++j) columns.push_back("x" + std::to_string(j));
        std::vector<double> row(2 + p);
        for (Size c = 0; c < k; ++c) {
            row[0] = static_cast<double>(pass);
            row[1] = static_cast<double>(c);
            for (Size j = 0; j < p; ++j)
                row[2 + j] = centers[c * p + j] / frame.unit + (frame.shift.empty() ? 0.0 : frame.shift[j]);
            emit(trace, "centers", columns, row);
        }
    }
}

template <class View, class Trace>
KMeansResult run(const Matrix& X, const View& x, const RowFrame& frame, std::span<const double> weight,
                 std::span<const double> start, Size k, const KMeansSettings& settings, Trace& trace) {
    Run<View> run(x, frame, weight, start, k, settings);
    KMeansResult result;
    for (result.passes = 1;; ++result.passes) {
        check_interrupt();
        tell(trace, run.centers(), k, x.cols, frame, result.passes);
        const Size changed = run.assign();
        const auto told = [&](double moved) {
            if constexpr (!std::is_same_v<Trace, NoTrace>) {
                emit(trace,
                     Pass{static_cast<double>(result.passes), static_cast<double>(changed), result.distortion, moved});
            }
        };
        if constexpr (!std::is_same_v<Trace, NoTrace>)
            result.distortion = distortion(X, frame, weight, run.centers(), run.labels(), settings.threads);
        if (result.passes > 1 && changed == 0) {
            result.settled = true;
            told(0.0);
            break;
        }
        const double moved = run.update();
        told(moved);
        if (moved <= settings.tol || result.passes == settings.max_iter ||
            stop_after(trace, result.passes, run.centers()))
            break;
    }
    if (result.settled) run.settle();
    run.assign();
    run.leave_and_enter();
    run.assign();
    result.centers.assign(run.centers().begin(), run.centers().end());
    result.labels = run.labels();
    result.distortion = distortion(X, frame, weight, result.centers, result.labels, settings.threads);
    return result;
}

}  // namespace

template <class Trace>
KMeansResult k_means(const Matrix& X, const RowFrame& frame, std::span<const double> weight,
                     std::span<const double> start, Size k, const KMeansSettings& settings, Trace& trace) {
    const Size n = rows_of(X), p = cols_of(X);
    require(k >= 1 && k <= n && start.size() == k * p, "k_means: centers");
    require(weight.empty() || weight.size() == n, "k_means: weights");
    require(n < std::numeric_limits<std::uint32_t>::max(), "k_means: fewer than 2^32 rows");
    return std::visit([&](const auto& x) { return run(X, x, frame, weight, start, k, settings, trace); }, X);
}
template KMeansResult k_means<NoTrace>(const Matrix&, const RowFrame&, std::span<const double>, std::span<const double>,
                                       Size, const KMeansSettings&, NoTrace&);
template KMeansResult k_means<Watch>(const Matrix&, const RowFrame&, std::span<const double>, std::span<const double>,
                                     Size, const KMeansSettings&, Watch&);

void nearest_centers(const Matrix& X, const RowFrame& frame, std::span<const double> centers, Size k,
                     std::span<std::int32_t> labels, int threads) {
    const Size n = rows_of(X), p = cols_of(X);
    require(centers.size() == k * p && labels.size() == n, "nearest_centers: sizes");
    const CenterPanels panels(centers.data(), k, p);
    std::visit(
        [&](const auto& x) {
            const Size step = rows_of_block<std::decay_t<decltype(x)>>(p);
            parallel_for(blocks_of(n, step), threads, [&](Size block) {
                const Size begin = block * step, end = std::min(n, begin + step);
                std::array<Nearest, kRowTile> best;
                if constexpr (requires { x.starts; }) {
                    for (Size r = begin; r < end; ++r) {
                        sparse_scan(x, r, frame.unit, panels, 0, panels.count(), best.data());
                        labels[r] = static_cast<std::int32_t>(best[0].center);
                    }
                } else {
                    std::vector<double> rows(kRowTile * p);
                    std::array<const double*, kRowTile> at;
                    for (Size t = 0; t < kRowTile; ++t) at[t] = rows.data() + t * p;
                    for (Size first = begin; first < end; first += kRowTile) {
                        const Size here = std::min(kRowTile, end - first);
                        for (Size t = 0; t < here; ++t) framed_row(x, first + t, frame, rows.data() + t * p);
                        center_hot().nearest(at.data(), p, panels.panel(0), panels.sizes(0), panels.count(),
                                             best.data());
                        for (Size t = 0; t < here; ++t) labels[first + t] = static_cast<std::int32_t>(best[t].center);
                    }
                }
            });
        },
        X);
}

double distortion(const Matrix& X, const RowFrame& frame, std::span<const double> weight,
                  std::span<const double> centers, std::span<const std::int32_t> labels, int threads) {
    const Size n = rows_of(X), p = cols_of(X);
    const std::vector<double> sizes = squared_lengths(centers, p);
    double sum = 0;
    std::visit(
        [&](const auto& x) {
            using View = std::decay_t<decltype(x)>;
            const Size step = rows_of_block<View>(p);
            ordered_sum(blocks_of(n, step), 1, threads, &sum, [&](Size block, double* into) {
                std::vector<double> row = room_for<View>(1, p);
                for (Size r = block * step; r < std::min(n, (block + 1) * step); ++r) {
                    const auto c = static_cast<Size>(labels[r]);
                    const double square = row_apart(x, r, frame, centers.data() + c * p, sizes[c], row.data());
                    *into += weight.empty() ? square : weight[r] * square;
                }
            });
        },
        X);
    return sum;
}

}  // namespace pellucid

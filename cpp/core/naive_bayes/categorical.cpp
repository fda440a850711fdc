#include "core/naive_bayes/categorical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kTile = 256;                  // rows whose scores stay in the first cache while the columns pass by
constexpr Size kRowsInBlock = 1 << 12;       // of scores
constexpr Size kLeastRows = 1 << 15;         // of a block that counts
constexpr Size kMostBlocks = 32;             // that count
constexpr Size kMostCounts = Size{1} << 22;  // of all blocks together: 32 MB

// Slot of a cell among those of a column of K codes: itself, K for an unseen value, K + 1 for a missing one.
template <class T>
Size slot_of(T cell, Size k) {
    if constexpr (std::is_floating_point_v<T>) {
        if (cell >= 0 && cell < static_cast<T>(k)) {
            const auto code = static_cast<Size>(cell);
            return static_cast<T>(code) == cell ? code : k;
        }
        return std::isnan(cell) ? k + 1 : k;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        if (cell >= 0) return std::min(static_cast<Size>(cell), k);
        return cell == std::numeric_limits<std::int32_t>::min() ? k + 1 : k;
    } else if constexpr (std::is_signed_v<T>) {
        return cell >= 0 ? std::min(static_cast<Size>(cell), k) : k;
    } else {
        return std::min(static_cast<Size>(cell), k);
    }
}

template <class T>
void look_at(T cell, CodeExtent& extent) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(cell)) {
            extent.missing = true;
            return;
        }
        extent.infinite |= std::isinf(cell);
        extent.codes &= cell >= 0 && cell == std::trunc(cell);
    } else {
        extent.codes &= cell >= 0;
    }
    extent.largest = std::max(extent.largest, static_cast<double>(cell));
}

std::vector<Size> starts_of(std::span<const std::int64_t> sizes, Size width, Size more) {
    std::vector<Size> starts(sizes.size() + 1, 0);
    for (Size j = 0; j < sizes.size(); ++j) starts[j + 1] = starts[j] + (static_cast<Size>(sizes[j]) + more) * width;
    return starts;
}

}  // namespace

template <class T>
std::vector<CodeExtent> code_extents(const Dense<T>& x, int threads) {
    const Size blocks = blocks_of(x.rows, kLeastRows);
    std::vector<CodeExtent> parts(blocks * x.cols);
    parallel_for(blocks, threads, [&](Size b) {
        CodeExtent* part = parts.data() + b * x.cols;
        const Size stop = std::min(x.rows, (b + 1) * kLeastRows);
        for (Size begin = b * kLeastRows; begin < stop; begin += kTile) {
            const Size end = std::min(stop, begin + kTile);
            for (Size j = 0; j < x.cols; ++j) {
                CodeExtent extent = part[j];
                for (Size r = begin; r < end; ++r) look_at(x.at(r, j), extent);
                part[j] = extent;
            }
        }
    });
    std::vector<CodeExtent> found(x.cols);
    for (Size b = 0; b < blocks; ++b)
        for (Size j = 0; j < x.cols; ++j) {
            const CodeExtent& part = parts[b * x.cols + j];
            found[j].codes &= part.codes;
            found[j].missing |= part.missing;
            found[j].infinite |= part.infinite;
            found[j].largest = std::max(found[j].largest, part.largest);
        }
    return found;
}

template <class T>
std::vector<double> count_codes(const Dense<T>& x, const CategoryPlan& plan, int threads) {
    require(plan.sizes.size() == x.cols && plan.classes.size() == x.rows &&
                (plan.weight.empty() || plan.weight.size() == x.rows),
            "count_codes: sizes");
    const Size width = plan.n_classes;
    const std::vector<Size> starts = starts_of(plan.sizes, width, 0);
    const Size counts = starts.back();
    // Each block has counts of its own; how many blocks there are depends on the shape alone.
    const Size most = std::clamp<Size>(kMostCounts / std::max<Size>(counts, 1), 1, kMostBlocks);
    const Size size = std::max(kLeastRows, blocks_of(x.rows, most));
    const Size blocks = blocks_of(x.rows, size);
    std::vector<double> parts(blocks * counts, 0.0);
    parallel_for(blocks, threads, [&](Size b) {
        const Size stop = std::min(x.rows, (b + 1) * size);
        for (Size begin = b * size; begin < stop; begin += kTile) {
            const Size end = std::min(stop, begin + kTile);
            for (Size j = 0; j < x.cols; ++j) {
                const auto k = static_cast<Size>(plan.sizes[j]);
                double* own = parts.data() + b * counts + starts[j];
                for (Size r = begin; r < end; ++r) {
                    const Size slot = slot_of(x.at(r, j), k);
                    if (slot < k)
                        own[slot * width + static_cast<Size>(plan.classes[r])] +=
                            plan.weight.empty() ? 1.0 : plan.weight[r];
                }
            }
            check_interrupt();
        }
    });
    std::vector<double> found(counts, 0.0);
    for (Size b = 0; b < blocks; ++b)
        for (Size i = 0; i < counts; ++i) found[i] += parts[b * counts + i];
    return found;
}

template <class T>
void add_code_scores(const Dense<T>& x, std::span<const std::int64_t> sizes, std::span<const double> tables,
                     Size n_classes, std::span<double> out, int threads) {
    const std::vector<Size> starts = starts_of(sizes, n_classes, 2);
    require(sizes.size() == x.cols && tables.size() == starts.back() && out.size() == x.rows * n_classes,
            "add_code_scores: sizes");
    parallel_for(blocks_of(x.rows, kRowsInBlock), threads, [&](Size b) {
        const Size stop = std::min(x.rows, (b + 1) * kRowsInBlock);
        for (Size begin = b * kRowsInBlock; begin < stop; begin += kTile) {
            const Size end = std::min(stop, begin + kTile);
            for (Size j = 0; j < x.cols; ++j) {
                const auto k = static_cast<Size>(sizes[j]);
                const double* table = tables.data() + starts[j];
                for (Size r = begin; r < end; ++r) {
                    const double* own = table + slot_of(x.at(r, j), k) * n_classes;
                    double* scores = out.data() + r * n_classes;
                    for (Size c = 0; c < n_classes; ++c) scores[c] += own[c];
                }
            }
        }
    });
}

template std::vector<CodeExtent> code_extents(const Dense<double>&, int);
template std::vector<CodeExtent> code_extents(const Dense<float>&, int);
template std::vector<CodeExtent> code_extents(const Dense<std::int64_t>&, int);
template std::vector<CodeExtent> code_extents(const Dense<std::uint8_t>&, int);
template std::vector<double> count_codes(const Dense<double>&, const CategoryPlan&, int);
template std::vector<double> count_codes(const Dense<float>&, const CategoryPlan&, int);
template std::vector<double> count_codes(const Dense<std::int64_t>&, const CategoryPlan&, int);
template std::vector<double> count_codes(const Dense<std::int32_t>&, const CategoryPlan&, int);
template std::vector<double> count_codes(const Dense<std::uint8_t>&, const CategoryPlan&, int);

using Sizes = std::span<const std::int64_t>;
using Tables = std::span<const double>;
template void add_code_scores(const Dense<double>&, Sizes, Tables, Size, std::span<double>, int);
template void add_code_scores(const Dense<float>&, Sizes, Tables, Size, std::span<double>, int);
template void add_code_scores(const Dense<std::int64_t>&, Sizes, Tables, Size, std::span<double>, int);
template void add_code_scores(const Dense<std::int32_t>&, Sizes, Tables, Size, std::span<double>, int);
template void add_code_scores(const Dense<std::uint8_t>&, Sizes, Tables, Size, std::span<double>, int);

}  // namespace pellucid

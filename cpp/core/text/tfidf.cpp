#include "core/text/tfidf.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/pool.hpp"

namespace pellucid::text {
namespace {

constexpr Size kRows = 256;

double size_of(std::span<const double> row, Norm norm) {
    double sum = 0.0;
    if (norm == Norm::l1) {
        for (const double value : row) sum += std::abs(value);
        return sum;
    }
    for (const double value : row) sum += value * value;
    // Squares of numbers around 1 can neither overflow nor vanish; others are taken of the row over a power of two.
    if (sum > 1e-280 && sum < 1e280) return std::sqrt(sum);
    double most = 0.0;
    for (const double value : row) most = std::max(most, std::abs(value));
    if (most == 0.0 || !std::isfinite(most)) return most;
    const int power = std::ilogb(most);
    sum = 0.0;
    for (const double value : row) sum += std::scalbn(value, -power) * std::scalbn(value, -power);
    return std::scalbn(std::sqrt(sum), power);
}

void divide(std::span<double> row, double size) {
    if (size == 0.0) return;
    if (std::isfinite(size)) {
        for (double& value : row) value /= size;
        return;
    }
    // The sum overflows though no value does: the row over its largest value first.
    double most = 0.0;
    for (const double value : row) most = std::max(most, std::abs(value));
    double sum = 0.0;
    for (const double value : row) sum += std::abs(value / most);
    for (double& value : row) value = value / most / sum;
}

}  // namespace

template <class Index>
void weigh_rows(std::span<const Index> starts, std::span<const Index> columns, std::span<double> values,
                std::span<const double> idf, bool sublinear, Norm norm, int threads) {
    const Size rows = starts.size() - 1;
    parallel_for(blocks_of(rows, kRows), threads, [&](Size block) {
        for (Size r = block * kRows; r < std::min(rows, (block + 1) * kRows); ++r) {
            const auto from = static_cast<Size>(starts[r]), to = static_cast<Size>(starts[r + 1]);
            const std::span<double> row = values.subspan(from, to - from);
            if (sublinear)
                for (double& value : row) value = value > 0.0 ? std::log(value) + 1.0 : 0.0;
            if (!idf.empty())
                for (Size i = 0; i < row.size(); ++i) row[i] *= idf[static_cast<Size>(columns[from + i])];
            if (norm != Norm::none) divide(row, size_of(row, norm));
        }
    });
}

template <class Index>
void count_rows_with(std::span<const Index> columns, std::span<const double> values,
                     std::span<std::int64_t> documents) {
    std::fill(documents.begin(), documents.end(), 0);
    for (Size i = 0; i < columns.size(); ++i)
        if (values[i] != 0.0) ++documents[static_cast<Size>(columns[i])];
}

template void weigh_rows(std::span<const std::int32_t>, std::span<const std::int32_t>, std::span<double>,
                         std::span<const double>, bool, Norm, int);
template void weigh_rows(std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<double>,
                         std::span<const double>, bool, Norm, int);
template void count_rows_with(std::span<const std::int32_t>, std::span<const double>, std::span<std::int64_t>);
template void count_rows_with(std::span<const std::int64_t>, std::span<const double>, std::span<std::int64_t>);

}  // namespace pellucid::text

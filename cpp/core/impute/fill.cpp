#include "core/impute/fill.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kBlockCells = Size{1} << 19;  // of a result, in one block of work: 2 MB and more, a page of the system

template <class T>
bool infinite(T v) {
    return std::abs(v) > std::numeric_limits<T>::max();
}

// All columns stay and lie side by side in x and out.
template <class T>
bool fill_row(const T* x, const T* value, Size n, T* out) {
    int bad = 0;
    for (Size c = 0; c < n; ++c) {
        const T v = x[c];
        bad |= infinite(v) ? 1 : 0;
        out[c] = v == v ? v : value[c];
    }
    return bad == 0;
}

template <class T>
bool fill_column(const T* x, std::ptrdiff_t step, T value, Size n, T* out, std::ptrdiff_t out_step) {
    int bad = 0;
    for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(n); ++r) {
        const T v = x[r * step];
        bad |= infinite(v) ? 1 : 0;
        out[r * out_step] = v == v ? v : value;
    }
    return bad == 0;
}

template <class T>
void take_column(const Dense<T>& x, Size c, std::vector<double>& into) {
    into.resize(x.rows);
    Size count = 0;
    for (Size r = 0; r < x.rows; ++r) {  // without a branch: missing values are overwritten by the next
        const double v = static_cast<double>(x.at(r, c));
        into[count] = v;
        count += v == v ? 1 : 0;
    }
    into.resize(count);
}

double middle(std::vector<double>& values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    if (values.size() % 2 == 1) return *half;
    const double below = *std::max_element(values.begin(), half), sum = below + *half;
    return std::isfinite(sum) ? sum / 2 : below / 2 + *half / 2;
}

}  // namespace

template <class T>
bool fill_missing(const Dense<T>& x, std::span<const std::int64_t> from, std::span<const double> value,
                  const Written<T>& out, int threads) {
    const Size cols = from.size();
    require(value.size() == cols && out.cols == cols && out.rows == x.rows, "fill_missing: size of the result");
    bool all = cols == x.cols;
    for (Size k = 0; k < cols; ++k) {
        require(from[k] >= 0 && static_cast<Size>(from[k]) < x.cols, "fill_missing: no such column");
        all &= from[k] == static_cast<std::int64_t>(k);
    }
    if (x.rows == 0 || cols == 0) return true;
    std::vector<T> own(cols);
    for (Size k = 0; k < cols; ++k) own[k] = static_cast<T>(value[k]);
    const bool by_row = all && x.col_stride == 1 && out.col_stride == 1;
    const Size height = by_row ? std::max<Size>(kBlockCells / cols, 1) : kBlockCells,
               pieces = blocks_of(x.rows, height);
    std::atomic<bool> finite = true;
    parallel_for(by_row ? pieces : pieces * cols, threads, [&](Size block) {
        const Size begin = block % pieces * height, n = std::min(height, x.rows - begin), k = block / pieces;
        const auto place = [&](Size r, Size c) {
            return out.data + static_cast<std::ptrdiff_t>(r) * out.row_stride +
                   static_cast<std::ptrdiff_t>(c) * out.col_stride;
        };
        bool good = true;
        if (by_row)
            for (Size r = begin; r < begin + n; ++r) good &= fill_row(&x.at(r, 0), own.data(), cols, place(r, 0));
        else
            good = fill_column(&x.at(begin, static_cast<Size>(from[k])), x.row_stride, own[k], n, place(begin, k),
                               out.row_stride);
        if (!good) finite = false;
    });
    return finite;
}
template bool fill_missing(const Dense<double>&, std::span<const std::int64_t>, std::span<const double>,
                           const Written<double>&, int);
template bool fill_missing(const Dense<float>&, std::span<const std::int64_t>, std::span<const double>,
                           const Written<float>&, int);

std::vector<double> column_medians(const Matrix& X, int threads) {
    const Size cols = cols_of(X);
    std::vector<double> found(cols);
    parallel_for(cols, threads, [&](Size c) {
        std::vector<double> values;
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.at(0, 0); })
                    take_column(x, c, values);
                else
                    require(false, "column_medians: X must be dense");
            },
            X);
        found[c] = middle(values);
    });
    return found;
}

}  // namespace pellucid

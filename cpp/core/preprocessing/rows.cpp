#include "core/preprocessing/rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kBlockCells = Size{1} << 19;
constexpr Size kLanes = 8;
constexpr Size kTile = 256;  // landmarks at a time
// Sums of squares between these are exact to rounding: none of them overflowed, and what fell below counts for nothing.
constexpr double kSmall = 1e-280, kLarge = 1e300;

struct Sums {
    double absolute = 0, square = 0, largest = 0, odd = 0;
};

template <class T>
Sums sums_of(const Dense<T>& x, Size r) {
    Sums found;
    const std::ptrdiff_t stride = x.col_stride;
    const T* row = &x.at(r, 0);
    double a[kLanes] = {}, q[kLanes] = {}, m[kLanes] = {}, odd[kLanes] = {};
    const auto add = [&](Size lane, double v) {
        const double size = std::abs(v);
        a[lane] += size, q[lane] += v * v, odd[lane] += v * 0.0;
        m[lane] = size > m[lane] ? size : m[lane];
    };
    Size c = 0;
    if (stride == 1)
        for (; c + kLanes <= x.cols; c += kLanes)
            for (Size i = 0; i < kLanes; ++i) add(i, static_cast<double>(row[c + i]));
    for (; c < x.cols; ++c) add(c % kLanes, static_cast<double>(row[static_cast<std::ptrdiff_t>(c) * stride]));
    for (Size i = 0; i < kLanes; ++i) {
        found.absolute += a[i], found.square += q[i], found.odd += odd[i];
        found.largest = std::max(found.largest, m[i]);
    }
    return found;
}

// Divisor of a row, as a product of two numbers: the largest absolute value, and the norm of the row over it. Where no
// square leaves the range of numbers the first is 1.
struct Divisor {
    double unit = 1, norm = 1;
};

template <class T>
Divisor divisor_of(const Dense<T>& x, Size r, const Sums& s, Norm norm) {
    if (s.largest == 0) return {};
    if (norm == Norm::max) return {1, s.largest};
    const double direct = norm == Norm::l1 ? s.absolute : s.square;
    if (direct > kSmall && direct < kLarge) return {1, norm == Norm::l1 ? direct : std::sqrt(direct)};
    double sum = 0;
    for (Size c = 0; c < x.cols; ++c) {
        const double v = static_cast<double>(x.at(r, c)) / s.largest;
        sum += norm == Norm::l1 ? std::abs(v) : v * v;
    }
    return {s.largest, norm == Norm::l1 ? sum : std::sqrt(sum)};
}

}  // namespace

template <class T>
bool normalize_rows(const Dense<T>& x, Norm norm, const Written<T>& out, int threads) {
    require(out.rows == x.rows && out.cols == x.cols, "normalize_rows: size of the result");
    if (x.rows == 0 || x.cols == 0) return true;
    std::atomic<bool> finite = true;
    const Size height = std::max<Size>(kBlockCells / x.cols, 1);
    parallel_for(blocks_of(x.rows, height), threads, [&](Size block) {
        const Size end = std::min((block + 1) * height, x.rows);
        for (Size r = block * height; r < end; ++r) {
            const Sums sums = sums_of(x, r);
            if (!(sums.odd == 0)) {
                finite = false;
                return;
            }
            const Divisor by = divisor_of(x, r, sums, norm);
            const T* from = &x.at(r, 0);
            T* to = out.data + static_cast<std::ptrdiff_t>(r) * out.row_stride;
            if (by.unit == 1 && x.col_stride == 1 && out.col_stride == 1)
                for (Size c = 0; c < x.cols; ++c) to[c] = static_cast<T>(static_cast<double>(from[c]) / by.norm);
            else
                for (Size c = 0; c < x.cols; ++c) {
                    const double v = static_cast<double>(from[static_cast<std::ptrdiff_t>(c) * x.col_stride]);
                    to[static_cast<std::ptrdiff_t>(c) * out.col_stride] = static_cast<T>(v / by.unit / by.norm);
                }
        }
    });
    return finite;
}
template bool normalize_rows(const Dense<double>&, Norm, const Written<double>&, int);
template bool normalize_rows(const Dense<float>&, Norm, const Written<float>&, int);

template <class T>
void similarities(const Dense<T>& x, const Dense<double>& landmarks, double gamma, const Written<T>& out, int threads) {
    const Size count = landmarks.cols;
    require(landmarks.rows == x.cols, "similarities: landmarks have the columns of X");
    require(landmarks.col_stride == 1 || count <= 1, "similarities: one landmark a column, side by side");
    require(out.rows == x.rows && out.cols == count, "similarities: size of the result");
    if (x.rows == 0 || count == 0) return;
    const Size height = std::max<Size>(kBlockCells / 8 / (count * std::max<Size>(x.cols, 1)), 1);
    parallel_for(blocks_of(x.rows, height), threads, [&](Size block) {
        double apart[kTile];
        const Size end = std::min((block + 1) * height, x.rows);
        for (Size r = block * height; r < end; ++r) {
            T* to = out.data + static_cast<std::ptrdiff_t>(r) * out.row_stride;
            for (Size first = 0; first < count; first += kTile) {
                const Size n = std::min(kTile, count - first);
                std::fill(apart, apart + n, 0.0);
                for (Size c = 0; c < x.cols; ++c) {
                    const double v = static_cast<double>(x.at(r, c));
                    const double* l = &landmarks.at(c, first);
                    for (Size k = 0; k < n; ++k) apart[k] += (v - l[k]) * (v - l[k]);
                }
                for (Size k = 0; k < n; ++k)
                    to[static_cast<std::ptrdiff_t>(first + k) * out.col_stride] =
                        static_cast<T>(std::exp(-gamma * apart[k]));
            }
        }
    });
}
template void similarities(const Dense<double>&, const Dense<double>&, double, const Written<double>&, int);
template void similarities(const Dense<float>&, const Dense<double>&, double, const Written<float>&, int);

}  // namespace pellucid

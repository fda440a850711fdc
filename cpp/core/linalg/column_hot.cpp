// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/linalg/column_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {

namespace {

constexpr std::size_t kLanes = 16;  // sums side by side, the same at every level

template <class T>
void add(double a, const double* d, const T* x, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] += a * d[i] * static_cast<double>(x[i]);
}

template <class T>
void weigh(double unit, const double* d, const T* x, std::size_t n, double* sums) {
    double first[kLanes] = {}, second[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double value = unit * static_cast<double>(x[i + k]), weighted = d[i + k] * value;
            first[k] += weighted;
            second[k] += weighted * value;
        }
    sums[0] = sums[1] = 0;
    for (; i < n; ++i) {
        const double value = unit * static_cast<double>(x[i]), weighted = d[i] * value;
        sums[0] += weighted;
        sums[1] += weighted * value;
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
        sums[0] += first[k];
        sums[1] += second[k];
    }
}

}  // namespace

extern const ColumnHot PELLUCID_JOIN(column_hot_, PELLUCID_LEVEL);
const ColumnHot PELLUCID_JOIN(column_hot_, PELLUCID_LEVEL) = {add<double>, add<float>, weigh<double>, weigh<float>};

}  // namespace pellucid

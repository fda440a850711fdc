// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/base/level.hpp"
#include "core/impute/apart.hpp"

namespace pellucid {

namespace {

typedef double Vec __attribute__((vector_size(PELLUCID_BYTES)));
typedef double LooseVec __attribute__((vector_size(PELLUCID_BYTES), aligned(8)));  // loads from any address
constexpr std::size_t kWidth = PELLUCID_BYTES / sizeof(double);
constexpr std::size_t kGroup = 4;  // vectors at a time: their sums and counts stay in registers at every level

inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

inline double smallest(const double* out) {
    double least = out[0];
    for (std::size_t d = 1; d < kDonors; ++d) least = out[d] < least ? out[d] : least;
    return least;
}

double some(const double* x, const int* columns, std::size_t n, const double* y, const double* there, double* out) {
    for (std::size_t d = 0; d < kDonors; d += kGroup * kWidth) {
        Vec sum[kGroup] = {}, count[kGroup] = {};
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = static_cast<std::size_t>(columns[i]) * kDonors + d;
            for (std::size_t v = 0; v < kGroup; ++v) {
                const Vec has = load(there + at + v * kWidth), apart = x[i] - load(y + at + v * kWidth);
                sum[v] += (apart * has) * apart;
                count[v] += has;
            }
        }
        for (std::size_t v = 0; v < kGroup; ++v) {
            const Vec ratio = sum[v] / count[v];
            for (std::size_t k = 0; k < kWidth; ++k)  // nothing in common: 0 / 0 is no number
                out[d + v * kWidth + k] = count[v][k] > 0 ? ratio[k] : __builtin_inf();
        }
    }
    return smallest(out);
}

double all(const double* x, const int* columns, std::size_t n, const double* y, double* out) {
    for (std::size_t d = 0; d < kDonors; d += kGroup * kWidth) {
        Vec sum[kGroup] = {};
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = static_cast<std::size_t>(columns[i]) * kDonors + d;
            for (std::size_t v = 0; v < kGroup; ++v) {
                const Vec apart = x[i] - load(y + at + v * kWidth);
                sum[v] += apart * apart;
            }
        }
        const double number = static_cast<double>(n);  // the same quotient as in `some`, bit for bit
        for (std::size_t v = 0; v < kGroup; ++v) store(out + d + v * kWidth, sum[v] / number);
    }
    if (n == 0)
        for (std::size_t d = 0; d < kDonors; ++d) out[d] = __builtin_inf();
    return smallest(out);
}

}  // namespace

extern const Apart PELLUCID_JOIN(apart_, PELLUCID_LEVEL);
const Apart PELLUCID_JOIN(apart_, PELLUCID_LEVEL) = {some, all};

}  // namespace pellucid

// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/distance/pairwise_hot.hpp"

#include "core/base/level.hpp"

namespace pellucid {
namespace {

constexpr std::size_t kSide = 8;
constexpr double kNear = 1.0 / 64;

bool squares(const double* left, const double* right, double* table, std::size_t ld) {
    double least[kSide] = {};
    for (std::size_t i = 0; i < kSide; ++i) {
        const double own = left[i];
        for (std::size_t c = 0; c < kSide; ++c) {
            const double both = own + right[c];
            const double d = both - 2 * table[i * ld + c];
            const double above = d - kNear * both;
            least[c] = above < least[c] ? above : least[c];
            table[i * ld + c] = d;
        }
    }
    bool near = false;
    for (std::size_t c = 0; c < kSide; ++c) near |= least[c] < 0;
    return near;
}

void roots(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = __builtin_sqrt(values[i]);
}

}  // namespace

extern const PairwiseHot PELLUCID_JOIN(pairwise_hot_, PELLUCID_LEVEL);
const PairwiseHot PELLUCID_JOIN(pairwise_hot_, PELLUCID_LEVEL) = {squares, roots};

}  // namespace pellucid

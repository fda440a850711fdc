#include "core/recommend/small_systems.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"

namespace pellucid {

SmallSystem::SmallSystem(Size unknowns, Size chunk)
    : unknowns_(unknowns),
      width_(blocks_of(unknowns + 1, kPanel) * kPanel),
      panels_(width_ * chunk, 0.0),
      more_(width_ * chunk, 0.0),
      sums_(width_ * width_, 0.0),
      matrix_(unknowns * unknowns),
      answer_(unknowns) {}

void SmallSystem::clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }

void SmallSystem::start_from(const double* a, Size row_length) {
    clear();
    for (Size i = 0; i < unknowns_; ++i) std::copy_n(a + i * row_length, i + 1, sums_.data() + i * width_);
}

void SmallSystem::add(const double* a, const double* b, Size rows) {
    const Hot& h = hot();
    for (Size i = 0; i < width_; i += kPanel)
        for (Size j = 0; j <= i; j += kPanel)
            h.gram_tile(a + i * rows, b + j * rows, rows, sums_.data() + i * width_ + j, width_);
}

bool SmallSystem::solve(double penalty) {
    const Size n = unknowns_;
    for (Size j = 0; j < n; ++j) {
        for (Size i = j; i < n; ++i) matrix_[j * n + i] = sums_[i * width_ + j];
        matrix_[j * n + j] += penalty;
        answer_[j] = sums_[n * width_ + j];
    }
    if (!cholesky_factor(matrix_, n, 1)) return false;
    char lower = 'L';
    int size = static_cast<int>(n), one = 1, info = 0;
    lapack().dpotrs(&lower, &size, &one, matrix_.data(), &size, answer_.data(), &size, &info);
    return info == 0;
}

}  // namespace pellucid

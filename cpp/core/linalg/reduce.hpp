// Sums with a fixed order: the same blocks, summed in the same order, whatever the number of threads.
#pragma once

#include <vector>

#include "core/base/pool.hpp"

namespace pellucid {

// out[0..width) = sum over blocks b of part(b), where part(b, into) adds block b's contribution to zeroed memory.
// `blocks` must depend on the data's shape alone.
template <class Part>
void ordered_sum(Size blocks, Size width, int threads, double* out, const Part& part) {
    std::vector<double> parts(blocks * width, 0.0);
    parallel_for(blocks, threads, [&](Size b) { part(b, parts.data() + b * width); });
    for (Size i = 0; i < width; ++i) out[i] = 0;
    for (Size b = 0; b < blocks; ++b)
        for (Size i = 0; i < width; ++i) out[i] += parts[b * width + i];
}

}  // namespace pellucid

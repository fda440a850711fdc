#include <cmath>

#include "core/tree/grow_classes_with.hpp"

namespace pellucid::tree {
namespace {

// Are all weights small whole numbers, as those of rows drawn for a forest are? Two bytes a row then do for sixteen.
bool counts(std::span<const double> weight) {
    double total = 0;
    for (const double w : weight) {
        if (!(w <= 255) || w != std::floor(w)) return false;
        total += w;
    }
    return total < static_cast<double>(std::uint64_t{1} << 21);
}

}  // namespace

Nodes grow_classes(const Problem& problem) {
    if (problem.n_classes[0] > 256) return grow_weighted_classes(problem);
    if (problem.weight.empty()) return grow_plain_classes(problem);
    return counts(problem.weight) ? grow_counted_classes(problem) : grow_weighted_classes(problem);
}

}  // namespace pellucid::tree

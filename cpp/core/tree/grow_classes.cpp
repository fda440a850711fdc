#include <cmath>

#include "core/tree/class_criteria.hpp"
#include "core/tree/grow_with.hpp"

namespace pellucid::tree {
namespace {

template <class Row, Criterion C>
Nodes grow_of(const Problem& problem, const C& criterion) {
    return grow_with(problem, criterion,
                     [&](Size i, double weight) { return Row::of(static_cast<std::uint32_t>(problem.y[i]), weight); });
}

template <class Row>
Nodes grow_rows(const Problem& problem) {
    const auto classes = static_cast<Size>(problem.n_classes[0]);
    if (problem.settings.criterion == Measure::entropy)
        return grow_of<Row>(problem, Entropy<Row>(classes, problem.rows()));
    if (classes == 2) return grow_of<Row>(problem, GiniOfTwo<Row>());
    return grow_of<Row>(problem, Gini<Row>(classes));
}

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
    if (problem.n_classes[0] > 256) return grow_rows<WeightedClassRow>(problem);
    if (problem.weight.empty()) return grow_rows<ClassRow>(problem);
    return counts(problem.weight) ? grow_rows<CountedClassRow>(problem) : grow_rows<WeightedClassRow>(problem);
}

}  // namespace pellucid::tree

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

}  // namespace

Nodes grow_classes(const Problem& problem) {
    const bool narrow = problem.weight.empty() && problem.n_classes[0] <= 256;
    return narrow ? grow_rows<ClassRow>(problem) : grow_rows<WeightedClassRow>(problem);
}

}  // namespace pellucid::tree

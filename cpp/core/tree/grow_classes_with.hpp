// Trees of classes, one output, for one way of keeping what a row weighs: a source for each, as they compile side by
// side.
#pragma once

#include "core/tree/class_criteria.hpp"
#include "core/tree/grow_with.hpp"

namespace pellucid::tree {

Nodes grow_plain_classes(const Problem& problem);    // no weights, at most 256 classes
Nodes grow_counted_classes(const Problem& problem);  // weights are small whole numbers, at most 256 classes
Nodes grow_weighted_classes(const Problem& problem);

template <class Row, Criterion C>
Nodes grow_classes_by(const Problem& problem, const C& criterion) {
    return grow_with(problem, criterion,
                     [&](Size i, double weight) { return Row::of(static_cast<std::uint32_t>(problem.y[i]), weight); });
}

template <class Row>
Nodes grow_classes_of(const Problem& problem) {
    const auto classes = static_cast<Size>(problem.n_classes[0]);
    if (problem.settings.criterion == Measure::entropy)
        return grow_classes_by<Row>(problem, Entropy<Row>(classes, problem.rows()));
    if (classes == 2) return grow_classes_by<Row>(problem, GiniOfTwo<Row>());
    return grow_classes_by<Row>(problem, Gini<Row>(classes));
}

}  // namespace pellucid::tree

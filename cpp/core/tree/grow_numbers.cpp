#include "core/tree/grow_with.hpp"
#include "core/tree/number_criteria.hpp"
#include "core/tree/targets.hpp"

namespace pellucid::tree {
namespace {

template <class Row, Criterion C>
Nodes grow_of(const Problem& problem, const C& criterion) {
    return grow_with(problem, criterion, [&, scaling = criterion.scaling()](Size i, double weight) {
        return Row::of(scaling.in(problem.y[i]), weight);
    });
}

}  // namespace

Nodes grow_numbers(const Problem& problem) {
    const Scaling scaling = scaling_of(problem)[0];
    if (problem.settings.criterion == Measure::poisson)
        return grow_of<WeightedNumberRow>(problem, PoissonDeviance<WeightedNumberRow>(scaling));
    if (problem.weight.empty()) return grow_of<NumberRow>(problem, SquaredError<NumberRow>(scaling));
    return grow_of<WeightedNumberRow>(problem, SquaredError<WeightedNumberRow>(scaling));
}

}  // namespace pellucid::tree

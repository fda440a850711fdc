#include "core/tree/grow_with.hpp"
#include "core/tree/targets.hpp"

namespace pellucid::tree {
namespace {

template <Criterion C>
Nodes grow_of(const Problem& problem, const C& criterion) {
    return grow_with(problem, criterion, [](Size i, double) { return RowIndex{static_cast<std::uint32_t>(i)}; });
}

}  // namespace

Nodes grow_many_outputs(const Problem& problem) {
    const Settings& s = problem.settings;
    if (problem.classes()) return grow_of(problem, ManyClasses(class_table(problem), s.criterion, s.weighting));
    return grow_of(problem, ManyNumbers(number_table(problem), s.criterion, s.weighting));
}

}  // namespace pellucid::tree

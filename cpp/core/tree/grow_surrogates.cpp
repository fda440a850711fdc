#include "core/tree/absolute_error.hpp"
#include "core/tree/grow_with.hpp"
#include "core/tree/surrogate_look.hpp"
#include "core/tree/targets.hpp"

namespace pellucid::tree {
namespace {

template <Criterion C>
Nodes grow_of(const Problem& problem, const C& criterion) {
    const auto number = [](Size i, double) { return RowIndex{static_cast<std::uint32_t>(i)}; };
    return Grower<C>(problem, criterion, rows_in_use<C>(problem, number)).grow(look_by<SurrogateLook, C>);
}

}  // namespace

// The form for several outputs serves one as well: what a split costs here is the search for its stand-ins.
Nodes grow_with_surrogates(const Problem& problem) {
    const Settings& s = problem.settings;
    if (s.criterion == Measure::absolute_error) return grow_of(problem, AbsoluteError(number_table(problem)));
    if (problem.classes()) return grow_of(problem, ManyClasses(class_table(problem), s.criterion, s.weighting));
    return grow_of(problem, ManyNumbers(number_table(problem), s.criterion, s.weighting));
}

}  // namespace pellucid::tree

#include "core/tree/absolute_error.hpp"
#include "core/tree/grow_with.hpp"
#include "core/tree/targets.hpp"

namespace pellucid::tree {

Nodes grow_absolute(const Problem& problem) {
    return grow_with(problem, AbsoluteError(number_table(problem)),
                     [](Size i, double) { return RowIndex{static_cast<std::uint32_t>(i)}; });
}

}  // namespace pellucid::tree

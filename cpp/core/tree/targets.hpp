// Targets as the criteria want them.
#pragma once

#include "core/tree/many_outputs.hpp"
#include "core/tree/problem.hpp"

namespace pellucid::tree {

// For each output a shift, and one scale for all. Only rows of positive weight count.
std::vector<Scaling> scaling_of(const Problem& problem);

ClassTable class_table(const Problem& problem);
NumberTable number_table(const Problem& problem);

}  // namespace pellucid::tree

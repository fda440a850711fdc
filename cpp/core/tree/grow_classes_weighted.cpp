#include "core/tree/grow_classes_with.hpp"

namespace pellucid::tree {

Nodes grow_weighted_classes(const Problem& problem) { return grow_classes_of<WeightedClassRow>(problem); }

}  // namespace pellucid::tree

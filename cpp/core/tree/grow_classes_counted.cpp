#include "core/tree/grow_classes_with.hpp"

namespace pellucid::tree {

Nodes grow_counted_classes(const Problem& problem) { return grow_classes_of<CountedClassRow>(problem); }

}  // namespace pellucid::tree

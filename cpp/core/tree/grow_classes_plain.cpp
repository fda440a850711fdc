#include "core/tree/grow_classes_with.hpp"

namespace pellucid::tree {

Nodes grow_plain_classes(const Problem& problem) { return grow_classes_of<ClassRow>(problem); }

}  // namespace pellucid::tree

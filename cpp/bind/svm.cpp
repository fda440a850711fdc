// Support vector machines.
#include "bind/arrays.hpp"

namespace pellucid::bind {

void bind_svm(nb::module_&) {}

}  // namespace pellucid::bind

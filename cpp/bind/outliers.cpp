// Rows unlike the others.
#include "bind/arrays.hpp"

namespace pellucid::bind {

void bind_outliers(nb::module_&) {}

}  // namespace pellucid::bind

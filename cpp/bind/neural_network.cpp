// Layers of a network.
#include "bind/arrays.hpp"

namespace pellucid::bind {

void bind_neural_network(nb::module_&) {}

}  // namespace pellucid::bind

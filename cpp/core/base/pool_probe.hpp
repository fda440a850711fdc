// What tests set and read in the pool, so that they need not depend on the speed of the machine.
#pragma once

#include <chrono>

namespace pellucid {

// At least this time passes between two calls of the interruption hook: 25 ms by default. With 0 the hook is called at
// every opportunity.
void set_poll_interval(std::chrono::nanoseconds interval);

// The highest number of threads that a loop was allowed to use since the last call of this function.
int take_most_threads();

}  // namespace pellucid

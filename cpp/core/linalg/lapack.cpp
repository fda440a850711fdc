#include "core/linalg/lapack.hpp"

#include <atomic>

#include "core/base/check.hpp"

namespace pellucid {
namespace {
Lapack the_table;
std::atomic<bool> ready{false};
}  // namespace

const Lapack& lapack() {
    require(ready.load(std::memory_order_acquire), "lapack: set_lapack has not been called");
    return the_table;
}

void set_lapack(const Lapack& table) {
    the_table = table;
    ready.store(true, std::memory_order_release);
}

}  // namespace pellucid

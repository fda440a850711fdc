// What a kernel answers when it cannot go on. The core returns codes; the sentence is written in Python.
#pragma once

#include <stdexcept>

namespace pellucid {

enum class Status : int {
    ok = 0,
    not_finite = 1,    // NaN or infinity in the data
    singular = 2,      // columns are dependent to working precision
    not_converged = 3  // iterations ran out
};

// A caller broke a kernel's contract (sizes, orders, ranges): our bug, never the user's.
struct ContractError : std::logic_error {
    using std::logic_error::logic_error;
};

inline void require(bool condition, const char* what) {
    if (!condition) throw ContractError(what);
}

// The user asked to stop (Ctrl-C).
struct Interrupted {};

}  // namespace pellucid

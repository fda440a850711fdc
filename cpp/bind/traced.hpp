// Iterative kernels with the trace that the caller wants.
#pragma once

#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"

namespace pellucid::bind {

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls a Python function at the end of a pass; an exception there ends the fit and reaches the user as it is.
inline bool call_listener(void* state, Size pass, std::span<const double> parameters) {
    const nb::gil_scoped_acquire gil;
    auto& function = *static_cast<nb::callable*>(state);
    const std::vector<double> copy(parameters.begin(), parameters.end());
    return nb::cast<bool>(function(pass, to_numpy(copy, {copy.size()})));
}

// Runs solve(trace) with the trace that the caller wants: none, or a record with an optional listener.
template <class Solve>
nb::object with_trace(bool record, std::optional<nb::callable>& listener, const Solve& solve) {
    if (!record && !listener) {
        NoTrace none;
        const nb::gil_scoped_release release;
        solve(none);
        return nb::none();
    }
    Watch watch;
    if (listener) {
        watch.listener = call_listener;
        watch.state = &*listener;
    }
    {
        const nb::gil_scoped_release release;
        solve(watch);
    }
    return to_dict(watch.record);
}

}  // namespace pellucid::bind

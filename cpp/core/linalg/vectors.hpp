// Vectors as spans: a . b, and to += times x.
#pragma once

#include <span>

#include "core/linalg/hot.hpp"

namespace pellucid {

inline double dot(std::span<const double> a, std::span<const double> b) {
    return hot().dot(a.data(), b.data(), a.size());
}
inline void add_times(double times, std::span<const double> x, std::span<double> to) {
    hot().axpy_f64(times, x.data(), x.size(), to.data());
}

}  // namespace pellucid

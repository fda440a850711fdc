// A single number of a table, where a kernel looks at a few rows before it starts.
#pragma once

#include "core/base/views.hpp"

namespace pellucid {

// One number of a table; of a sparse one the row is searched.
inline double value_at(const Matrix& m, Size row, Size col) {
    return std::visit(
        [&](const auto& x) -> double {
            if constexpr (requires { x.at(row, col); }) {
                return static_cast<double>(x.at(row, col));
            } else {
                for (auto k = x.starts[row]; k < x.starts[row + 1]; ++k)
                    if (static_cast<Size>(x.indices[k]) == col) return x.values[k];
                return 0.0;
            }
        },
        m);
}

}  // namespace pellucid

// Compressed sparse columns: column j holds values[starts[j] .. starts[j+1]) in rows rows[...], in rising order.
//
// Tables reach kernels as compressed rows (see views.hpp); a solver that walks along columns turns them round once.
#pragma once

#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct Csc {
    const double* values = nullptr;
    const std::uint32_t* indices = nullptr;  // four bytes a row number: the columns are read again and again
    const Size* starts = nullptr;
    Size rows = 0;
    Size cols = 0;
};

struct CscMemory {
    std::vector<double> values;
    std::vector<std::uint32_t> indices;
    std::vector<Size> starts;

    Csc view(Size rows) const { return {values.data(), indices.data(), starts.data(), rows, starts.size() - 1}; }
};

// The same table by columns; zeros that were stored are left out. Fewer than 2^32 rows.
template <class Index>
CscMemory columns_of(const Csr<Index>& x, int threads);

}  // namespace pellucid

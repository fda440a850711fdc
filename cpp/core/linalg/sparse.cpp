#include "core/linalg/sparse.hpp"

#include <algorithm>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {

// Counting sort by column. Parts of the rows are counted and placed side by side; every entry has its one place,
// whatever the number of parts.
template <class Index>
CscMemory columns_of(const Csr<Index>& x, int threads) {
    require(x.rows < std::numeric_limits<std::uint32_t>::max(), "columns_of: rows");
    const Size parts = static_cast<Size>(std::clamp(threads, 1, 8)), part_rows = blocks_of(x.rows, parts);
    std::vector<Size> next(parts * x.cols, 0);
    const auto each_entry = [&](Size part, const auto& visit) {
        const Size begin = std::min(x.rows, part * part_rows), end = std::min(x.rows, begin + part_rows);
        for (Size r = begin; r < end; ++r)
            for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k)
                if (x.values[k] != 0) visit(r, static_cast<Size>(x.indices[k]), x.values[k]);
    };
    parallel_for(parts, threads, [&](Size part) {
        Size* count = next.data() + part * x.cols;
        each_entry(part, [&](Size, Size c, double) { ++count[c]; });
    });
    CscMemory out;
    out.starts.resize(x.cols + 1);
    Size sum = 0;
    for (Size c = 0; c < x.cols; ++c) {
        out.starts[c] = sum;
        for (Size part = 0; part < parts; ++part) {
            const Size count = next[part * x.cols + c];
            next[part * x.cols + c] = sum;
            sum += count;
        }
    }
    out.starts[x.cols] = sum;
    out.values.resize(sum);
    out.indices.resize(sum);
    parallel_for(parts, threads, [&](Size part) {
        Size* place = next.data() + part * x.cols;
        each_entry(part, [&](Size r, Size c, double value) {
            out.values[place[c]] = value;
            out.indices[place[c]++] = static_cast<std::uint32_t>(r);
        });
    });
    return out;
}

template CscMemory columns_of(const Csr<std::int32_t>&, int);
template CscMemory columns_of(const Csr<std::int64_t>&, int);

}  // namespace pellucid

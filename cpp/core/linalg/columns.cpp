#include "core/linalg/columns.hpp"

#include <type_traits>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"

namespace pellucid {

extern const ColumnHot column_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const ColumnHot column_hot_v3;
extern const ColumnHot column_hot_v4;
#endif

const ColumnHot& column_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return column_hot_v4;
        case Level::v3:
            return column_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return column_hot_baseline;
}

namespace {

constexpr Size kTile = 64;  // rows and columns that are turned round together: both sides stay in the first cache

// Column by column what x holds row by row, or in any other order.
template <class T>
void turn(const Dense<T>& x, T* out, int threads) {
    parallel_for(blocks_of(x.cols, kTile), threads, [&](Size block) {
        const Size left = block * kTile, right = std::min(x.cols, left + kTile);
        for (Size top = 0; top < x.rows; top += kTile)
            for (Size r = top; r < std::min(x.rows, top + kTile); ++r)
                for (Size c = left; c < right; ++c) out[c * x.rows + r] = x.at(r, c);
    });
}

template <class T>
DenseColumns<T> by_columns(const Dense<T>& x, std::vector<T>& memory, int threads) {
    if (x.row_stride == 1 || x.rows == 1) return {x.data, x.rows, x.cols, x.col_stride};
    memory.resize(x.rows * x.cols);
    turn(x, memory.data(), threads);
    return {memory.data(), x.rows, x.cols, static_cast<std::ptrdiff_t>(x.rows)};
}

}  // namespace

ColumnTable column_table(const Matrix& X, int threads) {
    ColumnTable out;
    std::visit(
        [&]<class View>(const View& x) {
            if constexpr (std::is_same_v<View, Dense<double>>) {
                out.view = by_columns(x, out.wide, threads);
            } else if constexpr (std::is_same_v<View, Dense<float>>) {
                out.view = by_columns(x, out.narrow, threads);
            } else {
                out.sparse = columns_of(x, threads);
                out.view = out.sparse.view(x.rows);
            }
        },
        X);
    return out;
}

}  // namespace pellucid

#include "core/itemsets/bits.hpp"

#include "core/base/simd.hpp"

namespace pellucid::itemsets {

const BitRows& bit_rows_baseline();
#if defined(PELLUCID_X86_LEVELS)
const BitRows& bit_rows_v3();
const BitRows& bit_rows_v4();
#endif

const BitRows& bit_rows() {
#if defined(PELLUCID_X86_LEVELS)
    switch (current_level()) {
        case Level::v4:
            return bit_rows_v4();
        case Level::v3:
            return bit_rows_v3();
        case Level::baseline:
            break;
    }
#endif
    return bit_rows_baseline();
}

}  // namespace pellucid::itemsets

// How often each term stands in each text, as compressed sparse rows.
//
// Texts are cut into blocks whose borders depend on their lengths alone. A block has a vocabulary of its own, in the
// order of first sight, and counts its texts in one pass over their bytes. Then every term of every block is given its
// column: by its place among all terms that are kept, in the order of their bytes (`fit`); by a vocabulary that is
// known already (`transform`); or by a hash (`hash`). So the number of threads changes no bit.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/analyze.hpp"

namespace pellucid::text {

// Texts, or where `starts` is not empty texts that were cut into words: text i has words starts[i] .. starts[i+1].
struct Documents {
    std::span<const std::string_view> pieces;
    std::span<const Size> starts;
    Size size() const { return starts.empty() ? pieces.size() : starts.size() - 1; }
};

// Row r has entries starts[r] .. starts[r+1], in ascending order of their columns.
struct Rows {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

// Which terms are kept: those in at least `low` and at most `high` texts; of these the `limit` most frequent ones, the
// first in the order of their bytes among equals.
struct Kept {
    double low = 0.0;
    double high = 0.0;
    std::optional<Size> limit;
};

struct Fitted {
    std::vector<std::string_view> terms;  // those kept, in the order of their columns; views of `all`
    std::vector<std::int64_t> documents;  // how many texts have each
    Size met = 0;                         // terms before any was left out
    Vocabulary all;
    Rows rows;
};

struct Hashing {
    Size columns = 0;
    bool signs = true;  // a term whose hash is below zero counts down
};

// `binary`: a term that is there counts 1, however often. The number of a known term is its column.
Fitted count_fit(const Documents& texts, const Analysis& analysis, const Kept& kept, bool binary, int threads);
Rows count_transform(const Documents& texts, const Analysis& analysis, const Vocabulary& known, bool binary,
                     int threads);
Rows count_hash(const Documents& texts, const Analysis& analysis, const Hashing& hashing, bool binary, int threads);

}  // namespace pellucid::text

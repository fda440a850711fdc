// The layout of delimited text, before anyone reads it: how many rows there are, which of them have another number of
// fields than the first, whether a quote is opened that never closes, and which columns hold nothing but numbers.
//
// A field starts behind a delimiter or a line end. If its first character is a quote, it goes on until the next quote
// that is not doubled; delimiters and line ends within belong to it. Lines end with \n, \r\n or \r. Empty lines are no
// rows. Text without quotes is cut into blocks at line ends, which threads share; its layout does not depend on them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pellucid {

// What all fields of a column behind the first row are, those aside in which nothing stands.
//
//   whole     [-](0 | 1-9 and up to 17 digits)
//   decimal   [-](digit | 1-9 and up to 14 digits)[.digits][e[+-] one or two digits]
//   other     anything else, a quoted number among it
enum class CsvKind : std::uint8_t { nothing, whole, decimal, other };

struct CsvLayout {
    std::int64_t rows = 0;               // with the header, if there is one
    std::int64_t fields = 0;             // of the first row
    std::int64_t widest = 0;             // of the row that has most
    std::int64_t odd = 0;                // rows with another number of fields
    std::vector<std::int64_t> odd_rows;  // the first of them, at most `most`
    std::int64_t stray = 0;              // quotes amidst fields, which some readers take for the start of a quoted one
    std::int64_t open_quote = -1;        // where the quote stands that never closes
    std::vector<CsvKind> kinds;          // of the columns that the first row has; all `other` if a line ends with \r
};

CsvLayout csv_layout(std::string_view text, char delimiter, char quote, std::int64_t most, int threads);

}  // namespace pellucid

// Rows and fields of delimited text, counted by hand.
#include "core/data/csv_layout.hpp"

#include "tests/harness.hpp"

namespace pellucid::test {

TEST(rows_and_fields_of_plain_text) {
    const auto found = csv_layout("a,b\n1,2\r\n3,4\r5,6", ',', '"', 10);
    CHECK(found.rows == 4);
    CHECK(found.fields == 2);
    CHECK(found.odd == 0);
    CHECK(found.open_quote == -1);
}

TEST(empty_lines_are_no_rows) {
    const auto found = csv_layout("\na\n\n1\n\n", ',', '"', 10);
    CHECK(found.rows == 2);
    CHECK(found.odd == 0);
}

TEST(quotes_hold_delimiters_lines_and_doubled_quotes) {
    const auto found = csv_layout("a,b\n\"x,\ny\"\"\",2\n", ',', '"', 10);
    CHECK(found.rows == 2);
    CHECK(found.odd == 0);
    CHECK(found.open_quote == -1);
}

TEST(a_quote_within_a_field_is_a_character) {
    const auto found = csv_layout("a,b\n5\" disk,2\n3,4\n", ',', '"', 10);
    CHECK(found.rows == 3);
    CHECK(found.odd == 0);
    CHECK(found.stray == 1);
    CHECK(found.open_quote == -1);
    CHECK(csv_layout("\"a\"b,c\n", ',', '"', 0).stray == 0);
    CHECK(csv_layout("\"a\"b\",c\n", ',', '"', 0).stray == 1);
}

TEST(ragged_rows_are_named) {
    const auto found = csv_layout("a,b\n1\n1,2,3\n1,2\n,\n", ',', '"', 1);
    CHECK(found.rows == 5);
    CHECK(found.odd == 2);
    CHECK(found.odd_rows == std::vector<std::int64_t>{1});
    CHECK(found.widest == 3);
}

TEST(a_quote_that_never_closes_is_found) {
    const auto found = csv_layout("a,b\n1,\"x\n3,4\n", ',', '"', 10);
    CHECK(found.open_quote == 6);
}

TEST(no_text_has_no_rows) {
    CHECK(csv_layout("", ',', '"', 10).rows == 0);
    CHECK(csv_layout("\"", ',', '"', 10).open_quote == 0);
}

}  // namespace pellucid::test

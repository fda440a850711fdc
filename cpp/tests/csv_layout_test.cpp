// Rows and fields of delimited text, counted by hand.
#include "core/data/csv_layout.hpp"

#include <string>

#include "tests/harness.hpp"

namespace pellucid::test {

TEST(rows_and_fields_of_plain_text) {
    const auto found = csv_layout("a,b\n1,2\r\n3,4\r5,6", ',', '"', 10, 1);
    CHECK(found.rows == 4);
    CHECK(found.fields == 2);
    CHECK(found.odd == 0);
    CHECK(found.open_quote == -1);
}

TEST(empty_lines_are_no_rows) {
    const auto found = csv_layout("\na\n\n1\n\n", ',', '"', 10, 1);
    CHECK(found.rows == 2);
    CHECK(found.odd == 0);
}

TEST(quotes_hold_delimiters_lines_and_doubled_quotes) {
    const auto found = csv_layout("a,b\n\"x,\ny\"\"\",2\n", ',', '"', 10, 1);
    CHECK(found.rows == 2);
    CHECK(found.odd == 0);
    CHECK(found.open_quote == -1);
}

TEST(a_quote_within_a_field_is_a_character) {
    const auto found = csv_layout("a,b\n5\" disk,2\n3,4\n", ',', '"', 10, 1);
    CHECK(found.rows == 3);
    CHECK(found.odd == 0);
    CHECK(found.stray == 1);
    CHECK(found.open_quote == -1);
    CHECK(csv_layout("\"a\"b,c\n", ',', '"', 0, 1).stray == 0);
    CHECK(csv_layout("\"a\"b\",c\n", ',', '"', 0, 1).stray == 1);
}

TEST(ragged_rows_are_named) {
    const auto found = csv_layout("a,b\n1\n1,2,3\n1,2\n,\n", ',', '"', 1, 1);
    CHECK(found.rows == 5);
    CHECK(found.odd == 2);
    CHECK(found.odd_rows == std::vector<std::int64_t>{1});
    CHECK(found.widest == 3);
}

TEST(a_quote_that_never_closes_is_found) {
    const auto found = csv_layout("a,b\n1,\"x\n3,4\n", ',', '"', 10, 1);
    CHECK(found.open_quote == 6);
}

namespace {

CsvKind kind_of(const std::string& fields) { return csv_layout("a\n" + fields, ',', '"', 0, 1).kinds.at(0); }

}  // namespace

TEST(columns_of_numbers_are_known) {
    for (const char* fields : {"0\n-12\n123456789012345678\n", "\n7\n", "5", "-0\r\n3\r\n"})
        CHECK(kind_of(fields) == CsvKind::whole);
    for (const char* fields : {"0.5\n", "-1.25\n3\n", "2e5\n", "7.0E-12\n", "123456789012345.5\n"})
        CHECK(kind_of(fields) == CsvKind::decimal);
    for (const char* fields :
         {"007\n", "+5\n", "1.\n", ".5\n", "1e\n", "1e100\n", "x\n", "1 \n", " 1\n", "-\n", "1.2.3\n",
          "1234567890123456789\n", "1234567890123456\n0.5\n", "\"1\"\n", "1\r2\n", "--1\n"})
        CHECK(kind_of(fields) == CsvKind::other);
    CHECK(kind_of("") == CsvKind::nothing);
    const auto found = csv_layout("a,b,c,d\n1,2.5,x,\n2,3,\"y\nz\",\n", ',', '"', 0, 1);
    CHECK((found.kinds == std::vector{CsvKind::whole, CsvKind::decimal, CsvKind::other, CsvKind::nothing}));
}

TEST(blocks_of_a_long_text_are_put_together) {
    std::string text = "a,b\n";
    std::vector<std::int64_t> odd;
    for (std::int64_t row = 1; row <= 300'000; ++row) {
        text += std::to_string(row) + (row % 70'000 == 0 ? ",1,2\n" : row == 299'999 ? ",0.5\n" : ",12\n");
        if (row % 70'000 == 0) odd.push_back(row);
    }
    for (const int threads : {1, 3}) {
        const auto found = csv_layout(text, ',', '"', 3, threads);
        CHECK(found.rows == 300'001 && found.fields == 2 && found.widest == 3 && found.odd == 4);
        CHECK(found.odd_rows == std::vector(odd.begin(), odd.begin() + 3));
        CHECK((found.kinds == std::vector{CsvKind::whole, CsvKind::decimal}));
    }
    const auto quoted = csv_layout(text + "\"x\",\"1\"\n", ',', '"', 3, 3);
    CHECK(quoted.rows == 300'002 && quoted.odd == 4);
    CHECK((quoted.kinds == std::vector{CsvKind::other, CsvKind::other}));
}

TEST(no_text_has_no_rows) {
    CHECK(csv_layout("", ',', '"', 10, 1).rows == 0);
    CHECK(csv_layout("\"", ',', '"', 10, 1).open_quote == 0);
}

}  // namespace pellucid::test

"""Readers of single cells."""

from datetime import datetime

import pytest

from pellucid.quality.formats import (
    FALSE_WORDS,
    TRUE_WORDS,
    garbled,
    is_dummy,
    is_missing_word,
    parse_flag,
    parse_number,
    parse_time,
    read_number_words,
    repaired,
    trimmed,
)


@pytest.mark.parametrize(
    ("text", "settings", "number"),
    [
        ("12", {}, 12.0),
        (" -3.5 ", {}, -3.5),
        ("1.5e-3", {}, 0.0015),
        (".5", {}, 0.5),
        ("5-", {}, -5.0),
        ("(5)", {}, -5.0),
        ("−5", {}, -5.0),
        ("1,234.5", {"thousands": ","}, 1234.5),
        ("1.234,5", {"thousands": ".", "decimal": ","}, 1234.5),
        ("1 234,5", {"thousands": " ", "decimal": ","}, 1234.5),
        ("1\u202f234", {"thousands": " "}, 1234.0),
        ("1'234'567", {"thousands": "'"}, 1234567.0),
        ("12,34,567", {"thousands": ","}, 1234567.0),
        ("$5.00", {"units": ["$"]}, 5.0),
        ("-$5", {"units": ["$"]}, -5.0),
        ("($1,200)", {"units": ["$"], "thousands": ","}, -1200.0),
        ("5 €", {"units": ["€"]}, 5.0),
        ("0.09%", {"units": ["%"]}, 0.09),
        ("12.0 OZ.", {"units": ["oz"]}, 12.0),
        ("12.0 oz. Silo Can", {"units": ["oz", "oz. Silo Can"]}, 12.0),
        ("€1.5M", {"units": ["€", "M=1000000"]}, 1.5e6),
        ("thirty", {}, 30.0),
        ("SIXTY THOUSAND", {}, 60000.0),
        ("two hundred", {}, 200.0),
        ("dreißig", {}, 30.0),
        ("zweihundertfünf", {}, 205.0),
    ],
)
def test_numbers(text, settings, number):
    assert parse_number(text, **settings) == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", " ", "abc", "nan", "inf", "0x1f", "1_000", "12 oz", "1,2", "--3", "1.2.3", "and", "٣", "12:30"]
)
def test_what_is_no_number(text):
    assert parse_number(text) is None


def test_groups_of_thousands_must_have_three_digits():
    assert parse_number("12,34", thousands=",") is None


def test_words_can_be_refused():
    assert parse_number("thirty", words=False) is None


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("zero", 0),
        ("one hundred and twenty-three", 123),
        ("two million", 2e6),
        ("minus five", -5),
        ("einundzwanzig", 21),
    ],
)
def test_number_words(words, number):
    assert read_number_words(words) == number


@pytest.mark.parametrize(
    ("text", "format", "time"),
    [
        ("2020-02-29", "%Y-%m-%d", datetime(2020, 2, 29)),
        ("20200229", "%Y%m%d", datetime(2020, 2, 29)),
        ("1/2/71", "%m/%d/%y", datetime(1971, 1, 2)),
        ("April 5, 2018", "%B %d, %Y", datetime(2018, 4, 5)),
        ("Apr 5, 2018", "%B %d, %Y", datetime(2018, 4, 5)),
        ("5. März 2018", "%d. %B %Y", datetime(2018, 3, 5)),
        ("3rd May 2018", "%d %B %Y", datetime(2018, 5, 3)),
        ("12:30 am", "%I:%M %p", datetime(1900, 1, 1, 0, 30)),
        ("2020-01-02T03:04:05Z", "%Y-%m-%dT%H:%M:%S%z", datetime(2020, 1, 2, 3, 4, 5)),
        ("2020-01-02 03:04:05.25+02:00", "%Y-%m-%d %H:%M:%S.%f%z", datetime(2020, 1, 2, 1, 4, 5, 250000)),
        ("Mon, 06 Jan 2020", "%a, %d %b %Y", datetime(2020, 1, 6)),
        ("2020-032", "%Y-%j", datetime(2020, 2, 1)),
    ],
)
def test_times(text, format, time):
    assert parse_time(text, [format]) == time


@pytest.mark.parametrize("text", ["2021-02-29", "2020-13-01", "x", "", "2020-01-01 "[:4]])
def test_what_is_no_time(text):
    assert parse_time(text, ["%Y-%m-%d"]) is None


def test_the_first_format_that_fits():
    assert parse_time("03/04/2020", ["%d/%m/%Y", "%m/%d/%Y"]) == datetime(2020, 4, 3)
    assert parse_time("03/14/2020", ["%d/%m/%Y", "%m/%d/%Y"]) == datetime(2020, 3, 14)


def test_blanks():
    assert trimmed("\u200b a \u00a0 b\ufeff ") == "a b"
    assert trimmed("a  b", inner=False) == "a  b"


@pytest.mark.parametrize("text", ["Café", "naïve", "São Paulo", "Ærø", "привет", "über", "“quoted”", "日本"])
def test_an_encoding_that_went_wrong_is_put_right(text):
    wrong = text.encode("utf-8").decode("latin-1")
    assert repaired(wrong) == text
    assert garbled(wrong)
    assert repaired(text) == text
    assert not garbled(text)


@pytest.mark.parametrize("text", ["M�ller", "M?ller"])
def test_lost_letters(text):
    assert garbled(text)
    assert repaired(text) == text


def test_flags():
    assert parse_flag(" YES ") is True
    assert parse_flag("0") is False
    assert parse_flag("perhaps") is None
    assert not TRUE_WORDS & FALSE_WORDS


def test_words_for_nothing():
    assert all(
        map(is_missing_word, ["N/A", "nan", "NULL", "?", "-", " ", "", "UNKNOWN", "ERROR", "#N/A", "keine Angabe"])
    )
    assert not any(map(is_missing_word, ["Nina", "0", "no", "nothing else"]))


def test_words_to_fill_a_field():
    assert all(map(is_dummy, ["test", "asdf", "xxx", "John Doe", "email@example.com", "000-000-0000", "1234567890"]))
    assert not any(map(is_dummy, ["Testa", "anna.meier@uni.edu", "040-428380", "tests", "5551212", "12345"]))

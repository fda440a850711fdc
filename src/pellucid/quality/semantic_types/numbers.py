"""What stored numbers mean."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import Any

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.semantic_types.calendar import recognize_calendar
from pellucid.quality.semantic_types.check_digits import ean_valid, luhn_valid
from pellucid.quality.semantic_types.column_values import NumberValues
from pellucid.quality.semantic_types.names import ends_with_topic, name_words, names_topic
from pellucid.quality.semantic_types.semantic_type import SemanticType

FEW_ROWS = 20  # with fewer, nothing is concluded from values that are all different
LONG = 12  # digits: no measurement is that exact


def recognize_numbers(numbers: NumberValues) -> SemanticType | None:
    """The semantic type of a column of numbers."""
    if not numbers.is_whole:
        return _fraction(numbers)
    if numbers.low < 0:
        return None
    for recognize in (recognize_calendar, _phone_number, _code_with_check_digit, _zip_code, _identifier, _code, _scale):
        semantic = recognize(numbers)
        if semantic is not None:
            return semantic
    return _quantity(numbers)


def _widths(v: Array) -> tuple[int, int]:
    """Digits of the smallest and of the largest value."""
    return len(str(int(v[0]))), len(str(int(v[-1])))


def _spelled(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


# ------------------------------------------------------------------------------------------- phones, zips, check digits


def _is_north_american_phone(v: Array) -> Flags:
    """Ten digits; area code and exchange begin with 2 to 9 and do not end in 11."""
    area, exchange = v // 10**7, v // 10**4 % 1000
    return np.asarray((area >= 200) & (area <= 999) & (area % 100 != 11) & (exchange >= 200) & (exchange % 100 != 11))


def _phone_number(numbers: NumberValues) -> SemanticType | None:
    v, has_name = numbers.integers, names_topic(numbers.words, "phone")
    low, high = _widths(v)
    local = v - 10**10 if (low, high) == (11, 11) and v[0] // 10**10 == v[-1] // 10**10 == 1 else v
    if _widths(local) == (10, 10) and bool(_is_north_american_phone(local).all()) and (has_name or len(v) >= 60):
        evidence = f"all {len(v):,} different values have ten digits and a valid North American area code and exchange"
        return SemanticType("phone_number", evidence)
    if has_name and 7 <= low <= high <= 14 and not _is_round(v):
        return SemanticType(
            "phone_number", f"whole numbers of {_spelled(low, high)} digits, under a name that speaks of phones"
        )
    return None


def _is_round(v: Array) -> bool:
    """Are most values multiples of 100, as amounts are and numbers that were given out are not?"""
    return float((v % 100 == 0).mean()) > 0.2


def _zip_code(numbers: NumberValues) -> SemanticType | None:
    v = numbers.integers
    low, high = _widths(v)
    if not names_topic(numbers.words, "zip") or not 3 <= low <= high <= 8 or (_is_round(v) and numbers.n_distinct > 20):
        return None
    return SemanticType(
        "zip_code", f"whole numbers of {_spelled(low, high)} digits, under a name that speaks of zip codes"
    )


def _code_with_check_digit(numbers: NumberValues) -> SemanticType | None:
    v = numbers.integers
    low, high = _widths(v)
    if len(v) < 12 or high < 8 or high - low > 2:
        return None
    for kind, is_valid in (("EAN, UPC or ISBN", ean_valid), ("Luhn", luhn_valid)):
        if bool(is_valid(v).all()):
            evidence = f"all {len(v):,} different values end in a valid check digit ({kind})"
            return _named_things(numbers, evidence)
    return None


def _named_things(numbers: NumberValues, evidence: str) -> SemanticType:
    """An identifier where every row has its own value, a code where values repeat."""
    if numbers.is_unique:
        return SemanticType("identifier", evidence)
    return SemanticType("code", evidence)


# -------------------------------------------------------------------------------------------------------- identifiers


def _identifier(numbers: NumberValues) -> SemanticType | None:
    if numbers.n_present < FEW_ROWS or names_topic(numbers.words, "rank"):
        return None
    return _row_number(numbers) or _long_number(numbers) or _named_identifier(numbers)


def _row_number(numbers: NumberValues) -> SemanticType | None:
    """Every row has its own whole number, and the numbers fill their range. Of measurements some would repeat."""
    keyed = any(names_topic(numbers.words, topic) for topic in ("key", "numbering", "entity"))
    measured = any(names_topic(numbers.words, topic) for topic in ("count", "period", "time", "day", "month", "hour"))
    if not numbers.is_unique or (measured and not keyed):
        return None
    low, high = int(numbers.low), int(numbers.high)
    span = high - low + 1
    if span > 2 * numbers.n_distinct or _chance_of_no_repeat(numbers.n_distinct, span) > 1e-6:
        return None
    evidence = f"every row has its own whole number, and they fill {numbers.n_distinct / span:.0%} of {low} to {high}"
    return SemanticType("identifier", evidence)


def _chance_of_no_repeat(n: int, span: int) -> float:
    """The probability that n values drawn at random from a range are all different."""
    return exp(lgamma(span + 1) - lgamma(span - n + 1) - n * log(span))


def _long_number(numbers: NumberValues) -> SemanticType | None:
    """Whole numbers of so many digits, all of one length and not round, are given out, not measured."""
    v = numbers.integers
    low, high = _widths(v)
    if low != high or low < LONG or numbers.n_distinct < 0.5 * numbers.n_present or _is_round(v):
        return None
    evidence = f"{numbers.n_distinct:,} different whole numbers of {low} digits in {numbers.n_present:,} rows"
    return SemanticType("identifier", evidence, repeats=not numbers.is_unique)


def _named_identifier(numbers: NumberValues) -> SemanticType | None:
    """A name says key, and the values are whole numbers without a sign that hardly repeat or name many entities."""
    key = ends_with_topic(numbers.words, "key")
    weak = ends_with_topic(numbers.words, "numbering") or ends_with_topic(numbers.words, "entity")
    if not key and not (weak and numbers.low >= 100 and _is_narrow(numbers.integers)):
        return None
    if _is_round(numbers.integers):
        return None
    n, rows = numbers.n_distinct, numbers.n_present
    if numbers.is_unique:
        return SemanticType(
            "identifier", f"every one of {rows:,} rows has its own whole number, under the name of a key"
        )
    if n < FEW_ROWS:
        return None
    evidence = f"{n:,} different whole numbers in {rows:,} rows, under a name that speaks of identifiers"
    if not key and not names_topic(numbers.words, "entity"):  # of a house, a street, a track
        return SemanticType("code", evidence)
    return SemanticType("identifier", evidence, repeats=True)


def _is_narrow(v: Array) -> bool:
    """Numbers of nearly one length, as a series of numbers that were given out has."""
    low, high = _widths(v)
    return high - low <= 1


# -------------------------------------------------------------------------------------------------------------- codes


def _code(numbers: NumberValues) -> SemanticType | None:
    """A name says code or category, and there are few values for the rows."""
    said_code = names_topic(numbers.words, "code")
    key = ends_with_topic(numbers.words, "key") or ends_with_topic(numbers.words, "numbering")
    category = ends_with_topic(numbers.words, "category") or ends_with_topic(numbers.words, "entity")
    if not (said_code or key or category) or names_topic(numbers.words, "count"):
        return None
    n, rows = numbers.n_distinct, numbers.n_present
    if n < 3 or 3 * n > rows:
        return None
    if category and not said_code and not key and not _looks_like_labels(numbers):
        return None
    evidence = f"{n:,} different whole numbers in {rows:,} rows, under a name that speaks of codes, keys or categories"
    return SemanticType("code", evidence)


def _looks_like_labels(numbers: NumberValues) -> bool:
    """Few values with wide gaps between them, or far from zero in a narrow range. Others may be grades or counts."""
    v = numbers.integers
    is_sparse = len(v) < 0.5 * (int(v[-1]) - int(v[0]) + 1)
    return len(v) <= 60 and v[0] >= 1 and (is_sparse or (v[0] >= 100 and v[-1] < 1.5 * v[0]))


# ------------------------------------------------------------------------------------------ scales, counts and amounts


def _scale(numbers: NumberValues) -> SemanticType | None:
    """A few whole numbers in a row under the name of a grade."""
    v = numbers.integers
    grades = names_topic(numbers.words, "grade")
    if not grades or not 3 <= len(v) <= 11 or v[-1] - v[0] + 1 != len(v) or v[0] > 3 or numbers.n_present < 5 * len(v):
        return None
    evidence = f"the {len(v)} whole numbers from {v[0]} to {v[-1]}, under a name that speaks of grades"
    return SemanticType("ordinal", evidence, levels=tuple(v.tolist()))


def _quantity(numbers: NumberValues) -> SemanticType | None:
    """Counts and whole amounts of money and percentages."""
    if names_topic(numbers.words, "percentage") and numbers.high <= 100 and numbers.n_distinct > 5:
        evidence = f"{_from_to(numbers)}, under a name that speaks of percentages"
        return SemanticType("percentage", evidence, unit="%")
    if names_topic(numbers.words, "currency") and numbers.n_distinct > 10:
        return SemanticType("money", "whole numbers, under the name of a currency", unit=_currency(numbers))
    if _is_count(numbers):
        return SemanticType("count", "whole numbers from 0 or 1 upwards, small ones more frequent than large ones")
    return None


def _is_count(numbers: NumberValues) -> bool:
    """Whole numbers from 0 or 1 upwards of which small ones are the most frequent, under the name of a count."""
    if not names_topic(numbers.words, "count") or numbers.low > 1 or numbers.n_distinct < 4:
        return False
    v, middle = numbers.integers, float(numbers.low + numbers.high) / 2
    return numbers.share(v <= middle) >= 0.65 and numbers.share(v == v[-1]) <= numbers.share(v == v[0])


def may_be_fractions(name: Any) -> bool:
    """Does a name speak of what numbers with a fraction may mean? Without it they are measurements."""
    words = name_words(name)
    topics = ("latitude", "longitude", "percentage", "share", "money", "currency")
    return any(names_topic(words, topic) for topic in topics)


def _fraction(numbers: NumberValues) -> SemanticType | None:
    """Numbers with a fraction whose name says what they are."""
    low, high = float(numbers.low), float(numbers.high)
    for topic, limit in (("latitude", 90.0), ("longitude", 180.0)):
        if names_topic(numbers.words, topic) and -limit <= low and high <= limit:
            return SemanticType(
                "coordinate", f"numbers within {_from_to(numbers)}, under the name of a {topic}", unit=topic
            )
    if names_topic(numbers.words, "percentage") and 1 < high <= 100 and low >= 0:
        evidence = f"numbers within {_from_to(numbers)}, under a name that speaks of percentages"
        return SemanticType("percentage", evidence, unit="%")
    shares = names_topic(numbers.words, "percentage") or names_topic(numbers.words, "share")
    if shares and 0 <= low < high <= 1:
        evidence = f"numbers within {_from_to(numbers)}, under a name that speaks of shares"
        return SemanticType("percentage", evidence, unit="fraction")
    amount = names_topic(numbers.words, "money") or names_topic(numbers.words, "currency")
    if amount and _has_cents(numbers.values):
        evidence = "numbers with at most two decimals, under a name that speaks of money"
        return SemanticType("money", evidence, unit=_currency(numbers))
    return None


def _has_cents(values: Array) -> bool:
    cents = values * 100
    return bool(np.all(np.abs(cents - np.round(cents)) <= 1e-6 * np.maximum(np.abs(cents), 1)))


_CURRENCIES = {
    **{sign: sign for sign in "$€£¥"},
    **{word: word.upper() for word in ("usd", "eur", "gbp", "chf", "jpy", "inr")},
    **dict.fromkeys(("dollar", "dollars"), "USD"),
    **dict.fromkeys(("euro", "euros"), "EUR"),
    "pounds": "GBP",
}


def _currency(numbers: NumberValues) -> str:
    """The currency that a name begins or ends with; within a name it may be part of a unit, as in EUR per MWh."""
    ends = numbers.words[:1] + numbers.words[-1:]
    return next((_CURRENCIES[word] for word in ends if word in _CURRENCIES), "")


def _from_to(numbers: NumberValues) -> str:
    return f"{float(numbers.low):.6g} to {float(numbers.high):.6g}"

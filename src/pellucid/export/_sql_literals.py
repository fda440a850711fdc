"""Names, texts and numbers as a database reads them back: letter by letter, and to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pellucid.base.errors import DataError, format_message, short_repr

_EXACT_POWER = 59  # 2 to it has 18 digits, which every database reads as a whole number first
_EXACT = 2**53  # whole numbers up to here are floats without loss
_SURE_DIGITS = 4  # behind the point, at which no reader of decimals errs


def identifier(name: Any) -> str:
    """A name in double quotes."""
    return '"' + _checked(str(name)).replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in single quotes."""
    return "'" + _checked(text).replace("'", "''") + "'"


def _checked(text: str) -> str:
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        requirement = "names must be text without the character NUL that UTF-8 can hold"
        raise DataError(
            format_message("to_sql", requirement, actual=f"got {short_repr(text)}", hint="rename it before fit")
        )
    return text


def double_literal(value: float, dialect: str, exact: bool = False) -> str:
    """A 64-bit number in a dialect of SQL.

    DuckDB and PostgreSQL round decimals right. SQLite reads them with a few bits to spare at best: with `exact`, for
    numbers that something is compared with, one that it might miss by a bit is written as a quotient of whole numbers.
    """
    if math.isnan(value):
        return {"sqlite": "NULL", "duckdb": "CAST(NULL AS DOUBLE)"}.get(dialect, "CAST(NULL AS double precision)")
    if math.isinf(value):
        sign = "-" if value < 0 else ""
        named = {"duckdb": f"CAST('{sign}Infinity' AS DOUBLE)"}
        if dialect == "sqlite":
            return f"{sign}9e999"
        return named.get(dialect, f"CAST('{sign}Infinity' AS double precision)")
    text = repr(value)
    if dialect == "duckdb":
        return text if "e" in text else f"{text}e0"  # without it the number would be a decimal
    if dialect == "postgresql":
        return f"{text}::float8"
    return _sqlite_literal(text, exact)


@lru_cache(maxsize=100_000)
def _sqlite_literal(text: str, exact: bool) -> str:
    """What SQLite reads as the number of `text`; asked by text, since 0.0 and -0.0 are one key as numbers."""
    value = float(text)
    if not exact:
        return text if _read_right(value) else f"{value:.17g}"
    return text if _read_right(value) and _few_digits(value) else _quotient(value)


def _few_digits(value: float) -> bool:
    """Is it a short decimal, one rounding away from two whole numbers that are floats?"""
    digits = Fraction(repr(value))
    return abs(digits.numerator) < _EXACT and digits.denominator <= 10**22


def _read_right(value: float) -> bool:
    """Is the shortest decimal far enough from the middle between two floats for a reader with few bits to spare?"""
    if value == 0 or value.is_integer():
        return abs(value) < _EXACT
    decimal = Fraction(repr(value))
    if decimal.denominator <= 10**_SURE_DIGITS:
        return True
    own, step = Fraction(value), Fraction(math.ulp(value)) / 2
    apart = min(abs(decimal - (own - step)), abs(decimal - (own + step)))
    return apart > abs(own) / 2**58


def _quotient(value: float) -> str:
    """The number as a whole number divided by, or times, powers of two: exact whoever reads it."""
    top, bottom = value.as_integer_ratio()
    shift = 0
    while abs(top) >= _EXACT:
        top, shift = top // 2, shift + 1
    text = f"{top}.0" if bottom == 1 else str(top)
    down = bottom.bit_length() - 1
    while shift > 0:
        step = min(shift, _EXACT_POWER)
        text, shift = f"{text} * {2**step}.0", shift - step
    while down > 0:
        step = min(down, _EXACT_POWER)
        text, down = f"{text} / {2**step}.0", down - step
    return f"({text})"

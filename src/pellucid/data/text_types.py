"""Types of columns of text, given by polars where nothing is lost by it.

A column gets a type if every text has it and no two different texts give the same value. So "007" and "+49 30" stay
text, and so do "1.1" beside "1.10", versions such as 3.9, 3.10 and 3.11, "True" beside "true", and 1E5, which may be a
code, unless other exponents of the column are written as programs write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from importlib import import_module
from typing import Any

_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_NUMBER = r"^-?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"  # floats hold 15 digits
_FLAG = r"^(true|false|True|False|TRUE|FALSE)$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
_TESTS = {"Int64": _INTEGER, "Float64": _NUMBER, "Boolean": _FLAG, "Date": _DAY, "Datetime": _TIME}

_BARE_EXPONENT = r"^-?[0-9]+[eE][0-9]+$"
_CLEAR_EXPONENT = r"\.[0-9]*[eE]|[eE][+-]"
_VERSION = re.compile(r"([0-9]{1,4})\.(0|[1-9][0-9]{0,2})")
_LONG = r"[1-9][0-9.]{16,}"  # more digits than every float holds
_HEAD = 1000  # most columns of words are known as such by their first values
_FEW = 1000  # different numbers in the first rows, up to which a column may be one of codes or versions


def types_of(frame: Any) -> dict[str, Any]:
    """The type that each column of text can be given without loss; text where there is none. Others keep theirs."""
    return {column.name: _typed(column).dtype for column in frame.get_columns()}


def with_types(frame: Any) -> Any:
    """Columns of text with the types that `types_of` finds."""
    polars = import_module("polars")
    return polars.DataFrame([_typed(column) for column in frame.get_columns()])


def may_lose_text(numbers: Any) -> bool:
    """Could decimal numbers, read as such, be codes or versions whose text says more: 1E5, 1.10? Then read the text."""
    present = numbers.drop_nulls()
    if not len(present):
        return False
    return bool(present.head(10_000).n_unique() <= _FEW or (present == present.round()).all())


def same_numbers(texts: Any, numbers: Any) -> bool:
    """Were texts read as these numbers without loss?"""
    is_lossless = _keeps_exponents(texts) and _keeps_digits(texts) and _is_one_to_one(texts, numbers)
    return bool(is_lossless and not _holds_versions(texts))


def are_versions(texts: Iterable[str]) -> bool:
    """Are these two whole numbers with a point between them, as in versions and sections, where 5.10 follows 5.9?

    Decimal numbers are written with a fixed number of decimals, or without trailing zeros. Numbers typed by hand have
    both forms, but their decimals do not count up: some are 05, and most numbers between 10 and 99 are missing.

    >>> are_versions(["3.8", "3.9", "3.10", "3.11", "3.12"]), are_versions(["3.8", "3.90", "3.10", "3.11", "3.12"])
    (True, False)
    """
    matches = [_VERSION.fullmatch(text) for text in dict.fromkeys(texts)]
    pairs = {(int(match[1]), int(match[2])) for match in matches if match is not None}
    minors = {minor for _, minor in pairs}
    if None in matches or len(pairs) < 5 or 10 not in minors or not minors & set(range(1, 10)):
        return False
    collides = any((major, 1) in pairs for major, minor in pairs if minor == 10)
    counted = minors - {0}
    is_consecutive = len(counted) >= 0.75 * (max(counted) - min(counted) + 1)
    return is_consecutive and (collides or 11 in minors)


def _typed(column: Any) -> Any:
    """A column with the type of its texts, or as it is."""
    polars = import_module("polars")
    if column.dtype != polars.String or column.null_count() == len(column):
        return column
    column_without_plus = _without_plus(column)
    for kind, pattern in _TESTS.items():
        texts = column_without_plus if kind in ("Int64", "Float64") else column
        if _all_match(texts.head(_HEAD), pattern) and _all_match(texts, pattern):
            converted = _converted(texts, kind)
            return column if converted is None else converted.alias(column.name)
    return column


def _without_plus(column: Any) -> Any:
    """Differences, in which every number has its sign, without the plus signs; any other column as it is."""
    head = column.head(_HEAD)
    if not (head.str.starts_with("+").any() or head.str.starts_with("-").any()) or not _all_match(head, r"^[+-]|^0"):
        return column
    if not column.str.starts_with("-").any() or not _all_match(column, r"^[+-][0-9.]|^0(\.0*)?$"):
        return column
    return column.str.strip_prefix("+")


def _converted(column: Any, kind: str) -> Any:
    """The values of texts that all match the pattern of a type; None if something would be lost."""
    polars = import_module("polars")
    if kind == "Boolean":
        values = column.str.to_lowercase() == "true"
    elif kind == "Date":
        values = column.str.to_date("%Y-%m-%d", strict=False)
    elif kind == "Datetime":
        values = column.str.to_datetime(strict=False, time_unit="us")
    else:
        values = column.cast(getattr(polars, kind))
    if values.null_count() > column.null_count():
        return None
    if kind == "Float64" and not (_keeps_exponents(column) and _keeps_digits(column) and values.is_finite().all()):
        return None
    if kind == "Float64" and _holds_versions(column):
        return None
    return values if _is_one_to_one(column, values) else None


def _is_one_to_one(texts: Any, values: Any) -> bool:
    n_texts, n_values = texts.n_unique(), values.n_unique()
    if n_texts == n_values:
        return True
    zeros = texts.filter(texts.str.contains(r"^-?0*\.?0*$"))  # -0.0 beside 0.0 is one number written by a program
    return bool(zeros.n_unique() == 2 and n_texts == n_values + 1 and zeros.str.starts_with("-").any())


def _holds_versions(column: Any) -> bool:
    if not column.str.ends_with(".10").any():
        return False
    distinct = column.drop_nulls().unique()
    return len(distinct) <= _FEW and are_versions(distinct.to_list())


def _keeps_exponents(column: Any) -> bool:
    bare = column.str.contains(_BARE_EXPONENT).any()
    return bool(not bare or column.str.contains(_CLEAR_EXPONENT).any())


def _keeps_digits(column: Any) -> bool:
    """Does every text have no more digits than its number holds?"""
    long = column.filter(column.str.contains(_LONG)).unique().to_list()
    return all(_holds(text) for text in long)


def _holds(text: str) -> bool:
    """Is a text what its number is written as, with all of its digits or with as many as the text has?

    >>> _holds("1.3707608347738668e-9"), _holds("1.370760834773867E-09"), _holds("0.12345678901234567890123")
    (True, True, False)
    """
    number, mantissa = float(text), re.split("[eE]", text)[0]
    decimals = len(mantissa.partition(".")[2])
    form = "f" if mantissa == text else "e"
    return Decimal(text) in (Decimal(repr(number)), Decimal(f"{number:.{decimals}{form}}"))


def _all_match(column: Any, pattern: str) -> bool:
    return bool(column.str.contains(pattern).all())  # null is neither

"""Types that text can be given without loss: every text converts, and its value determines the text again.

A column of texts converts back if no two different texts give the same value and all are written in one way. "1.50"
beside "2.25" converts; "1.1" beside "1.10" does not, for both would become 1.1: they may be versions or codes. Texts
that can be read in more than one way never convert: "1,234" may be one or a thousand, "03/04/2021" March or April.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.data.text_types import are_versions
from pellucid.quality.checks._times import time_formats
from pellucid.quality.formats import parse_number, parse_time

# What programs write for a missing number. Other words ("none", "trace", "more", "-") may be values: they are not here.
NUMBER_MARKERS = frozenset({"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "?"})

_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_PLAIN = re.compile(r"-?(?:(?:0|[1-9]\d{0,14})(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_BARE_EXPONENT = re.compile(r"-?\d+[eE]\d+", re.ASCII)  # 2310009E13 is a clone, 1E5 may be a code
_CLEAR_EXPONENT = re.compile(r"-?\d*\.\d*[eE][+-]?\d+|-?\d+[eE][+-]\d+", re.ASCII)
_SIGNED = re.compile(r"[+-]\d.*|0(?:\.0*)?", re.ASCII)
_COMMA = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:,\d+)?", re.ASCII)
_DIGITS = 15  # that every double holds


@dataclass(frozen=True)
class ExactType:
    """A type for a column of text: the action that gives it and its settings."""

    action: str
    settings: dict[str, Any]


def exact_type(texts: Sequence[str], n_rows: int) -> ExactType | None:
    """The type that distinct texts of ``n_rows`` cells can be given without loss, or None.

    One marker for missing numbers, such as NA, may stand among the texts if all others have the type.

    >>> exact_type(["1.50", "2.25", "NA"], 3)
    ExactType(action='to_number', settings={'exact': True, 'missing': ['NA']})
    >>> exact_type(["1.1", "1.10", "1.2"], 3) is None, exact_type(["<0.5", "1.2"], 2) is None
    (True, True)
    >>> exact_type(["3.8", "3.9", "3.10", "3.11", "3.12"], 5) is None  # versions
    True
    >>> exact_type(["31.01.2020", "01.02.2020"], 2).settings
    {'exact': True, 'formats': ['%d.%m.%Y']}
    """
    markers = [text for text in texts if text in NUMBER_MARKERS]
    content = [text for text in texts if text not in NUMBER_MARKERS]
    if len(markers) > 1 or not content or (markers and len(content) < 2):
        return None
    first = content[0]
    if not any(map(str.isdigit, first)) or len(first) > 60:  # words are recognized at once
        return None
    missing = {"missing": markers} if markers else {}
    number = _number_settings(content)
    if number is not None:
        are_codes = looks_like_codes(content, n_rows, number.get("thousands", "")) or are_versions(content)
        return None if are_codes else ExactType("to_number", {"exact": True} | number | missing)
    format = _time_format(content)
    return None if format is None else ExactType("to_time", {"exact": True, "formats": [format]} | missing)


def looks_like_codes(texts: Sequence[str], n_rows: int, thousands: str) -> bool:
    """Digits of one length, long and nearly all different: zip codes, telephone and account numbers stored as text.

    Blanks may stand between groups of digits there, as in 732 829 320.
    """
    digits = [text.replace(" ", "") for text in texts] if thousands == " " else texts
    one_length = len({len(text) for text in digits}) == 1 and all(map(str.isdigit, digits))
    return one_length and len(digits[0]) >= 5 and len(digits) > max(0.5 * n_rows, 5)


# ------------------------------------------------------------------------------------------------------------ numbers


def _number_settings(texts: Sequence[str]) -> dict[str, Any] | None:
    if all(_WHOLE.fullmatch(text) for text in texts):
        return {"whole": True}
    for settings in ({}, {"decimal": ","}, *_GROUPED):
        if _is_written(texts, settings) and _is_one_to_one(texts, settings):
            return dict(settings)
    return None


_GROUPED = tuple(
    {"decimal": decimal, "thousands": thousands}
    for decimal, thousands in ((".", ","), (",", "."), (".", "'"), (",", " "), (".", " "))
)


def _is_written(texts: Sequence[str], settings: dict[str, str]) -> bool:
    """Are all texts numbers with these signs, and could they not be meant otherwise?"""
    if not settings:
        return _is_plain(texts)
    if "thousands" in settings:
        return _is_grouped(texts, settings["decimal"], settings["thousands"])
    return all(_COMMA.fullmatch(text) for text in texts) and any(map(tells_decimal_comma, texts))


def _is_plain(texts: Sequence[str]) -> bool:
    if any(text.startswith("+") for text in texts):  # differences, if every number has its sign
        if not any(text.startswith("-") for text in texts) or not all(map(_SIGNED.fullmatch, texts)):
            return False
        texts = [text.removeprefix("+") for text in texts]
    if not all(map(_PLAIN.fullmatch, texts)):
        return False
    bare = any(map(_BARE_EXPONENT.fullmatch, texts))
    return not bare or any(map(_CLEAR_EXPONENT.fullmatch, texts))


def tells_decimal_comma(text: str) -> bool:
    """Can the comma only stand before decimals? In 1,234 it may part thousands, and 1,3 may be a list of two."""
    integer_digits, _, decimals = text.removeprefix("-").partition(",")
    if not decimals or len(decimals) == 3:
        return bool(decimals) and integer_digits == "0"
    return (
        len(decimals) > 1
        or decimals == "0"
        or len(integer_digits) > 1
        or integer_digits == "0"
        or integer_digits > decimals
    )


def _is_grouped(texts: Sequence[str], decimal: str, thousands: str) -> bool:
    """Groups of three digits wherever there are more than three, and a text that can be read in this way only."""
    point, group = re.escape(decimal), re.escape(thousands)
    pattern = re.compile(rf"-?(?:0|[1-9]\d{{0,2}}(?:{group}\d{{3}}){{0,4}})(?:{point}\d+)?", re.ASCII)
    if not all(map(pattern.fullmatch, texts)):
        return False
    return any(text.count(thousands) > 1 or (thousands in text and decimal in text) for text in texts)


def _is_one_to_one(texts: Sequence[str], settings: dict[str, str]) -> bool:
    """Does each text give a number of its own, of which all its digits are left?"""
    numbers = set()
    for text in texts:
        number = parse_number(text, words=False, **settings)
        if number is None or abs(number) == float("inf") or not _keeps_digits(text, number, settings):
            return False
        numbers.add((number, math.copysign(1.0, number)))  # 0 and -0 are two numbers, 0 and 0.0 are one
    return len(numbers) == len(set(texts))


def _keeps_digits(text: str, number: float, settings: dict[str, str]) -> bool:
    mantissa = re.split("[eE]", text)[0]
    digits = re.sub(r"\D", "", mantissa).lstrip("0")
    if len(digits) <= _DIGITS:
        return True
    plain = text.removeprefix("+")
    if settings.get("thousands"):
        plain = plain.replace(settings["thousands"], "")
    plain = plain.replace(settings.get("decimal", "."), ".")
    decimals = len(plain.partition(".")[2])
    return plain in (repr(number), f"{number:.{decimals}f}")


# -------------------------------------------------------------------------------------------------------------- times

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_ZONE = re.compile(r"(?:[zZ]|[+-]00:?00)$")


def _time_format(texts: Sequence[str]) -> str | None:
    """The one format of complete dates in which all texts are written, and no other reading is possible."""
    shared: set[str] | None = None
    for text in texts:
        formats = time_formats(text) if 6 <= len(text) <= 40 else ()
        shared = set(formats) if shared is None else shared & set(formats)
        if not shared:
            return None
    if shared is None or len(shared) != 1:  # day and month cannot be distinguished
        return None
    (format,) = shared
    if "%Y" not in format or "%d" not in format or format == "%Y%m%d":
        return None
    if "%z" in format and (len({text[-1] for text in texts}) > 1 or not all(map(_ZONE.search, texts))):
        return None
    return format if any(_writes_back(texts, format, *style) for style in _WAYS) else None


_WAYS = tuple((padded, short) for padded in (True, False) for short in (False, True))


def _writes_back(texts: Sequence[str], format: str, padded: bool, short: bool) -> bool:
    return all(_bare(text) == _written(text, format, padded, short) for text in texts)


def _bare(text: str) -> str:
    """Without the fraction of a second, which has up to six digits, and the zone, which is the same everywhere."""
    return re.sub(r"(?<=:\d\d)\.\d{1,6}(?!\d)", "", _ZONE.sub("", text)).strip()


def _written(text: str, format: str, padded: bool, short: bool) -> str | None:
    time = parse_time(text, [format])
    if time is None:
        return None
    replacements = {
        "%Y": f"{time.year:04d}",
        "%m": _two(time.month, padded),
        "%d": _two(time.day, padded),
        "%B": _MONTHS[time.month - 1][: 3 if short else None],
        "%H": _two(time.hour, padded or (format.count(":") > 0 and _has_padded_hour(text))),
        "%I": _two((time.hour - 1) % 12 + 1, padded),
        "%M": f"{time.minute:02d}",
        "%S": f"{time.second:02d}",
        "%p": _half(text, time),
        ".%f": "",
        "%z": "",
    }
    result = format
    for directive, written in replacements.items():
        result = result.replace(directive, written)
    return result.strip()


def _has_padded_hour(text: str) -> bool:
    return re.search(r"(?:^|\D)\d\d:", text) is not None


def _half(text: str, time: dt.datetime) -> str:
    half = "am" if time.hour < 12 else "pm"
    return half if half in text else half.upper()


def _two(number: int, padded: bool) -> str:
    return f"{number:02d}" if padded else str(number)

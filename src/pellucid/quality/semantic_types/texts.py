"""What texts mean."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from pellucid.quality.formats import CURRENCIES, parse_number
from pellucid.quality.semantic_types.calendar import recognize_calendar
from pellucid.quality.semantic_types.column_values import NumberValues, TextValues
from pellucid.quality.semantic_types.names import ends_with_topic, names_topic
from pellucid.quality.semantic_types.ordinal import recognize_ordinal
from pellucid.quality.semantic_types.semantic_type import SemanticType

MOSTLY = 0.95  # share of the rows that must fit a pattern
FEW_ROWS = 20
MANY = 5  # distinct values that a pattern needs


def recognize_texts(texts: TextValues, levels: tuple[Any, ...] = ()) -> SemanticType | None:
    """The semantic type of a column of texts; ``levels`` is the stored order of an ordered category."""
    if levels:
        return SemanticType("ordinal", f"stored as {len(levels)} ordered categories", levels)
    if len(texts.texts) < 2:
        return None
    for recognize in (
        recognize_ordinal, _hash, _time_of_day, _phone_number, _postal_code, _money, _percentage, _digits, _series,
    ):  # fmt: skip
        found = recognize(texts)
        if found is not None:
            return found
    return None


def _share(texts: TextValues, pattern: re.Pattern[str]) -> float:
    return texts.share([pattern.fullmatch(text) is not None for text in texts.texts])


# ---------------------------------------------------------------------------------------------------------- patterns

_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
_HEX = re.compile(r"(?:0x)?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])(?:[0-9a-f]{8,}|[0-9A-F]{8,})")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\.?)?")
_PHONE = re.compile(
    r"(?=(?:\D*\d){7,15}\D*$)(?:\+\d{1,3}[\s./-]?)?(?:\(\d{1,5}\)[\s./-]?)?\d{2,5}(?:[\s./-]?\d{2,5}){1,4}"
)
_US_PHONE = re.compile(r"(?:\+?1[\s.-]?)?(?:\(\d{3}\)\s?|\d{3}[\s.-])\d{3}[\s.-]\d{4}(?:\s*(?:x|ext\.?)\s*\d+)?")
_ZIP_PLUS_4 = re.compile(r"\d{5}-\d{4}")
_POSTAL = {
    "British": re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}", re.IGNORECASE),
    "Canadian": re.compile(r"[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d", re.IGNORECASE),
    "Dutch": re.compile(r"[1-9]\d{3} ?[A-Z]{2}"),
}
_POSTAL_NAMED = re.compile(
    r"(?:[A-Z]{1,2}[- ])?\d{3,8}|\d{2,5}[- ]\d{2,4}|[A-Z0-9]{2,4}[ -]?[A-Z0-9]{3}", re.IGNORECASE
)


def _hash(texts: TextValues) -> SemanticType | None:
    if len(texts.texts) < MANY:
        return None
    if _share(texts, _UUID) >= MOSTLY:
        return SemanticType("identifier", "the values are UUIDs", repeats=texts.variety < 1)
    lengths = {len(text) for text in texts.texts}
    if len(lengths) == 1 and texts.variety > 0.02 and all(_HEX.fullmatch(text) for text in texts.texts):
        evidence = f"the values are hexadecimal numbers of {lengths.pop()} characters"
        return SemanticType("identifier", evidence, repeats=texts.variety < 1)
    return None


def _time_of_day(texts: TextValues) -> SemanticType | None:
    if len(texts.texts) < 3 or _share(texts, _CLOCK) < MOSTLY:
        return None
    return SemanticType("time_of_day", "the values are written as times of day", unit="HH:MM")


def _phone_number(texts: TextValues) -> SemanticType | None:
    named = names_topic(texts.words, "phone")
    if len(texts.texts) < MANY:
        return None
    if _share(texts, _US_PHONE) >= MOSTLY:
        return SemanticType("phone_number", "the values are written as North American phone numbers")
    international = texts.share([text.startswith("+") for text in texts.texts]) > 0.5
    if (named or international) and _share(texts, _PHONE) >= 0.9:
        evidence = "the values have 7 to 15 digits in groups" + (" behind a plus sign" if international else "")
        return SemanticType("phone_number", evidence + (", under a name that speaks of phones" if named else ""))
    return None


def _postal_code(texts: TextValues) -> SemanticType | None:
    named = names_topic(texts.words, "zip")
    if len(texts.texts) < 3:
        return None
    five = texts.share([bool(_ZIP_PLUS_4.fullmatch(t)) or (len(t) == 5 and t.isdigit()) for t in texts.texts])
    if five >= MOSTLY and any(_ZIP_PLUS_4.fullmatch(t) for t in texts.texts):
        return SemanticType("zip_code", "five digits, some with a hyphen and four more: US zip codes")
    for country, pattern in _POSTAL.items():
        if len(texts.texts) >= MANY and country != "Dutch" and _share(texts, pattern) >= MOSTLY and _varied(texts):
            return SemanticType("zip_code", f"the values have the form of {country} postal codes")
    if named and _share(texts, _POSTAL_NAMED) >= MOSTLY:
        return SemanticType("zip_code", "the values have the form of postal codes, under a name that speaks of them")
    return None


def _varied(texts: TextValues) -> bool:
    """Postal codes differ in their first letters."""
    return len({text[:2] for text in texts.texts}) >= 3


# ----------------------------------------------------------------------------------------------------------- amounts


def _money(texts: TextValues) -> SemanticType | None:
    signs: dict[str, int] = {}
    fits = []
    for text, n in zip(texts.texts, texts.text_counts.tolist(), strict=True):
        found = re.fullmatch(r"[(+-]?\s*([^\d\s.,()+-]{1,4})?\s*-?\d[\d,.' ]*\s*([^\d\s.,()-]{1,7}\.?)?\)?", text)
        unit = (found[1] or found[2] or "") if found is not None else ""
        fits.append(unit.lower() in CURRENCIES)
        if fits[-1]:
            signs[unit] = signs.get(unit, 0) + n
    if len(fits) < 3 or texts.share(fits) < MOSTLY or len(signs) != 1:
        return None
    unit = next(iter(signs))
    return SemanticType("money", f"amounts written with the currency {unit}", unit=unit)


def _percentage(texts: TextValues) -> SemanticType | None:
    fits = [t.endswith("%") and parse_number(t, units=["%"], words=False) is not None for t in texts.texts]
    if len(fits) < 3 or texts.share(fits) < MOSTLY:
        return None
    return SemanticType("percentage", "numbers written with a percent sign", unit="%")


# ------------------------------------------------------------------------------------------------ digits and numbering


def _digits(texts: TextValues) -> SemanticType | None:
    """Texts of digits: dates and times are found as in numbers; leading zeros make codes."""
    content = texts.texts
    if len(content) < 3 or not all(text.isdigit() and text.isascii() and len(text) <= 18 for text in content):
        return None
    values, places = np.unique(np.array([int(text) for text in content], dtype=np.int64), return_inverse=True)
    numbers = NumberValues(texts.name, values, np.bincount(places, weights=texts.text_counts).astype(np.int64))
    found = recognize_calendar(numbers)
    if found is not None and found.name in ("integer_date", "time_of_day", "epoch"):
        return found
    leading = [text for text in content if len(text) > 1 and text[0] == "0"]
    lengths = {len(text) for text in content}
    if not leading:
        return None
    evidence = f"digits with leading zeros, such as {sorted(leading)[0]}"
    if len(lengths) == 1:
        evidence = f"{lengths.pop()} digits each, some with leading zeros, such as {sorted(leading)[0]}"
    return _named_things(texts, evidence)


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_#-]{1,24}")


def _series(texts: TextValues) -> SemanticType | None:
    """Tokens of letters and digits of few shapes: C-0017, TX12345, E11.9."""
    content = texts.texts
    if len(content) < MANY or _share(texts, _TOKEN) < MOSTLY:
        return None
    both = texts.share([any(map(str.isdigit, text)) and any(map(str.isalpha, text)) for text in content])
    if both < 0.8 or _share(texts, _QUANTITY) > 0.5:
        return None
    shapes: dict[str, int] = {}
    for text, n in zip(content, texts.text_counts.tolist(), strict=True):
        shape = re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))
        shapes[shape] = shapes.get(shape, 0) + n
    most = max(shapes, key=lambda shape: (shapes[shape], shape))
    if shapes[most] < 0.5 * sum(shapes.values()):
        return None
    example = next(text for text in sorted(content) if re.sub(r"\d+", "9", text).replace("9", "") or text)
    return _named_things(
        texts, f"{shapes[most] / sum(shapes.values()):.0%} of the rows have one form, such as {example}"
    )


_QUANTITY = re.compile(r"[<>~]?[+-]?\d+(?:[.,]\d+)?\s?(?:[a-zµ°%]{1,4}|[A-Z]{1,2}|oz|lb|KB|MB|GB)(?:/[a-zA-Z]{1,3})?")


def _named_things(texts: TextValues, evidence: str) -> SemanticType:
    """An identifier where nearly every row has its own value or a name says so; a code where values repeat."""
    n, rows = texts.n_distinct, texts.n_present
    if rows >= FEW_ROWS and n >= 0.98 * rows:
        return SemanticType("identifier", evidence, repeats=n < rows)
    key = any(ends_with_topic(texts.words, topic) for topic in ("key", "numbering", "entity"))
    if n > 50 and (key or n > 0.5 * rows):
        return SemanticType("identifier", evidence, repeats=True)
    return SemanticType("code", evidence)

"""What texts mean."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from pellucid.data.text_types import are_versions
from pellucid.quality.checks._numbers import OWN_NAME
from pellucid.quality.formats import CURRENCIES, parse_number
from pellucid.quality.semantic_types.calendar import recognize_calendar
from pellucid.quality.semantic_types.calendar_words import MONTHS, WEEKDAYS
from pellucid.quality.semantic_types.column_values import NumberValues, TextValues
from pellucid.quality.semantic_types.names import ends_with_topic, names_topic
from pellucid.quality.semantic_types.numbers import recognize_numbers
from pellucid.quality.semantic_types.ordinal import recognize_ordinal
from pellucid.quality.semantic_types.semantic_type import NOT_NUMBERS, SemanticType

MOSTLY = 0.95  # share of the rows that must fit a pattern
FEW_ROWS = 20
MANY = 5  # distinct values that a pattern needs
SLIPS = 0.02  # share of the values that may be typed in another way than the rest


def recognize_texts(texts: TextValues, levels: tuple[Any, ...] = ()) -> SemanticType | None:
    """The semantic type of a column of texts; ``levels`` is the stored order of an ordered category."""
    if levels:
        return SemanticType("ordinal", f"stored as {len(levels)} ordered categories", levels)
    if len(texts.texts) < 2:
        return None
    for recognize in _RECOGNIZERS:
        semantic = recognize(texts)
        if semantic is not None:
            return semantic
    return None


def _share(texts: TextValues, pattern: re.Pattern[str]) -> float:
    return texts.share([pattern.fullmatch(text) is not None for text in texts.texts])


# ---------------------------------------------------------------------------------------------------------- patterns

_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
_HEX = re.compile(r"(?:0x)?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])(?:[0-9a-f]{8,}|[0-9A-F]{8,})")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\.?)?")
_CLOCK_UNITS = {  # a format must fit every value: other columns are not taken apart
    "%H:%M": re.compile(r"\d\d:\d\d"),
    "%H:%M:%S": re.compile(r"\d\d:\d\d:\d\d"),
    "%I:%M %p": re.compile(r"(?:0?[1-9]|1[0-2]):\d\d [AaPp][Mm]"),
    "%I:%M:%S %p": re.compile(r"(?:0?[1-9]|1[0-2]):\d\d:\d\d [AaPp][Mm]"),
    "%I:%M%p": re.compile(r"(?:0?[1-9]|1[0-2]):\d\d[AaPp][Mm]"),
}
_HOURS_AND_MINUTES = re.compile(r"(\d{1,3}):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?")
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
    r"\d{4} ?[A-Z]{2}|(?:[A-Z]{1,2}[- ])?\d{3,8}|\d{2,5}[- ]\d{2,4}|[A-Z0-9]{2,4}[ -]?[A-Z0-9]{3}", re.IGNORECASE
)


def _calendar_words(texts: TextValues) -> SemanticType | None:
    """The names of months and of weekdays, in several languages."""
    words = [text.lower().rstrip(".") for text in texts.texts]
    if len(words) < 4 or len(words) != len(texts.values):
        return None
    for name, topic, rank_of_word in (("month", "months", MONTHS), ("weekday", "days of the week", WEEKDAYS)):
        ranks = [rank_of_word.get(word) for word in words]
        if all(rank is not None for rank in ranks) and len(set(ranks)) == len(ranks):
            order = sorted(range(len(words)), key=lambda i: ranks[i])  # type: ignore[arg-type, return-value]
            levels = tuple(texts.values[i] for i in order)
            return SemanticType(name, f"all {len(words)} values are names of {topic}", levels)  # type: ignore[arg-type]
    return None


def _hash(texts: TextValues) -> SemanticType | None:
    if len(texts.texts) < MANY:
        return None
    if _share(texts, _UUID) >= MOSTLY:
        return SemanticType("identifier", "the values are UUIDs", repeats=texts.variety < 1)
    lengths = {len(text) for text in texts.texts}
    if len(lengths) == 1 and texts.variety > 0.02 and all(_HEX.fullmatch(text) for text in texts.texts):
        evidence = f"all values consist of {lengths.pop()} hexadecimal digits"
        return SemanticType("identifier", evidence, repeats=texts.variety < 1)
    return None


def _time_of_day(texts: TextValues) -> SemanticType | None:
    if len(texts.texts) < 3 or _share(texts, _CLOCK) < MOSTLY:
        return None
    values = list(map(str, texts.values))
    unit = next((unit for unit, form in _CLOCK_UNITS.items() if all(map(form.fullmatch, values))), "HH:MM")
    evidence = "the values are written as times of day"
    if unit in ("%H:%M", "%H:%M:%S") and max(values) < "13":
        evidence += " or durations"
    if _are_durations(texts):
        if unit != "%H:%M:%S":
            return None
        evidence = "the values are written as hours, minutes and seconds"
    return SemanticType("time_of_day", evidence, unit=unit)


def _are_durations(texts: TextValues) -> bool:
    """May texts such as 5:26 be minutes and seconds, or hours that something took? The first number goes beyond 23, or
    never beyond 12 although it has no leading zero, while a clock of 24 hours has afternoons; or the name says so."""
    matches = [match for text in texts.texts if (match := _HOURS_AND_MINUTES.fullmatch(text)) is not None]
    if len(matches) < MOSTLY * len(texts.texts):
        return False  # with am and pm
    first = np.array([int(match[1]) for match in matches])
    unpadded = any(len(match[1]) == 1 for match in matches)
    beyond = sum(int(match[1]) > 23 and not match[0].startswith("24:00") for match in matches)
    return beyond > 1 or (unpadded and int(first.max()) < 13) or names_topic(texts.words, "duration")


def _phone_number(texts: TextValues) -> SemanticType | None:
    has_name = names_topic(texts.words, "phone")
    if len(texts.texts) < MANY:
        return None
    if _share(texts, _US_PHONE) >= MOSTLY:
        return SemanticType("phone_number", "the values are written as North American phone numbers")
    international = texts.share([text.startswith("+") for text in texts.texts]) > 0.5
    if (has_name or international) and _share(texts, _PHONE) >= 0.9:
        evidence = "the values have 7 to 15 digits in groups" + (" behind a plus sign" if international else "")
        return SemanticType("phone_number", evidence + (", under a name that speaks of phones" if has_name else ""))
    return None


def _postal_code(texts: TextValues) -> SemanticType | None:
    has_name = names_topic(texts.words, "zip")
    if len(texts.texts) < 3:
        return None
    five = texts.share([bool(_ZIP_PLUS_4.fullmatch(t)) or (len(t) == 5 and t.isdigit()) for t in texts.texts])
    if five >= MOSTLY and any(_ZIP_PLUS_4.fullmatch(t) for t in texts.texts):
        return SemanticType("zip_code", "five digits, some with a hyphen and four more: US zip codes")
    for country, pattern in _POSTAL.items():
        spaced = has_name or texts.share([" " in text for text in texts.texts]) > 0.9
        is_plausible = has_name or country != "Dutch"
        if len(texts.texts) >= MANY and spaced and is_plausible and _share(texts, pattern) >= MOSTLY and _varied(texts):
            return SemanticType("zip_code", f"the values have the form of {country} postal codes")
    if has_name and _share(texts, _POSTAL_NAMED) >= MOSTLY:
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
        match = re.fullmatch(r"[(+-]?\s*([^\d\s.,()+-]{1,4})?\s*-?\d[\d,.' ]*\s*([^\d\s.,()-]{1,7}\.?)?\)?", text)
        unit = (match[1] or match[2] or "") if match is not None else ""
        fits.append(unit.lower() in CURRENCIES)
        if fits[-1]:
            signs[unit] = signs.get(unit, 0) + n
    if len(fits) < 3 or texts.share(fits) < MOSTLY or len(signs) != 1:
        return None
    unit = next(iter(signs))
    if unit.isalpha() and _are_numbered_behind(texts, unit):
        return None
    return SemanticType("money", f"amounts written with the currency {unit}", unit=unit)


def _are_numbered_behind(texts: TextValues, letters: str) -> bool:
    """Letters at once before six digits and more, hardly ever round: rs4070904 is a number that was given out, while
    Rs 4,070,900 and Rs500 are amounts."""
    digits = [text.removeprefix(letters) for text in texts.texts]
    glued = [
        text.startswith(letters) and remainder.isdigit() for text, remainder in zip(texts.texts, digits, strict=True)
    ]
    long = [len(remainder) >= 6 for remainder in digits]
    is_round = [remainder.endswith("00") for remainder in digits]
    return texts.share(glued) >= MOSTLY and texts.share(long) > 0.5 and texts.share(is_round) < 0.1


def _percentage(texts: TextValues) -> SemanticType | None:
    fits = [t.endswith("%") and parse_number(t, units=["%"], words=False) is not None for t in texts.texts]
    if len(fits) < 3 or texts.share(fits) < MOSTLY:
        return None
    return SemanticType("percentage", "numbers written with a percent sign", unit="%")


# ------------------------------------------------------------------------------------------------ digits and numbering


_OF_DIGITS = NOT_NUMBERS | {"integer_date", "time_of_day", "epoch"}


def _digits(texts: TextValues) -> SemanticType | None:
    """Texts of digits: dates and times are found as in numbers; leading zeros make codes."""
    content = texts.texts
    if len(content) < 3 or not all(text.isdigit() and text.isascii() and len(text) <= 18 for text in content):
        return None
    values, codes = np.unique(np.array([int(text) for text in content], dtype=np.int64), return_inverse=True)
    numbers = NumberValues(texts.name, values, np.bincount(codes, weights=texts.text_counts).astype(np.int64))
    leading = [text for text in content if len(text) > 1 and text[0] == "0"]
    semantic = recognize_calendar(numbers) if leading else recognize_numbers(numbers)
    if semantic is not None and semantic.name in _OF_DIGITS:
        return semantic
    if not leading:
        return None
    lengths = {len(text) for text in content}
    if len(lengths) > 2 and len(leading) <= SLIPS * len(content):  # one 04 among the numbers of houses
        evidence = f"digits of several lengths, {len(leading)} of {len(content):,} values with a leading zero, such as "
        return SemanticType("code", evidence + min(leading))
    evidence = f"digits with leading zeros, such as {sorted(leading)[0]}"
    if len(lengths) == 1:
        evidence = f"{lengths.pop()} digits each, some with leading zeros, such as {sorted(leading)[0]}"
    return _named_things(texts, evidence)


def _version(texts: TextValues) -> SemanticType | None:
    """Versions, sections and grades such as 5.9 and 5.10, which decimal numbers would put in another order."""
    if not are_versions(texts.texts):
        return None
    last = next(text for text in texts.texts if text.endswith(".10"))
    evidence = f"two whole numbers with a point between them, as {last} follows {last[:-2]}9, not decimal numbers"
    return SemanticType("code", evidence)


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_#-]{1,24}")


def _series(texts: TextValues) -> SemanticType | None:
    """Tokens of letters and digits of few shapes: C-0017, TX12345, E11.9."""
    content = texts.texts
    if len(content) < MANY or _share(texts, _TOKEN) < MOSTLY:
        return None
    if _are_lettered(texts):
        letters = "all with letters" if all(map(_is_mixed, content)) else "some with letters"
        evidence = f"digits of one length, {letters}, such as {max(content, key=_is_mixed)}"
        return _named_things(texts, evidence)
    both = texts.share([_is_mixed(text) for text in content])
    if both < 0.8 or _are_quantities(texts) or _share(texts, _PERIOD) > 0.5 or _share(texts, _DURATION) > 0.5:
        return None
    shapes: dict[str, int] = {}
    for text, n in zip(content, texts.text_counts.tolist(), strict=True):
        shape = re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))
        shapes[shape] = shapes.get(shape, 0) + n
    main_shape = max(shapes, key=lambda shape: (shapes[shape], shape))
    if shapes[main_shape] < 0.5 * sum(shapes.values()):
        return None
    evidence = f"{shapes[main_shape] / sum(shapes.values()):.0%} of the rows have one form, such as {min(content)}"
    return _named_things(texts, evidence)


# Dates with a month in letters, quarters and weeks: points in time, not codes.
_MONTH = f"(?:{'|'.join(sorted(MONTHS))})"
_PERIOD = re.compile(
    rf"\d{{1,4}}[-./_ ]?{_MONTH}[-./_ ]?\d{{0,4}}|{_MONTH}[-./_ ]?\d{{1,4}}|"
    r"\d{4}[-_/ ]?[qwmhs]\d{1,2}|[qwmhs]\d{1,2}[-_/ ]?\d{2,4}|\d{4}s",
    re.IGNORECASE,
)
# ISO 8601 (PT5M30S) and short units one after the other (1h30m): amounts of time, not codes.
_DURATION = re.compile(
    r"P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?|"
    r"(?:\d+ ?d ?)?(?:\d+ ?h ?)?(?:\d+ ?m(?:in)? ?)?(?:\d+ ?s)?",
    re.IGNORECASE,
)
_GROUPS = re.compile(r"\d+(?:-\d+){2,}")
_DATE = re.compile(r"(?:\d{1,2}|\d{4})-\d{1,2}-\d{1,4}")


def _is_mixed(text: str) -> bool:
    """Letters and digits, or three groups of digits and more: neither a number nor a word."""
    letters, digits = any(map(str.isalpha, text)), any(map(str.isdigit, text))
    grouped = _GROUPS.fullmatch(text) is not None and _DATE.fullmatch(text) is None
    return digits and (letters or grouped)


_LETTERED = re.compile(r"([A-Za-z]{0,2})(\d{4,12})([A-Za-z]{0,2})")


def _are_lettered(texts: TextValues) -> bool:
    """Digits of one length of which some have a letter before or behind: 72801, 72801C, 72802A."""
    matches = [match for text in texts.texts if (match := _LETTERED.fullmatch(text)) is not None]
    letters = {match[1] + match[3] for match in matches} - {""}
    fits = texts.share([_LETTERED.fullmatch(text) is not None for text in texts.texts])
    same_length = len({len(match[2]) for match in matches}) == 1
    return fits >= MOSTLY and same_length and bool(letters) and not all(word.lower() in OWN_NAME for word in letters)


_QUANTITY = re.compile(r"[<>~]?[+-]?(\d+(?:[.,]\d+)?)\s?([a-zA-Zµ°%]{1,4}|[a-zA-Z]{1,3}/[a-zA-Z]{1,3})")


def _are_quantities(texts: TextValues) -> bool:
    """Numbers with few different units. Digits of one length before a letter are a code: 72801C."""
    matches = [_QUANTITY.fullmatch(text) for text in texts.texts]
    if texts.share([match is not None for match in matches]) <= 0.5:
        return False
    units = {match[2] for match in matches if match is not None}
    widths = {len(match[1]) for match in matches if match is not None}
    return not (len(widths) == 1 and (min(widths) >= 7 or (min(widths) >= 3 and len(units) > 3)))


def _is_numbered(texts: TextValues) -> bool:
    """Do the digits behind one prefix count up, as numbers that are given out one after the other do?"""
    matches = [re.fullmatch(r"(\D{0,8})(\d{1,12})", text) for text in texts.texts]
    if any(match is None for match in matches) or len({match[1] for match in matches if match is not None}) != 1:
        return False
    numbers = {int(match[2]) for match in matches if match is not None}
    return len(numbers) >= 50 and len(numbers) >= 0.5 * (max(numbers) - min(numbers) + 1)


def _named_things(texts: TextValues, evidence: str) -> SemanticType:
    """An identifier where nearly every row has its own value, or where a name or a numbering says so; a code else."""
    n, rows = texts.n_distinct, texts.n_present
    if rows >= FEW_ROWS and n >= 0.98 * rows:
        return SemanticType("identifier", evidence, repeats=n < rows)
    key = any(ends_with_topic(texts.words, topic) for topic in ("key", "numbering", "entity")) or _is_numbered(texts)
    if n > 50 and (key or n > 0.5 * rows):
        return SemanticType("identifier", evidence, repeats=True)
    return SemanticType("code", evidence)


_RECOGNIZERS = (
    recognize_ordinal,
    _calendar_words,
    _hash,
    _time_of_day,
    _phone_number,
    _postal_code,
    _money,
    _percentage,
    _digits,
    _version,
    _series,
)

"""How numbers, times and flags are written: as text, in several ways, with units, as words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from pellucid.base.types import Flags, Floats
from pellucid.quality.checks._numbers import OWN_NAME, form_of
from pellucid.quality.checks._reading import MEASURED, Reading, readings
from pellucid.quality.checks._saying import NO_ROWS, joined, percent, quoted, said, stored
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.exact import exact_type, looks_like_codes, tells_decimal_comma
from pellucid.quality.findings import Finding, Fix
from pellucid.quality.formats import parse_flag, parse_number

_NOUGHT = re.compile(r"\s*[+-]?0\d")


@register_check("text_numbers")
def text_numbers(stats: TableStats) -> list[Finding]:
    """Numbers stored as text: with units, separators or words, and words among them."""
    findings = []
    for read in readings(stats):
        if read.column.is_text and read.role == "number":
            findings += _numbers_of(read)
    return findings


def _numbers_of(read: Reading) -> list[Finding]:
    column, numbers, name = read.column, read.as_numbers, (read.column.name,)
    units = _several_units(read)
    is_other = ~numbers.known & ~read.nothing
    limits = is_other & read.beyond_limits
    swapped = is_other & ~limits & _with_other_decimal_sign(read)
    other_units = is_other & ~limits & ~swapped & _with_other_unit(read)
    # A conversion would turn numbers with another decimal sign or unit into missing cells.
    unreadable = swapped | other_units
    is_measured = not limits.any() or int(numbers.known.sum()) >= MEASURED  # "3+" after 0, 1 and 2 is a level
    convertible = len(units) <= 1 and not unreadable.any() and is_measured and bool(np.isfinite(_known(read)).all())
    fix = _to_number(read, limits) if convertible else None
    is_other &= ~limits & ~unreadable
    loses = bool(is_other.any() or limits.any()) and convertible
    loss_note = _become_missing(read, is_other) if convertible else ""
    findings = []
    decorated = numbers.known & ~numbers.plain & ~numbers.worded & ~read.nothing
    if len(units) > 1:
        text = (
            f"several units in one column: {joined([f'{u!r} in {percent(s)}' for u, s in units.items()])} of the values"
        )
        rows = column.rows_of(np.array([unit != "" for unit in numbers.unit_of]) & ~read.nothing)
        findings.append(Finding("text_numbers", "error", name, rows, text, None))
    elif decorated.any():
        text, is_doubtful = _decorated(read, decorated)
        rows = column.rows_of(decorated)
        findings.append(Finding("text_numbers", "warning", name, rows, text + loss_note, fix, is_doubtful, loses))
    if numbers.worded.any():
        text = f"numbers written as words: {quoted(column, numbers.worded)}{loss_note}"
        rows = column.rows_of(numbers.worded)
        findings.append(Finding("text_numbers", "warning", name, rows, text, fix, loses=loses))
    if swapped.any():
        text = f"numbers with another decimal sign than {numbers.decimal!r}: {quoted(column, swapped)}"
        findings.append(Finding("text_numbers", "warning", name, column.rows_of(swapped), text, None))
    if other_units.any():
        text = f"numbers in another unit than {read.as_numbers.units[0]!r}: {quoted(column, other_units)}"
        findings.append(Finding("text_numbers", "warning", name, column.rows_of(other_units), text, None))
    if limits.any():
        text = f"measurements beyond a limit among numbers: {quoted(column, limits)}"
        text += "; a conversion reads each as the limit itself" if convertible else ""
        findings.append(Finding("text_numbers", "note", name, column.rows_of(limits), text, fix, loses=loses))
    if is_other.any():
        text = f"texts that are not numbers among numbers: {quoted(column, is_other)}"
        wrong = Fix("to_missing", name, {"values": stored(column, is_other)})
        findings.append(Finding("text_numbers", "warning", name, column.rows_of(is_other), text, wrong, True))
    # '04' would lose its nought as a number: it may be part of a code.
    codes = any(_NOUGHT.match(text) for text in column.texts)
    if not decorated.any() and not numbers.worded.any() and read.is_measure and not codes:
        doubt = _doubt_about_plain(read)
        start = "texts that can be read as numbers" if doubt else "numbers stored as text"
        text = f"{start}, such as {quoted(column, numbers.known, max_values=2)}{doubt}{loss_note}"
        offered = None if limits.any() else fix  # it stands with the limits
        findings.append(Finding("text_numbers", "note", name, NO_ROWS, text, offered, bool(doubt), loses))
    return findings


def _become_missing(read: Reading, is_other: Flags) -> str:
    """What a conversion makes missing, words for missing values among it, as the end of a sentence."""
    words = is_other | (read.nothing & np.array([bool(text) for text in read.texts], dtype=bool))
    return f"; a conversion makes {quoted(read.column, words)} missing" if words.any() else ""


def _known(read: Reading) -> Floats:
    return read.as_numbers.values[read.as_numbers.known & ~read.nothing]


def _to_number(read: Reading, limits: Flags) -> Fix:
    numbers = read.as_numbers
    settings: dict[str, Any] = {
        "decimal": numbers.decimal,
        "thousands": numbers.thousands,
        "units": list(numbers.units),
        "words": bool(numbers.worded.any()),
    }
    settings |= {"limits": True} if limits.any() else {}
    return Fix("to_number", (read.column.name,), settings)


def _decorated(read: Reading, decorated: Flags) -> tuple[str, bool]:
    """What is said about numbers with units or separators, and whether they may be something else."""
    column, numbers = read.column, read.as_numbers
    plain = read.share(numbers.plain)
    decorations = "with units, signs or separators" if numbers.units else "with signs, separators or a decimal comma"
    text = f"numbers written {decorations}, such as {quoted(column, decorated)}"
    text += f", among plain ones ({percent(plain)} of the values)" if plain > 0.005 else ""
    if numbers.three_digits:
        text += f"; {numbers.thousands!r} before three digits is taken as a sign between thousands"
    texts = [text for text, is_one in zip(read.texts, decorated.tolist(), strict=True) if is_one]
    percents = numbers.values[decorated & np.array([unit == "%" for unit in numbers.unit_of], dtype=bool)]
    plain_values = np.abs(numbers.values[numbers.plain & ~read.nothing])
    if len(percents) and len(plain_values) and plain_values.max() <= 1 < np.abs(percents).min():
        return f"{text}, which seem to be shares, not percentages", True
    if any(text.startswith("(") for text in texts):
        text += "; parentheses are read as a minus sign"
        if not numbers.plain.any():
            return f"{text}, but may number paragraphs or notes", True
    if numbers.decimal == "," and not numbers.units and not any(map(tells_decimal_comma, texts)):
        return f"{text}; a comma may also stand between the items of a list", True
    if looks_like_codes(texts, read.n_content, numbers.thousands):
        return f"{text}; they may be codes", True
    described = decorated & np.array([_has_words_behind_unit(text) for text in read.texts], dtype=bool)
    if described.any():
        text += f"; a conversion leaves out the words behind the unit, as in {quoted(column, described, max_values=2)}"
        return text, True
    return text, False


def _has_words_behind_unit(text: str) -> bool:
    """400m hurdles is another race than 400m; a point ends a unit before a remark, as in 12 oz. can."""
    form = form_of(text) if len(text) <= 60 else None
    if form is None or form.after.lower() in OWN_NAME:
        return False
    unit, *words = form.after.split(maxsplit=1)[:2] or [""]
    return bool(words) and not unit.endswith(".") and words[0][0].isalpha()


def _doubt_about_plain(read: Reading) -> str:
    """Why plain numbers that are stored as text may be meant as texts; "" without a reason."""
    is_number = read.as_numbers.known & ~read.nothing
    texts = [text for text, is_known in zip(read.texts, is_number.tolist(), strict=True) if is_known]
    exact = exact_type(texts, read.n_content)
    if exact is not None and exact.action == "to_number":
        return ""
    by_number: dict[float, str] = {}
    for text, number in zip(texts, _known(read).tolist(), strict=True):
        first_text = by_number.setdefault(number, text)
        if first_text != text:
            return f"; {said(first_text)} and {said(text)} would become the same number"
    return "; they may be codes, or have more digits than a number holds"


def _with_other_decimal_sign(read: Reading) -> Flags:
    """Which texts are numbers only if the sign that is not the decimal sign of the column is theirs?"""
    numbers = read.as_numbers
    sign = "," if numbers.decimal == "." else "."
    return np.array(
        [
            not is_known and sign in text and parse_number(text, decimal=sign, units=numbers.units) is not None
            for text, is_known in zip(read.texts, numbers.known.tolist(), strict=True)
        ],
        dtype=bool,
    )


def _with_other_unit(read: Reading) -> Flags:
    """Which texts are numbers with a unit of their own in a column that has one: 0.5 g or 5 mg/ml beside 200 mg?"""
    forms = [form_of(text) if read.as_numbers.units and len(text) <= 60 else None for text in read.texts]
    return np.array(
        [form is not None and not form.before and form.after.replace("/", "").isalpha() for form in forms], dtype=bool
    )


def _several_units(read: Reading) -> dict[str, float]:
    """The units of a column, where they differ in more than spelling or a power of ten, with their shares."""
    counts: Counter[str] = Counter()
    for unit, times, is_nothing in zip(
        read.as_numbers.unit_of, read.column.counts.tolist(), read.nothing.tolist(), strict=True
    ):
        if unit and not is_nothing:
            counts[unit] += times
    factors = {unit.split("=")[0].lower() for unit in read.as_numbers.units if "=" in unit}
    return {u: n / max(read.n_content, 1) for u, n in counts.most_common() if u not in factors}


@register_check("text_times")
def text_times(stats: TableStats) -> list[Finding]:
    """Times stored as text: in several formats, with day and month in doubt, and other words among them."""
    findings = []
    for read in readings(stats):
        if read.column.is_text and read.role == "time":
            findings += _times_of(read)
    return findings


def _times_of(read: Reading) -> list[Finding]:
    column, times, name = read.column, read.as_times, (read.column.name,)
    is_time = np.array([time is not None for time in times.values], dtype=bool)
    midnight = ~is_time & np.array([_MIDNIGHT.search(text) is not None for text in read.texts], dtype=bool)
    is_other = ~is_time & ~read.nothing & ~midnight
    # A time of day or a duration has no date, and 24:00 is the end of a day: a conversion would change what they say.
    dated = all(re.search("%[dj]", format) for format in times.formats)
    fix = Fix("to_time", name, {"formats": list(times.formats)}) if dated and not midnight.any() else None
    losses = _losses_as_times(read) if fix is not None else ""
    is_doubtful = bool(losses or times.doubtful) or bool(is_other.any())
    losses += _become_missing(read, is_other) if fix is not None else ""
    start = "times stored as text" if dated else "texts that can be read as times of day or durations"
    findings = []
    if len(times.formats) > 1:
        first = times.formats[0]
        in_other_format = np.array([format not in ("", first) for format in times.format_of], dtype=bool)
        shares = joined([f"{f} ({percent(read.share(_has(times.format_of, f)))})" for f in times.formats[:6]])
        others_shown = f"not in the first: {quoted(column, in_other_format, max_values=2)}"
        text = f"times in {len(times.formats)} formats: {shares}; {others_shown}{losses}"
        findings.append(Finding("text_times", "warning", name, column.rows_of(in_other_format), text, fix, is_doubtful))
    else:
        text = f"{start}, such as {quoted(column, is_time, max_values=2)}{losses}"
        findings.append(Finding("text_times", "note", name, NO_ROWS, text, fix, is_doubtful))
    if times.doubtful and fix is None:
        doubt = np.isin(np.array(times.format_of, dtype=object), list(times.doubtful))
        examples = quoted(column, doubt, max_values=2)
        text = f"no value tells the day from the month, as in {examples}; read as {joined(times.doubtful)}"
        findings.append(Finding("text_times", "note", name, NO_ROWS, text, None))
    both = any(format.startswith("%d") and _turned(format) in times.formats for format in times.formats)
    if both:
        text = "some values have the day first and some the month first: those that can be read either way are in doubt"
        findings.append(Finding("text_times", "warning", name, NO_ROWS, text, None))
    if is_other.any():
        text = f"texts that cannot be read as times among others that can: {quoted(column, is_other)}"
        wrong = Fix("to_missing", name, {"values": stored(column, is_other)})
        findings.append(Finding("text_times", "warning", name, column.rows_of(is_other), text, wrong, True))
    return findings


_MIDNIGHT = re.compile(r"(?:^|\D)24:00(?::00)?$")
_NANOSECONDS = re.compile(r"\.\d{7,}")
_OFFSET = re.compile(r"[+-](?!00:?00)\d{2}:?\d{2}$")


def _losses_as_times(read: Reading) -> str:
    """What a conversion to times would change, as the end of a sentence."""
    losses = []
    if any("%y" in format for format in read.as_times.formats):
        losses.append("years of two digits are read as 1969 to 2068")
    if read.as_times.doubtful:
        losses.append(f"no value tells the day from the month: read as {joined(read.as_times.doubtful)}")
    if any("%z" in format for format in read.as_times.formats) and any(map(_OFFSET.search, read.texts)):
        losses.append("times with an offset would be given in universal time")
    if any(map(_NANOSECONDS.search, read.texts)):
        losses.append("fractions of a second would be cut off behind six digits")
    return "".join(f"; {loss}" for loss in losses)


def _turned(format: str) -> str:
    """The format with day and month the other way round."""
    return format.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")


def _has(formats: list[str], form: str) -> Flags:
    return np.array([format == form for format in formats], dtype=bool)


@register_check("text_flags")
def text_flags(stats: TableStats) -> list[Finding]:
    """True and false written in several ways in one column: yes, ja, 1, Y."""
    findings = []
    for read in readings(stats):
        column = read.column
        if not column.is_text or read.role != "flag":
            continue
        truth = [parse_flag(text) for text in read.texts]
        spellings = [{t.lower() for t, v in zip(read.texts, truth, strict=True) if v is side} for side in (True, False)]
        if max(map(len, spellings)) < 2:
            continue
        main_spelling = {}
        for i in np.argsort(-column.counts, kind="stable").tolist():
            side = truth[i]
            if side is not None and side not in main_spelling:
                main_spelling[side] = read.texts[i].lower()
        has_other_spelling = np.array(
            [v is not None and t.lower() != main_spelling[v] for t, v in zip(read.texts, truth, strict=True)],
            dtype=bool,
        )
        true = [v for v, t in zip(stored(column, np.ones(len(truth), bool)), truth, strict=True) if t is True]
        false = [v for v, t in zip(stored(column, np.ones(len(truth), bool)), truth, strict=True) if t is False]
        text = f"true and false in several spellings: {quoted(column, ~read.nothing, max_values=6)}"
        fix = Fix("to_flag", (column.name,), {"true": true, "false": false})
        findings.append(Finding("text_flags", "warning", (column.name,), column.rows_of(has_other_spelling), text, fix))
    return findings

"""How numbers, times and flags are written: as text, in several ways, with units, as words."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from pellucid.base.types import Flags
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import NO_ROWS, joined, percent, quoted, stored
from pellucid.quality.checks.registry import finds
from pellucid.quality.column import Look
from pellucid.quality.findings import Finding, Remedy
from pellucid.quality.formats import parse_flag, parse_number

_LIMIT = re.compile(r"(?:<|>|≤|≥)=?\s*[\d.,]")  # below the limit of detection, above the range of an instrument
_NOUGHT = re.compile(r"\s*[+-]?0\d")


@finds("text_numbers")
def text_numbers(look: Look) -> list[Finding]:
    """Numbers stored as text: with units, separators or words, and words among them."""
    found = []
    for read in readings(look):
        if read.column.is_text and read.role == "number":
            found += _numbers_of(read)
    return found


def _numbers_of(read: Reading) -> list[Finding]:
    column, numbers, name = read.column, read.as_numbers, (read.column.name,)
    units = _several_units(read)
    settings = {
        "decimal": numbers.decimal,
        "thousands": numbers.thousands,
        "units": list(numbers.units),
        "words": bool(numbers.worded.any()),
    }
    # A conversion with one decimal sign would turn numbers with another one into missing cells.
    convertible = len(units) <= 1 and not (_with_other_decimal_sign(read) & ~read.nothing).any()
    remedy = Remedy("to_number", name, settings) if convertible else None
    found = []
    decorated = numbers.known & ~numbers.plain & ~numbers.worded & ~read.nothing
    if len(units) > 1:
        text = (
            f"several units in one column: {joined([f'{u!r} in {percent(s)}' for u, s in units.items()])} of the rows"
        )
        rows = column.rows_of(np.array([unit != "" for unit in numbers.unit_of]) & ~read.nothing)
        found.append(Finding("text_numbers", "error", name, rows, text, None))
    elif decorated.any():
        plain = read.share(numbers.plain)
        ways = "with units, signs or separators" if numbers.units else "with separators or a decimal comma"
        text = f"numbers written {ways}, such as {quoted(column, decorated)}"
        text += f", among plain ones ({percent(plain)} of the rows)" if plain > 0.005 else ""
        text += (
            f"; {numbers.thousands!r} before three digits is taken as a sign between thousands"
            if numbers.three_digits
            else ""
        )
        found.append(Finding("text_numbers", "warning", name, column.rows_of(decorated), text, remedy))
    if numbers.worded.any():
        text = f"numbers written as words: {quoted(column, numbers.worded)}"
        found.append(Finding("text_numbers", "warning", name, column.rows_of(numbers.worded), text, remedy))
    others = ~numbers.known & ~read.nothing
    limits = others & np.array([_LIMIT.match(text) is not None for text in read.texts], dtype=bool)
    swapped = others & ~limits & _with_other_decimal_sign(read)
    others &= ~limits & ~swapped
    if swapped.any():
        text = f"numbers with another decimal sign than {numbers.decimal!r}: {quoted(column, swapped)}"
        found.append(Finding("text_numbers", "warning", name, column.rows_of(swapped), text, None))
    if limits.any():
        text = f"measurements beyond a limit among numbers: {quoted(column, limits)}"
        found.append(Finding("text_numbers", "note", name, column.rows_of(limits), text, None))
    if others.any():
        text = f"texts that are not numbers among numbers: {quoted(column, others)}"
        wrong = Remedy("to_missing", name, {"values": stored(column, others)})
        found.append(Finding("text_numbers", "warning", name, column.rows_of(others), text, wrong))
    # '04' would lose its nought as a number: it may be part of a code.
    codes = any(_NOUGHT.match(text) for text in column.texts)
    if not decorated.any() and not numbers.worded.any() and read.is_measure and not codes:
        text = f"numbers stored as text, such as {quoted(column, numbers.known, most=2)}"
        found.append(Finding("text_numbers", "note", name, NO_ROWS, text, remedy))
    return found


def _with_other_decimal_sign(read: Reading) -> Flags:
    """Which texts are numbers only if the sign that is not the decimal sign of the column is theirs?"""
    numbers = read.as_numbers
    sign = "," if numbers.decimal == "." else "."
    return np.array(
        [
            not known and sign in text and parse_number(text, decimal=sign, units=numbers.units) is not None
            for text, known in zip(read.texts, numbers.known.tolist(), strict=True)
        ],
        dtype=bool,
    )


def _several_units(read: Reading) -> dict[str, float]:
    """The units of a column, where they differ in more than spelling or a power of ten, with their shares."""
    counts: Counter[str] = Counter()
    for unit, times, gone in zip(
        read.as_numbers.unit_of, read.column.counts.tolist(), read.nothing.tolist(), strict=True
    ):
        if unit and not gone:
            counts[unit] += times
    factors = {unit.split("=")[0].lower() for unit in read.as_numbers.units if "=" in unit}
    return {u: n / max(read.n_content, 1) for u, n in counts.most_common() if u not in factors}


@finds("text_times")
def text_times(look: Look) -> list[Finding]:
    """Times stored as text: in several formats, with day and month in doubt, and other words among them."""
    found = []
    for read in readings(look):
        if read.column.is_text and read.role == "time":
            found += _times_of(read)
    return found


def _times_of(read: Reading) -> list[Finding]:
    column, times, name = read.column, read.as_times, (read.column.name,)
    remedy = Remedy("to_time", name, {"formats": list(times.formats)})
    known = np.array([time is not None for time in times.values], dtype=bool)
    found = []
    if len(times.formats) > 1:
        first = times.formats[0]
        other = np.array([format not in ("", first) for format in times.format_of], dtype=bool)
        shares = joined([f"{f} ({percent(read.share(_has(times.format_of, f)))})" for f in times.formats[:6]])
        text = f"times in {len(times.formats)} formats: {shares}; not as most are {quoted(column, other, most=2)}"
        found.append(Finding("text_times", "warning", name, column.rows_of(other), text, remedy))
    else:
        text = f"times stored as text, such as {quoted(column, known, most=2)}"
        found.append(Finding("text_times", "note", name, NO_ROWS, text, remedy))
    if times.doubtful:
        doubt = np.isin(np.array(times.format_of, dtype=object), list(times.doubtful))
        shown = quoted(column, doubt, most=2)
        text = f"no value tells the day from the month, as in {shown}; read as {joined(times.doubtful)}"
        found.append(Finding("text_times", "note", name, NO_ROWS, text, None))
    both = any(format.startswith("%d") and _turned(format) in times.formats for format in times.formats)
    if both:
        text = "some values have the day first and some the month first: those that can be read either way are in doubt"
        found.append(Finding("text_times", "warning", name, NO_ROWS, text, None))
    others = ~known & ~read.nothing
    if others.any():
        text = f"no times among times: {quoted(column, others)}"
        wrong = Remedy("to_missing", name, {"values": stored(column, others)})
        found.append(Finding("text_times", "warning", name, column.rows_of(others), text, wrong))
    return found


def _turned(format: str) -> str:
    """The format with day and month the other way round."""
    return format.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")


def _has(formats: list[str], wanted: str) -> Flags:
    return np.array([format == wanted for format in formats], dtype=bool)


@finds("text_flags")
def text_flags(look: Look) -> list[Finding]:
    """True and false written in several ways in one column: yes, ja, 1, Y."""
    found = []
    for read in readings(look):
        column = read.column
        if not column.is_text or read.role != "flag":
            continue
        truth = [parse_flag(text) for text in read.texts]
        spellings = [{t.lower() for t, v in zip(read.texts, truth, strict=True) if v is side} for side in (True, False)]
        if max(map(len, spellings)) < 2:
            continue
        usual = {}
        for i in np.argsort(-column.counts, kind="stable").tolist():
            side = truth[i]
            if side is not None and side not in usual:
                usual[side] = read.texts[i].lower()
        other = np.array(
            [v is not None and t.lower() != usual[v] for t, v in zip(read.texts, truth, strict=True)], dtype=bool
        )
        true = [v for v, t in zip(stored(column, np.ones(len(truth), bool)), truth, strict=True) if t is True]
        false = [v for v, t in zip(stored(column, np.ones(len(truth), bool)), truth, strict=True) if t is False]
        text = f"true and false in several spellings: {quoted(column, ~read.nothing, most=6)}"
        remedy = Remedy("to_flag", (column.name,), {"true": true, "false": false})
        found.append(Finding("text_flags", "warning", (column.name,), column.rows_of(other), text, remedy))
    return found

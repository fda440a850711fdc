"""Values that cannot be, by what a column's name says that it holds.

What names say is in one table, `KNOWN`. A name is cut into words: "bloodPressure", "blood_pressure" -> blood pressure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import percent, quoted
from pellucid.quality.checks.registry import finds
from pellucid.quality.column import Look
from pellucid.quality.findings import Finding, Remedy, Severity


@dataclass(frozen=True)
class Known:
    """What a word in a name says: the least and the most that can be, whether nought can, and how sure that is."""

    words: str
    low: float | None = None
    high: float | None = None
    nought: bool = True
    severity: Severity = "error"


KNOWN = (
    Known(r"\bage\b|\balter\b", low=0),
    Known(r"\bage\b|\balter\b", high=120, severity="warning"),
    Known(r"\b(salary|wage|wages|gehalt|lohn)\b", low=0),
    Known(r"\b(price|preis|cost per unit|unit cost|fare|msrp|mrp)\b", low=0, severity="warning"),
    Known(r"\b(quantity|qty|menge|population|headcount)\b", low=0, severity="warning"),
    Known(r"\b(height|weight|width|length|mass|area|volume|distance|duration|bmi)\b", low=0, severity="warning"),
    Known(r"\b(percent|percentage|pct|prozent)\b(?!.*\b(change|growth|diff|difference)\b)", 0, 100, severity="warning"),
    Known(r"\b(probability|prob)\b", 0, 1, severity="warning"),
    Known(r"\b(latitude|lat)\b", -90, 90), Known(r"\b(longitude|lon|lng)\b", -180, 180),
    Known(r"^(month|monat|mon)$", 0, 12), Known(r"^(day|tag|day of month)$", 0, 31, severity="warning"),
    Known(r"^(hour|hr|stunde)$", 0, 24), Known(r"^(weekday|day of week|wday)$", 0, 7, severity="warning"),
    Known(r"^ph$", 0, 14), Known(r"^(year|jahr)$|\byear built\b|\bbirth year\b", 0, 2200, severity="warning"),
    Known(r"\b(blood pressure|systolic|diastolic|trestbps|bp|heart rate|pulse|thalach|glucose|cholesterol|chol|bmi)\b",
          low=0, nought=False, severity="warning"),
    Known(r"\b(skin thickness|insulin|body mass|height|weight|body temperature)\b", nought=False, severity="warning"),
)  # fmt: skip
_CHANGES = re.compile(r"\b(change|delta|diff|difference|growth|gain|z|score|scaled|std|norm|log|residual|error)\b")


def words_of(name: Any) -> str:
    """A column's name as lower-case words.

    >>> words_of("BloodPressure"), words_of("unit_price($)"), words_of("MRP")
    ('blood pressure', 'unit price', 'mrp')
    """
    parted = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-Z])", " ", str(name))
    return " ".join(re.findall(r"[^\W_]+", parted)).lower()


@finds("impossible_values")
def impossible_values(look: Look, *, noughts: float = 0.5) -> list[Finding]:
    """Numbers that cannot be what the column's name says: an age of -3 or 300, a blood pressure of 0."""
    found = []
    for read in readings(look):
        name = words_of(read.column.name)
        meant = [known for known in KNOWN if re.search(known.words, name)]
        if not meant or read.role != "number" or _CHANGES.search(name):
            continue
        numbers = read.value_numbers
        below = read.share(numbers < 0)
        if below > 0.2:  # centred, or an account
            continue
        signed = below > 0.05 and below * read.n_content >= 20
        seen = np.zeros(len(numbers), dtype=bool)
        for known in meant:
            for which, text, remedy in _limits(read, known, noughts, signed):
                which &= ~seen
                seen |= which
                if which.any():
                    found.append(
                        Finding("impossible_values", known.severity, (read.column.name,), read.column.rows_of(which),
                                text.format(quoted(read.column, which)), remedy)
                    )  # fmt: skip
    return found


def _limits(read: Reading, known: Known, noughts: float, signed: bool) -> list[tuple[Any, str, Remedy | None]]:
    numbers, name = read.value_numbers, (read.column.name,)
    stored = read.column.is_number
    found = []
    with np.errstate(invalid="ignore"):
        if known.low is not None and not (signed and known.severity == "warning"):
            remedy = Remedy("outside_to_missing", name, {"min": known.low}) if stored else None
            found.append((numbers < known.low, f"below {known.low:g}, where that cannot be: {{}}", remedy))
        if known.high is not None:
            remedy = Remedy("outside_to_missing", name, {"max": known.high}) if stored else None
            found.append((numbers > known.high, f"above {known.high:g}, where that cannot be: {{}}", remedy))
        if not known.nought and read.n_distinct > 5 and 0 < read.share(numbers == 0) < noughts:
            text = "0 where there must be something, so that it seems to stand for a missing value: {}"
            remedy = Remedy("to_missing", name, {"values": [0]}) if stored else None
            found.append((numbers == 0, text, remedy))
    return found


# -------------------------------------------------------------------------------------------------------------- times

_EPOCHS = np.array(["1900-01-01", "1899-12-30", "1970-01-01", "1753-01-01", "0001-01-01"], dtype="datetime64[us]")


@finds("impossible_times")
def impossible_times(look: Look, *, years_ahead: float = 10.0, before: int = 1800) -> list[Finding]:
    """Times far in the future, births to come, and dates that programs write for none: 1900-01-01, 1970-01-01."""
    found = []
    now = np.datetime64(datetime.now(), "us")
    for read in readings(look):
        if read.role != "time":
            continue
        times, name = read.moments, words_of(read.column.name)
        known, years = ~np.isnat(times), _years(times)
        if not known.any() or (years[known] == 1900).all():  # times of day
            continue
        ahead = 0.0 if re.search(r"\b(birth|born|dob|geburt)", name) else years_ahead
        limit = now + np.timedelta64(int(365.25 * ahead) + 1, "D")
        future, past = known & (times > limit), known & (years < before)
        dummy = _epochs(times, known & ~past)
        formats = read.as_times.format_of if read.column.is_text else []
        short = np.array(["%y" in format for format in formats] or [False] * len(times), dtype=bool)
        for which, text in (
            (future & ~dummy & ~short, "too far in the future: {}"),
            (future & short, "years of two digits that would be too far in the future: {}"),
            (past & ~dummy, f"before the year {before}: {{}}"),
            (dummy, "a date that programs write where there is none: {}"),
        ):
            if which.any() and read.share(which) < 0.5:
                rows = read.column.rows_of(which)
                remedy = None
                if read.column.is_text and not (which & short).any():
                    values = [text for text, flag in zip(read.column.texts, which.tolist(), strict=True) if flag]
                    remedy = Remedy("to_missing", (read.column.name,), {"values": values})
                text = text.format(quoted(read.column, which))
                found.append(Finding("impossible_times", "warning", (read.column.name,), rows, text, remedy))
    return found


def _years(times: Array) -> Array:
    """The year of each; of NaT any number."""
    return times.astype("datetime64[Y]").astype(np.int64) + 1970


def _epochs(times: Array, known: Flags) -> Flags:
    """Beginnings of calendars that lie a year or more before all other times of the column; ends of calendars."""
    start, end = np.isin(times, _EPOCHS), _years(times) == 9999
    others = times[known & ~start & ~end]
    apart = start & (times + np.timedelta64(365, "D") < others.min()) if len(others) else start
    return np.asarray(~np.isnat(times) & (apart | end))


@finds("default_dates")
def default_dates(look: Look, *, share: float = 0.25) -> list[Finding]:
    """Dates that pile up on the first of January, or on the first of the month: the day was not known."""
    found = []
    for read in readings(look):
        if read.role != "time" or read.n_content < 50:
            continue
        times = read.moments
        known, days = ~np.isnat(times), times.astype("datetime64[D]")
        january = known & (days == days.astype("datetime64[Y]"))
        firsts = known & (days == days.astype("datetime64[M]"))
        years = np.unique(_years(times[known]))
        for which, part, day in ((january, share, "1 January"), (firsts, 0.5, "the first of a month")):
            if len(years) >= 3 and part <= read.share(which) < 0.95:
                text = f"{percent(read.share(which))} of the dates are {day}, such as {quoted(read.column, which)}: "
                text += "it seems that more was not known"
                rows = read.column.rows_of(which)
                found.append(Finding("default_dates", "warning", (read.column.name,), rows, text, None))
                break
    return found


_MAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^\W\d_]{2,}")


@finds("impossible_mail")
def impossible_mail(look: Look, *, share: float = 0.8) -> list[Finding]:
    """E-mail addresses that are none, in columns where at least ``share`` of the values are addresses."""
    found = []
    for read in readings(look):
        if not read.column.is_text or read.role not in ("category", "identifier", "text"):
            continue
        mail = np.array([_MAIL.fullmatch(text) is not None for text in read.texts], dtype=bool)
        if share <= read.share(mail) < 1:
            which = ~mail & ~read.nothing
            text = f"no e-mail addresses among addresses: {quoted(read.column, which)}"
            rows = read.column.rows_of(which)
            found.append(Finding("impossible_mail", "warning", (read.column.name,), rows, text, None))
    return found

"""Values that may be wrong for what a column holds: a rare negative price, a lone age of 300, a date in the year 2999.

A name alone sets no limit: an age may be in days, a temperature in kelvins, a balance below zero. A limit in `LIMITS`
only says where to look; values beyond it are reported if they are rare and lie apart from all others of the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Flags, Floats
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import percent, quoted, said
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix

GAP_OF_STEPS = 5.0  # steps from one value to the next that a gap beside 0 must have


@dataclass(frozen=True)
class Limit:
    """What a word in a name suggests: the least and the largest value, and whether zero is to be expected."""

    words: str
    low: float | None = None
    high: float | None = None
    zero: bool = True


LIMITS = (
    Limit(r"\b(age|alter|edad|âge)\b", 0, 120),
    Limit(r"\b(salary|wage|wages|gehalt|lohn|price|preis|precio|prix|fare|msrp|mrp)\b", low=0),
    Limit(r"\b(quantity|qty|menge|population|headcount)\b", low=0),
    Limit(r"\b(height|weight|width|length|mass|area|volume|distance|duration|bmi)\b", low=0),
    Limit(r"\b(percent|percentage|pct|prozent)\b", 0, 100), Limit(r"\b(probability|prob)\b", 0, 1),
    Limit(r"\b(latitude|lat)\b", -90, 90), Limit(r"\b(longitude|lon|lng)\b", -180, 180),
    Limit(r"^(month|monat|mon)$", 0, 12), Limit(r"^(day|tag|day of month)$", 0, 31),
    Limit(r"^(hour|hr|stunde)$", 0, 24), Limit(r"^(weekday|day of week|wday)$", 0, 7),
    Limit(r"^ph$", 0, 14), Limit(r"^(year|jahr)$|\byear built\b|\bbirth year\b", 0, 2200),
    Limit(r"\b(blood pressure|systolic|diastolic|trestbps|bp|heart rate|pulse|thalach|glucose|cholesterol|chol|bmi)\b",
          low=0, zero=False),
    Limit(r"\b(skin thickness|insulin|body mass|height|weight|body temperature)\b", zero=False),
)  # fmt: skip
_DIFFERENCES = re.compile(r"\b(change|delta|diff|difference|growth|gain|z|score|scaled|std|norm|log|residual|error)\b")


def words_of(name: Any) -> str:
    """A column's name as lower-case words.

    >>> words_of("BloodPressure"), words_of("unit_price($)"), words_of("MRP")
    ('blood pressure', 'unit price', 'mrp')
    """
    separated = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-Z])", " ", str(name))
    return " ".join(re.findall(r"[^\W_]+", separated)).lower()


@register_check("impossible_values")
def impossible_values(stats: TableStats, *, rare: float = 0.01, gap: float = 3.0, zeros: float = 0.5) -> list[Finding]:
    """Numbers that may be wrong: beyond what the name suggests, in at most ``rare`` of the rows, and apart from all
    others, by ``gap`` times the distance of the quartiles; a spike at 0 in less than ``zeros`` of the rows."""
    findings = []
    for read in readings(stats):
        name = words_of(read.column.name)
        limits = [limit for limit in LIMITS if re.search(limit.words, name)]
        if limits and read.role == "number" and not _DIFFERENCES.search(name):
            findings += _beyond_limits(read, limits, rare, gap)
            findings += _spike_at_zero(read, limits, zeros)
    return findings


def _beyond_limits(read: Reading, limits: list[Limit], rare: float, gap: float) -> list[Finding]:
    """Values below the lowest and above the highest limit that the name suggests."""
    numbers, findings = read.value_numbers, []
    for low, high in dict.fromkeys((limit.low, limit.high) for limit in limits if limit.low is not None):
        with np.errstate(invalid="ignore"):
            sides = [(numbers < low, f"below {low:g}")]
            sides += [(numbers > high, f"above {high:g}")] if high is not None else []
        for outside, where in sides:
            if _is_rare(read, outside, rare) and _lies_apart(read, outside, gap, low):
                findings.append(_outside(read, outside, where))
    return findings[:2]


def _is_rare(read: Reading, which: Flags, rare: float) -> bool:
    rows = int(read.column.counts[which].sum())
    return 0 < rows <= max(1, rare * read.n_content)


def _lies_apart(read: Reading, outside: Flags, gap: float, low: float) -> bool:
    """Is there a wide gap between these values and the others, or are the others all of one sign, or do the others
    fill a short range of whole numbers?"""
    numbers = read.value_numbers
    inside = np.isfinite(numbers) & ~outside
    inside_numbers, counts = numbers[inside], read.column.counts[inside]
    if len(inside_numbers) < 4:
        return False
    if (numbers[outside] < low).all() and low == 0:
        return True
    if (inside_numbers == np.floor(inside_numbers)).all() and len(
        inside_numbers
    ) == inside_numbers.max() - inside_numbers.min() + 1 <= 60:
        return True
    spread = _quartile_distance(inside_numbers, counts)
    nearest = min(float(np.abs(value - inside_numbers).min()) for value in numbers[outside][:1000])
    return spread > 0 and nearest >= gap * spread


def _quartile_distance(values: Floats, counts: Array) -> float:
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(counts[order])
    first, third = (values[order][np.searchsorted(upto, share * upto[-1])] for share in (0.25, 0.75))
    return float(third - first)


def _outside(read: Reading, which: Flags, where: str) -> Finding:
    column, rows = read.column, read.column.rows_of(which)
    text = f"{count(len(rows), 'value')} {where}, unlike all others of the column, may be wrong"
    text += f": {quoted(column, which)}"
    fix = None
    if column.is_number:
        inside_numbers = read.value_numbers[np.isfinite(read.value_numbers) & ~which]
        settings = (
            {"min": float(inside_numbers.min())} if where.startswith("below") else {"max": float(inside_numbers.max())}
        )
        fix = Fix("outside_to_missing", (column.name,), settings)
    return Finding("impossible_values", "note", (column.name,), rows, text, fix)


def _spike_at_zero(read: Reading, limits: list[Limit], max_share: float) -> list[Finding]:
    """Zeros that no other value comes near, where the name suggests a quantity that is not zero."""
    numbers, column = read.value_numbers, read.column
    which = numbers == 0
    is_other = np.isfinite(numbers) & ~which
    if all(limit.zero for limit in limits) or read.n_distinct <= 5 or not 0 < read.share(which) < max_share:
        return []
    values = np.sort(numbers[is_other])
    nearest, step = float(values[0]), float(np.median(np.diff(values)))
    is_far = nearest >= 0.5 * _quartile_distance(numbers[is_other], column.counts[is_other])
    if nearest < 0 or not (is_far or nearest >= GAP_OF_STEPS * step):  # a skewed column has no short distance
        return []
    text = f"0 in {percent(read.share(which))} of the rows, while all other values are {said(nearest)} or more: "
    text += "it may stand for a missing value"
    fix = Fix("to_missing", (column.name,), {"values": [0]}) if column.is_number else None
    return [Finding("impossible_values", "note", (column.name,), column.rows_of(which), text, fix)]


# -------------------------------------------------------------------------------------------------------------- times

_EPOCHS = np.array(["1900-01-01", "1899-12-30", "1970-01-01", "1753-01-01", "0001-01-01"], dtype="datetime64[us]")
_LAST_SHORT_YEAR = 2035  # years of two digits that are later may be of the century before


@register_check("impossible_times")
def impossible_times(stats: TableStats, *, rare: float = 0.05, years: float = 20.0) -> list[Finding]:
    """Times that may be wrong: ``years`` and more before or after all others of the column, and dates that programs
    write where there is none: 1900-01-01, 1970-01-01."""
    findings = []
    for read in readings(stats):
        if read.role != "time":
            continue
        times = read.moments
        is_time = ~np.isnat(times)
        if not is_time.any() or (_years(times[is_time]) == 1900).all():  # times of day
            continue
        formats = read.as_times.format_of if read.column.is_text else []
        short = np.array(["%y" in form for form in formats] or [False] * len(times), dtype=bool)
        dummy = _epochs(times, is_time)
        early, late = _far_from_others(times, is_time & ~dummy & ~short, years)
        for which, text in (
            (late, f"at least {years:g} years after all other times of the column, which may be wrong: {{}}"),
            (is_time & short & (_years(times) > _LAST_SHORT_YEAR),
             "years of two digits that are read as later than 2035 and may be of the century before: {}"),
            (early, f"at least {years:g} years before all other times of the column, which may be wrong: {{}}"),
            (dummy, "a date that programs write where there is none, which may stand for a missing one: {}"),
        ):  # fmt: skip
            if which.any() and read.share(which) <= max(rare, 1 / read.n_content):
                findings.append(_odd_times(read, which, text, can_go=not (which & short).any()))
    return findings


def _odd_times(read: Reading, which: Flags, text: str, can_go: bool) -> Finding:
    column, fix = read.column, None
    if column.is_text and can_go:
        values = [text for text, flag in zip(column.texts, which.tolist(), strict=True) if flag]
        fix = Fix("to_missing", (column.name,), {"values": values})
    text = text.format(quoted(column, which))
    return Finding("impossible_times", "warning", (column.name,), column.rows_of(which), text, fix)


def _far_from_others(times: Array, is_eligible: Flags, years: float) -> tuple[Flags, Flags]:
    """Times so many years, and the whole span of the others, before and after all others."""
    early, late = np.zeros(len(times), dtype=bool), np.zeros(len(times), dtype=bool)
    order = np.flatnonzero(is_eligible)[np.argsort(times[is_eligible], kind="stable")]
    if len(order) < 5:
        return early, late
    days = times[order].astype("datetime64[D]").astype(np.int64)
    third = max(len(order) // 20, 1)  # at most so many values are odd on either side
    bulk = days[third : len(days) - third]
    min_step = max(365.25 * years, float(bulk[-1] - bulk[0]))
    steps = np.diff(days)
    for index in np.flatnonzero(steps >= min_step).tolist():
        if index < third:
            early[order[: index + 1]] = True
        if index >= len(days) - 1 - third:
            late[order[index + 1 :]] = True
            break
    return early, late


def _years(times: Array) -> Array:
    """The year of each; of NaT any number."""
    return times.astype("datetime64[Y]").astype(np.int64) + 1970


def _epochs(times: Array, is_time: Flags) -> Flags:
    """Beginnings of calendars that lie a year or more before all other times of the column; ends of calendars."""
    start, end = np.isin(times, _EPOCHS), _years(times) == 9999
    other_times = times[is_time & ~start & ~end]
    apart = start & (times + np.timedelta64(365, "D") < other_times.min()) if len(other_times) else start
    return np.asarray(~np.isnat(times) & (apart | end))


@register_check("default_dates")
def default_dates(stats: TableStats, *, share: float = 0.25) -> list[Finding]:
    """Dates that pile up on the first of January, or on the first of the month: the day was not known."""
    findings = []
    for read in readings(stats):
        if read.role != "time" or read.n_content < 50:
            continue
        times = read.moments
        is_time, days = ~np.isnat(times), times.astype("datetime64[D]")
        january = is_time & (days == days.astype("datetime64[Y]"))
        firsts = is_time & (days == days.astype("datetime64[M]"))
        years = np.unique(_years(times[is_time]))
        for which, min_share, day in ((january, share, "1 January"), (firsts, 0.5, "the first of a month")):
            if len(years) >= 3 and min_share <= read.share(which) < 0.95:
                text = f"{percent(read.share(which))} of the dates are {day}, such as {quoted(read.column, which)}: "
                text += "it seems that more was not known"
                rows = read.column.rows_of(which)
                findings.append(Finding("default_dates", "warning", (read.column.name,), rows, text, None))
                break
    return findings


_MAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^\W\d_]{2,}")


@register_check("impossible_mail")
def impossible_mail(stats: TableStats, *, share: float = 0.8) -> list[Finding]:
    """E-mail addresses that are none, in columns where at least ``share`` of the values are addresses."""
    findings = []
    for read in readings(stats):
        if not read.column.is_text or read.role not in ("category", "identifier", "text"):
            continue
        mail = np.array([_MAIL.fullmatch(text) is not None for text in read.texts], dtype=bool)
        if share <= read.share(mail) < 1:
            which = ~mail & ~read.nothing
            text = f"no e-mail addresses among addresses: {quoted(read.column, which)}"
            rows = read.column.rows_of(which)
            findings.append(Finding("impossible_mail", "warning", (read.column.name,), rows, text, None))
    return findings

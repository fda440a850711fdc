"""Points in time that are stored as integers: dates, epochs, years, times of day, and parts of dates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.base.types import Array, Flags
from pellucid.quality.semantic_types.column_values import NumberValues
from pellucid.quality.semantic_types.names import names_topic
from pellucid.quality.semantic_types.semantic_type import SemanticName, SemanticType

FIRST_YEAR, LAST_YEAR = 1800, 2200
FIRST_NAMED_YEAR = 1000  # under a name that speaks of years
NO_DATE = (0, 99991231, 99999999, 19000101)  # what programs write where there is no date
EPOCHS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
FIRST_EPOCH, LAST_EPOCH = 946_684_800, 2_082_758_400  # 2000 to 2035
FIRST_NAMED_EPOCH = 631_152_000  # 1990, under a name that speaks of time
MANY_DATES, VALID_DATES = 50, 0.95  # dates of eight digits, of which so many are valid, though a few are mistyped
DAY = 86_400


def recognize_calendar(numbers: NumberValues) -> SemanticType | None:
    """Dates, epochs, years and times of day among whole numbers."""
    for recognize in (_integer_date, _epoch, _year, _time_of_day, _part_of_a_date):
        semantic = recognize(numbers)
        if semantic is not None:
            return semantic
    return None


# ------------------------------------------------------------------------------------------------------ integer dates


def _days_in(years: Array, months: Array) -> Array:
    leap = ((years % 4 == 0) & (years % 100 != 0)) | (years % 400 == 0)
    days = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[np.clip(months, 1, 12) - 1]
    return np.asarray(days + (leap & (months == 2)))


def _is_date(years: Array, months: Array, days: Array) -> Flags:
    in_range = (years >= FIRST_YEAR) & (years <= LAST_YEAR) & (months >= 1) & (months <= 12) & (days >= 1)
    return np.asarray(in_range & (days <= _days_in(years, months)))


def _two_digit_year(short: Array) -> Array:
    """strptime's rule: 69 to 99 are of the twentieth century."""
    return np.where(short >= 69, 1900 + short, 2000 + short)


def _year_first(v: Array) -> Flags:
    return _is_date(v // 10_000, v // 100 % 100, v % 100)


def _day_first(v: Array) -> Flags:
    return _is_date(v % 10_000, v // 10_000 % 100, v // 1_000_000)


def _month_first(v: Array) -> Flags:
    return _is_date(v % 10_000, v // 1_000_000, v // 10_000 % 100)


def _year_month(v: Array) -> Flags:
    return _is_date(v // 100, v % 100, np.ones_like(v))


def _short_year_first(v: Array) -> Flags:
    return np.asarray((v < 1_000_000) & _is_date(_two_digit_year(v // 10_000), v // 100 % 100, v % 100))


def _with_minutes(v: Array) -> Flags:
    return np.asarray(_year_first(v // 10_000) & (v // 100 % 100 < 24) & (v % 100 < 60))


def _with_seconds(v: Array) -> Flags:
    return np.asarray(_with_minutes(v // 100) & (v % 100 < 60))


# (format, is it valid, digits of the largest value, distinct values that are needed without and with a name's support)
DATE_FORMATS: tuple[tuple[str, Callable[[Array], Flags], tuple[int, ...], int, int], ...] = (
    ("%Y%m%d", _year_first, (8,), 3, 2),
    ("%d%m%Y", _day_first, (7, 8), 4, 2),
    ("%m%d%Y", _month_first, (7, 8), 4, 2),
    ("%Y%m%d%H%M%S", _with_seconds, (14,), 3, 2),
    ("%Y%m%d%H%M", _with_minutes, (12,), 3, 2),
    ("%Y%m", _year_month, (6,), 13, 3),
    ("%y%m%d", _short_year_first, (6,), 20, 6),
)


def _integer_date(numbers: NumberValues) -> SemanticType | None:
    v, sentinel = numbers.integers, np.isin(numbers.integers, NO_DATE)
    v = v[~sentinel] if sentinel.sum() <= 2 else v
    if len(v) == 0 or v[0] < 0:
        return None
    has_name = any(names_topic(numbers.words, topic) for topic in ("time", "day", "month"))
    for form, is_valid, digits, min_values, least_named in DATE_FORMATS:
        if len(str(v[-1])) not in digits or len(v) < (least_named if has_name else min_values):
            continue
        valid = is_valid(v)
        n_valid = int(valid.sum())
        if n_valid < len(v) and (digits[-1] != 8 or n_valid < max(MANY_DATES, VALID_DATES * len(v))):
            continue
        if not has_name and _counts_on(v):
            continue
        ends = [format_integer_date(int(end), form) for end in v[valid][[0, -1]]]
        share = f"all {len(v):,}" if n_valid == len(v) else f"{n_valid:,} of {len(v):,}"
        evidence = f"{share} different values are valid calendar dates when read as {readable_format(form)}"
        return SemanticType("integer_date", f"{evidence}, such as {ends[0]} and {ends[1]}", unit=form)
    return None


def _counts_on(v: Array) -> bool:
    """Consecutive numbers may be valid dates by chance, as 20200101, 20200102, ... within one month."""
    return bool(v[-1] - v[0] + 1 <= 1.2 * len(v))


def readable_format(form: str) -> str:
    """A format in letters: %Y%m%d is YYYYMMDD."""
    for directive, letters in (("%Y", "YYYY"), ("%y", "YY"), ("%m", "MM"), ("%d", "DD"), ("%H", "hh"), ("%M", "mm")):
        form = form.replace(directive, letters)
    return form.replace("%S", "ss")


def dates_of(v: Array, form: str) -> tuple[Flags, Array]:
    """Which integers are dates of a format, and the times that they stand for, in microseconds."""
    is_valid = next(check for date_format, check, *_ in DATE_FORMATS if date_format == form)
    valid = is_valid(v) & (v >= 0)
    v = np.where(valid, v, 0)
    clock = np.zeros_like(v)
    if form.startswith("%Y%m%d%H"):
        digits = v if form.endswith("%S") else v * 100
        clock = (digits // 10_000 % 100 * 60 + digits // 100 % 100) * 60 + digits % 100
        v = digits // 10**6
    if form == "%d%m%Y":
        year, month, day = v % 10_000, v // 10_000 % 100, v // 1_000_000
    elif form == "%m%d%Y":
        year, month, day = v % 10_000, v // 1_000_000, v // 10_000 % 100
    elif form == "%Y%m":
        year, month, day = v // 100, v % 100, np.ones_like(v)
    else:
        year, month, day = v // 10_000, v // 100 % 100, v % 100
        year = _two_digit_year(year) if form == "%y%m%d" else year
    months = (year - 1970) * 12 + month - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + day - 1
    return valid, ((days * DAY + clock) * 10**6).astype("datetime64[us]")


def format_integer_date(value: int, form: str) -> str:
    """A date written as an integer as an ISO date; a value that is no date stays as it is.

    >>> format_integer_date(19910108, "%Y%m%d"), format_integer_date(1022020, "%d%m%Y")
    ('1991-01-08', '2020-02-01')
    """
    valid, times = dates_of(np.array([value], dtype=np.int64), form)
    if not valid[0]:
        return str(value)
    unit = "M" if form == "%Y%m" else "s" if "%H" in form else "D"
    return str(times[0].astype(f"datetime64[{unit}]")).replace("T", " ")


# ------------------------------------------------------------------------------------------------------------- epochs


def _epoch(numbers: NumberValues) -> SemanticType | None:
    v, has_name = numbers.integers, names_topic(numbers.words, "time")
    for unit, factor in EPOCHS.items():
        first_epoch = FIRST_NAMED_EPOCH if has_name else FIRST_EPOCH
        if not first_epoch * factor <= int(v[0]) < int(v[-1]) <= LAST_EPOCH * factor:
            continue
        seconds = v // factor
        if unit == "s" and not has_name and not _follows_the_clock(seconds, numbers.counts):
            return None
        first, last = (str(np.datetime64(int(end), "s")).replace("T", " ") for end in (seconds[0], seconds[-1]))
        evidence = f"the values read as {_UNITS[unit]} since 1970 lie between {first} and {last}"
        return SemanticType("epoch", evidence, unit=unit)
    return None


_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def _follows_the_clock(seconds: Array, counts: Array) -> bool:
    """Are the seconds whole minutes, hours or days, or do they prefer hours of the day, as events do and numbers that
    were given out do not?"""
    if len(seconds) >= 10 and bool((seconds % 60 == seconds[0] % 60).all()):
        return True
    if len(seconds) < 200 or seconds[-1] - seconds[0] < 10 * DAY:
        return False
    hours = np.bincount(seconds % DAY // 3600, weights=counts, minlength=24)
    expected = hours.sum() / 24
    return bool(((hours - expected) ** 2 / expected).sum() > 100 and expected >= 5)  # 23 degrees of freedom


# -------------------------------------------------------------------------------------------------------------- years


def _year(numbers: NumberValues) -> SemanticType | None:
    low, high = int(numbers.low), int(numbers.high)
    has_name = names_topic(numbers.words, "year") or names_topic(numbers.words, "time")
    if not (FIRST_NAMED_YEAR if has_name else FIRST_YEAR) <= low < high <= LAST_YEAR:
        return None
    filled = numbers.n_distinct / (high - low + 1)
    recent = low >= 1850 and 1980 <= high <= 2028
    dense = filled >= 0.8 and numbers.n_distinct >= 5 and not _ends_in_zero(numbers.integers)
    few = low >= 1950 and 2000 <= high <= 2028 and _is_regular(numbers.integers)
    if not has_name and not (recent and (dense or few)):
        return None
    evidence = f"{numbers.n_distinct:,} different whole numbers from {low} to {high}"
    steps = f", {filled:.0%} of those between" if dense else ", in equal steps"
    evidence += ", under a name that speaks of years" if has_name else steps
    return SemanticType("year", evidence)


def _is_regular(v: Array) -> bool:
    """Consecutive years, or every second, fourth, fifth or tenth one."""
    steps = np.diff(v)
    return bool((steps == steps[0]).all() and steps[0] in (1, 2, 4, 5, 10))


def _ends_in_zero(v: Array) -> bool:
    return bool((v % 5 == 0).all())


# -------------------------------------------------------------------------------------------------------- times of day


def _time_of_day(numbers: NumberValues) -> SemanticType | None:
    """hhmm: 517 is 05:17. The last two digits of other numbers go beyond 59."""
    v = numbers.integers
    if v[0] < 0 or not 1000 <= v[-1] <= 2400 or not bool((v % 100 < 60).all()):
        return None
    within_hours = v[v % 100 != 0]
    has_name = any(names_topic(numbers.words, topic) for topic in ("time", "hour"))
    if len(within_hours) < (4 if has_name else 25) or len(np.unique(within_hours // 100)) < 3:
        return None
    evidence = f"the last two digits of all {len(v):,} different values are below 60, and none is above 2400: hhmm"
    return SemanticType("time_of_day", evidence, unit="HHMM")


# A part of a date, the topic of its name, the least and largest value, and the least number of values and largest one
# that are needed.
_PARTS: tuple[tuple[SemanticName, str, int, int, int, int], ...] = (
    ("month", "month", 1, 12, 4, 6), ("weekday", "weekday", 0, 7, 4, 4), ("day_of_month", "day", 1, 31, 8, 20),
    ("hour", "hour", 0, 24, 6, 12), ("minute", "minute", 0, 59, 4, 45),
)  # fmt: skip


def _part_of_a_date(numbers: NumberValues) -> SemanticType | None:
    """Months, weekdays, days, hours and minutes: a name says which, and the values fill that range."""
    low, high = int(numbers.low), int(numbers.high)
    for name, topic, min_value, max_value, n_needed, reached in _PARTS:
        if not (min_value <= low and reached <= high <= max_value and numbers.n_distinct >= n_needed):
            continue
        if names_topic(numbers.words, topic) and _fills_its_range(numbers, name):
            evidence = f"whole numbers from {low} to {high}, under a name that speaks of a {topic}"
            return SemanticType(name, evidence)
    return None


def _fills_its_range(numbers: NumberValues, name: str) -> bool:
    """Are at least 5 % of the rows in each quarter of an hour, or third of a month? A wait of so many minutes becomes
    rarer, as does a number of cigarettes a day; a minimum need not begin at 0."""
    if name == "minute":
        segment_counts = np.bincount(numbers.integers // 15, weights=numbers.counts, minlength=4)
    elif name == "day_of_month":
        segment_counts = np.bincount(np.minimum((numbers.integers - 1) // 10, 2), weights=numbers.counts, minlength=3)
    else:
        return True
    return bool(segment_counts.min() >= 0.05 * numbers.n_present)

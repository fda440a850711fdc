"""When each row was recorded: timestamps, dates written as numbers, seconds since 1970, or parts in several columns.

A `Clock` holds one number per row that grows with time. Whether the rows are a process in time along it is decided in
`structure.py`; here only the values are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of, n_rows_of, take_rows
from pellucid.quality.checks._times import read_times
from pellucid.report.decimal_years import seconds_of_decimal_years
from pellucid.report.name_vocabulary import (
    JULIAN_WORDS,
    name_tokens,
    part_of_time,
    parts_by_letter,
    plain_text,
    speaks_of_time,
)
from pellucid.report.periods import MONTHS, YEARS, seconds_of_periods, seconds_of_weeks, years_of_texts

Resolution = Literal["instant", "day", "month", "year"]
SAMPLE = 500  # rows from which it is guessed whether a column holds times
LONGEST_TABLE = 60  # consecutive years
LEAST_DATES = 200  # among which random months and days would include a 31st of April
VALID = 0.99  # share of the present values that must be times
DAY, MICROSECOND = 86_400.0, 1e-6
NO_YEAR = "without a year"  # in the form of a clock whose values are in a year of our choice
_YEAR_AND_MONTH = re.compile(r"\d{4}[-/.]\d{2}")
_COMPACT = re.compile(r"\d{8}T\d{4}(\d{2})?Z?")  # ISO 8601 without hyphens and colons
_LOG_FORMS = (
    "%a, %d %b %Y %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %Z", "%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S %Y",
    "%d/%b/%Y:%H:%M:%S %z", "%a %b %d %H:%M:%S %Z %Y",
)  # fmt: skip
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?")


@dataclass(frozen=True)
class Clock:
    """The time of each row.

    columns : where it was read
    form : how it is written, as a phrase
    values : seconds since 1970, or years where only years are known; NaN where the time is missing
    resolution : the finest unit that is written
    format : of months written as text, by which they can be taken apart
    """

    columns: tuple[str, ...]
    form: str
    values: Floats
    resolution: Resolution
    format: str = ""

    @property
    def label(self) -> str:
        """The columns, as they are named in a sentence."""
        quoted = [repr(name) for name in self.columns]
        return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"

    @property
    def is_calendar(self) -> bool:
        """Are the values seconds since 1970?"""
        return self.resolution != "year" and self.form != "days counted from a fixed date"

    @property
    def years(self) -> float:
        """How many years the middle 98 % of the rows span."""
        low, high = np.nanquantile(self.values, [0.01, 0.99])
        return float(high - low) / (1.0 if self.resolution == "year" else 365.25 * DAY)


def read_clocks(table: Any, names: Sequence[str]) -> list[Clock]:
    """Every column, or set of columns, that may say when a row was recorded."""
    n_rows = n_rows_of(table)
    few = take_rows(table, np.unique(np.linspace(0, n_rows - 1, min(n_rows, SAMPLE)).astype(int)))
    clocks = []
    for name in names:
        if read_clock(name, column_of(few, name), in_full=False) is not None:
            clock = read_clock(name, column_of(table, name))
            if clock is not None:
                clocks.append(clock)
    return clocks + _from_parts(table, names)


def read_clock(name: str, values: Array, in_full: bool = True) -> Clock | None:
    """The clock in one column, or None. ``in_full`` says that these are all rows, in their order."""
    if values.dtype.kind == "M":
        return _of_datetimes(name, values)
    if values.dtype.kind == "O":
        return _of_texts(name, values)
    if values.dtype.kind not in "iuf":
        return None
    numbers = values.astype(np.float64)
    present = numbers[np.isfinite(numbers)]
    if len(present) < 5 or present.min() < YEARS[0] or present[0] == present.min() == present.max():
        return None
    if (present == np.floor(present)).all():
        return _of_whole_numbers(name, numbers, present, in_full)
    return _of_decimals(name, numbers, present, in_full)


def ordered_share(values: Floats) -> tuple[float, int]:
    """Of neighboring rows with different values, the share in which the value grows; and how many there are.

    >>> ordered_share(np.array([1.0, 2.0, 2.0, 5.0, 4.0]))
    (0.6666666666666666, 3)
    """
    steps = np.diff(values[np.isfinite(values)])
    steps = steps[steps != 0]
    return (float((steps > 0).mean()), len(steps)) if len(steps) else (0.5, 0)


def is_ordered(values: Floats, least_steps: int = 10) -> bool:
    """Do the rows stand in the order of these values, or in the opposite one, nearly everywhere?"""
    share, n_steps = ordered_share(values)
    return n_steps >= least_steps and not 0.05 < share < 0.95


# --------------------------------------------------------------------------------------------------- single columns


def _of_datetimes(name: str, values: Array) -> Clock | None:
    missing = np.isnat(values)
    micros = np.where(missing, 0, values.astype("datetime64[us]").astype(np.int64))
    seconds = np.where(missing, np.nan, micros * MICROSECOND)
    return _calendar(name, "timestamps", seconds)


def _calendar(name: str, form: str, seconds: Floats) -> Clock | None:
    present = seconds[np.isfinite(seconds)]
    if len(present) < 5 or present.min() == present.max():
        return None
    only_days = bool((present % DAY == 0).all())
    return Clock(
        (name,), "dates" if only_days and form == "timestamps" else form, seconds, "day" if only_days else "instant"
    )


def _of_texts(name: str, values: Array) -> Clock | None:
    present = [value for value in values if value is not None]
    if len(present) < 5 or not all(isinstance(value, str) for value in present):
        return None
    few = [text.strip() for text in present[:: max(1, len(present) // 200)]]
    if np.mean([any(map(str.isdigit, text)) for text in few]) < VALID:
        return None
    missing = np.array([value is None for value in values])
    iso = _seconds_of_iso(present)
    if iso is not None:
        seconds = np.full(len(values), np.nan)
        seconds[~missing] = iso
        return _calendar(name, "dates written as text", seconds)
    unique, codes = np.unique([text.strip() for text in present], return_inverse=True)
    starts = years_of_texts(unique.tolist())
    if starts is not None:
        years = np.full(len(values), np.nan)
        years[~missing] = starts[1][codes]
        return Clock((name,), starts[0], years, "year") if len(unique) > 1 else None
    times = _seconds_of_texts(unique)
    if times is None or np.isfinite(times[codes]).mean() < VALID:
        return None
    seconds = np.full(len(values), np.nan)
    seconds[~missing] = times[codes]
    clock = _calendar(name, "dates written as text", seconds)
    if clock is not None and _YEAR_AND_MONTH.fullmatch(unique[0]):
        return replace(clock, format=f"%Y{unique[0][4]}%m", resolution="month")
    return clock


def _seconds_of_iso(texts: list[str]) -> Floats | None:
    """The times of texts in ISO 8601 without a zone; None if some are written otherwise. A sample is looked at."""
    if not all(_ISO.fullmatch(text.strip()) for text in texts[:: max(1, len(texts) // SAMPLE)]):
        return None
    try:
        micros = np.array(texts, dtype="datetime64[us]")
    except ValueError:
        return None
    return np.asarray(micros.astype(np.int64) * MICROSECOND)


def _seconds_of_texts(texts: Array) -> Floats | None:
    """The times of distinct texts; None where they are not written in one unambiguous way."""
    if all(_COMPACT.fullmatch(text) for text in texts.tolist()):
        texts = np.array([text.replace("T", "").rstrip("Z") for text in texts.tolist()])
    first = str(texts[0])
    if first.isdigit() and all(text.isdigit() and len(text) == len(first) for text in texts.tolist()):
        numbers = texts.astype(np.float64)
        seconds = _seconds_of_digits(numbers, len(first))
        is_date = seconds is not None and np.isfinite(seconds).mean() >= VALID
        return seconds if is_date or len(first) != 6 else seconds_of_weeks(numbers)
    periods = seconds_of_periods(texts.tolist())
    if periods is not None:
        return periods
    logged = _seconds_of_logs(texts.tolist())
    if logged is not None:
        return logged
    reading = read_times(texts.tolist(), np.ones(len(texts), dtype=np.int64))
    if not reading.formats or any(
        "%Y" not in time_format and "%y" not in time_format for time_format in reading.formats
    ):
        return None
    times = [
        np.nan if time is None else (np.datetime64(time, "us").astype(np.int64) * MICROSECOND)
        for time in reading.values
    ]
    return np.asarray(times, dtype=np.float64)


def _seconds_of_logs(texts: list[str]) -> Floats | None:
    """Times as mails, logs and feeds write them, such as Tue, 05 Mar 2019 14:02:11 +0000; None for others."""
    for form in _LOG_FORMS:
        try:
            times = [datetime.strptime(text, form) for text in texts]
        except ValueError:
            continue
        return np.array([time.replace(tzinfo=time.tzinfo or UTC).timestamp() for time in times])
    return None


def _of_whole_numbers(name: str, numbers: Floats, present: Floats, in_full: bool) -> Clock | None:
    low, high = present.min(), present.max()
    n_digits = len(str(int(low)))
    if n_digits == len(str(int(high))) and n_digits in (6, 8, 10, 12, 14):
        seconds = _seconds_of_digits(numbers, n_digits)
        if seconds is not None and np.isfinite(seconds).sum() >= VALID * len(present):
            pattern = "yyyymmddhhmmss"[:n_digits]
            return Clock((name,), f"dates written as whole numbers ({pattern})", seconds,
                         "month" if n_digits == 6 else "day" if n_digits == 8 else "instant")  # fmt: skip
        weeks = seconds_of_weeks(numbers) if n_digits == 6 else None
        if weeks is not None:
            return Clock((name,), "weeks written as whole numbers (yyyyww)", weeks, "day")
    for unit, scale in (("seconds", 1.0), ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9)):
        if 3e8 * scale <= low and high <= 2.5e9 * scale and _is_epoch(name, numbers, present, in_full):
            return Clock((name,), f"{unit} since 1970", numbers / scale, "instant")
    if _is_serial_day(name, low, high):
        return Clock((name,), "days counted from a fixed date", numbers * DAY, "day")
    if high <= YEARS[1] and len(np.unique(present)) >= 2 and (speaks_of_time(name) or low >= 1900):
        return Clock((name,), "years", numbers, "year")
    return None


def _seconds_of_digits(numbers: Floats, n_digits: int) -> Floats | None:
    """Numbers such as 20210315, or 202103 or 2021031514, as seconds; NaN where there is no such day."""
    if n_digits not in (6, 8, 10, 12, 14):
        return None
    is_present = np.isfinite(numbers)
    leading_digits = np.where(is_present, numbers, 0).astype(np.int64)
    clock = np.zeros(len(leading_digits), dtype=np.int64)
    for min_digits, unit, limit in ((14, 1, 60), (12, 60, 60), (10, 3600, 24)):
        if n_digits >= min_digits:
            leading_digits, last = leading_digits // 100, leading_digits % 100
            clock += unit * last
            is_present &= last < limit
    leading_digits, day = (
        (leading_digits, np.ones(len(leading_digits), dtype=np.int64))
        if n_digits == 6
        else (leading_digits // 100, leading_digits % 100)
    )
    seconds = _seconds_of_dates(leading_digits // 100, leading_digits % 100, day)
    seconds[~is_present] = np.nan
    is_present = np.isfinite(seconds)
    n_months = len(np.unique((leading_digits % 100)[is_present]))
    if n_digits == 6 and (n_months < 3 or len(np.unique(leading_digits[is_present])) < 6):
        return None
    return np.asarray(seconds + clock)


def _seconds_of_dates(year: Array, month: Array, day: Array) -> Floats:
    """Of years, months and days; NaN where there is no such day."""
    valid = (year >= 1800) & (year <= YEARS[1]) & (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    valid &= days.astype("datetime64[D]").astype("datetime64[M]") == months
    return np.where(valid, days * DAY, np.nan)


def _is_epoch(name: str, numbers: Floats, present: Floats, in_full: bool) -> bool:
    """Large whole numbers are seconds since 1970 if something else speaks for it: the name, the order of the rows, or
    full minutes. Consecutive numbers of orders or invoices are none."""
    if np.unique(present).size < 5:
        return False
    digits = 10.0 ** (len(str(int(present.min()))) - 10)
    has_time_name = speaks_of_time(name)
    full_minutes = float((present % (60 * digits) == 0).mean()) > 0.95
    if has_time_name or full_minutes or not in_full:
        return True
    steps = np.abs(np.diff(present))
    return is_ordered(numbers) and float((steps <= 1).mean()) < 0.5


def _is_serial_day(name: str, low: float, high: float) -> bool:
    tokens = set(name_tokens(name))
    julian = (low > 2_400_000 and high < 2_500_000) or (low > 40_000 and high < 70_000)
    spreadsheet = low > 10_000 and high < 60_000
    recent = low > 30_000 and high < 50_000  # 1982 to 2036: compound words, such as Bestelldatum, are believed less
    compound = any(token.endswith(("datum", "date", "tag")) for token in tokens)
    epoch_days = low > 3_000 and high < 40_000 and "epoch" in tokens and bool({"day", "days"} & tokens)
    has_date_name = bool({"date", "datum", "fecha"} & tokens) or epoch_days or (recent and compound)
    return (julian and bool(JULIAN_WORDS & tokens)) or (spreadsheet and has_date_name)


def _of_decimals(name: str, numbers: Floats, present: Floats, in_full: bool) -> Clock | None:
    low, high = present.min(), present.max()
    if YEARS[0] <= low and high <= YEARS[1]:
        has_year_name = "year" in {part_of_time(name), *(part_of_time(name) or ())}
        in_order = is_ordered(numbers)
        decimal_years = seconds_of_decimal_years(numbers, in_order) if in_full else None
        if decimal_years is not None:
            seconds, finest = decimal_years
            return Clock((name,), "years with decimals", seconds, finest)
        if has_year_name or not in_full:
            return Clock((name,), "years with decimals", (numbers - 1970) * 365.25 * DAY, "day")
    if _is_serial_day(name, low, high):
        return Clock((name,), "days counted from a fixed date", numbers * DAY, "instant")
    if low >= 3e8 and high <= 2.5e9 and _is_epoch(name, numbers, present, in_full):
        return Clock((name,), "seconds since 1970", numbers, "instant")
    return None


# ------------------------------------------------------------------------------------------------ parts in columns

_RANGES = {
    "quarter": (1, 4), "month": (1, 12), "week": (0, 53), "day_of_year": (1, 366), "day": (1, 31), "hour": (0, 24),
    "minute": (0, 59), "second": (0, 60),
}  # fmt: skip
_FINEST: dict[str, Resolution] = {"hour": "instant", "minute": "instant", "second": "instant", "year": "year"}


def _from_parts(table: Any, names: Sequence[str]) -> list[Clock]:
    """Clocks of columns such as year, month, day and hour that belong together by their names."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        unit_and_group = part_of_time(name)
        if unit_and_group is not None:
            groups.setdefault(unit_and_group[1], {}).setdefault(unit_and_group[0], name)
    by_letter = parts_by_letter(names)
    if by_letter:
        groups["single letters"] = by_letter
    clocks: list[Clock] = []
    for unit_columns in [*groups.values(), _parts_by_values(table, names)]:
        clock = _from_named_parts(table, unit_columns) if unit_columns else None
        if clock is not None and clock.columns not in [other.columns for other in clocks]:
            clocks.append(clock)
    return clocks


def _parts_by_values(table: Any, names: Sequence[str]) -> dict[str, str]:
    """A year, a month and a day, and perhaps an hour, by their values, under whatever names: every month and every day
    occurs, and never a 31st of April. Nothing where two columns might be the same part."""
    ranges = {"month": (1, 12), "day": (1, 31), "hour": (0, 23)}
    columns_by_unit: dict[str, list[str]] = {}
    for name in names:
        values = column_of(table, name)
        if values.dtype.kind not in "iu" or not len(values) or values.min() < 0 or values.max() > YEARS[1]:
            continue
        ends = (int(values.min()), int(values.max()))
        unit = next((unit for unit, range_ in ranges.items() if ends == range_), "")
        unit = unit or ("year" if ends[0] >= 1900 and ends[1] - ends[0] < LONGEST_TABLE else "")
        if unit and len(np.unique(values)) == ends[1] - ends[0] + 1:
            columns_by_unit.setdefault(unit, []).append(name)
    if set(columns_by_unit) & {"year", "month", "day"} != {"year", "month", "day"} or any(
        len(unit_columns) > 1 for unit_columns in columns_by_unit.values()
    ):
        return {}
    columns = {unit: unit_columns[0] for unit, unit_columns in columns_by_unit.items()}
    numbers = [column_of(table, columns[unit]).astype(np.int64) for unit in ("year", "month", "day")]
    is_date = np.isfinite(_seconds_of_dates(*numbers)).all() and len(numbers[0]) >= LEAST_DATES
    return columns if is_date else {}


def _from_named_parts(table: Any, column_of_unit: dict[str, str]) -> Clock | None:
    """The clock of one set of parts: year and month, or year and week, or year and day of the year, and what is finer.
    Without a year the parts must stand in order, as those of a single year do."""
    numbers = {unit_name: part_numbers(column_of(table, name), unit_name) for unit_name, name in column_of_unit.items()}
    valid_numbers = {unit_name: unit_numbers for unit_name, unit_numbers in numbers.items() if unit_numbers is not None}
    coarse = next(
        (unit_name for unit_name in ("month", "day_of_year", "week", "quarter") if unit_name in valid_numbers), None
    )
    if coarse is None:
        return None
    used = [unit_name for unit_name in ("year", coarse) if unit_name in valid_numbers]
    if coarse == "month" and "day" in valid_numbers:
        used.append("day")
    if used[-1] in ("day", "day_of_year") and "hour" in valid_numbers:
        used += [unit_name for unit_name in ("hour", "minute", "second") if unit_name in valid_numbers]
    year = valid_numbers.get("year", np.full(n_rows_of(table), 2001.0))
    month = {"month": valid_numbers[coarse], "quarter": 3 * valid_numbers[coarse] - 2}.get(coarse, np.ones(len(year)))
    day = valid_numbers["day"] if "day" in used else np.ones(len(year))
    missing = np.isnan(year) | np.isnan(month) | np.isnan(day) | np.isnan(valid_numbers[coarse])
    whole_numbers = [np.where(missing, 1, values).astype(np.int64) for values in (year, month, day)]
    seconds = np.where(missing, np.nan, _seconds_of_dates(*whole_numbers))
    if coarse == "week":
        seconds = _starts_of_weeks(seconds, valid_numbers[coarse])
    elif coarse == "day_of_year":
        seconds = seconds + (valid_numbers[coarse] - 1) * DAY
    for unit_name, unit in (("hour", 3600.0), ("minute", 60.0), ("second", 1.0)):
        if unit_name in used:
            seconds = seconds + unit * valid_numbers[unit_name]
    if "year" not in used and not is_ordered(seconds):
        return None
    if np.isfinite(seconds).mean() < VALID * (~missing).mean() or np.unique(seconds[np.isfinite(seconds)]).size < 3:
        return None
    columns = tuple(column_of_unit[unit_name] for unit_name in used)
    resolution = _FINEST.get(used[-1], "month" if used[-1] in ("month", "quarter") else "day")
    form = "parts of a date" if "year" in used else f"parts of a date {NO_YEAR}"
    return Clock(columns, f"{form} in several columns" if len(columns) > 1 else form, seconds, resolution)


def _starts_of_weeks(new_year: Floats, week: Floats) -> Floats:
    """The Mondays of weeks of ISO 8601, or days counted from January 1 where the numbers cannot be such weeks: where
    there is a week 0, or a week 53 that is week 1 of the next year."""
    days = new_year / DAY
    monday = days + 3 - (days + 6) % 7 + 7 * (week - 1)  # January 4 is in week 1
    thursday, start = (
        np.nan_to_num(day_numbers).astype(np.int64).astype("datetime64[D]") for day_numbers in (monday + 3, days)
    )
    is_iso = thursday.astype("datetime64[Y]") == start.astype("datetime64[Y]")
    return DAY * monday if is_iso[np.isfinite(monday)].all() else new_year + 7 * DAY * (week - 1)


def part_numbers(values: Array, part: str) -> Floats | None:
    """The numbers of one part; None where they are not plausible as this part."""
    if values.dtype.kind == "O":
        numbers = np.array([_part_number(value) for value in values], dtype=np.float64)
    elif values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
    else:
        return None
    present = numbers[np.isfinite(numbers)]
    if not len(present) or len(present) < 0.5 * len(values) or (present != np.floor(present)).any():
        return None
    low, high = present.min(), present.max()
    if part == "year":
        if low >= 0 and high <= 99:  # years of two digits, or counted from the first
            return np.where(numbers >= 69, 1900.0, 2000.0) + numbers
        return numbers if YEARS[0] <= low and high <= YEARS[1] else None
    min_number, max_number = _RANGES[part]
    if low == 0 and high <= max_number - 1 and part in ("month", "quarter"):
        return numbers + 1
    return numbers if min_number <= low and high <= max_number else None


def _part_number(value: Any) -> float:
    if value is None:
        return float("nan")
    text = plain_text(str(value).strip()).rstrip(".")
    if text in MONTHS:
        return float(MONTHS[text])
    match = re.fullmatch(r"[a-z]*\s?(\d{1,4})", text)
    return float(match[1]) if match else float("nan")

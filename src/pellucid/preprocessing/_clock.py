"""Reading dates and times: from NumPy, from Python's own types, and from text with a format, given or recognized."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, DataTypeError, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.kinds import is_missing
from pellucid.data.table import Table

ISO = "ISO 8601"
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d)?)?")
_DATES = (
    *("%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y.%m.%d", "%d-%m-%Y", "%m-%d-%Y", "%Y%m%d"),
    *("%d %b %Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d/%m/%y", "%m/%d/%y"),
)
_TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
FORMATS = (*_DATES, *_TIMES, *(f"{day} {clock}" for day in _DATES for clock in _TIMES))
_SINCE_1970 = {"%s": 1e6, "%Q": 1e3}  # seconds and milliseconds: microseconds of one
_DAY = frozenset("dmYyjbBaAxcUWGVu")
_CLOCK = frozenset("HIMSpfXcz")


@dataclass(frozen=True)
class Moments:
    """A column of times: microseconds since 1970, NaT where missing, and which half of each is known."""

    values: Array  # datetime64[us]
    has_day: bool
    has_clock: bool
    format: str | None = None  # of text

    @property
    def missing(self) -> Flags:
        return np.isnat(self.values)


@dataclass(frozen=True)
class Reader:
    """Reads one column of a table as times."""

    table: Table
    who: str

    def read(self, j: int, form: str | None) -> Moments:
        """The column as times, its text in the given form, or in one that all of its values have."""
        values = self.table.clock(j)
        if values.dtype.kind == "M":
            unit = np.datetime_data(values.dtype)[0]
            return Moments(_microseconds(values), True, unit not in ("Y", "M", "W", "D"))
        if values.dtype.kind in "US":
            return self._texts(j, [_text(value) for value in values.tolist()], form)
        if values.dtype.kind in "iuf" and form is not None:
            return self._numbers(values, form)
        listed = values.tolist()
        present = [value for value in listed if not is_missing(value)]
        if all(isinstance(value, str | bytes) for value in present) and present:
            return self._texts(j, [None if is_missing(value) else _text(value) for value in listed], form)
        return self._objects(j, listed, present)

    @staticmethod
    def _numbers(values: Array, form: str) -> Moments:
        """Times written as integers, such as 20240131 (%Y%m%d) or seconds since 1970 (%s); what is none is missing."""
        distinct, inverse = np.unique(values, return_inverse=True)
        read = np.full(len(distinct), np.datetime64("NaT"), dtype="datetime64[us]")
        if form in _SINCE_1970:
            is_finite = np.isfinite(distinct)
            micro = distinct[is_finite].astype(np.float64) * _SINCE_1970[form]
            read[is_finite] = np.round(micro).astype(np.int64).astype("datetime64[us]")
            return Moments(read[inverse], True, True, form)
        width = len(datetime(2024, 1, 1).strftime(form))
        for k, value in enumerate(distinct.tolist()):
            if value >= 0 and value == int(value):
                moment = _parse(f"{int(value):0{width}d}", form)
                read[k] = read[k] if moment is None else moment
        letters = set(re.findall(r"%(\w)", form))
        return Moments(read[inverse], bool(letters & _DAY), bool(letters & _CLOCK), form)

    def is_time(self, j: int) -> bool:
        """Does a column hold something that must be a time: times, or text?"""
        values = self.table.column(j)
        if values.dtype.kind != "O":
            return values.dtype.kind not in "biuf"
        return any(not isinstance(value, int | float) for value in values.tolist() if not is_missing(value))

    def _objects(self, j: int, listed: list[Any], present: list[Any]) -> Moments:
        clocks = bool(present) and all(isinstance(value, time) for value in present)
        times = np.full(len(listed), np.datetime64("NaT"), dtype="datetime64[us]")
        for i, value in enumerate(listed):
            if not is_missing(value):
                times[i] = self._one(j, i, value, clocks)
        days = bool(present) and all(isinstance(value, date) and not isinstance(value, datetime) for value in present)
        return Moments(times, not clocks, not days)

    def _one(self, j: int, i: int, value: Any, clocks: bool) -> Any:
        if hasattr(value, "to_timestamp"):  # a period of pandas: its beginning
            value = value.to_timestamp()
        if isinstance(value, np.datetime64):
            return value.astype("datetime64[us]")
        if isinstance(value, time) and clocks:
            return np.datetime64(datetime.combine(date(1970, 1, 1), value.replace(tzinfo=None)), "us")
        if isinstance(value, datetime):
            return np.datetime64(value.replace(tzinfo=None), "us")
        if isinstance(value, date):
            return np.datetime64(value, "us")
        requirement = f"column {self.table.label(j)} must hold dates or times"
        raise DataTypeError(
            format_message(
                self.who,
                requirement,
                actual=f"it holds {short_repr(value)} in row {i}",
                hint="choose the columns of times with columns=",
            )
        )

    # ----------------------------------------------------------------------------------------------------------- text

    def _texts(self, j: int, texts: list[str | None], form: str | None) -> Moments:
        """Each distinct text is read once."""
        distinct = list(dict.fromkeys(text for text in texts if text))
        form = form or self._recognized(j, distinct, texts)
        index_of, read, wrong = {text: k for k, text in enumerate(distinct)}, [], None
        for text in distinct:
            moment = _parse(text, form)
            wrong = text if moment is None and wrong is None else wrong
            read.append(np.datetime64("NaT") if moment is None else moment)
        if wrong is not None:
            rows = [i for i, text in enumerate(texts) if text == wrong]
            requirement = f"column {self.table.label(j)} must hold dates or times of the form {form}"
            actual = f"it holds {short_repr(wrong)} in {noun_list('row', rows)}"
            raise DataError(
                format_message(
                    self.who, requirement, actual=actual, hint="mend these cells, or give the form with format="
                )
            )
        parsed = np.array([*read, np.datetime64("NaT")], dtype="datetime64[us]")
        times = parsed[[index_of[text] if text else len(read) for text in texts]]
        if form == ISO:
            return Moments(times, True, any(len(text) > 10 for text in distinct), form)
        letters = set(re.findall(r"%(\w)", form))
        return Moments(times, bool(letters & _DAY), bool(letters & _CLOCK), form)

    def _recognized(self, j: int, distinct: Sequence[str], texts: list[str | None]) -> str:
        """The form that all texts have; where several forms would read them differently, none is taken."""
        if all(_ISO.fullmatch(text) for text in distinct):
            return ISO
        fitting = [form for form in FORMATS if all(_parse(text, form) is not None for text in distinct)]
        readings = {tuple(_parse(text, form) for text in distinct): form for form in reversed(fitting)}
        label = self.table.label(j)
        if len(readings) == 1:
            return next(iter(readings.values()))
        if readings:
            forms = join_some(sorted(map(repr, readings.values())))
            requirement = f"the form of the dates in column {label} must be clear"
            hint = f"say which: format={{{label}: {sorted(readings.values())[0]!r}}}"
            raise DataError(
                format_message(self.who, requirement, actual=f"{short_repr(distinct[0])} could be {forms}", hint=hint)
            )
        odd = next((text for text in distinct if not self._has_form(text)), distinct[-1])
        rows = [i for i, text in enumerate(texts) if text == odd]
        requirement = f"column {label} must hold dates or times of one form"
        hint = "give its form with format=, or choose the columns with columns= and drop the others"
        raise DataError(
            format_message(
                self.who, requirement, actual=f"it holds {short_repr(odd)} in {noun_list('row', rows)}", hint=hint
            )
        )

    @staticmethod
    def _has_form(text: str) -> bool:
        return bool(_ISO.fullmatch(text)) or any(_parse(text, form) is not None for form in FORMATS)


def _text(value: Any) -> str:
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value)).strip()


def _microseconds(values: Array) -> Array:
    return values.astype(values.dtype.newbyteorder("=")).astype("datetime64[us]")


def _parse(text: str, form: str) -> Any:
    """A text as a time, or None where it has another form. A zone at its end is dropped: the clock counts."""
    try:
        if form == ISO:
            if not _ISO.fullmatch(text):
                return None
            plain = re.sub(r"(?<=\d)(Z|[+-]\d\d(:?\d\d)?)$", "", text) if len(text) > 10 else text
            return np.datetime64(plain.replace(",", ".").replace(" ", "T"), "us")
        return np.datetime64(datetime.strptime(text, form).replace(tzinfo=None, **_on_day_one(form)), "us")
    except (ValueError, TypeError):
        return None


def _on_day_one(form: str) -> dict[str, Any]:
    """A time of day stands on the first day, so that its timestamp counts from midnight."""
    return {} if set(re.findall(r"%(\w)", form)) & _DAY else {"year": 1970}


def joined(days: Moments, clocks: Moments) -> Moments:
    """The day of one column with the clock of another."""
    day = days.values.astype("datetime64[D]")
    since_midnight = clocks.values - clocks.values.astype("datetime64[D]").astype("datetime64[us]")
    return Moments(day.astype("datetime64[us]") + since_midnight, True, True)

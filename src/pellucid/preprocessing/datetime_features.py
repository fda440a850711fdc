"""Dates and times as numbers: year, month, day, hour, ... and places on a circle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._clock import Moments, Reader, joined
from pellucid.preprocessing._encoder import kept_numbers

__all__ = ["DateTimeFeatures"]

_DAY_US = 86_400_000_000


@dataclass(frozen=True)
class Calendar:
    """A column of times taken apart into whole numbers; rows without a time are zero here and NaN later."""

    days: Array  # since 1970-01-01
    micro: Array  # since midnight

    @staticmethod
    def of(moments: Moments) -> Calendar:
        total = np.where(moments.missing, 0, moments.values.astype(np.int64))
        return Calendar(total // _DAY_US, total % _DAY_US)

    @property
    def _months(self) -> Array:
        """Since 1970-01."""
        return self.days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)

    @property
    def _years(self) -> Array:
        return self.days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)

    def year(self) -> Array:
        return self._years + 1970

    def month(self) -> Array:
        return self._months % 12 + 1

    def day(self) -> Array:
        return self.days - _first_day(self._months, "M") + 1

    def hour(self) -> Array:
        return self.micro // 3_600_000_000

    def minute(self) -> Array:
        return self.micro // 60_000_000 % 60

    def second(self) -> Array:
        return self.micro // 1_000_000 % 60

    def day_of_week(self) -> Array:
        return (self.days + 3) % 7  # 1970-01-01 was a Thursday

    def day_of_year(self) -> Array:
        return self.days - _first_day(self._years, "Y") + 1

    def week(self) -> Array:
        """ISO 8601: the week that holds the year's first Thursday is number 1."""
        thursday = self.days - self.day_of_week() + 3
        year = thursday.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)
        return (thursday - _first_day(year, "Y")) // 7 + 1

    def quarter(self) -> Array:
        return self._months % 12 // 3 + 1

    def is_weekend(self) -> Array:
        return (self.day_of_week() >= 5).astype(np.int64)

    def timestamp(self) -> Floats:
        return self.days * 86_400.0 + self.micro / 1e6

    def days_in_month(self) -> Array:
        return _first_day(self._months + 1, "M") - _first_day(self._months, "M")

    def days_in_year(self) -> Array:
        return _first_day(self._years + 1, "Y") - _first_day(self._years, "Y")


def _first_day(number: Array, unit: str) -> Array:
    """The first day of a month or year, both counted from 1970."""
    return number.astype(f"datetime64[{unit}]").astype("datetime64[D]").astype(np.int64)


PLAIN: dict[str, Callable[[Calendar], Array]] = {
    "year": Calendar.year,
    "month": Calendar.month,
    "day": Calendar.day,
    "hour": Calendar.hour,
    "minute": Calendar.minute,
    "second": Calendar.second,
    "day_of_week": Calendar.day_of_week,
    "day_of_year": Calendar.day_of_year,
    "week": Calendar.week,
    "quarter": Calendar.quarter,
    "is_weekend": Calendar.is_weekend,
    "timestamp": Calendar.timestamp,
}
# Place on the circle, counted from 0, and how many places there are.
CYCLES: dict[str, Callable[[Calendar], tuple[Array, Any]]] = {
    "month": lambda c: (c.month() - 1, 12),
    "day": lambda c: (c.day() - 1, c.days_in_month()),
    "hour": lambda c: (c.hour(), 24),
    "minute": lambda c: (c.minute(), 60),
    "second": lambda c: (c.second(), 60),
    "day_of_week": lambda c: (c.day_of_week(), 7),
    "day_of_year": lambda c: (c.day_of_year() - 1, c.days_in_year()),
}
CYCLIC = "cyclic_"
FEATURES = (*PLAIN, *(CYCLIC + name for name in CYCLES))
# Those from which the others follow: what a calendar and a clock show.
BASIC = ("year", "month", "day", "hour", "minute", "second", "day_of_week")
OF_CLOCK = frozenset({"hour", "minute", "second", "timestamp", *(CYCLIC + n for n in ("hour", "minute", "second"))})
OF_DAY = frozenset(FEATURES) - OF_CLOCK | {"timestamp"}


def suits(feature: str, has_day: bool, has_clock: bool) -> bool:
    """Can this feature be told of a column with, or without, days and a clock?"""
    return (has_day and feature in OF_DAY) or (has_clock and feature in OF_CLOCK)


def _check_features(value: Any) -> str | None:
    if isinstance(value, str):
        return None if value == "auto" else f"features must be 'auto' or a list of names; got {short_repr(value)}"
    strange = [name for name in value if not isinstance(name, str) or name not in FEATURES]
    if not len(value) or strange:
        return f"features must be some of {', '.join(FEATURES)}; got {join_some(map(short_repr, strange)) or 'none'}"
    return None


def _check_format(value: Any) -> str | None:
    forms = list(value.values()) if isinstance(value, dict) else [value]
    if value is None or all(isinstance(form, str) and "%" in form for form in forms):
        return None
    return f"format must be a form such as '%d.%m.%Y', a dict of column: form, or None; got {short_repr(value)}"


def _check_columns(value: Any) -> str | None:
    if value is None or all(
        isinstance(column, str | int | np.integer) and not isinstance(column, bool) for column in value
    ):
        return None
    return f"columns must be a list of names or numbers of columns, or None; got {short_repr(value)}"


def _check_pairs(value: Any) -> str | None:
    if value is None or all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        return None
    return f"pairs must be a list of (date column, time column); got {short_repr(value)}"


def possible_parts(moments: Moments) -> list[str]:
    """The features that times with a day, or with a time of day, have; a weekday only if they are no months, and a day
    only if they are not the ends of months."""
    calendar = Calendar.of(moments)
    days = calendar.day()[~moments.missing] if moments.has_day else np.empty(0)
    left_out = {"day_of_week"} if len(np.unique(days)) == 1 else set()
    if len(np.unique(days)) > 1 and (days == calendar.days_in_month()[~moments.missing]).all():
        left_out = {"day", "day_of_week"}
    return [name for name in BASIC if suits(name, moments.has_day, moments.has_clock) and name not in left_out]


class DateTimeFeatures(Transformer):
    """Takes dates and times apart into numbers that a model can use.

    A column of times becomes columns such as its year, month, day, hour, minute and second, its day of the week (Monday
    is 0) and of the year, its week (ISO 8601), its quarter, whether it is a weekend, and its timestamp, the seconds
    since 1970. A number v that begins anew after n places, such as the hour after 24, can also be a place on a circle,
    ``sin(2 pi v / n)`` and ``cos(2 pi v / n)`` ("cyclic_hour"), on which 23 o'clock is near 0 o'clock. ``"auto"`` takes
    those of year, month, day, hour, minute, second and day of the week that vary in the rows of fit; the others follow
    from them. The weekday of dates that all have the same day of the month, or are all the last of a month, is left
    out: they stand for months or years, which have none. If nothing varies and no other column is left, it keeps the
    first of them: a fold with a single date then gives a column too.

    Times may be NumPy's datetime64, Python's dates, times and datetimes, columns of frames (those of a time zone as the
    clock shows them there), or text: in a given `format`, or in one that is recognized, if only one is possible:
    03/04/2015 is refused, for it may be in March or in April. A date in one column and its time of day in another are
    read together as `pairs`. Missing times, and empty text, become NaN. Columns of numbers stay as they are, unless
    they are named in `columns` and have a `format`: ``"%Y%m%d"`` for 20240131, ``"%s"`` and ``"%Q"`` for seconds and
    milliseconds since 1970. A number that is no such date becomes NaN.

    Attributes
    ----------
    columns_ : list of int
        The columns that hold times; of a pair the first.
    features_ : dict of int: list of str
        What each of these columns becomes.
    formats_ : dict of int: str or None
        The form of text that was given or recognized; None for times that are no text.
    stored_kinds_ : list of str
        How the table of ``fit`` stores each column: "number", "flag", "category", "ordered", "text" or "time".

    Examples
    --------
    >>> from pellucid.preprocessing import DateTimeFeatures
    >>> flights = [["2015-09-27 06:26", 283], ["2015-10-04 06:26", 279]]
    >>> split = DateTimeFeatures().fit(flights)
    >>> split.transform(flights)
    array([[  9.,  27., 283.],
           [ 10.,   4., 279.]])
    >>> split.get_feature_names_out(["when", "free"]).tolist()
    ['when_month', 'when_day', 'free']
    """

    features: Literal["auto"] | list | tuple = param(  # type: ignore[type-arg]
        default="auto", check=_check_features, doc=f"'auto', or a list of: {', '.join(FEATURES)}."
    )
    columns: list | tuple | None = param(  # type: ignore[type-arg]
        default=None,
        check=_check_columns,
        doc="Names or numbers of the columns that hold times; None: all that hold times or text.",
    )
    pairs: list | tuple | None = param(  # type: ignore[type-arg]
        default=None, check=_check_pairs, doc="Pairs (date column, time column) that are read as one time."
    )
    format: Any = param(
        default=None,
        check=_check_format,
        doc="Form of text as strptime has it, or a dict of column: form; None: recognized.",
    )
    remainder: Literal["keep", "drop"] = param(
        default="keep", doc="What becomes of the other columns, which must hold numbers: kept in their place, or not."
    )

    input_spec = InputSpec(missing=True, categories=True, raw=True)

    # ------------------------------------------------------------------------------------------------------------ fit

    def _fit(self, d: Design, trace: Trace) -> None:
        reader = Reader(d.table, d.who)
        self.stored_kinds_ = [str(kind) for kind in d.table.kinds]
        self._clock_of_ = self._pairs_in(d)
        self.columns_ = self._times_in(d, reader)
        self.formats_: dict[int, str | None] = {}
        self.features_: dict[int, list[str]] = {}
        possible: dict[int, list[str]] = {}
        for j in self.columns_:
            moments = self._moments(d, reader, j, keep=True)
            self.features_[j] = self._chosen(d, j, moments)
            possible[j] = possible_parts(moments)
        self._kept_ = [] if self.remainder == "drop" else self._others(d)
        for j in self._kept_:
            self._numbers(d, j)
        if not self._width() and not self.columns_:
            requirement, actual = "something must be left of the table", "it has no column of times"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="name the columns of times with columns=")
            )
        if not self._width():
            first = self.columns_[0]
            self.features_[first] = possible[first][:1] or ["year"]

    def _place(self, d: Design, name: Any, what: str) -> int:
        """The number of a column that is named, or numbered."""
        names = list(d.table.names or ())
        if name in names:
            return names.index(name)
        if isinstance(name, int | np.integer) and not isinstance(name, bool) and -d.n_cols <= name < d.n_cols:
            return int(name) % d.n_cols
        available = f"there are {join_some(map(repr, names))}" if names else f"there are {count(d.n_cols, 'column')}"
        raise ParameterError(
            format_message(d.who, f"{what} must name columns of the table", actual=f"got {name!r}; {available}")
        )

    def _pairs_in(self, d: Design) -> dict[int, int]:
        """For the first column of each pair its second."""
        pairs = [tuple(self._place(d, name, "pairs") for name in pair) for pair in self.pairs or ()]
        flat = [j for pair in pairs for j in pair]
        twice = sorted({j for j in flat if flat.count(j) > 1})
        if twice:
            listed = noun_list("column", [d.table.label(j) for j in twice])
            actual = f"{listed} {'stands' if len(twice) == 1 else 'stand'} in several"
            raise ParameterError(format_message(d.who, "a column may stand in one pair only", actual=actual))
        return dict(pairs)  # type: ignore[arg-type]

    def _times_in(self, d: Design, reader: Reader) -> list[int]:
        clocks = set(self._clock_of_.values())
        if self.columns is not None:
            indices = [self._place(d, name, "columns") for name in self.columns]
            return sorted(({*indices} | {*self._clock_of_}) - clocks)
        return [j for j in range(d.n_cols) if j not in clocks and (j in self._clock_of_ or reader.is_time(j))]

    def _others(self, d: Design) -> list[int]:
        used = {*self.columns_, *self._clock_of_.values()}
        return [j for j in range(d.n_cols) if j not in used]

    def _given_format(self, d: Design, j: int) -> str | None:
        if not isinstance(self.format, dict):
            return None if self.format is None else str(self.format)
        return next((str(form) for name, form in self.format.items() if self._place(d, name, "format") == j), None)

    def _moments(self, d: Design, reader: Reader, j: int, keep: bool = False) -> Moments:
        """A column's times, with the clock of its partner; ``keep``: their form is remembered."""
        columns_read = []
        for column in [j, *([self._clock_of_[j]] if j in self._clock_of_ else [])]:
            form = self._given_format(d, column) if keep else self.formats_.get(column)
            columns_read.append(reader.read(column, form))
            if keep:
                self.formats_[column] = columns_read[-1].format
        if len(columns_read) == 1:
            return columns_read[0]
        for values, has, what, column in (
            (columns_read[0], columns_read[0].has_day, "dates", j),
            (columns_read[1], columns_read[1].has_clock, "times of day", self._clock_of_[j]),
        ):
            if not has and not values.missing.all():
                requirement = f"column {d.table.label(column)} of a pair must hold {what}"
                raise DataError(format_message(d.who, requirement, hint="pairs are (date column, time column)"))
        return joined(*columns_read)

    def _chosen(self, d: Design, j: int, moments: Moments) -> list[str]:
        if isinstance(self.features, str):
            calendar, is_present = Calendar.of(moments), ~moments.missing
            possible = possible_parts(moments)
            return [name for name in possible if len(np.unique(PLAIN[name](calendar)[is_present])) > 1]
        suitable = [name for name in self.features if suits(name, moments.has_day, moments.has_clock)]
        if not suitable:
            half = "time of day" if moments.has_day else "day"
            requirement = f"features must suit column {d.table.label(j)}"
            hint = "choose others, or leave the column out with columns="
            raise DataError(
                format_message(d.who, requirement, actual=f"it has no {half} for {join_some(self.features)}", hint=hint)
            )
        return suitable

    # ------------------------------------------------------------------------------------------------------ transform

    def _width(self) -> int:
        return len(self._kept_) + sum(len(_new_names("", name)) for names in self.features_.values() for name in names)

    def _transform(self, d: Design) -> Floats:
        reader = Reader(d.table, d.who)
        out = np.empty((d.n_rows, self._width()))
        at = 0
        for j in range(d.n_cols):
            for column in self._made(d, reader, j):
                out[:, at] = column
                at += 1
        return out

    def _made(self, d: Design, reader: Reader, j: int) -> list[Array]:
        """What a column of the table becomes."""
        if j in self._kept_:
            return [self._numbers(d, j)]
        if j not in self.features_:
            return []
        moments = self._moments(d, reader, j)
        calendar = Calendar.of(moments)
        columns = [column for name in self.features_[j] for column in feature_columns(calendar, name)]
        return [np.where(moments.missing, np.nan, column) for column in columns]

    def _numbers(self, d: Design, j: int) -> Array:
        """The numbers of a column that is kept."""
        requirement = f"column {d.table.label(j)} must hold numbers to be kept"
        return kept_numbers(d, j, requirement, "remainder='drop', or name it in columns if it holds times")

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the new columns: column_feature; other columns keep theirs.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names: list[str] = []
        for j, name in enumerate(self._names_in(input_features)):
            if j in self._kept_:
                names.append(name)
            for feature in self.features_.get(j, []):
                names += _new_names(f"{name}_", feature)
        return np.array(names, dtype=object)


def feature_columns(calendar: Calendar, feature: str) -> list[Array]:
    """One column, or sine and cosine."""
    if not feature.startswith(CYCLIC):
        return [PLAIN[feature](calendar)]
    position, period = CYCLES[feature.removeprefix(CYCLIC)](calendar)
    angle = 2 * np.pi * position / period
    return [np.sin(angle), np.cos(angle)]


def _new_names(before: str, feature: str) -> list[str]:
    if not feature.startswith(CYCLIC):
        return [before + feature]
    return [f"{before}{feature.removeprefix(CYCLIC)}_{end}" for end in ("sin", "cos")]

"""Rules that a table must keep, as its owner knows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.coding import objects
from pellucid.data.kinds import Kind
from pellucid.quality.checks._reading import reading
from pellucid.quality.checks._saying import quoted
from pellucid.quality.column import Column, TableStats
from pellucid.quality.findings import SEVERITIES, Finding, Fix, Severity

__all__ = ["Rule"]

KINDS = ("number", "time", "flag", "category", "text")


class Rule:
    """What must hold in a column, or between columns.

    Missing values break no rule but ``required``; what ``function`` gets for them is NaN or None.

    Parameters
    ----------
    columns : the name of a column, or several names for a function of several columns.
    min, max : the smallest and largest value allowed: of numbers, also of those written as text, or of times.
    pattern : a regular expression that the whole text must match.
    allowed : the values allowed.
    unique : whether no value may occur twice. With several columns: no combination of theirs.
    required : whether a value must be there.
    kind : what the values must be: "number", "time", "flag", "category" or "text". Text that can be read as a number is
        a number.
    length : the length of the text: a number, or the smallest and the largest.
    function : a function of the columns, as arrays in the order named, that answers which rows are right; one that
        cannot work on arrays is called row by row.
    severity : "error", "warning" or "note".
    name : what the finding calls the rule.
    message : the explanation, instead of the one that is made from the values found.

    Examples
    --------
    >>> from pellucid.quality import check
    >>> rules = [Rule("x0", min=0, max=120), Rule(("x0", "x1"), function=lambda a, b: a <= b, name="order")]
    >>> for finding in check([[25, 30], [150, 160], [40, 39]], rules=rules, checks=[]):
    ...     print(finding)
    error   x0: must be at most 120; found 150 (row 1)
        low confidence, --apply outside_to_missing:x0: outside_to_missing('x0', max=120)
    error   x0, x1: order does not hold; found (40, 39) (row 2)
    """

    def __init__(
        self,
        columns: Any,
        *,
        min: Any = None,
        max: Any = None,
        pattern: str | re.Pattern[str] | None = None,
        allowed: Iterable[Any] | None = None,
        unique: bool = False,
        required: bool = False,
        kind: str | None = None,
        length: int | tuple[int, int] | None = None,
        function: Callable[..., Any] | None = None,
        severity: Severity = "error",
        name: str | None = None,
        message: str | None = None,
    ) -> None:
        self.columns: tuple[Any, ...] = tuple(columns) if isinstance(columns, tuple | list) else (columns,)
        self.min, self.max = _limit(min), _limit(max)
        self.pattern = _compiled(pattern)
        self.allowed = None if allowed is None else list(allowed)
        self.unique, self.required = unique, required
        self.kind, self.length, self.function = kind, length, function
        self.severity, self.name, self.message = severity, name, message
        self._check()

    def __repr__(self) -> str:
        arguments = [repr(self.columns[0] if len(self.columns) == 1 else self.columns)]
        for key, value in (("min", self.min), ("max", self.max), ("pattern", self.pattern and self.pattern.pattern)):
            arguments += [f"{key}={value!r}"] if value is not None else []
        for key in ("allowed", "unique", "required", "kind", "length", "function", "name"):
            value = getattr(self, key)
            arguments += [f"{key}={value!r}"] if value not in (None, False) else []
        return f"Rule({', '.join(arguments)})"

    def _check(self) -> None:
        def refuse(requirement: str, actual: str, hint: str = "") -> None:
            raise ParameterError(format_message("Rule", requirement, actual=actual, hint=hint))

        requirements = (self.min, self.max, self.pattern, self.allowed, self.kind, self.length)
        if not self.columns:
            refuse("columns must name a column", "got none")
        if all(item is None for item in (*requirements, self.function)) and not self.unique and not self.required:
            found = f"got nothing for {join_some(map(repr, self.columns))}"
            refuse("something must be asked of the columns", found, "such as min, max, allowed, pattern or unique")
        if len(self.columns) > 1 and any(item is not None for item in requirements):
            requirement = "only function, unique and required are for several columns"
            refuse(requirement, f"got {self!r}", "write one rule a column")
        if self.kind is not None and self.kind not in KINDS:
            refuse(f"kind must be one of {join_some(map(repr, KINDS))}", f"got {self.kind!r}")
        if self.severity not in SEVERITIES:
            refuse(f"severity must be one of {join_some(map(repr, SEVERITIES))}", f"got {self.severity!r}")
        if self.min is not None and self.max is not None:
            if isinstance(self.min, datetime) != isinstance(self.max, datetime):
                refuse("min and max must be of one kind", f"got {self.min} and {self.max}")
            if self.min > self.max:
                refuse("min must be at most max", f"got {self.min} and {self.max}")
        if self.length is not None:
            ends = (self.length,) * 2 if isinstance(self.length, int) else tuple(self.length)
            if len(ends) != 2 or not all(isinstance(end, int) for end in ends) or not 0 <= ends[0] <= ends[1]:
                refuse("length must be a number, or the smallest and the largest", f"got {self.length!r}")
            self.length = (ends[0], ends[1])

    # ------------------------------------------------------------------------------------------------------- findings

    def findings(self, stats: TableStats) -> list[Finding]:
        """What breaks the rule in a table."""
        names = [column.name for column in stats]
        for name in self.columns:
            if name not in names:
                missing = f"there is no {name!r}; there are {join_some(map(repr, names))}"
                raise ParameterError(format_message("Rule", "columns must be names of columns", actual=missing))
        columns = [stats[name] for name in self.columns]
        findings: list[Finding] = []
        if self.required:
            for column in columns:
                findings += self._finding([column], np.flatnonzero(_empty(column)), "a value must be there", None)
        if self.unique:
            findings += self._repeated(columns)
        if self.function is not None:
            findings += self._broken(columns)
        if len(columns) == 1:
            for which, requirement, fix in self._of_values(columns[0]):
                findings += self._values_finding(columns[0], which, requirement, fix)
        return findings

    def _finding(self, columns: list[Column], rows: Array, text: str, fix: Fix | None) -> list[Finding]:
        if not len(rows):
            return []
        names = tuple(column.name for column in columns)
        return [Finding(self.name or "rule", self.severity, names, rows, self.message or text, fix)]

    def _values_finding(self, column: Column, which: Flags, requirement: str, fix: Fix | None) -> list[Finding]:
        which = which & ~reading(column).nothing
        values = quoted(column, which)
        return self._finding([column], column.rows_of(which), f"{requirement}; found {values}", fix)

    def _of_values(self, column: Column) -> Iterable[tuple[Flags, str, Fix | None]]:
        """Each thing asked of single values: which distinct values break it, what must be, and a remedy."""
        name = (column.name,)
        if self.kind is not None:
            yield ~self._of_kind(column), f"must be a {self.kind}", None
        for side in ("min", "max"):
            limit = getattr(self, side)
            if limit is not None:
                wrong = self._outside(column, side, limit)
                fix = None
                if not isinstance(limit, datetime):
                    fix = Fix("outside_to_missing", name, {side: limit})
                words = "at least" if side == "min" else "at most"
                yield wrong, f"must be {words} {_plain(limit)}", fix
        if self.allowed is not None:
            allowed = set(self.allowed) | {_plain(value) for value in self.allowed}
            wrong = np.array([value not in allowed for value in column.values.tolist()], dtype=bool)
            yield wrong, f"must be one of {join_some(map(short_repr, self.allowed))}", None
        if self.pattern is not None:
            pattern = self.pattern
            wrong = np.array([pattern.fullmatch(text) is None for text in column.texts], dtype=bool)
            yield wrong, f"must match {pattern.pattern}", None
        if isinstance(self.length, tuple):
            low, high = self.length
            wrong = np.array([not low <= len(text) <= high for text in column.texts], dtype=bool)
            yield wrong, f"must have {low if low == high else f'{low} to {high}'} characters", None

    def _of_kind(self, column: Column) -> Flags:
        read = reading(column)
        if self.kind == "number":
            return ~np.isnan(read.value_numbers)
        if self.kind == "time":
            return np.array([time is not None for time in read.value_times], dtype=bool)
        if self.kind == "flag":
            return read.value_flags
        return np.full(len(column.values), column.is_text)

    def _outside(self, column: Column, side: str, limit: Any) -> Flags:
        read = reading(column)
        if isinstance(limit, datetime):
            times = read.value_times
            if side == "min":
                return np.array([time is not None and time < limit for time in times], dtype=bool)
            return np.array([time is not None and time > limit for time in times], dtype=bool)
        numbers = read.value_numbers
        with np.errstate(invalid="ignore"):
            return np.asarray(numbers < limit if side == "min" else numbers > limit, dtype=bool)

    def _repeated(self, columns: list[Column]) -> list[Finding]:
        codes = np.stack([column.codes for column in columns], axis=1)
        present = np.flatnonzero((codes >= 0).all(axis=1))
        if not len(present):
            return []
        _, inverse, times = np.unique(codes[present], axis=0, return_inverse=True, return_counts=True)
        again = times[np.ravel(inverse)] > 1
        rows = present[again]
        first = ", ".join(_shown(columns, row) for row in rows[:3].tolist())
        return self._finding(columns, rows, f"must not repeat; found {first}", None)

    def _broken(self, columns: list[Column]) -> list[Finding]:
        assert self.function is not None
        arrays = [_array(column) for column in columns]
        holds = self._answers(arrays, columns[0].n_rows)
        is_missing = np.zeros(columns[0].n_rows, dtype=bool)
        for column in columns:
            is_missing |= _empty(column)
        rows = np.flatnonzero(~holds & ~is_missing)
        examples = ", ".join(_shown(columns, row) for row in rows[:3].tolist())
        return self._finding(columns, rows, f"{self.name or 'the rule'} does not hold; found {examples}", None)

    def _answers(self, arrays: list[Array], n_rows: int) -> Flags:
        """Rows that the function calls right: on whole columns, or else row by row."""
        assert self.function is not None
        try:
            outcome = np.asarray(self.function(*arrays))
            if outcome.shape == (n_rows,) and outcome.dtype.kind in "biuf":
                return outcome.astype(bool)
        except Exception:  # a function of scalars; what it cannot do there either is said below
            pass
        holds = np.ones(n_rows, dtype=bool)
        for row, values in enumerate(zip(*(array.tolist() for array in arrays), strict=True)):
            try:
                holds[row] = bool(self.function(*values))
            except Exception as error:
                if not any(value is None or value != value for value in values):
                    actual = f"it raised {type(error).__name__} on {short_repr(values)} in row {row}: {error}"
                    requirement = f"function must answer whether a row of {join_some(map(repr, self.columns))} is right"
                    raise DataError(format_message("Rule", requirement, actual=actual)) from error
        return holds


def _limit(value: Any) -> Any:
    """A limit as a number or a time; text is a time in ISO's form."""
    if value is None or isinstance(value, int | float | datetime):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        if isinstance(value, np.datetime64):
            moment = value.astype("datetime64[us]").item()
            return moment if isinstance(moment, datetime) else _limit(moment)
    except ValueError:
        pass
    raise ParameterError(format_message("Rule", "min and max must be numbers or times", actual=f"got {value!r}"))


def _compiled(pattern: Any) -> re.Pattern[str] | None:
    if pattern is None or isinstance(pattern, re.Pattern):
        return pattern
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        actual = f"{pattern!r} is none: {error}"
        raise ParameterError(format_message("Rule", "pattern must be a regular expression", actual=actual)) from None


def _empty(column: Column) -> Flags:
    """Missing, or text of nothing but blanks."""
    if not column.is_text:
        return column.missing
    blank = np.array([not text.strip() for text in column.texts] + [True], dtype=bool)
    return blank[column.codes] | column.missing


def _array(column: Column) -> Array:
    """A column as a function sees it: numbers as floats, also those written as text; times as times; else objects."""
    read = reading(column)
    if column.stored is Kind.FLAG and not column.missing.any():
        return column.raw.astype(bool)
    if read.role == "number":
        return read.numbers
    if column.stored is Kind.TIME and column.raw.dtype.kind == "M":
        return column.raw
    if read.role == "time":
        times = [None if time is None else np.datetime64(time, "us") for time in read.value_times]
        moments = np.array([np.datetime64("NaT") if time is None else time for time in times] + [np.datetime64("NaT")])
        return moments.astype("datetime64[us]")[column.codes]
    values = objects([*column.values.tolist(), None])
    return values[column.codes]


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.hour or value.minute else value.date().isoformat()
    return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)


def _shown(columns: list[Column], row: int) -> str:
    values = [
        _plain(column.raw[row].item() if isinstance(column.raw[row], np.generic) else column.raw[row])
        for column in columns
    ]
    return values[0] if len(values) == 1 else f"({', '.join(values)})"

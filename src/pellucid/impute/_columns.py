"""Columns one by one, of any kind: which cells are missing, a central value, and the column with its gaps filled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, DataTypeError, format_message, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.coding import EXACT, column_of, distinct
from pellucid.data.design import Design
from pellucid.data.kinds import NUMERIC, Kind, is_missing
from pellucid.data.table import Table, describe_missing


@dataclass
class Column:
    """One column of a table: its values, where they are missing, and what they mean."""

    values: Array
    missing: Flags
    kind: Kind
    label: str

    @property
    def present(self) -> Array:
        return self.values[~self.missing]

    @property
    def is_number(self) -> bool:
        return self.kind is Kind.NUMBER

    @property
    def numbers(self) -> Floats:
        """The present values as floats."""
        return np.array([float(v) for v in self.present.tolist()]) if self.values.dtype.kind == "O" else (
            self.present.astype(np.float64)
        )  # fmt: skip


def check_marker(value: Any) -> str | None:
    """The parameter missing_values: a number, a text, NaN, None or pandas.NA."""
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if number or isinstance(value, str) or is_missing(value):
        return None
    return f"missing_values must be a number, a text, NaN, None or pandas.NA; got {short_repr(value)}"


def where_marked(table: Table, j: int, marker: Any) -> Flags:
    """Where a column is missing: any of NaN, None, NaT and pandas.NA, or another value that stands for it."""
    if is_missing(marker):
        return table.missing(j)
    values = table.column(j)
    if values.dtype.kind in "biuf":
        is_number = isinstance(marker, Real)
        return np.asarray(values == marker) if is_number else np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "mM":
        return np.zeros(len(values), dtype=bool)
    text = isinstance(marker, str)
    return np.fromiter(
        (isinstance(v, str) == text and bool(v == marker) for v in values.tolist()), dtype=bool, count=len(values)
    )


def refuse_unmarked(table: Table, marker: Any, who: str) -> None:
    """With another value that stands for a missing one, NaN and None themselves are refused."""
    if not is_missing(marker):
        cure = (
            f"missing_values={short_repr(marker)} says what is missing here; use missing_values=numpy.nan for "
            "NaN and None"
        )
        message = describe_missing(table, who, cure)
        if message:
            raise DataError(message)


def read_columns(d: Design, marker: Any) -> list[Column]:
    """All columns of a table as they are."""
    refuse_unmarked(d.table, marker, d.who)
    found = []
    for j in range(d.n_cols):
        values = column_of(d.table, j, d.who)
        kind = d.table.kinds[j]
        found.append(Column(values, where_marked(d.table, j, marker), kind, d.table.label(j)))
        if not is_missing(marker) and values.dtype.kind == "O":
            found[-1].kind = _kind_without(d.table, values, found[-1].missing, kind)
    return found


def _kind_without(table: Table, values: Array, missing: Flags, kind: Kind) -> Kind:
    """The kind of a column of objects once the marker is taken out: '?' among numbers is no text."""
    if table.is_frame and kind in (Kind.CATEGORY, Kind.ORDERED):
        return kind
    present = values[~missing].tolist()
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)
    return Kind.NUMBER if present and numbers else kind


# ------------------------------------------------------------------------------------------------------ central values


def skewness(numbers: Floats) -> float:
    """``m3 / m2^1.5`` with the mean third and second power of the distances from the mean; 0 for a constant column."""
    if len(numbers) == 0:
        return 0.0
    largest = float(np.abs(numbers).max())
    unit = largest if largest > 0 else 1.0
    apart = numbers / unit - (numbers / unit).mean()
    size = float(np.abs(apart).max())
    if size <= 1e-15:
        return 0.0
    apart = apart / size
    return float(np.mean(apart**3) / np.mean(apart**2) ** 1.5)


def mode(present: Array, threads: int) -> Any:
    """The most frequent value, the smallest of equally frequent ones; NaN where there is none."""
    if len(present) == 0:
        return np.nan
    if present.dtype.kind != "O":
        values, counts = distinct(present, threads)
        value = values[int(np.argmax(counts))]
        return value if value.dtype.kind in "mM" else value.item()
    counted = Counter(present.tolist())
    most = max(counted.values())
    often = [value for value, n in counted.items() if n == most]
    try:
        return min(often)
    except TypeError:  # values of several types have no order of their own
        return min(often, key=lambda value: (str(type(value)), str(value)))


def mean(numbers: Floats) -> float:
    """The mean; NaN where there is nothing. Halved on the way where the sum would be too large."""
    if len(numbers) == 0:
        return float("nan")
    with np.errstate(over="ignore"):
        found = float(np.mean(numbers))
    return found if np.isfinite(found) else float(np.sum(numbers / len(numbers)))


def median(numbers: Floats) -> float:
    """The middle value, or the mean of the middle two; NaN where there is nothing."""
    n = len(numbers)
    if n == 0:
        return float("nan")
    ordered = np.partition(numbers, [(n - 1) // 2, n // 2])
    return float(ordered[(n - 1) // 2] / 2 + ordered[n // 2] / 2) if n % 2 == 0 else float(ordered[n // 2])


def chosen(column: Column, strategy: Any, skew_limit: float) -> Any:
    """The strategy of one column: 'auto' is decided here."""
    if strategy != "auto":
        return strategy
    if not column.is_number:
        return "most_frequent"
    return "median" if abs(skewness(column.numbers)) > skew_limit else "mean"


def central(column: Column, strategy: Any, who: str, threads: int) -> Any:
    """The central value of a column; NaN where it has no values. A callable is given the present values."""
    if strategy == "most_frequent":
        try:
            return mode(column.present, threads)
        except TypeError:
            other = next((v for v in column.present.tolist() if isinstance(v, dict | list | set)), None)
            requirement, actual = "each cell must be one value", f"column {column.label} holds {short_repr(other)}"
            raise DataTypeError(
                format_message(who, requirement, actual=actual, hint="turn it into text with str")
            ) from None
    if column.kind not in NUMERIC and len(column.present):
        raise DataTypeError(_no_number(column, strategy, who))
    if callable(strategy):
        return float(strategy(column.numbers))
    return mean(column.numbers) if strategy == "mean" else median(column.numbers)


def _no_number(column: Column, strategy: Any, who: str) -> str:
    name = strategy if isinstance(strategy, str) else "a callable"
    requirement = f"Cannot use {name} strategy with non-numeric data"
    values = column.present.tolist()
    other = next((v for v in values if not isinstance(v, int | float)), values[0])
    words = "" if isinstance(other, str) else " (argument must be a string or a number)"
    actual = f"column {column.label} holds {short_repr(other)}{words}"
    return format_message(
        who, requirement, actual=actual, hint="use strategy='most_frequent', 'constant' or 'auto' for names"
    )


# -------------------------------------------------------------------------------------------------------------- filling


def filled(values: Array, where: Flags, value: Any) -> Array:
    """A copy of a column with one value, or one value a row, put where something is missing."""
    if not where.any():
        return values
    kind = values.dtype.kind
    if kind in "US" or (kind in "biufmM" and not _holds(values.dtype, value)):
        numeric = kind in "biuf" and all(isinstance(v, Real) for v in np.atleast_1d(np.asarray(value, object)))
        values = values.astype(np.float64 if numeric else object)
    out = values.copy()
    if out.dtype.kind == "O":
        out[where] = np.asarray(value, dtype=object) if isinstance(value, np.ndarray) else value
    else:
        out[where] = value
    return out


def _holds(dtype: np.dtype[Any], value: Any) -> bool:
    """Does a column of this type take the value, or all of the values, without loss beyond rounding?"""
    given = np.asarray(value)
    if dtype.kind == "f":
        return given.dtype.kind in "biuf"
    if dtype.kind in "mM":
        return given.dtype.kind == dtype.kind
    if given.dtype.kind not in "biuf":
        return False
    with np.errstate(invalid="ignore"):
        return bool((given.astype(dtype) == given).all())


def stacked(columns: Sequence[Array], rows: int, as_objects: bool) -> Array:
    """Columns side by side, as numbers where all are numbers and a common type holds them, else as objects."""
    if not columns:
        return np.empty((rows, 0))
    kinds = {column.dtype.kind for column in columns}
    if as_objects or not (kinds <= set("biuf") or (len(kinds) == 1 and kinds <= set("mM"))) or _too_large(columns):
        out = np.empty((rows, len(columns)), dtype=object)
        for j, column in enumerate(columns):
            out[:, j] = column.astype(object) if column.dtype.kind in "mM" else column.tolist()
        return out
    return np.column_stack(columns)


def _too_large(columns: Sequence[Array]) -> bool:
    """Whole numbers beyond 2**53 beside floats?"""
    if np.result_type(*columns).kind != "f":
        return False
    whole = [column for column in columns if column.dtype.kind in "iu" and column.size]
    return any(max(int(column.max()), -int(column.min())) > EXACT for column in whole)


def as_statistics(values: Sequence[Any]) -> Array:
    """One value a column, as floats where they are numbers that floats hold, else as objects."""
    numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
    numbers = numbers and all(not isinstance(v, int) or abs(v) <= EXACT for v in values)
    out = np.empty(len(values), dtype=np.float64 if numbers else object)
    for j, value in enumerate(values):
        out[j] = value
    return out

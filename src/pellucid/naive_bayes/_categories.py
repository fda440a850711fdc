"""Columns of categories: which values they have, each cell as its code, and smoothed shares within classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, DataTypeError, count, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.coding import Coded, code_column, objects
from pellucid.data.kinds import Kind, is_missing, kind_of_objects
from pellucid.data.table import Table

MISSING = np.iinfo(np.int32).min  # the code of a missing cell, as kernels know it
MOST_CODES = 2**22
NO_WEIGHT = np.empty(0)


# ------------------------------------------------------------------------------------------------------------ smoothing


@dataclass(frozen=True)
class Smoothing:
    """From counts to shares, with N_kc rows of value k and class c, N_c of the class, and K values:

    * Laplace (Lidstone):  ``(N_kc + alpha) / (N_c + alpha K)``
    * m-estimate:  ``(N_kc + m p_k) / (N_c + m)``,  p_k being 1 / K, the share of value k among all rows, or one number
    * none:  ``N_kc / N_c``

    K is the number of values of the attribute. A class without any row to count has 1 / K for each value.
    """

    kind: Literal["laplace", "m_estimate", "none"] = "laplace"
    alpha: float = 1.0
    m: float = 1.0
    p: float | Literal["uniform", "shares"] = "uniform"

    def added(self, counts: Floats, size: int) -> tuple[Floats, float, float]:
        """What is added to the count of each value, to that of an unseen one, and to the number of rows."""
        if self.kind == "laplace":
            return np.full(size, self.alpha), self.alpha, self.alpha * size
        if self.kind == "none":
            return np.zeros(size), 0.0, 0.0
        if self.p == "shares":
            rows = float(counts.sum())
            shares = counts.sum(axis=0) / rows if rows > 0 else np.full(size, 1 / size)
            return self.m * shares, 0.0, self.m
        p = 1 / size if self.p == "uniform" else float(self.p)
        return np.full(size, self.m * p), self.m * p, self.m

    def shares(self, counts: Floats) -> Floats:
        """The shares themselves, classes x values."""
        size = counts.shape[1]
        each, _, all_ = self.added(counts, size)
        whole = counts.sum(axis=1, keepdims=True) + all_
        return np.asarray(np.divide(counts + each, whole, out=np.full(counts.shape, 1 / max(size, 1)), where=whole > 0))

    def log_shares(self, counts: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the shares, classes x values, and of that of an unseen value, one a class."""
        size = counts.shape[1]
        each, unseen, all_ = self.added(counts, size)
        smoothed = counts + each
        # The sum of what stands above, as scikit-learn has it: the shares sum to one. With a p that does not, N_c + m.
        whole = smoothed.sum(axis=1) if self.kind == "laplace" else counts.sum(axis=1) + all_
        empty = whole <= 0
        with np.errstate(divide="ignore"):
            below = np.log(np.where(empty, 1.0, whole))
            found, other = np.log(smoothed) - below[:, None], np.log(unseen) - below
        found[empty] = other[empty] = -np.log(max(size, 1))
        return found, other


# -------------------------------------------------------------------------------------------------------------- columns


@dataclass(frozen=True)
class CategoryColumn:
    """The categories of a column.

    values : in ascending order; their places are the codes
    coded : are they the numbers 0, 1, ..., K - 1 themselves, seen or not?
    size : K, which may be larger than the number of values where more are known to exist
    """

    values: Array
    coded: bool
    size: int

    def place(self) -> dict[Any, int]:
        return {value: k for k, value in enumerate(self.values.tolist())}

    def known(self) -> Array:
        """All codes, or the values."""
        return np.arange(self.size) if self.coded else self.values

    def labels(self) -> list[Any]:
        """The categories that have a name, as one writes them: whole numbers without a point."""
        if self.coded:
            return list(range(self.size))
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in self.values.tolist()]


NOTHING = CategoryColumn(np.empty(0, dtype=object), True, 0)


def merge(known: CategoryColumn, new: CategoryColumn) -> CategoryColumn:
    """The categories of both."""
    if len(known.values) == 0 or len(new.values) == 0:
        one = new if len(known.values) == 0 else known
        return CategoryColumn(one.values, one.coded, max(known.size, new.size))
    if known.coded and new.coded:
        return _codes_up_to(max(len(known.values), len(new.values)), max(known.size, new.size))
    values = in_order({*known.values.tolist(), *new.values.tolist()})
    return CategoryColumn(values, False, max(known.size, new.size, len(values)))


def moved(counts: Floats, old: CategoryColumn, new: CategoryColumn) -> Floats:
    """Counts of the old categories at the places of the new ones."""
    found = np.zeros((counts.shape[0], new.size))
    place = new.place()
    at = [place[value] for value in old.values.tolist()]
    found[:, at] = counts[:, : len(at)]
    return found


def in_order(values: Any) -> Array:
    """Distinct values in ascending order; those of several types, which have none, by type and text."""
    try:
        listed = sorted(values)
    except TypeError:
        listed = sorted(values, key=lambda value: (type(value).__name__, str(value)))
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in listed)
    return np.array(listed, dtype=np.float64) if numbers and _exact(listed) else objects(listed)


def _exact(listed: list[Any]) -> bool:
    return all(abs(value) <= 2**53 for value in listed)


def _codes_up_to(n: int, size: int = 0) -> CategoryColumn:
    return CategoryColumn(np.arange(float(n)), True, max(n, size))


# -------------------------------------------------------------------------------------------------------------- reading


def plain_numbers(table: Table) -> Array | None:
    """The table as a kernel reads it where it is an array of numbers, else None."""
    if table.is_frame or table.is_sparse:
        return None
    source: Array = table.source
    if source.dtype in (np.float64, np.float32, np.int64) and source.dtype.isnative and source.flags.aligned:
        whole = all(stride % source.itemsize == 0 for stride in source.strides)
        return source if whole else source.copy()
    if source.dtype.kind == "b":
        return source.view(np.uint8)
    if source.dtype.kind == "f" and source.dtype.itemsize <= 8:
        return source.astype(np.float64)
    if source.dtype.kind in "iu" and source.dtype != np.uint64:
        return source.astype(np.int64)
    return None


def learn(
    table: Table, rows: Array | None, known: Sequence[CategoryColumn], codes: bool, threads: int, who: str
) -> tuple[Array, list[CategoryColumn]]:
    """The cells of the given rows (all for None) for a kernel, and the categories, those known among them.

    codes : are whole numbers of zero and more codes, as scikit-learn has them, or values like others?
    """
    numbers = plain_numbers(table) if codes else None
    if numbers is not None and all(column.coded for column in known):
        numbers = numbers if rows is None else numbers[rows]
        extents = _core.code_extents(numbers, threads)
        _refuse_infinite(table, np.flatnonzero(extents[:, 2]), who)
        if extents[:, 0].all():
            _refuse_large(table, extents[:, 3], who)
            found = [_codes_up_to(int(largest) + 1) for largest in extents[:, 3].tolist()]
            return numbers, [merge(old, new) for old, new in zip(known, found, strict=True)]
    coded = [_coded(table, j, rows, threads, who) for j in range(table.n_cols)]
    columns = [
        merge(old, _learned(one, codes, table, j, who)) for j, (old, one) in enumerate(zip(known, coded, strict=True))
    ]
    return _as_cells(coded, columns), columns


def read(table: Table, columns: Sequence[CategoryColumn], strict: bool, threads: int, who: str) -> Array:
    """The cells of a later table for a kernel; where a value is no category its code is K, or it is refused."""
    numbers = plain_numbers(table)
    if numbers is not None and not strict and all(column.coded for column in columns):
        if numbers.dtype.kind == "f" and not _core.all_finite(_core.dense(numbers), threads):
            _refuse_infinite(table, np.flatnonzero(np.isinf(numbers).any(axis=0)), who)
        return numbers
    cells = codes_in(table, columns, threads, who)
    if strict:
        for j, column in enumerate(columns):
            _refuse_unknown(table, j, column, cells[:, j], who)
    return cells


def codes_in(table: Table, columns: Sequence[CategoryColumn], threads: int, who: str) -> Array:
    """The code of every cell: its place among the categories, K where it is none, `MISSING` where it is missing."""
    return _as_cells([_coded(table, j, None, threads, who) for j in range(table.n_cols)], columns)


def _coded(table: Table, j: int, rows: Array | None, threads: int, who: str) -> Coded:
    """A column by its distinct values, those of the given rows; infinity and times are refused."""
    found = code_column(table, j, threads)
    kind = found.values.dtype.kind
    if kind in "mM" or (kind == "O" and len(found.values) and kind_of_objects(found.values) is Kind.TIME):
        hint = "take year, month, weekday ... as columns of their own"
        raise DataTypeError(
            format_message(who, "X must hold categories", actual=f"column {table.label(j)} holds times", hint=hint)
        )
    if kind == "f" and np.isinf(found.values).any():
        _refuse_infinite(table, np.array([j]), who)
    if rows is None:
        return found
    codes = found.codes[rows]
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(found.values)))
    renumber = np.full(len(found.values) + 1, -1, dtype=np.int32)
    renumber[used] = np.arange(len(used), dtype=np.int32)
    return Coded(found.values[used], found.counts[used], renumber[codes])


def _learned(coded: Coded, codes: bool, table: Table, j: int, who: str) -> CategoryColumn:
    listed = coded.values.tolist()
    numbers = all(isinstance(value, int | float) for value in listed)
    if codes and listed and numbers and all(value >= 0 and value == value // 1 for value in listed):
        largest = max(listed)
        _refuse_large(table, np.array([-1.0] * j + [float(largest)]), who)
        return _codes_up_to(int(largest) + 1)
    values = in_order(listed)
    return CategoryColumn(values, False, len(values))


def _as_cells(coded: Sequence[Coded], columns: Sequence[CategoryColumn]) -> Array:
    """Codes of all columns as a table, column after column in memory."""
    cells = np.empty((len(columns), len(coded[0].codes)), dtype=np.int32)
    for j, (one, column) in enumerate(zip(coded, columns, strict=True)):
        place = column.place()
        codes = [place.get(value, column.size) for value in one.values.tolist()]
        cells[j] = np.array([*codes, MISSING], dtype=np.int64).astype(np.int32)[one.codes]
    return cells.T


# ------------------------------------------------------------------------------------------------------------- refusals


def _refuse_infinite(table: Table, columns: Array, who: str) -> None:
    if len(columns):
        j = int(columns[0])
        rows = np.flatnonzero(np.isinf(np.asarray(table.column(j), dtype=np.float64)))
        actual = f"column {table.label(j)} has {count(len(rows), 'infinite value')} (inf) in {noun_list('row', rows)}"
        hint = "replace or clip these values"
        raise DataError(format_message(who, "Input X contains infinity or a value too large", actual=actual, hint=hint))


def _refuse_large(table: Table, largest: Floats, who: str) -> None:
    wrong = np.flatnonzero(largest >= MOST_CODES)
    if len(wrong):
        j = int(wrong[0])
        requirement = (
            f"codes of categories must be below {MOST_CODES:,}, as every one from 0 to the largest is a category"
        )
        hint = (
            "give the column as text, or use NaiveBayes(categories=[...]): then its distinct values are the categories"
        )
        raise DataError(
            format_message(who, requirement, actual=f"column {table.label(j)} holds {largest[j]:.17g}", hint=hint)
        )


def _refuse_unknown(table: Table, j: int, column: CategoryColumn, cells: Array, who: str) -> None:
    rows = np.flatnonzero(cells >= column.size)
    if len(rows):
        values = table.column(j)[rows[:1000]].tolist()
        seen = list({repr(value): short_repr(value) for value in values if not is_missing(value)}.values())
        actual = f"column {table.label(j)} holds {join_some(seen)} ({noun_list('row', rows)})"
        requirement = "every value must be a known category"
        hint = "unknown='smooth' or 'ignore', or fit again with these rows"
        raise DataError(format_message(who, requirement, actual=f"Found unknown categories: {actual}", hint=hint))


# --------------------------------------------------------------------------------------------------------------- tables


def score_tables(logs: Sequence[tuple[Floats, Floats]], ignore: bool) -> tuple[Array, Floats]:
    """What the kernel gathers from: sizes, and for each column its values, an unseen one and a missing one."""
    sizes = np.array([shares.shape[1] for shares, _ in logs], dtype=np.int64)
    parts = []
    for shares, unseen in logs:
        other = np.zeros_like(unseen) if ignore else unseen
        parts.append(np.vstack([shares.T, other, np.zeros_like(unseen)]).ravel())
    return sizes, np.concatenate(parts) if parts else np.empty(0)


def count_cells(
    cells: Array, columns: Sequence[CategoryColumn], codes: Array, classes: int, weight: Floats | None, threads: int
) -> list[Floats]:
    """Classes x values of every column: the weight of the rows that have both."""
    sizes = np.array([column.size for column in columns], dtype=np.int64)
    found = _core.count_codes(cells, sizes, codes, classes, NO_WEIGHT if weight is None else weight, threads)
    return [np.ascontiguousarray(part.T) for part in np.split(found, np.cumsum(sizes)[:-1])]

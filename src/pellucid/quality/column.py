"""A table as the checks read it: every column by its distinct values, how often each occurs, and which row has which.

What is wrong with a cell is nearly always a matter of its value alone. So a check looks at distinct values, which are
few, and the codes take what it finds back to the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, sentence, some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.coding import Coded, code_column
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.table import Table, read_table


@dataclass(frozen=True)
class Column:
    """One column.

    name : its name in the table, or x0, x1, ... where there are no names
    place : its position
    stored : how the table stores it: numbers, flags, text, ...
    """

    table: Table
    place: int
    name: Any
    stored: Kind
    threads: int = 1

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @cached_property
    def raw(self) -> Array:
        """The values row by row, as NumPy holds them."""
        return self.table.column(self.place)

    @cached_property
    def missing(self) -> Flags:
        """Rows without a value: null, None, NaN, NaT."""
        return self.table.missing(self.place)

    @cached_property
    def coded(self) -> Coded:
        """Distinct values that are not missing in the order in which they are first met, counts, and a code a row."""
        return code_column(self.table, self.place, self.threads)

    @property
    def values(self) -> Array:
        """The distinct values."""
        return self.coded.values

    @property
    def counts(self) -> Array:
        """How many rows have each distinct value."""
        return self.coded.counts

    @property
    def codes(self) -> Array:
        """Which distinct value each row has; -1 where it is missing."""
        return self.coded.codes

    @property
    def n_missing(self) -> int:
        return int(self.missing.sum())

    @property
    def is_number(self) -> bool:
        """Does the table store numbers or flags here?"""
        return self.stored in NUMERIC

    @property
    def is_text(self) -> bool:
        """Does the table store text or names here?"""
        return self.stored in (Kind.TEXT, Kind.CATEGORY, Kind.ORDERED)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as text."""
        return [value if isinstance(value, str) else str(value) for value in self.values.tolist()]

    @cached_property
    def numbers(self) -> Floats:
        """Stored numbers row by row, NaN where missing."""
        numbers = np.array(
            [np.nan if gone else float(v) for v, gone in zip(self.raw.tolist(), self.missing.tolist(), strict=True)]
            if self.raw.dtype.kind == "O"
            else self.raw,
            dtype=np.float64,
        )
        if self.missing.any():
            numbers[self.missing] = np.nan
        return numbers

    def rows_of(self, which: Any) -> Array:
        """Rows whose distinct value is among those flagged."""
        flags = np.append(np.asarray(which, dtype=bool), False)  # code -1 looks up the last
        return np.flatnonzero(flags[self.codes])


@dataclass(frozen=True)
class Look:
    """A table with its columns, and which of them is the target."""

    table: Table
    columns: tuple[Column, ...]
    target: Column | None = None

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: Any) -> Column:
        return next(column for column in self.columns if column.name == name)


def look_at(X: Any, who: str, target: Any = None, threads: int = 1) -> Look:
    """Reads a table; ``target`` is the name of one of its columns."""
    table = X if isinstance(X, Table) else read_table(X, who)
    names = table.names if table.names is not None else tuple(f"x{j}" for j in range(table.n_cols))
    kinds = table.kinds
    columns = tuple(Column(table, j, name, kinds[j], threads) for j, name in enumerate(names))
    if target is None:
        return Look(table, columns)
    for column in columns:
        if column.name == target:
            return Look(table, columns, column)
    raise ParameterError(
        sentence(who, "target must be the name of a column", f"got {target!r}; there are {some(map(repr, names))}")
    )

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

from pellucid import _core
from pellucid.base.errors import ParameterError, sentence, some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.coding import Coded, code_column, code_numbers
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.stored import StoredNumbers, stored_numbers
from pellucid.data.table import Table, read_table
from pellucid.data.texts import CodedTexts


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
        if self.is_text:
            return np.asarray(self.codes < 0)
        stored = self.stored_numbers
        if stored is None:
            return self.table.missing(self.place)
        if stored.missing is not None:
            return stored.missing
        if stored.unit:
            return np.asarray(stored.values == np.iinfo(np.int64).min)  # what NaT is
        return np.isnan(stored.values) if stored.values.dtype.kind == "f" else np.zeros(self.n_rows, dtype=bool)

    @cached_property
    def stored_numbers(self) -> StoredNumbers | None:
        """Numbers, flags or times as they are stored; None for everything else."""
        return None if self.is_text else stored_numbers(self.table, self.place)

    @cached_property
    def coded(self) -> Coded:
        """Distinct values that are not missing in the order in which they are first met, counts, and a code a row."""
        numbers = self.stored_numbers if self.stored is Kind.NUMBER else None
        if numbers is not None:
            return code_numbers(numbers.values, self.missing, self.threads)
        return code_column(self.table, self.place, self.threads)

    def take_texts(self, coded: CodedTexts | None) -> None:
        """Texts that were coded together with those of other columns; None if there are none in this one."""
        if coded is not None:
            self.__dict__["coded"] = Coded(np.array(coded.values, dtype=object), coded.counts, coded.codes)
            self.__dict__["hashes"] = coded.hashes

    @cached_property
    def hashes(self) -> Array:
        """64 bits for each distinct value, from its text; the same in every process."""
        return _core.hash_strings(self.texts)

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
        stored = self.stored_numbers
        numbers = np.array(self.raw if stored is None else stored.values, dtype=np.float64)
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
    """Reads a table; ``target`` is the name of one of its columns. A look that was taken before is taken over."""
    if isinstance(X, Look):
        return X
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

"""A table as the checks read it: every column by its distinct values, how often each occurs, and which row has which.

What is wrong with a cell is nearly always a matter of its value alone. So a check looks at distinct values, which are
few, and the codes take what it finds back to the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.coding import Coded, code_column
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.stored import StoredNumbers, stored_numbers
from pellucid.data.table import Table, read_table
from pellucid.data.texts import CodedTexts, code_text_columns
from pellucid.quality._describe import BINS, TOP


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
        if self.has_numbers:
            code_together([self], 1)
            return self.coded
        return code_column(self.table, self.place, self.threads)

    @cached_property
    def order(self) -> Array:
        """Places of the distinct values of numbers, the smallest first."""
        if self.has_numbers:
            code_together([self], 1)
            return self.order
        return np.argsort(self.values, kind="stable")

    @property
    def has_numbers(self) -> bool:
        """Are there numbers, neither flags nor times, that kernels can read?"""
        return self.stored is Kind.NUMBER and self.stored_numbers is not None

    @property
    def figures(self) -> dict[str, Any] | None:
        """The kernel's figures of numbers, if they were worked out when the column was coded."""
        figures: dict[str, Any] | None = vars(self).get("_figures")
        return figures

    @property
    def is_coded(self) -> bool:
        """Are distinct values and codes known already?"""
        return "coded" in vars(self)

    @property
    def cells(self) -> _core.NumberColumn:
        """The rows as kernels compare them."""
        numbers = self.stored_numbers
        return numbers.for_kernel() if numbers is not None else _core.NumberColumn(np.ascontiguousarray(self.codes))

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
        if stored is not None and stored.missing is None and stored.values.dtype == np.float64:
            return np.ascontiguousarray(stored.values)  # NaN says what is missing
        numbers = np.array(self.raw if stored is None else stored.values, dtype=np.float64)
        if self.missing.any():
            numbers[self.missing] = np.nan
        return numbers

    def rows_of(self, which: Any) -> Array:
        """Rows whose distinct value is among those flagged."""
        flags = np.append(np.asarray(which, dtype=bool), False)  # code -1 looks up the last
        return np.flatnonzero(flags[self.codes])


@dataclass(frozen=True)
class TableStats:
    """A table with its columns, and which of them is the target."""

    table: Table
    columns: tuple[Column, ...]
    target: Column | None = None

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def threads(self) -> int:
        return self.columns[0].threads if self.columns else 1

    @cached_property
    def first_equal(self) -> Array:
        """For each row the first one that equals it in every column, which may be itself."""
        return _core.first_equal_rows([column.cells for column in self.columns], self.threads)

    def forget(self) -> None:
        """Lets go of what was worked out about the columns, which holds more memory than the table itself."""
        all_held: list[TableStats | Column] = [self, *self.columns]
        for owner in all_held:
            field_names = {field.name for field in fields(owner)}
            for name in [name for name in vars(owner) if name not in field_names]:
                del vars(owner)[name]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: Any) -> Column:
        return next(column for column in self.columns if column.name == name)


def code_together(columns: Sequence[Column], threads: int) -> None:
    """Codes columns of texts and of numbers, several at a time, and leaves the result with each."""
    texts = [column for column in columns if column.is_text and not column.is_coded]
    if texts:
        coded_columns = code_text_columns(texts[0].table, [column.place for column in texts], threads)
        for column, coded in zip(texts, coded_columns, strict=True):
            column.take_texts(coded)
    numbered = [column for column in columns if not column.is_text and not column.is_coded and column.has_numbers]
    kernel = [column.cells for column in numbered]
    for column, (figures, values, counts, codes, order) in zip(
        numbered, _core.code_numbers(kernel, TOP, BINS, threads), strict=True
    ):
        numbers = column.stored_numbers
        distinct = values if numbers is None else values.astype(numbers.values.dtype, copy=False)
        vars(column).update(coded=Coded(distinct, counts, codes), order=order, _figures=figures)


def compute_stats(X: Any, who: str, target: Any = None, threads: int = 1) -> TableStats:
    """Reads a table; ``target`` is the name of one of its columns. A look that was taken before is taken over."""
    if isinstance(X, TableStats):
        return X
    table = X if isinstance(X, Table) else read_table(X, who)
    names = table.names if table.names is not None else tuple(f"x{j}" for j in range(table.n_cols))
    kinds = table.kinds
    columns = tuple(Column(table, j, name, kinds[j], threads) for j, name in enumerate(names))
    if target is None:
        return TableStats(table, columns)
    for column in columns:
        if column.name == target:
            return TableStats(table, columns, column)
    raise ParameterError(
        format_message(
            who,
            "target must be the name of a column",
            actual=f"got {target!r}; there are {join_some(map(repr, names))}",
        )
    )
